import { type FileHandle, lstat } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { type Files, orNull } from "../work/place/node-files.js";
import { GrowingFile } from "../work/place/node-growing-file.js";
import type { Target } from "../work/place/node-target.js";
import { replaceFile } from "../work/place/node-whole.js";
import { type ExportState, parseState } from "./state.js";

const CHUNK_BYTES = 1 << 20;

export type PageState = Omit<ExportState, "version" | "size" | "crc">;

/** Endings of the files next to an export. */
export const BESIDE = [".part", ".state", ".state.new", ".lock"];

/**
 * A file that grows by whole pages. It is written to `<path>.part`, and `<path>.state` records its progress. The state
 * is replaced only once the bytes of a page are on the disk, so it always describes whole pages, and any bytes after
 * them are cut off before the next page. At the end the part is renamed. All these files have the permissions of the
 * file that the part replaces, so that other users cannot read them.
 */
export class PartFile {
  readonly #path: string;
  /** Permissions of the finished file. */
  readonly #mode: number;
  readonly #modeOfPart: number;
  readonly #files: Files;
  /** Null until the first page, unless an earlier export is continued. */
  #file: GrowingFile | null = null;
  #crc = 0;

  constructor({ path, mode }: Target, files: Files) {
    this.#path = path;
    this.#mode = mode ?? 0o600;
    // The owner must be able to write to the part, even if the file that it replaces is read-only.
    this.#modeOfPart = this.#mode | 0o600;
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
   * @returns false if the part is missing, belongs to another user or has other bytes; then `append` starts over.
   */
  async resume({ size, crc }: ExportState): Promise<boolean> {
    const [part, lock] = [await orNull(lstat(this.#part)), await orNull(lstat(`${this.#path}.lock`))];
    // Refuses another user's .part file, which that user could still read and change. The lock file has this user's id.
    if (!part || part.uid !== lock?.uid || part.size < size) return false;
    const file = await GrowingFile.open(this.#part, this.#modeOfPart, this.#files);
    this.#file = file;
    if ((await crcOf(file.handle, size)) !== crc) {
      await this.restart();
      return false;
    }
    await file.cut(size);
    this.#crc = crc;
    return true;
  }

  /**
   * Starts over. The old part stays until the first page arrives, so that nothing is lost if the key no longer works.
   */
  async restart(): Promise<void> {
    await this.close();
    this.#crc = 0;
  }

  /**
   * Appends a page; it is on the disk once this resolves. If this fails, the part is unchanged.
   * @throws Error if another process writes to the part; errors of the file system.
   */
  async append(page: Uint8Array, state: PageState): Promise<void> {
    const file = this.#file ?? (await this.#create());
    if (await file.hasChanged()) throw this.#changedError();
    await file.append(page);
    this.#crc = crc32(page, this.#crc);
    await this.#record({ version: 1, ...state, size: file.size, crc: this.#crc });
  }

  /**
   * Renames the part to its final name and replaces an existing file.
   * @param ending bytes to write after the last page, if any.
   * @throws Error if another process has replaced the part.
   */
  async finish(ending: Uint8Array): Promise<void> {
    const file = this.#file ?? (await this.#create());
    if (this.#mode !== this.#modeOfPart) await file.handle.chmod(this.#mode);
    // Appends even an empty ending, because this flushes the file after an incomplete page was cut off.
    await file.append(ending);
    await this.close();
    if (await file.hasChanged()) throw this.#changedError();
    await this.#unlessChanged(file.moveTo(this.#path));
    await this.#files.remove(this.#state);
    await this.#files.syncFolderOf(this.#path);
  }

  /** Closes the part; it stays for the next run. */
  async close(): Promise<void> {
    const file = this.#file;
    this.#file = null;
    await file?.close();
  }

  // Removes the old state first: it describes bytes that the new part replaces.
  async #create(): Promise<GrowingFile> {
    await this.#files.remove(this.#state);
    await this.#files.syncFolderOf(this.#state);
    this.#file = await GrowingFile.create(this.#part, this.#modeOfPart, this.#files);
    return this.#file;
  }

  // A rename replaces the state in one step, so no process reads half of it.
  async #record(state: ExportState): Promise<void> {
    const mode = this.#modeOfPart;
    const replacement = { path: this.#state, part: `${this.#state}.new`, mode, kept: mode };
    await this.#unlessChanged(replaceFile(replacement, `${JSON.stringify(state)}\n`, this.#files));
  }

  async #unlessChanged(work: Promise<void>): Promise<void> {
    try {
      await work;
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
