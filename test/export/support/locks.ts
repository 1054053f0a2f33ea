import { readFileSync, writeFileSync } from "node:fs";
import { machineFiles } from "../../../src/work/place/node-files.js";
import { FileLock } from "../../../src/work/place/node-lock.js";

/** The text of a lock as this process would write it, with some facts replaced. */
export async function lockLike(file: string, facts: object): Promise<string> {
  const lock = await FileLock.of(file, machineFiles);
  if (typeof lock === "string") throw new Error(`${file} is locked`);
  const owner = JSON.parse(readFileSync(`${file}.lock`, "utf8"));
  await lock.release();
  return JSON.stringify({ ...owner, ...facts });
}

/** Writes the lock of {@link lockLike} beside a file. */
export async function leaveLock(file: string, facts: object): Promise<void> {
  writeFileSync(`${file}.lock`, await lockLike(file, facts));
}
