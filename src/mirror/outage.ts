import { type Clock, wait } from "../core/clock.js";
import { ConfigurationError, InputError } from "../core/errors.js";
import { type Backoff, pauseAfter } from "../work/schedule.js";
import { errorOf } from "./report.js";

/** Why and until when a loop with `follow` waits. */
export interface FeedWait {
  /**
   * The database's error, or one that reports that it did not respond within 10 seconds or that the feed ends before
   * the loop's position.
   */
  readonly error: Error;
  /** Time of the next attempt or of the end of the wait for a lagging feed; null while an attempt is pending. */
  readonly until: Date | null;
}

export const OUTAGE: Backoff = { firstMs: 5_000, mostMs: 60_000 };
/** How long a query may be pending before it is reported. */
const SILENCE_MS = 10_000;

/**
 * Awaits the database, and calls `onSilence` once if it does not respond for 10 seconds. Measures real time, even if
 * the mirror has a virtual clock.
 */
export async function awaitDatabase<Value>(work: Promise<Value>, onSilence?: (error: Error) => void): Promise<Value> {
  const message = `Mirror: the database has not responded for ${SILENCE_MS / 1_000} s; still waiting`;
  const silence = onSilence && setTimeout(() => onSilence(new Error(message)), SILENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(silence);
  }
}

/**
 * Reads from the database. If it is unavailable, waits and reads again. @throws errors that waiting cannot fix; the
 * signal's reason.
 */
export async function readThroughOutages<Value>(
  clock: Clock,
  signal: AbortSignal | undefined,
  onWait: (waiting: FeedWait) => void,
  read: () => Promise<Value>,
): Promise<Value> {
  for (let failures = 1; ; failures++) {
    try {
      return await awaitDatabase(read(), (error) => onWait({ error, until: null }));
    } catch (problem) {
      signal?.throwIfAborted();
      if (!isOutage(problem)) throw problem;
      const pause = pauseAfter(failures, OUTAGE);
      onWait({ error: errorOf(problem), until: new Date(clock.now() + pause) });
      await wait(clock, pause, signal);
    }
  }
}

// Errors that waiting does not fix: SQLSTATE classes for wrong credentials, a missing database, missing tables and
// missing rights, and SQLite's codes for a wrong statement or file.
const NO_OUTAGE = /^(?:28|3D|42)\w{3}$|^SQLITE_(?:ERROR|NOTADB)$/;
/** The numbers of `SQLITE_ERROR` and `SQLITE_NOTADB`, which node:sqlite reports instead of names. */
const NO_OUTAGE_NUMBERS = new Set([1, 26]);
/** Messages of pg, PGlite, node:sqlite and better-sqlite3 for a connection that its owner has closed. */
const CLOSED =
  /^(?:Cannot use a pool after calling end|PGlite is closed|(?:The )?database (?:connection )?is not open|statement has been finalized)/;

/**
 * True if waiting may help. An unknown error counts as an outage, because drivers report most outages without a code.
 */
export function isOutage(problem: unknown): boolean {
  if (problem instanceof ConfigurationError || problem instanceof InputError) return false;
  const { code, errcode, message } = Object(problem) as Readonly<Record<string, unknown>>;
  if (NO_OUTAGE.test(String(code)) || CLOSED.test(String(message))) return false;
  return !(code === "ERR_SQLITE_ERROR" && NO_OUTAGE_NUMBERS.has(Number(errcode) & 0xff));
}
