import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readFile, realpath, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** What an export does with the disk. Tests put a disk in its place that fills up or stops at any step. */
export interface Files {
  /**
   * Opens a file for reading and writing; creates it when there is none. A symbolic link is not followed.
   * @param mode its permissions, also when it is there already.
   */
  open(path: string, mode: number): Promise<FileHandle>;
  /** Replaces a file's content, on the disk when it resolves. @param mode as for `open`. */
  write(path: string, text: string, mode: number): Promise<void>;
  /** Makes a file with this text, unless there is one of that name. @returns whether it did. */
  create(path: string, text: string): Promise<boolean>;
  /** The text of a file; null when there is none. */
  read(path: string): Promise<string | null>;
  /** When a file was last written or touched, in milliseconds since the epoch; null when there is none. */
  modified(path: string): Promise<number | null>;
  /** Says that a file is still in use. */
  touch(path: string): Promise<void>;
  /** The files whose names begin with this one's and a dot. */
  siblings(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
  /** Puts the names of a folder's files on the disk: until then, a power cut may undo a rename. */
  syncFolderOf(path: string): Promise<void>;
}

/** The disk of this machine. */
export const machineFiles: Files = {
  open: (path, mode) => openWithMode(path, constants.O_RDWR, mode),
  async write(path, text, mode) {
    const file = await openWithMode(path, constants.O_WRONLY, mode);
    try {
      await file.truncate(0);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  async create(path, text) {
    let file: FileHandle;
    try {
      file = await open(path, "wx");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
    try {
      await file.writeFile(text);
      return true;
    } catch (error) {
      // On a full disk: an empty lock would be taken for one that another process is about to write.
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  },
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
    // Windows opens no folders; its file systems keep the order of such changes by themselves.
    if (process.platform === "win32") return;
    const folder = await open(dirname(path), "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  },
};

// Windows has no O_NOFOLLOW.
const CREATE = constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);

async function openWithMode(path: string, access: number, mode: number): Promise<FileHandle> {
  const file = await open(path, access | CREATE, mode);
  try {
    // The process's umask takes permissions from a new file, and an old one has its own.
    if (((await file.stat()).mode & 0o777) !== mode) await file.chmod(mode);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Writes a file as a whole: until that is done, the file that was there stays. The new one has its permissions.
 * @param mode permissions where there was no file, less those that the process's umask takes.
 */
export async function writeWhole(
  path: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  // No file of another program has this name.
  const part = `${path}.${randomUUID()}.part`;
  const before = await orNull(stat(path));
  const file = await open(part, "wx", mode);
  try {
    await write(file);
    // Last, as nobody else is to read half of it.
    if (before) await file.chmod(before.mode & 0o777);
    await file.sync();
    await file.close();
    await rename(part, path);
  } catch (error) {
    await file.close();
    await rm(part, { force: true });
    throw error;
  }
}

/** Writes bytes at a position: one write may take fewer than it is given. */
export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/** The path of a file whose folder may have several names; as it is where there is no such folder. */
export async function pathByRealFolder(path: string): Promise<string> {
  const folder = await orNull(realpath(dirname(path)));
  return folder === null ? path : join(folder, basename(path));
}

/** What a file operation gives; null if there is no such file. */
export async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The second: a folder of the path is a file.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
}
