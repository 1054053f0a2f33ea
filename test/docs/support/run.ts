import { fork } from "node:child_process";
import type { WrittenProgram } from "./compile.ts";
import type { Outcome, Service } from "./run-programs.ts";

const runner = new URL("./run-programs.ts", import.meta.url);

/**
 * Runs programs one after the other in a separate process; the programs of each document share an empty folder.
 * @param service the least kind sandbox, its twin, or one manner; by default a sandbox of medium size.
 */
export function run(programs: readonly WrittenProgram[], service?: Service): Promise<Outcome[]> {
  return new Promise((resolve) => {
    const outcomes: Outcome[] = [];
    const child = fork(runner, {
      execArgv: ["--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "pipe", "pipe", "ipc"],
      env: { ...process.env, ...(service && { SERVICE: JSON.stringify(service) }) },
    });
    let printed = "";
    child.stderr?.on("data", (chunk) => {
      printed += chunk;
    });
    child.on("message", (outcome) => outcomes.push(outcome as Outcome));
    child.on("close", (code) => {
      for (const { name } of programs.slice(outcomes.length)) {
        outcomes.push({ name, failure: `the process ended with ${code}: ${printed}`, output: "", ms: 0 });
      }
      resolve(outcomes);
    });
    child.send(programs.map(({ name, path }) => ({ name, path })));
  });
}
