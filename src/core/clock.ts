import { onAbort } from "./abort.js";

/** Time as the library sees it: every wait and every timer uses one of these, so that tests can control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back after a number of milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels what `setTimeout` arranged. */
  clearTimeout(handle: unknown): void;
}

// The platform calls back at once for delays past this, so a longer wait consists of several.
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS)),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

/** Resolves after a number of milliseconds, or rejects with the signal's reason if that comes first. */
export function wait(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    let timer: unknown;
    let left = ms;
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = onAbort(signal, () => {
      clock.clearTimeout(timer);
      reject(signal?.reason);
    });
    // The timers are what counts: the machine's date may be set back meanwhile.
    const step = () => {
      if (left > 0) {
        const part = Math.min(left, LONGEST_TIMER_MS);
        left -= part;
        timer = clock.setTimeout(step, part);
        return;
      }
      stop();
      resolve();
    };
    step();
  });
}
