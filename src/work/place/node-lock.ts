import { randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { threadId } from "node:worker_threads";
import { type Files, pathByRealFolder, sweep, writeAt } from "./node-files.js";

/** The process that is writing to a file: the content of `<file>.lock`. */
interface Owner {
  readonly pid: number;
  readonly thread: number;
  /** Start time of the process, because its id may be reused; null if the system does not provide it. */
  readonly started: string | null;
  /** The process namespace in which `pid` is valid: other containers and machines use the same ids. */
  readonly place: string;
  readonly at: number;
  readonly id: string;
}

const HELD = /* @__PURE__ */ Symbol.for("education-admin-sdk.export.held");

// Files that exports in this thread are writing, including those of other copies of this module. A lock of this thread
// that is missing here is a leftover of an earlier process with the same id.
function heldHere(): Set<string> {
  const shared = globalThis as { [HELD]?: Set<string> };
  shared[HELD] ??= new Set();
  return shared[HELD];
}

// A lock file is created first and filled afterwards, so it may be empty for this long.
const WRITING_MS = 5_000;
// An owner in another container or machine counts as dead if its lock was not touched for this long.
const LEASE_MS = 120_000;
const TOUCH_MS = 20_000;
const MOST_TURNS = 5;

/**
 * The right to write to a file, held by one process at a time. If that process is killed, the lock is free as soon as
 * the system shows that the process has ended. If the process ran in another container or machine that shares the
 * folder, the lock is free after two minutes.
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
    // If the touch fails, another process has taken the lock; this process notices at its next write.
    this.#touching = setInterval(() => void files.touch(path).catch(() => undefined), TOUCH_MS);
    this.#touching.unref();
  }

  /** Takes the lock of a file. @returns a text that names the owner if another process or call has the lock. */
  static async of(file: string, files: Files): Promise<FileLock | string> {
    const real = await pathByRealFolder(file);
    const path = `${real}.lock`;
    const held = heldHere();
    if (held.has(path)) return "this process";
    held.add(path);
    let taken = false;
    try {
      const mine = ownerHere();
      const text = JSON.stringify(mine);
      const other = await take(path, files, mine, text);
      taken = other === null;
      // A leftover file that cannot be removed does no harm.
      if (taken) await sweep(real, files).catch(() => undefined);
      return other ?? new FileLock(path, files, text);
    } finally {
      if (!taken) held.delete(path);
    }
  }

  /** Releases the lock, unless another process has taken it over because this one was suspended for too long. */
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
    if (await create(path, files, text)) return null;
    const found = await files.read(path);
    if (found === null) continue;
    const owner = parseOwner(found);
    const untouched = Date.now() - ((await files.modified(path)) ?? Number.NEGATIVE_INFINITY);
    if (owner) other = wordsFor(owner, mine);
    if (owner ? isAlive(owner, mine, untouched) : untouched < WRITING_MS) return other;
    // If several processes find the lock of a dead process, only one of them succeeds in moving it away.
    const aside = `${path}.${mine.id}`;
    try {
      await files.rename(path, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw error;
    }
    const moved = await files.read(aside);
    // Another process was faster, and the moved file is its new lock: put it back.
    if (moved !== null && moved !== found) await create(path, files, moved);
    await files.remove(aside);
  }
  return other;
}

function wordsFor({ pid, place }: Owner, mine: Owner): string {
  if (place === mine.place) return pid === mine.pid ? "this process" : `process ${pid}`;
  return `process ${pid} of another container or machine; if it was killed, try again in ${LEASE_MS / 60_000} minutes`;
}

async function create(path: string, files: Files, text: string): Promise<boolean> {
  // Readable for other users, so that they see who has the lock.
  const file = await files.create(path, 0o666).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "EEXIST") return null;
    throw error;
  });
  if (!file) return false;
  try {
    await writeAt(file, Buffer.from(text), 0);
    return true;
  } catch (error) {
    // The disk may be full. An incomplete lock would look like one that another process is still writing.
    await files.remove(path);
    throw error;
  } finally {
    await file.close();
  }
}

function isAlive({ pid, thread, started, place, at }: Owner, mine: Owner, untouched: number): boolean {
  if (place !== mine.place) return untouched < LEASE_MS;
  const found = processOf(pid);
  // A process that has ended keeps its process id until its parent reaps it, which in containers often never happens.
  if (found && (found.ended || (started !== null && found.started !== started))) return false;
  // `take` is only called for paths that this thread does not hold, so a lock of this thread is a leftover.
  if (pid === mine.pid) return thread !== mine.thread;
  // Without a start time, a lock older than the machine's start belongs to a dead process.
  if (started === null && at < Date.now() - uptime() * 1000) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

// On Linux, the boot identifier and the process namespace; elsewhere the host name.
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
  /** Start time in kernel clock ticks since the machine started. */
  readonly started: string;
  /** True if the process has ended and only its entry in the process table remains. */
  readonly ended: boolean;
}

// Reads the process table of Linux; null on other systems, and if the process does not exist.
function processOf(pid: number): ProcessInSystem | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The process name, in parentheses, may contain any characters.
    const [state = "", ...fields] = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { started: fields[18] ?? "", ended: state === "Z" || state === "X" };
  } catch {
    return null;
  }
}
