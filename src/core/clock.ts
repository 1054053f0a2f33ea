import { raceAbort } from "./abort.js";

/** Time as the library sees it: every wait and every timer uses one of these, so that tests can control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Milliseconds from an arbitrary start, unaffected by corrections of the system clock; used for comparisons. Default:
   * `now()`, never going back.
   */
  steady?(): number;
  /** Calls back after a number of milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels a timer of `setTimeout`. */
  clearTimeout(handle: unknown): void;
  /** For a clock that skips waits: runs work that takes real time, and skips no wait meanwhile. */
  during?<T>(work: () => T | Promise<T>): Promise<T>;
}

// The platform fires immediately for longer delays, so a longer wait consists of several.
const LONGEST_TIMER_MS = 2_147_483_647;

// Browsers that round the time make a timer look early by up to a tenth of a second.
const EARLY_MS = 150;

let proven = 0;

/**
 * Milliseconds of the machine's time, unaffected by corrections of the system clock. A timer that fires proves that its
 * time has passed, also under a test runner that replaces timers but not `performance`.
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

/** Resolves after a number of milliseconds, or rejects with the signal's reason if that comes first. */
export async function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  // Counts delays instead of comparing dates: the system clock may change.
  for (let left = ms; left > 0 && !signal?.aborted; left -= LONGEST_TIMER_MS) {
    let timer: unknown;
    const passed = new Promise<void>((resolve) => {
      timer = clock.setTimeout(resolve, Math.min(left, LONGEST_TIMER_MS));
    });
    await raceAbort(passed, signal).finally(() => clock.clearTimeout(timer));
  }
  if (signal?.aborted) throw signal.reason;
}
