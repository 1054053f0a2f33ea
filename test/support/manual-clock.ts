import type { Clock } from "../../src/core/clock.js";

interface Timer {
  readonly due: number;
  readonly order: number;
  readonly callback: () => void;
}

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  #timers = new Map<number, Timer>();
  #order = 0;

  constructor(start = Date.UTC(2026, 0, 5, 12)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const order = ++this.#order;
    this.#timers.set(order, { due: this.#now + Math.max(0, ms), order, callback });
    return order;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as number);
  }

  /** The number of timers that have neither fired nor been cleared. */
  get pending(): number {
    return this.#timers.size;
  }

  /** The time of the next timer; null if none is set. */
  get next(): number | null {
    return this.#first()?.due ?? null;
  }

  /**
   * Advances the clock by a number of milliseconds, fires every timer that comes due, and lets the work they start
   * settle.
   */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (let timer = this.#first(); timer && timer.due <= end; timer = this.#first()) {
      this.#now = Math.max(this.#now, timer.due);
      // Fires all timers that are due now before the timers that they set.
      for (const due of [...this.#timers.values()].filter(({ due }) => due <= this.#now)) {
        this.#timers.delete(due.order);
        due.callback();
      }
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Advances the clock from timer to timer until a promise settles. */
  async run<T>(work: PromiseLike<T>, longest = 24 * 3_600_000): Promise<T> {
    let settled = false;
    const done = Promise.resolve(work).finally(() => {
      settled = true;
    });
    done.catch(() => undefined);
    const end = this.#now + longest;
    for (let idle = 0; !settled; ) {
      await settle();
      // Another thread computes digests, which takes longer than a few turns of the event loop on a busy machine.
      if (!settled) await crypto.subtle.digest("SHA-256", new Uint8Array(1)).then(settle);
      if (settled) break;
      const { next } = this;
      if (next !== null && next <= end) {
        await this.advance(Math.max(0, next - this.#now));
        idle = 0;
      } else if (++idle > 500) throw new Error("nothing is left that time could bring about");
      else await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return done;
  }

  #first(): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of this.#timers.values()) if (!first || timer.due < first.due) first = timer;
    return first;
  }
}

/** Lets microtasks, socket I/O and very short timers settle. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits, in real time, until a condition is true. */
export async function until(condition: () => boolean, what = "the condition", longestMs = 15_000): Promise<void> {
  const end = performance.now() + longestMs;
  while (!condition()) {
    if (performance.now() > end) throw new Error(`${what} did not come true within ${longestMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Returns the error of work that must fail. */
export async function failure<T = Error>(work: PromiseLike<unknown> | (() => unknown)): Promise<T> {
  try {
    await (typeof work === "function" ? work() : work);
  } catch (error) {
    return error as T;
  }
  throw new Error("it should have failed");
}
