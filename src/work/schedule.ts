/**
 * Decides when work is due again, by moments: times of a clock that corrections of the system clock do not affect. A
 * stored date, which another process may have written, is converted to a moment when it is read.
 */
import type { Clock } from "../core/clock.js";
import { agingMomentOf, later, type Moment } from "../core/time.js";

export const NEVER = Number.POSITIVE_INFINITY as Moment;

/** Pauses after consecutive failures: each is `factor` times as long as the one before, up to `mostMs`. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
  /** Default 2. */
  readonly factor?: number;
}

export function pauseAfter(failures: number, { firstMs, mostMs, factor = 2 }: Backoff): number {
  return Math.min(mostMs, firstMs * factor ** (failures - 1));
}

/**
 * The current moment, for computing when work is due. It advances even while the machine sleeps, and never goes back.
 */
export const momentNow: (clock: Clock) => Moment = agingMomentOf;

/**
 * A clock whose dates advance like `momentNow`, for stores that only this process uses: corrections of the system clock
 * do not delay the stored work.
 */
export function datesOfProcess(clock: Clock): Pick<Clock, "now"> {
  const offset = clock.now() - momentNow(clock);
  return { now: () => Math.round(momentNow(clock) + offset) };
}

// Clocks of several machines may differ by this much.
const MOST_AHEAD_MS = 60_000;

/**
 * True if a stored date is too far ahead of the current time to come from a correct clock. @param mostMs how far ahead
 * the date may be by design.
 */
export function isAhead(date: number, now: number, mostMs = 0): boolean {
  return date - now > mostMs + MOST_AHEAD_MS;
}

/** The moment `ms` milliseconds after a stored date; the current moment if `isAhead` is true for the date. */
export function sinceDate(clock: Clock, date: number, ms: number): Moment {
  const now = clock.now();
  return later(momentNow(clock), isAhead(date, now) ? 0 : Math.max(0, date + ms - now));
}

export function earlier(one: Moment, other: Moment): Moment {
  return one < other ? one : other;
}

interface Entry {
  readonly at: Moment;
  readonly failures: number;
}

/** Tracks until when each piece of work is postponed and how often in a row it has failed. */
export class Schedule<Key> {
  readonly #entries = new Map<Key, Entry>();

  /** When a piece of work is due; null if it is not postponed. */
  dueAt(key: Key): Moment | null {
    return this.#entries.get(key)?.at ?? null;
  }

  /** Postpones a piece of work without counting a failure. */
  putOff(key: Key, at: Moment): void {
    this.#entries.set(key, { at, failures: this.#failuresOf(key) });
  }

  /** Postpones a piece of work after another failure. @returns when it is due. */
  failed(key: Key, now: Moment, backoff: Backoff): Moment {
    const failures = this.#failuresOf(key) + 1;
    const at = later(now, pauseAfter(failures, backoff));
    this.#entries.set(key, { at, failures });
    return at;
  }

  /** Makes all work due by a given moment at the latest, and forgets its failures. */
  hasten(at: Moment): void {
    for (const [key, entry] of this.#entries) this.#entries.set(key, { at: earlier(entry.at, at), failures: 0 });
  }

  done(key: Key): void {
    this.#entries.delete(key);
  }

  #failuresOf(key: Key): number {
    return this.#entries.get(key)?.failures ?? 0;
  }
}
