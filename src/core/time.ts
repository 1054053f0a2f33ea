import { onAbort } from "./abort.js";
import { type Clock, systemClock } from "./clock.js";

declare const moment: unique symbol;

/**
 * A point in this process's time, in milliseconds, for comparisons: limits, leases, deadlines, durations. It never goes
 * back and does not follow the system clock, which people and time servers may adjust. A date, `clock.now()`, is for
 * display and for other processes.
 */
export type Moment = number & { readonly [moment]: true };

export function momentOf(clock: Clock): Moment {
  return (clock.steady?.() ?? steadyNow(clock)) as Moment;
}

export function later(than: Moment, ms: number): Moment {
  return (than + ms) as Moment;
}

/** The date of a moment, in milliseconds since the epoch, by the clock's current setting. */
export function dateOf(clock: Clock, at: Moment): number {
  return Math.round(clock.now() + at - momentOf(clock));
}

/** Makes a clock that starts at the current date and advances evenly, even if the system clock is adjusted. */
export function steadyDates(clock: Clock): Pick<Clock, "now"> {
  const [date, begun] = [clock.now(), momentOf(clock)];
  return { now: () => Math.round(date + momentOf(clock) - begun) };
}

const shifts = /* @__PURE__ */ new WeakMap<Clock, { last: number; shift: number }>();

// If a caller's clock is moved back, the steady time continues from its last value.
function steadyNow(clock: Clock): number {
  const now = clock.now();
  const known = shifts.get(clock);
  if (!known) {
    shifts.set(clock, { last: now, shift: 0 });
    return now;
  }
  known.shift = Math.max(known.shift, known.last - now);
  known.last = now + known.shift;
  return known.last;
}

let ahead = Number.NEGATIVE_INFINITY;

/**
 * The current moment, for the age of cached data. Unlike {@link momentOf} it also goes forward with the system clock,
 * because the moments of some platforms stand still while the machine sleeps.
 */
export function agingMomentOf(clock: Clock): Moment {
  const now = momentOf(clock);
  if (clock !== systemClock) return now;
  ahead = Math.max(ahead, clock.now() - now);
  return later(now, ahead);
}

/**
 * Waits for work, but at most for a number of milliseconds.
 * @param late called when the time is up, to return a result or throw; the work itself continues.
 */
export async function raceTimeout<T>(clock: Clock, ms: number, work: PromiseLike<T>, late: () => T): Promise<T> {
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

/** A time limit: its signal aborts when the time is up, or when the given signal aborts, with that signal's reason. */
export class TimeLimit {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #timer: unknown;
  readonly #unlisten: () => void;
  #reject: ((reason: unknown) => void) | undefined;
  readonly abort: (reason: unknown) => void;
  readonly deadline: Moment;
  expired = false;

  constructor(clock: Clock, ms: number, signal: AbortSignal | undefined) {
    this.#clock = clock;
    this.deadline = later(momentOf(clock), ms);
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

  /** Waits for work that may ignore the signal. Must not be called while earlier work is pending. */
  race<T>(work: T | PromiseLike<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#reject = reject;
      if (this.signal.aborted) reject(this.signal.reason);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Removes the timer and the listener; must be called when the work is done. */
  end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#unlisten();
  }
}
