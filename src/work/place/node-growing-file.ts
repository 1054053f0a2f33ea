import { type FileHandle, lstat } from "node:fs/promises";
import { type Files, orNull, writeAt } from "./node-files.js";

const CHUNK_BYTES = 1 << 16;

export class GrowingFile {
  readonly #path: string;
  readonly #files: Files;
  readonly #inode: number;
  readonly handle: FileHandle;
  /** Number of hard links to the file when it was opened. */
  readonly links: number;
  #size: number;

  private constructor(
    path: string,
    files: Files,
    handle: FileHandle,
    stats: { ino: number; nlink: number; size: number },
  ) {
    this.#path = path;
    this.#files = files;
    this.handle = handle;
    this.#inode = stats.ino;
    this.links = stats.nlink;
    this.#size = stats.size;
  }

  /** Creates an empty file. Removes an existing file first, because its owner could read the new content. */
  static async create(path: string, mode: number, files: Files): Promise<GrowingFile> {
    await files.remove(path);
    return GrowingFile.#of(path, mode, files, await files.create(path, mode));
  }

  static async open(path: string, mode: number, files: Files): Promise<GrowingFile> {
    return GrowingFile.#of(path, mode, files, await files.open(path));
  }

  static async #of(path: string, mode: number, files: Files, handle: FileHandle): Promise<GrowingFile> {
    try {
      const stats = await handle.stat();
      if ((stats.mode & 0o777) !== mode) await handle.chmod(mode);
      return new GrowingFile(path, files, handle, stats);
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  async cut(size: number): Promise<void> {
    await this.handle.truncate(size);
    this.#size = size;
  }

  /** Removes the last line if it was not written completely. */
  async cutToLines(): Promise<void> {
    const chunk = Buffer.alloc(CHUNK_BYTES);
    let end = this.#size;
    for (let at = -1; at < 0 && end > 0; ) {
      const start = Math.max(0, end - CHUNK_BYTES);
      const { bytesRead } = await this.handle.read(chunk, 0, end - start, start);
      at = chunk.subarray(0, bytesRead).lastIndexOf(10);
      end = at < 0 ? start : start + at + 1;
    }
    await this.cut(end);
  }

  /** True if another process has written to the file, or has replaced it. */
  async hasChanged(): Promise<boolean> {
    const there = await orNull(lstat(this.#path));
    return there?.ino !== this.#inode || there.size !== this.#size;
  }

  /** Appends bytes and flushes them to the disk; if that fails, the file is as it was. */
  async append(bytes: Uint8Array): Promise<void> {
    try {
      await writeAt(this.handle, bytes, this.#size);
      await this.#files.flush(this.handle);
      this.#size += bytes.length;
    } catch (error) {
      // Frees the space on a full disk. If this fails too, the next process cuts the bytes off.
      await this.handle.truncate(this.#size).catch(() => undefined);
      throw error;
    }
  }

  /** Renames the file, replacing any file at the new path. */
  async moveTo(path: string): Promise<void> {
    await this.#files.rename(this.#path, path);
    await this.#files.syncFolderOf(path);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }
}
