import { randomUUID } from "node:crypto";
import { closeSync, constants, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { type Files, machineFiles, sweep, writeAt } from "./node-files.js";
import { checkedTarget } from "./node-target.js";
import { writeError } from "./problem.js";

const CHUNK_CHARACTERS = 1 << 16;

export type Content = string | Uint8Array | AsyncIterable<string> | AsyncIterable<Uint8Array>;

/**
 * Replaces a file in one step: the old file stays until the new one is complete. The new file gets the old one's
 * permissions. A symbolic link stays, and the file to which it points is replaced.
 * @param mode permissions if there was no file, restricted by the umask.
 * @throws InputError if something other than a file is at the path; an error with a remedy if the disk is full.
 */
export async function writeWhole(path: string, content: Content, mode = 0o600): Promise<void> {
  const target = await checkedTarget(path);
  // A leftover file that cannot be removed does no harm.
  await sweep(target.path, machineFiles).catch(() => undefined);
  const part = `${target.path}.${randomUUID()}.part`;
  try {
    await replaceFile({ path: target.path, part, mode, kept: target.mode }, content, machineFiles);
  } catch (error) {
    throw writeError(path, error, "An existing file is unchanged", "try again");
  }
}

interface Replacement {
  readonly path: string;
  /** Path of the new file until it is complete. An existing file at this path is removed. */
  readonly part: string;
  readonly mode: number;
  /** Permissions to give the complete file; null keeps those with which it was created. */
  readonly kept: number | null;
}

/** Writes a file under another name, and renames it once it is on the disk. */
export async function replaceFile(
  { path, part, mode, kept }: Replacement,
  content: Content,
  files: Files,
): Promise<void> {
  await files.remove(part);
  const file = await files.create(part, mode);
  try {
    let size = 0;
    for await (const bytes of chunksOf(content)) {
      await writeAt(file, bytes, size);
      size += bytes.length;
    }
    // The old permissions are set last, so that other users cannot read a half-written file.
    if (kept !== null) await file.chmod(kept);
    await files.flush(file);
    await file.close();
    await files.rename(part, path);
  } catch (error) {
    await file.close();
    await files.remove(part).catch(() => undefined);
    throw error;
  }
  await files.syncFolderOf(path);
}

async function* chunksOf(content: Content): AsyncGenerator<Uint8Array> {
  if (content instanceof Uint8Array) return yield content;
  let text = "";
  for await (const piece of typeof content === "string" ? [content] : content) {
    if (piece instanceof Uint8Array) {
      yield piece;
      continue;
    }
    text += piece;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  yield Buffer.from(text);
}

/**
 * Appends a line to a file; a new file is private to its owner. A line that cannot be written completely is removed.
 * Without a line, only checks that the file can be written.
 */
export function appendLine(path: string, line: string | null): void {
  // O_NONBLOCK: opening a named pipe must not wait for a reader.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NONBLOCK ?? 0);
  const file = openSync(path, flags, 0o600);
  try {
    if (line === null) return;
    const stats = fstatSync(file);
    const bytes = Buffer.from(`${line}\n`);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(file, bytes, written);
    } catch (error) {
      // Cuts nothing if another process has appended its own line, which must stay.
      const isLast = stats.isFile() && fstatSync(file).size === stats.size + written;
      if (isLast && written > 0) ftruncateSync(file, stats.size);
      throw error;
    }
  } finally {
    closeSync(file);
  }
}
