import { raceAbort } from "./abort.js";

/** The library's source of time. Every wait and every timer uses it, so that tests can control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds from an arbitrary start, unaffected by corrections of the system clock; used for comparisons. Default:
   * `now()`, adjusted so that it never goes back.
   */
  steady?(): number;
  /** Calls back after a number of milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels a timer that `setTimeout` started. */
  clearTimeout(handle: unknown): void;
  /** Runs work that takes real time; while it runs, a clock that skips waits must not skip any. */
  during?<T>(work: () => T | Promise<T>): Promise<T>;
}

/** The longest delay of a timer: platforms fire timers with a longer one at once, so longer waits are split. */
export const LONGEST_TIMER_MS = 2_147_483_647;

// A timer that fires more than this early was fired by a test runner. In browsers that round the time, any timer may
// seem up to 100 ms early.
const EARLY_MS = 150;

let proven = 0;

/**
 * The machine's time in milliseconds, unaffected by corrections of the system clock. When a timer fires, its delay
 * counts as elapsed, even under a test runner that replaces timers but not `performance`.
 */
export function steadyTime(): number {
  return performance.now() + proven;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  steady: steadyTime,
  setTimeout: (callback, ms) => {
    const delay = Math.min(Math.max(0, ms), LONGEST_TIMER_MS);
    const due = steadyTime() + delay;
    return globalThis.setTimeout(() => {
      const early = due - steadyTime();
      if (early > EARLY_MS) proven += early;
      callback();
    }, delay);
  },
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Resolves after `ms` milliseconds, or rejects with the signal's reason if the signal aborts first. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Counts delays instead of comparing dates, because the system clock may change.
  for (let left = ms; left > 0 && !signal?.aborted; left -= LONGEST_TIMER_MS) {
    let timer: unknown;
    const passed = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, Math.min(left, LONGEST_TIMER_MS));
    });
    await raceAbort(passed, signal).finally(() => clock.clearTimeout(timer));
  }
  if (signal?.aborted) throw signal.reason;
}
