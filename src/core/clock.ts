import { onAbort } from "./abort.js";

/** Time as the library sees it: every wait and every timer uses one of these, so that tests can control time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls back after a number of milliseconds. */
  setTimeout(callback: () => void, ms: number): unknown;
  /** Cancels what `setTimeout` arranged. */
  clearTimeout(handle: unknown): void;
  /** For a clock that skips waits: runs work that takes real time, without skipping any during it. */
  during?<T>(work: () => T | Promise<T>): Promise<T>;
}

// The platform fires immediately for longer delays, so a longer wait consists of several.
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  setTimeout: (callback, ms) => globalThis.setTimeout(callback, Math.min(Math.max(0, ms), LONGEST_TIMER_MS)),
  clearTimeout: (handle) => globalThis.clearTimeout(handle as ReturnType<typeof globalThis.setTimeout>),
};

let ahead = Number.NEGATIVE_INFINITY;

/**
 * Milliseconds since the epoch that never go back, for what has to happen after a time, such as the end of a window. They
 * ignore a system clock that is set back, and follow one that is set forward, as after a sleep.
 */
export function steadyNow(clock: Clock): number {
  if (clock !== systemClock) return clock.now();
  const started = performance.now();
  ahead = Math.max(ahead, Date.now() - started);
  return ahead + started;
}

/** A time limit: its signal aborts once the time is up, or with the reason of the signal that it was given. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timer: unknown;
  readonly #unlisten: () => void;
  #reject: ((reason: unknown) => void) | undefined;
  /** Aborts the signal and what is waited for. */
  readonly abort: (reason: unknown) => void;
  /** When the time is up. */
  readonly deadline: number;
  expired = false;

  constructor(clock: Clock, ms: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.deadline = clock.now() + ms;
    this.abort = (reason) => {
      this.#controller.abort(reason);
      this.#reject?.(reason);
    };
    this.#unlisten = onAbort(signal, () => this.abort(signal?.reason));
    this.#timer = clock.setTimeout(() => {
      this.expired = true;
      this.abort(new Error("the time is up"));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Waits for work that may ignore the signal; for one at a time. */
  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.signal.aborted) reject(this.signal.reason);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** What it limits has ended. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#unlisten();
  }
}

/** Waits for work, or settles with what `late` returns or throws once a number of milliseconds has passed. */
export async function inTime<T>(clock: Clock, ms: number, work: PromiseLike<T>, late: () => T): Promise<T> {
  let timer: unknown;
  const timeUp = new Promise<void>((resolve) => {
    timer = clock.setTimeout(resolve, ms);
  });
  try {
    return await Promise.race([work, timeUp.then(late)]);
  } finally {
    clock.clearTimeout(timer);
  }
}

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
    // Counts delays instead of comparing dates: the system clock may change.
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
