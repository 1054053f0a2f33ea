import { basename, dirname, join, resolve } from "node:path";
import { newestKept } from "../bulk/node-kept.js";
import { machineFiles } from "../export/node-files.js";
import { type Terminal, UsageError } from "./terminal.js";

/**
 * The plan that a name means: a run that has ended has renamed its plan, so the name means the last of those.
 * @param which `only` where taking another plan than the person means does harm.
 * @throws UsageError for `only`, when several runs have kept a plan of that name.
 */
export async function planNamed(given: string, terminal: Terminal, which: "last" | "only"): Promise<string> {
  if ((await machineFiles.modified(resolve(given))) !== null) return given;
  const kept = (await newestKept(given, machineFiles)).map((path) => join(dirname(given), basename(path)));
  const [last] = kept;
  if (last === undefined) return given;
  if (which === "only" && kept.length > 1) {
    throw new UsageError(`${given}: several runs have kept a plan of that name. Name one of them: ${kept.join(", ")}`);
  }
  terminal.stderr.write(`${given} is kept as ${last}\n`);
  return last;
}
