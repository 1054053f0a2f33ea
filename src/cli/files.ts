import { resolve } from "node:path";
import { isTwin, type Twin } from "../sandbox/twin.js";
import { type Target, targetAt } from "../work/place/node-target.js";
import { jsonIn } from "./system-problem.js";
import { UsageError } from "./terminal.js";

/**
 * Finds the file that an option names.
 * @param command the command, if it writes to the standard output without that option; otherwise null.
 * @throws UsageError if no file can be written there.
 */
export async function fileOf(out: string, command: string | null, option = "--out"): Promise<Target> {
  if (out === "") throw new UsageError(`${option} must name a file`);
  if (/[/\\]$/.test(out)) throw new UsageError(`${option}: ${out} is a folder; name a file`);
  const found = await targetAt(resolve(out));
  if ("path" in found) return found;
  const advice =
    found.stream && command !== null
      ? `leave out ${option} and redirect the output: education-admin-sdk ${command} … > ${out}`
      : found.advice;
  throw new UsageError(`${option}: ${out} ${found.what}; ${advice}`);
}

export function twinIn(file: string, option: string): Twin {
  const twin = jsonIn(file, option);
  if (isTwin(twin)) return twin;
  throw new UsageError(`${option}: ${file} was not written by this version of education-admin-sdk twin`);
}
