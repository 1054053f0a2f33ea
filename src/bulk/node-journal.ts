import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import { type Clock, systemClock, wait } from "../core/clock.js";
import { InputError, isEducationAdminError } from "../core/errors.js";
import type { Moment } from "../core/time.js";
import { type Files, machineFiles } from "../work/place/node-files.js";
import { GrowingFile } from "../work/place/node-growing-file.js";
import { FileLock } from "../work/place/node-lock.js";
import { targetAt } from "../work/place/node-target.js";
import { diskProblem } from "../work/place/problem.js";
import { momentNow, pauseAfter } from "../work/schedule.js";
import { BulkError } from "./errors.js";
import { headOf, newestKept, PLAN_BEGINS } from "./node-kept.js";
import type { BulkJournal } from "./types.js";

/** A plan to which this process may add lines. */
export interface OpenJournal {
  /** Adds lines; they are on the disk or in the database once this resolves. */
  append(...lines: readonly string[]): Promise<void>;
  /** Keeps the right to add lines while no lines are added. */
  renew(): Promise<void>;
  /** Replaces the earlier plan with the new one, which is now complete. */
  finish(): Promise<void>;
  close(): Promise<void>;
}

// How long a claim on a journal lasts without renewal.
const OWNED_MS = 120_000;
/** Interval at which the right to write is renewed. */
export const RENEW_MS = 20_000;
// How long failed writes are retried, for example while the database restarts.
const PATIENCE_MS = 60_000;
// How long to retry the release of a claim, which would otherwise block the next run for two minutes.
const RELEASE_PATIENCE_MS = 10_000;
const PAUSES = { firstMs: 100, mostMs: PATIENCE_MS };
const TRY = /^\{"row":\d+,"try":/;

export function nameOf(at: string | BulkJournal): string {
  return typeof at === "string" ? at : "the journal";
}

export function isPlace(to: unknown): boolean {
  return (typeof to === "string" && to !== "") || typeof (to as { append?: unknown } | null)?.append === "function";
}

/** The lines of a plan. The last line is left out unless it was written completely. */
export function linesOf(at: string | BulkJournal): AsyncIterable<string> {
  if (typeof at === "string") return linesOfFile(resolve(at));
  if (typeof at?.lines === "function") return at.lines();
  const message = "a plan is the name of a file, or a journal";
  throw new InputError(`bulk: ${message}.`, [{ path: "", message }]);
}

/**
 * Acquires the right to add to a plan.
 * @param fresh true to replace an existing plan.
 * @throws BulkError `in_use` while another process has that right.
 */
export async function openJournal(
  at: string | BulkJournal,
  fresh: boolean,
  clock: Clock,
  files: Files,
): Promise<OpenJournal> {
  if (typeof at === "string") {
    if (/[/\\]$/.test(at)) throw refusal(at, fresh, "names a folder");
    return openFile(resolve(at), fresh, files);
  }
  const claim = await claimOf(at, fresh, clock);
  try {
    if (fresh) await refuseSent(nameOf(at), at.lines());
  } catch (error) {
    await claim.close();
    throw error;
  }
  return claim;
}

async function claimOf(journal: BulkJournal, fresh: boolean, clock: Clock): Promise<OpenJournal> {
  const owner = crypto.randomUUID();
  const name = nameOf(journal);
  /** When the last successful claim began. */
  let since: Moment = momentNow(clock);
  let renewal: Promise<void> | null = null;
  // An expired claim is not taken again: another process may have held it and added lines that are unknown here.
  const check = () => {
    if (momentNow(clock) - since < OWNED_MS - RENEW_MS) return;
    const next = fresh ? "No plan was made; plan the rows again" : "Nothing more was sent; apply the plan again";
    const message = `${name}: the right to write to it was not renewed in time, so another process may have taken it. ${next}.`;
    throw new BulkError("stopped", message);
  };
  // Repeats a write until the database completes it; until then, nothing is sent to the service. A line may then be
  // stored twice, which readers of the journal tolerate.
  const persist = async <T>(work: () => Promise<T>, patienceMs: number = PATIENCE_MS): Promise<T> => {
    const until = performance.now() + patienceMs;
    for (let failures = 1; ; failures++) {
      try {
        return await work();
      } catch (error) {
        check();
        const pause = pauseAfter(failures, PAUSES);
        const message = `${name}: the database has not stored a line for ${PATIENCE_MS / 1_000} seconds. Nothing is lost: repair the database, then apply the plan again.`;
        if (performance.now() + pause > until) throw new BulkError("stopped", message, error);
        // Waits in real time, because the database does not follow the client's clock.
        await wait(systemClock, pause, undefined);
      }
    }
  };
  const claimAgain = async () => {
    const now = momentNow(clock);
    const claim = () => persist(() => journal.claim(owner, OWNED_MS));
    // A clock that skips waiting times must not skip ahead while the database is busy.
    if (!(await (clock.during?.(claim) ?? claim()))) throw changedError(name);
    since = now;
  };
  const renew = async () => {
    check();
    if (momentNow(clock) - since < RENEW_MS) return;
    renewal ??= claimAgain().finally(() => {
      renewal = null;
    });
    await renewal;
    check();
  };
  if (!(await journal.claim(owner, OWNED_MS)))
    throw inUse(name, `another process; a killed process keeps it for up to ${OWNED_MS / 60_000} minutes`);
  return {
    renew,
    async append(...lines) {
      await renew();
      const append = () => journal.append(lines);
      // A failed write of a new plan is not repeated, because lines that the database stored although it reported a
      // failure would appear twice. The caller plans again instead.
      await (fresh ? append() : persist(append));
      // The claim must still hold for the next step, such as a request.
      check();
    },
    finish: async () => undefined,
    // If the database fails, the claim expires on its own.
    async close() {
      await persist(() => journal.claim(owner, 0), RELEASE_PATIENCE_MS).catch(() => undefined);
    },
  };
}

/** Locks a plan's file. @param name for messages. @throws BulkError `in_use`, or an error if it cannot be opened. */
export async function lockOf(file: string, name: string, fresh: boolean, files: Files): Promise<FileLock> {
  const lock = await FileLock.of(file, files).catch((error: unknown) => {
    throw openError(name, fresh, error);
  });
  if (typeof lock === "string") throw inUse(name, lock);
  return lock;
}

function inUse(name: string, owner: string): BulkError {
  return new BulkError("in_use", `${name} is in use by ${owner}. Nothing was sent.`);
}

function changedError(name: string): BulkError {
  return new BulkError("stopped", `${name} was changed by another process. Nothing more was sent.`);
}

/**
 * Opens a file that grows by whole lines. Lines appended during a write share the next write and its flush. A new plan
 * is written to `<path>.part` until it is complete, so that an earlier plan stays if planning fails.
 */
async function openFile(path: string, fresh: boolean, files: Files): Promise<OpenJournal> {
  await refuseObstacle(path, fresh);
  const lock = await lockOf(path, path, fresh, files);
  const part = `${path}.part`;
  let opened: GrowingFile | null = null;
  try {
    if (fresh) for (const begun of [path, part]) await refuseBegun(begun);
    // The plan contains the data of the rows, so only its owner may read it.
    opened = fresh ? await GrowingFile.create(part, 0o600, files) : await GrowingFile.open(path, 0o600, files);
    // The lock protects a file only under the name by which it was opened.
    if (opened.links > 1) throw refusal(path, fresh, "has several names (hard links); name a copy");
    await opened.cutToLines();
  } catch (error) {
    await opened?.close();
    await lock.release();
    throw openError(path, fresh, error);
  }
  const file = opened;
  const waiting: string[] = [];
  let isComplete = !fresh;
  let written: Promise<void> | null = null;
  let failure: unknown = null;
  const write = async () => {
    if (failure) throw failure;
    const bytes = Buffer.from(waiting.splice(0).join(""));
    if (bytes.length === 0) return;
    try {
      // A lock does not protect the file everywhere: two containers may mount it in different folders.
      if (await file.hasChanged()) throw changedError(path);
      await file.append(bytes);
    } catch (error) {
      failure = isEducationAdminError(error) ? error : writeError(path, fresh, error);
      throw failure;
    }
  };
  return {
    append(...lines) {
      for (const line of lines) waiting.push(`${line}\n`);
      const writing = (written ?? Promise.resolve()).then(write);
      written = writing.catch(() => undefined);
      return writing;
    },
    // A file lock renews itself.
    renew: async () => undefined,
    async finish() {
      if (isComplete) return;
      try {
        await file.moveTo(path);
        isComplete = true;
      } catch (error) {
        throw writeError(path, true, error);
      }
    },
    async close() {
      await written;
      try {
        await file.close();
        if (!isComplete) await files.remove(part);
      } finally {
        await lock.release();
      }
    },
  };
}

/** Refuses a path at which something other than a file exists. */
export async function refuseObstacle(path: string, fresh: boolean): Promise<void> {
  const found = await targetAt(path, ".part", ".lock");
  if (!("path" in found)) throw refusal(path, fresh, `${found.what}; ${found.advice}`);
}

const codeOf = (error: unknown) => (error as Partial<NodeJS.ErrnoException> | null)?.code;

function openError(path: string, fresh: boolean, error: unknown): unknown {
  const code = codeOf(error);
  if (isEducationAdminError(error) || code === undefined) return error;
  if (code === "ELOOP") return refusal(path, fresh, "is a symbolic link; name the file it leads to");
  if (!fresh || diskProblem(error)) return writeError(path, fresh, error);
  return refusal(path, fresh, `cannot be written (${code})`);
}

function writeError(path: string, fresh: boolean, error: unknown): BulkError {
  const unknown = { what: `the file cannot be written (${codeOf(error) ?? "unknown error"})`, remedy: "fix that" };
  const { what, remedy } = diskProblem(error) ?? unknown;
  const next = fresh ? `No plan was made: ${remedy}, then plan` : `Nothing is lost: ${remedy}, then apply the plan`;
  return new BulkError("stopped", `${path}: ${what}. ${next} again.`, error);
}

function refusal(name: string, fresh: boolean, message: string): InputError {
  return new InputError(`${fresh ? "plan" : "apply"}: ${name} ${message}.`, [{ path: fresh ? "to" : "", message }]);
}

// Refuses to replace a file that is not a plan. A file that ends within a plan's first characters may be replaced: its
// writer was killed while planning.
async function refuseBegun(path: string): Promise<void> {
  const head = await headOf(path);
  if (head === null) return;
  if (!PLAN_BEGINS.startsWith(head)) throw refusal(path, true, "is a file that is not a plan; name another one");
  await refuseSent(path, linesOfFile(path));
}

// A plan whose requests were sent is the only record of them, so it must not be replaced.
async function refuseSent(name: string, lines: AsyncIterable<string>): Promise<void> {
  if (await hasSent(lines)) {
    throw refusal(
      name,
      true,
      "is a plan that has sent requests: apply it, or call run, which finishes it first and keeps it",
    );
  }
}

/** True if any request of a plan may have been sent. */
export function wasSent(at: string | BulkJournal): Promise<boolean> {
  return hasSent(linesOf(at));
}

async function hasSent(lines: AsyncIterable<string>): Promise<boolean> {
  for await (const line of lines) if (TRY.test(line)) return true;
  return false;
}

// A run renames its plan when it ends, so the message names the newest kept plan.
async function whereKept(path: string): Promise<string> {
  const [newest] = await newestKept(path, machineFiles);
  return newest === undefined ? "" : `; the last run of that name kept its plan as ${newest}`;
}

async function* linesOfFile(path: string): AsyncGenerator<string, void, undefined> {
  let rest = "";
  try {
    for await (const text of createReadStream(path, "utf8") as AsyncIterable<string>) {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      yield* lines;
    }
  } catch (error) {
    const code = codeOf(error);
    if (isEducationAdminError(error) || code === undefined) throw error;
    const problem = code === "ENOENT" ? `there is no such file${await whereKept(path)}` : `cannot be read (${code})`;
    throw new BulkError("not_a_plan", `${path}: ${problem}.`);
  }
}
