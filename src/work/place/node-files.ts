import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, open, readdir, readFile, realpath, rename, rm, stat, utimes } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** The file operations of an export. Tests replace them with a disk that is full or stops at any step. */
export interface Files {
  /**
   * Opens a file for reading and writing, and creates it if it does not exist. Does not follow a symbolic link.
   * @param mode the permissions, also of an existing file.
   */
  open(path: string, mode: number): Promise<FileHandle>;
  /** Replaces the content of a file; it is on the disk once this resolves. @param mode as for `open`. */
  write(path: string, text: string, mode: number): Promise<void>;
  /** Creates a file with this text. @returns false if a file of that name exists. */
  create(path: string, text: string): Promise<boolean>;
  /** The text of a file; null if it does not exist. */
  read(path: string): Promise<string | null>;
  /** Time at which a file was last written or touched, in milliseconds since the epoch; null if it does not exist. */
  modified(path: string): Promise<number | null>;
  /** Updates the time of a file, to show that it is in use. */
  touch(path: string): Promise<void>;
  /** The files in the same folder whose names start with this file's name and a dot. */
  siblings(path: string): Promise<string[]>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file if it exists. */
  remove(path: string): Promise<void>;
  /** Flushes the folder of a file to the disk: until then, a power cut may undo a rename. */
  syncFolderOf(path: string): Promise<void>;
}

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
      // The disk may be full. An empty lock would look like one that another process is about to write.
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
    // Windows cannot open folders; its file systems keep such changes in order.
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
    // The umask restricts the permissions of a new file, and an existing file already has some.
    if (((await file.stat()).mode & 0o777) !== mode) await file.chmod(mode);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/**
 * Replaces a file in one step: the old file stays until the new one is complete. The new one gets its permissions.
 * @param mode permissions if there was no file, restricted by the umask.
 */
export async function writeWhole(
  path: string,
  mode: number,
  write: (file: FileHandle) => Promise<void>,
): Promise<void> {
  // No other program uses a file with this random name.
  const part = `${path}.${randomUUID()}.part`;
  const before = await orNull(stat(path));
  const file = await open(part, "wx", mode);
  try {
    await write(file);
    // The old permissions are set last, so that other users cannot read a half-written file.
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

/**
 * Writes all bytes at a position, in several writes if necessary: one write may accept fewer bytes than it is given.
 */
export async function writeAt(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    written += bytesWritten;
  }
}

/**
 * Resolves the symbolic links in the path of a file's folder; returns the path unchanged if the folder does not exist.
 */
export async function pathByRealFolder(path: string): Promise<string> {
  const folder = await orNull(realpath(dirname(path)));
  return folder === null ? path : join(folder, basename(path));
}

/** The result of a file operation; null if the file does not exist. */
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
