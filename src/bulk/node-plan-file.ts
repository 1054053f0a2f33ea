import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { orNull } from "../export/node-files.js";

/** The first letters of every plan. */
export const PLAN_BEGINS = '{"bulk":1';

/** Whether a file is a plan, which nothing but planning may replace. */
export async function isPlanFile(path: string): Promise<boolean> {
  return (await headOf(path)) === PLAN_BEGINS;
}

/** The start of a file, as long as {@link PLAN_BEGINS}; null if there is no file. */
export async function headOf(path: string): Promise<string | null> {
  // Not waiting for a writer of a named pipe.
  const flags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
  const file = await orNull(open(path, flags));
  if (!file) return null;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(PLAN_BEGINS.length), 0, PLAN_BEGINS.length, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
