import { constants, createReadStream, fsync } from "node:fs";
import { type FileHandle, open, readdir, readFile, realpath, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";

/** The operations for writing files. Tests replace them with a disk that is full or fails at any step. */
export interface Files {
  /** Opens an existing file for reading and writing. Does not follow a symbolic link. */
  open(path: string): Promise<FileHandle>;
  /**
   * Creates a file for reading and writing. Rejects with EEXIST if anything exists at the path.
   * @param mode permissions, restricted by the umask.
   */
  create(path: string, mode: number): Promise<FileHandle>;
  flush(file: FileHandle): Promise<void>;
  read(path: string): Promise<string | null>;
  /** Time at which a file was last written or touched, in milliseconds since the epoch; null if it does not exist. */
  modified(path: string): Promise<number | null>;
  /** Updates the time of a file, to show that it is in use. */
  touch(path: string): Promise<void>;
  /** The files in the same folder whose names start with this file's name and a dot. */
  siblings(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Flushes the folder of a file to the disk: until then, a power cut may undo a rename. */
  syncFolderOf(path: string): Promise<void>;
}

// Under Yarn Plug'n'Play a FileHandle has no `sync`, so files are flushed by descriptor.
const sync = promisify(fsync);
// Windows has no O_NOFOLLOW.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

export const machineFiles: Files = {
  open: (path) => open(path, constants.O_RDWR | NO_FOLLOW),
  create: (path, mode) => open(path, "wx+", mode),
  flush: (file) => sync(file.fd),
  read: (path) => orNull(readFile(path, "utf8")),
  modified: async (path) => (await orNull(stat(path)))?.mtimeMs ?? null,
  touch: (path) => utimes(path, new Date(), new Date()),
  async siblings(path) {
    const names = await readdir(dirname(path));
    return names.filter((name) => name.startsWith(`${basename(path)}.`)).map((name) => join(dirname(path), name));
  },
  rename,
  remove: (path) => rm(path, { force: true }),
  async syncFolderOf(path) {
    // Windows cannot open folders, and its file systems keep renames in order.
    if (process.platform === "win32") return;
    const folder = await open(dirname(path), "r");
    try {
      await sync(folder.fd);
    } finally {
      await folder.close();
    }
  },
};

/**
 * Writes all bytes at a position, in several writes if necessary: one write may accept fewer bytes than it is given.
 */
export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

// Temporary files older than this are leftovers: a running process writes to its own more often.
const LEFT_AFTER_MS = 3_600_000;
const TEMPORARY = /\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(\.part)?$/;

/** Removes the temporary files that killed processes left next to a file. */
export async function sweep(path: string, files: Files): Promise<void> {
  for (const beside of await files.siblings(path)) {
    if (!TEMPORARY.test(beside)) continue;
    const touched = (await files.modified(beside)) ?? Number.POSITIVE_INFINITY;
    if (Date.now() - touched > LEFT_AFTER_MS) await files.remove(beside);
  }
}

/**
 * Resolves the symbolic links in the path of a file's folder; returns the path unchanged if the folder does not exist.
 */
export async function pathByRealFolder(path: string): Promise<string> {
  const folder = await orNull(realpath(dirname(path)));
  return folder === null ? path : join(folder, basename(path));
}

export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // ENOTDIR: a folder in the path is a file.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}

/** Flags to open a file for reading without following a symbolic link or waiting for the writer of a named pipe. */
export const NO_WAITING = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);

export async function beginOf(path: string | URL, bytes: number, flags = constants.O_RDONLY): Promise<Buffer> {
  const all: Buffer[] = [];
  // Node accepts a number as flags, but its types do not.
  const options = { end: bytes - 1, flags: flags as unknown as string };
  for await (const piece of createReadStream(path, options)) all.push(piece as Buffer);
  return Buffer.concat(all);
}

/** Identifies the state of a file: saving the file changes the result. @throws if the file does not exist. */
export async function versionOf(path: string | URL): Promise<string> {
  const { ino, size, mtimeMs } = await stat(path);
  return [ino, size, mtimeMs].join();
}
