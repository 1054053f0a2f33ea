import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { resolve } from "node:path";
import { ROOT } from "../../scripts/lib/generated.ts";

/** A program that runs in its own process with the built package. */
export interface RunningProgram {
  readonly process: ChildProcess;
  /** The output of the program so far. */
  output(): string;
  /** Resolves with the exit code and the whole output. */
  readonly ended: Promise<{ code: number | null; output: string }>;
  /** Resolves with the first match in the output; rejects if the program ends first. */
  waitForOutput(pattern: RegExp): Promise<string>;
  /** Sends a signal. @returns the exit code, or null if the signal ended the program. */
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts a program: `start("examples/demo/demo.ts", [], { cwd, env })`. */
export function start(
  file: string,
  args: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> },
): RunningProgram {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", resolve(ROOT, file), ...args], {
    cwd,
    env: { PATH, NODE_COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const readers = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
      for (const read of readers) read();
    });
  }
  const ended = new Promise<{ code: number | null; output: string }>((done) => {
    child.on("close", (code) => done({ code, output }));
  });
  const waitForOutput = (pattern: RegExp) =>
    new Promise<string>((found, reject) => {
      const read = () => {
        const [match] = pattern.exec(output) ?? [];
        if (match === undefined) return;
        readers.delete(read);
        found(match);
      };
      readers.add(read);
      void ended.then(() => reject(new Error(`it ended without printing ${pattern}:\n${output}`)));
      read();
    });
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return (await ended).code;
  };
  return { process: child, output: () => output, ended, waitForOutput, end };
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
