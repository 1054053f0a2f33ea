/**
 * When work is due again. Moments decide: no correction of the system clock puts work off. A stored date, which other
 * processes may have written, becomes a moment where it is read.
 */
import type { Clock } from "../core/clock.js";
import { agingMomentOf, later, type Moment } from "../core/time.js";

/** The moment of work that is never due. */
export const NEVER = Number.POSITIVE_INFINITY as Moment;

/** Pauses after failures in a row: doubled with each failure, up to the longest. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/** The pause after this many failures in a row, in milliseconds. */
export function pauseAfter(failures: number, { firstMs, mostMs }: Backoff): number {
  return Math.min(mostMs, firstMs * 2 ** (failures - 1));
}

/** The current moment, for work that is due later: it goes on while the machine sleeps, and never back. */
export const momentNow: (clock: Clock) => Moment = agingMomentOf;

/**
 * Dates that follow `momentNow`, for a store that only this process uses: no correction of the clock puts off what is
 * stored there, and it is due when this process looks for it.
 */
export function datesOfProcess(clock: Clock): Pick<Clock, "now"> {
  const offset = clock.now() - momentNow(clock);
  return { now: () => Math.round(momentNow(clock) + offset) };
}

// Clocks of several machines may differ by seconds.
const MOST_AHEAD_MS = 60_000;

/** True if a stored date is ahead of the clock, because a wrong clock wrote it. */
export function isAhead(date: number, now: number): boolean {
  return date - now > MOST_AHEAD_MS;
}

/** The moment a number of milliseconds after a stored date; the current moment if that date is ahead of the clock. */
export function sinceDate(clock: Clock, date: number, ms: number): Moment {
  const now = clock.now();
  return later(momentNow(clock), isAhead(date, now) ? 0 : Math.max(0, date + ms - now));
}

/** The earlier of two moments. */
export function earlier(one: Moment, other: Moment): Moment {
  return one < other ? one : other;
}

interface Entry {
  readonly at: Moment;
  readonly failures: number;
}

/** Until when pieces of work are put off, and how often in a row each has failed. */
export class Schedule<Key> {
  readonly #entries = new Map<Key, Entry>();

  /** When work is due; null if nothing puts it off. */
  dueAt(key: Key): Moment | null {
    return this.#entries.get(key)?.at ?? null;
  }

  /** Puts work off, without counting a failure. */
  putOff(key: Key, at: Moment): void {
    this.#entries.set(key, { at, failures: this.#failuresOf(key) });
  }

  /** Puts work off after a further failure. @returns when it is due. */
  failed(key: Key, now: Moment, backoff: Backoff): Moment {
    const failures = this.#failuresOf(key) + 1;
    const at = later(now, pauseAfter(failures, backoff));
    this.#entries.set(key, { at, failures });
    return at;
  }

  /** Makes all work due at a moment at the latest, and forgets its failures. */
  hasten(at: Moment): void {
    for (const [key, entry] of this.#entries) this.#entries.set(key, { at: earlier(entry.at, at), failures: 0 });
  }

  /** Forgets work that has succeeded. */
  done(key: Key): void {
    this.#entries.delete(key);
  }

  #failuresOf(key: Key): number {
    return this.#entries.get(key)?.failures ?? 0;
  }
}
