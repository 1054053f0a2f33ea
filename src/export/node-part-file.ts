import { type FileHandle, lstat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { type Files, orNull, writeAt } from "../work/place/node-files.js";
import type { Target } from "../work/place/node-target.js";
import { type ExportState, parseState } from "./state.js";

const CHUNK_BYTES = 1 << 20;

export type PageState = Omit<ExportState, "version" | "size" | "crc">;

/**
 * A file that grows by whole pages. It is written to `<path>.part`, and `<path>.state` records its progress. The state
 * is replaced only once the bytes of a page are on the disk, so it always describes whole pages, and any bytes after
 * them are cut off before the next page. At the end the part is renamed. All these files have the permissions of the
 * file they replace, so that no other user can read them in the meantime.
 */
export class PartFile {
  readonly #path: string;
  /** Permissions of the finished file. */
  readonly #mode: number;
  readonly #modeOfPart: number;
  readonly #files: Files;
  #file: FileHandle | null = null;
  #size = 0;
  #crc = 0;
  /** True if `<path>.state` may describe bytes that the next page replaces. */
  #stale = true;

  constructor({ path, mode }: Target, files: Files) {
    this.#path = path;
    this.#mode = mode;
    // The owner must be able to write to the part, even if the file that it replaces is read-only.
    this.#modeOfPart = mode | 0o600;
    this.#files = files;
  }

  get #part(): string {
    return `${this.#path}.part`;
  }

  get #state(): string {
    return `${this.#path}.state`;
  }

  /** The state that an earlier process stored; null if there is no export to continue. */
  async readState(): Promise<ExportState | null> {
    return parseState(await this.#files.read(this.#state));
  }

  /**
   * Continues after the pages of a stored state.
   * @returns false if the part is missing or its bytes have changed; then `append` starts over.
   */
  async resume({ size, crc }: ExportState): Promise<boolean> {
    const file = await this.#open();
    if ((await file.stat()).size < size || (await crcOf(file, size)) !== crc) return false;
    await file.truncate(size);
    this.#size = size;
    this.#crc = crc;
    this.#stale = false;
    return true;
  }

  /**
   * Starts over. The old part stays until the first page arrives, so that nothing is lost if the key no longer works.
   */
  restart(): void {
    this.#size = 0;
    this.#crc = 0;
    this.#stale = true;
  }

  /**
   * Appends a page; it is on the disk once this resolves. If this fails, the part is unchanged.
   * @throws Error if another process writes to the part; errors of the file system.
   */
  async append(page: Uint8Array, state: PageState): Promise<void> {
    const file = await this.#open();
    if (this.#stale) {
      await this.#files.remove(this.#state);
      await this.#files.syncFolderOf(this.#state);
      await file.truncate(0);
      this.#stale = false;
    } else if ((await file.stat()).size !== this.#size) {
      throw this.#changedError();
    }
    try {
      await writeAt(file, page, this.#size);
      await file.sync();
    } catch (error) {
      // Frees the space on a full disk. If this fails, the next run cuts the bytes off.
      await file.truncate(this.#size).catch(() => undefined);
      throw error;
    }
    const size = this.#size + page.length;
    const crc = crc32(page, this.#crc);
    await this.#record({ version: 1, ...state, size, crc });
    this.#size = size;
    this.#crc = crc;
  }

  /**
   * Renames the part to its final name and replaces an existing file.
   * @param ending bytes to write after the last page, if any.
   * @throws Error if another process has replaced the part.
   */
  async finish(ending: Uint8Array): Promise<void> {
    const file = await this.#open();
    await file.truncate(this.#size);
    await writeAt(file, ending, this.#size);
    if (this.#mode !== this.#modeOfPart) await file.chmod(this.#mode);
    await file.sync();
    const [ours, there] = [await file.stat(), await orNull(lstat(this.#part))];
    await this.close();
    // Another process may have replaced the part with its file.
    if (there?.ino !== ours.ino || there.size !== ours.size) throw this.#changedError();
    await this.#rename(this.#part, this.#path);
    await this.#files.syncFolderOf(this.#path);
    await this.#files.remove(this.#state);
    await this.#files.syncFolderOf(this.#path);
  }

  /** Closes the part; it stays for the next run. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  async #open(): Promise<FileHandle> {
    this.#file ??= await this.#files.open(this.#part, this.#modeOfPart);
    return this.#file;
  }

  // A rename replaces the state in one step, so no process reads half of it.
  async #record(state: ExportState): Promise<void> {
    await this.#files.write(`${this.#state}.new`, `${JSON.stringify(state)}\n`, this.#modeOfPart);
    await this.#rename(`${this.#state}.new`, this.#state);
    await this.#files.syncFolderOf(this.#state);
  }

  async #rename(from: string, to: string): Promise<void> {
    try {
      await this.#files.rename(from, to);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === "ENOENT" ? this.#changedError(error) : error;
    }
  }

  #changedError(cause?: unknown): Error {
    return new Error(`${this.#part} has changed: another process is writing to it`, { cause });
  }
}

async function crcOf(file: FileHandle, size: number): Promise<number> {
  const chunk = new Uint8Array(Math.min(size, CHUNK_BYTES));
  let crc = 0;
  for (let read = 0; read < size; ) {
    const { bytesRead } = await file.read(chunk, 0, Math.min(chunk.length, size - read), read);
    if (bytesRead === 0) return -1;
    crc = crc32(chunk.subarray(0, bytesRead), crc);
    read += bytesRead;
  }
  return crc;
}
