import { resolve } from "node:path";
import { writeWhole } from "../export/node-files.js";
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
  if (/[/\\]$/.test(out)) throw new UsageError(`--out: ${out} is a folder; name a file`);
  const found = await targetAt(resolve(out));
  if ("path" in found) return found;
  // The library's own message about streams addresses programmers.
  const advice = found.stream
    ? `leave out --out and redirect the output: education-admin-sdk ${command} … > ${out}`
    : found.advice;
  throw new UsageError(`--out: ${out} ${found.what}; ${advice}`);
}

/** Writes a file atomically: the previous one stays until all bytes are written. */
export async function putFile({ path }: Target, bytes: Uint8Array): Promise<void> {
  try {
    await writeWhole(path, 0o600, (file) => file.writeFile(bytes));
  } catch (error) {
    const problem = diskProblem(error);
    if (problem === null) throw error;
    throw new Error(`${path} could not be written: ${problem}. What was there is unchanged.`, { cause: error });
  }
}
