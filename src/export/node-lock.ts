import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { threadId } from "node:worker_threads";
import { type Files, pathByRealFolder } from "./node-files.js";

/** Who writes to a file: the content of `<file>.lock`. */
interface Owner {
  readonly pid: number;
  readonly thread: number;
  /** When the process started, where the system tells: another process may have its number later. */
  readonly started: string | null;
  /** Where the number means this process: other containers and machines have processes of the same numbers. */
  readonly place: string;
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
// An owner that this process cannot see has ended when its lock was not touched for so long.
const LEASE_MS = 120_000;
const TOUCH_MS = 20_000;
const MOST_TURNS = 5;

/**
 * The right to write to a file, which one process has at a time. A killed one has it no more: at once where its end can be seen,
 * and after two minutes in another container or machine that shares the folder.
 */
export class FileLock {
  readonly #path: string;
  readonly #files: Files;
  readonly #text: string;
  readonly #touching: NodeJS.Timeout;

  private constructor(path: string, files: Files, text: string) {
    this.#path = path;
    this.#files = files;
    this.#text = text;
    // Where it cannot be touched, somebody else has it, and this process finds that out when it writes.
    this.#touching = setInterval(() => void files.touch(path).catch(() => undefined), TOUCH_MS);
    this.#touching.unref();
  }

  /** Takes the lock of a file. @returns who has it, in words, when another process or call does. */
  static async of(file: string, files: Files): Promise<FileLock | string> {
    const path = `${await pathByRealFolder(file)}.lock`;
    const held = heldHere();
    if (held.has(path)) return "this process";
    held.add(path);
    let taken = false;
    try {
      const mine = ownerHere();
      const text = JSON.stringify(mine);
      const other = await take(path, files, mine, text);
      taken = other === null;
      // What cannot be removed is in nobody's way.
      if (taken) await sweep(path, files).catch(() => undefined);
      return other ?? new FileLock(path, files, text);
    } finally {
      if (!taken) held.delete(path);
    }
  }

  /** Gives it back, unless another process has taken it because this one stood still for too long. */
  async release(): Promise<void> {
    clearInterval(this.#touching);
    try {
      if ((await this.#files.read(this.#path)) === this.#text) await this.#files.remove(this.#path);
    } finally {
      heldHere().delete(this.#path);
    }
  }
}

function ownerHere(): Owner {
  const { pid } = process;
  const started = processOf(pid)?.started ?? null;
  return { pid, thread: threadId, started, place: placeHere(), at: Date.now(), id: randomUUID() };
}

async function take(path: string, files: Files, mine: Owner, text: string): Promise<string | null> {
  let other = "another process";
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    if (await files.create(path, text)) return null;
    const found = await files.read(path);
    if (found === null) continue;
    const owner = parseOwner(found);
    const untouched = Date.now() - ((await files.modified(path)) ?? Number.NEGATIVE_INFINITY);
    if (owner) other = wordsFor(owner, mine);
    if (owner ? isAlive(owner, mine, untouched) : untouched < WRITING_MS) return other;
    // Of several processes that find the lock of a dead one, one moves it away.
    const aside = `${path}.${mine.id}`;
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
  return other;
}

function wordsFor({ pid, place }: Owner, mine: Owner): string {
  if (place === mine.place) return pid === mine.pid ? "this process" : `process ${pid}`;
  return `process ${pid} of another container or machine; if that was killed, try again in ${LEASE_MS / 60_000} minutes`;
}

// What a process that was killed while it moved a lock away has left.
async function sweep(path: string, files: Files): Promise<void> {
  for (const aside of await files.siblings(path)) {
    if (!/\.lock\.[\da-f-]{36}$/.test(aside)) continue;
    if (Date.now() - ((await files.modified(aside)) ?? Number.POSITIVE_INFINITY) > LEASE_MS) await files.remove(aside);
  }
}

function isAlive({ pid, thread, started, place, at }: Owner, mine: Owner, untouched: number): boolean {
  if (place !== mine.place) return untouched < LEASE_MS;
  const found = processOf(pid);
  // A process that has ended keeps its number until its parent asks how; in containers often nobody does.
  if (found && (found.ended || (started !== null && found.started !== started))) return false;
  // `held` has the locks of this thread.
  if (pid === mine.pid) return thread !== mine.thread;
  // Where the system does not tell when a process started: the machine has started since.
  if (started === null && at < Date.now() - uptime() * 1000) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// Linux tells which start of which machine this is, and which processes have numbers of their own in it.
function placeHere(): string {
  try {
    const boot = readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
    return `${boot} ${readlinkSync("/proc/self/ns/pid")}`;
  } catch {
    return hostname();
  }
}

function parseOwner(text: string | null): Owner | null {
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
