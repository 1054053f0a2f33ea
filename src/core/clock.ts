/** Time as the library sees it: every wait and every timer goes through one of these, so that tests can own time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back after a number of milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Takes back what `setTimeout` arranged. */
  clearTimeout(handle: unknown): void;
}

// The platform calls back at once for delays past this, so a longer wait is made of several.
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS)),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Resolves at a point in time, or rejects with the signal's reason if that comes first. */
export function waitUntil(clock: Clock, time: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: unknown;
    const onAbort = () => {
      clock.clearTimeout(timer);
      reject(signal.reason);
    };
    const step = () => {
      const left = time - clock.now();
      if (left > 0) {
        timer = clock.setTimeout(step, Math.min(left, LONGEST_TIMER_MS));
        return;
      }
      signal.removeEventListener("abort", onAbort);
      resolve();
    };
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    signal.addEventListener("abort", onAbort, { once: true });
    step();
  });
}
