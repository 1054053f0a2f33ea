import { constants } from "node:fs";
import { type FileHandle, open, readFile, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** What an export does with the disk. Tests put a disk in its place that fills up or stops at any step. */
export interface Files {
  /** Opens a file for reading and writing; creates it when there is none. */
  open(path: string): Promise<FileHandle>;
  /** Replaces a file's content, on the disk when it resolves. */
  write(path: string, text: string): Promise<void>;
  /** The text of a file; null when there is none. */
  read(path: string): Promise<string | null>;
  rename(from: string, to: string): Promise<void>;
  /** Removes a file, if it is there. */
  remove(path: string): Promise<void>;
  /** Puts the names of a folder's files on the disk: until then, a power cut may undo a rename. */
  syncFolderOf(path: string): Promise<void>;
  isFolder(path: string): Promise<boolean>;
}

/** The disk of this machine. */
export const machineFiles: Files = {
  open: (path) => open(path, constants.O_RDWR | constants.O_CREAT, 0o666),
  async write(path, text) {
    const file = await open(path, "w");
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
  },
  read: (path) => orNull(readFile(path, "utf8")),
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
  isFolder: async (path) => (await orNull(stat(path)))?.isDirectory() ?? false,
};

async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}
