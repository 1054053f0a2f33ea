import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { uptime } from "node:os";
import { threadId } from "node:worker_threads";
import type { Files } from "./node-files.js";

/** Who writes to a file: the content of `<file>.lock`. */
interface Owner {
  readonly pid: number;
  readonly thread: number;
  /** When the process started, where the system tells: another process may have its number later. */
  readonly started: string | null;
  /** When the lock was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly id: string;
}

const HELD = /* @__PURE__ */ Symbol.for("education-admin-sdk.export.held");

// Files of this thread's exports, those of other copies of this module too: a lock of this thread that is not here was left
// by an earlier process of that number.
function heldHere(): Set<string> {
  const shared = globalThis as { [HELD]?: Set<string> };
  shared[HELD] ??= new Set();
  return shared[HELD];
}

// How long a lock may be without content: it is made first and written then.
const WRITING_MS = 5_000;
const MOST_TURNS = 5;

/**
 * The right to write to a file, which one export on this machine has at a time. A process that was killed has it no more.
 */
export class FileLock {
  readonly #path: string;
  readonly #files: Files;

  private constructor(path: string, files: Files) {
    this.#path = path;
    this.#files = files;
  }

  /** Takes the lock of a file. @returns the number of the process that has it, when another export does. */
  static async of(file: string, files: Files): Promise<FileLock | { readonly pid: number }> {
    const path = `${file}.lock`;
    const held = heldHere();
    if (held.has(path)) return { pid: process.pid };
    held.add(path);
    let taken = false;
    try {
      const pid = await take(path, files);
      taken = pid === null;
      // What cannot be removed is in nobody's way.
      if (taken) await sweep(path, files).catch(() => undefined);
      return pid === null ? new FileLock(path, files) : { pid };
    } finally {
      if (!taken) held.delete(path);
    }
  }

  /** Gives it back. */
  async release(): Promise<void> {
    try {
      await this.#files.remove(this.#path);
    } finally {
      heldHere().delete(this.#path);
    }
  }
}

async function take(path: string, files: Files): Promise<number | null> {
  const { pid } = process;
  const id = randomUUID();
  const started = processOf(pid)?.started ?? null;
  const mine: Owner = { pid, thread: threadId, started, at: Date.now(), id };
  let found: string | null = null;
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (await files.create(path, JSON.stringify(mine))) return null;
    found = await files.read(path);
    if (found === null) continue;
    const alive = await livingOwner(found, path, files);
    if (alive !== null) return alive;
    // Of several processes that find the lock of a dead one, one moves it away.
    const aside = `${path}.${pid}-${started ?? 0}-${id}`;
    try {
      await files.rename(path, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw error;
    }
    const moved = await files.read(aside);
    // Another one was quicker: what was moved is its new lock.
    if (moved !== null && moved !== found) await files.create(path, moved);
    await files.remove(aside);
  }
  return parsed(found)?.pid ?? 0;
}

async function livingOwner(text: string, path: string, files: Files): Promise<number | null> {
  const owner = parsed(text);
  if (owner) return isAlive(owner) ? owner.pid : null;
  const file = await files.open(path, null);
  try {
    return Date.now() - (await file.stat()).mtimeMs < WRITING_MS ? 0 : null;
  } finally {
    await file.close();
  }
}

// What a process that was killed while it moved a lock away has left.
async function sweep(path: string, files: Files): Promise<void> {
  for (const aside of await files.besides(path)) {
    const [, pid = "0", started = "0"] = /\.lock\.(\d+)-(\d+)-[\da-f-]{36}$/.exec(aside) ?? [];
    const isOther = started !== "0" && processOf(Number(pid))?.started !== started;
    if (/\.lock\.(\d+-\d+-)?[\da-f-]{36}$/.test(aside) && (isOther || !isRunning(Number(pid))))
      await files.remove(aside);
  }
}

function isAlive({ pid, thread, started, at }: Owner): boolean {
  const found = processOf(pid);
  // A process that has ended keeps its number until its parent asks how; in containers often nobody does.
  if (found?.ended || (started !== null && found?.started !== started)) return false;
  // `held` has the locks of this thread.
  if (pid === process.pid) return thread !== threadId;
  // Where the system does not tell when a process started: the machine has started since.
  if (started === null && at < Date.now() - uptime() * 1000) return false;
  return isRunning(pid);
}

function isRunning(pid: number): boolean {
  // 0 would be the processes of this one's group.
  if (pid < 1) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function parsed(text: string | null): Owner | null {
  try {
    const owner = JSON.parse(text ?? "") as Partial<Owner> | null;
    const isWhole = Number.isSafeInteger(owner?.pid) && Number(owner?.pid) > 0 && typeof owner?.at === "number";
    return isWhole ? (owner as Owner) : null;
  } catch {
    return null;
  }
}

interface ProcessInSystem {
  /** When it started, in ticks since the machine did; in a container, processes often have the same numbers again. */
  readonly started: string;
  /** Whether it runs no more. */
  readonly ended: boolean;
}

// Linux tells; null elsewhere, and where there is no such process.
function processOf(pid: number): ProcessInSystem | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name, in parentheses, may hold anything.
    const [state = "", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { started: fields[18] ?? "", ended: state === "Z" || state === "X" };
  } catch {
    return null;
  }
}
