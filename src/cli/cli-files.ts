import { open, rename, rm } from "node:fs/promises";
import { resolve } from "node:path";
import { type Target, targetAt } from "../export/node-target.js";
import { diskProblem } from "./system-problem.js";
import { UsageError } from "./terminal.js";

/**
 * Finds the file that `--out` names.
 * @param command that writes to its output without `--out`.
 * @throws UsageError where no file can be put.
 */
export async function fileOf(out: string, command: string): Promise<Target> {
  if (out === "") throw new UsageError("--out must name a file");
  const found = await targetAt(resolve(out));
  if ("path" in found) return found;
  // What the library says of streams is for programs.
  const advice = found.stream ? `leave out --out and send the output there: ${command} … > ${out}` : found.advice;
  throw new UsageError(`--out: ${out} ${found.what}; ${advice}`);
}

/** Writes a file as a whole: until that is done, the file that was there stays. */
export async function writeWhole({ path, mode }: Target, bytes: Uint8Array): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, "w", mode ?? 0o666);
  try {
    await file.writeFile(bytes);
    await file.sync();
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    const problem = diskProblem(error);
    if (problem === null) throw error;
    throw new Error(`${path} could not be written: ${problem}. What was there is unchanged.`, { cause: error });
  }
}
