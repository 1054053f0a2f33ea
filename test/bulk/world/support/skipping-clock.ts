import type { Clock } from "../../../../src/core/clock.ts";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

// A program is considered to be waiting after this many turns of the event loop without work.
const IDLE_TURNS = 3;

/**
 * A clock whose time passes only while the program waits: it then jumps to the next timer. Work that takes real time is
 * wrapped in `during`, which stops the clock, so that the outcome does not depend on the speed of the machine.
 */
export class SkippingClock implements Clock {
  #now: number;
  #timers = new Set<Timer>();
  #busy = 0;
  #moves = 0;
  #isWatching = false;
  #isStopped = false;

  constructor(start: number) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  /** Advances the clock. */
  pass(ms: number): void {
    this.#now += ms;
  }

  /** Stops all timers, because the program was killed. */
  stop(): void {
    this.#isStopped = true;
    this.#timers.clear();
  }

  setTimeout(callback: () => void, ms: number): unknown {
    const timer = { due: this.#now + Math.max(0, ms), callback };
    this.#timers.add(timer);
    this.#move();
    return timer;
  }

  clearTimeout(handle: unknown): void {
    this.#timers.delete(handle as Timer);
    this.#move();
  }

  async during<T>(work: () => T | Promise<T>): Promise<T> {
    this.#busy++;
    try {
      return await work();
    } finally {
      this.#busy--;
      this.#move();
    }
  }

  #move(): void {
    this.#moves++;
    if (this.#isWatching || this.#isStopped) return;
    this.#isWatching = true;
    void this.#watch();
  }

  async #watch(): Promise<void> {
    for (;;) {
      const seen = this.#moves;
      // ky waits 0 ms on a platform timer before a retry. Node rounds that up to 1 ms, and timers of equal length fire
      // in the order in which they were set.
      await new Promise((resolve) => setTimeout(resolve, 1));
      for (let turn = 0; turn < IDLE_TURNS; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (this.#moves !== seen) continue;
      if (this.#busy > 0 || this.#timers.size === 0 || this.#isStopped) break;
      this.#fire();
    }
    this.#isWatching = false;
  }

  #fire(): void {
    let first: Timer | undefined;
    for (const timer of this.#timers) if (!first || timer.due < first.due) first = timer;
    if (!first) return;
    this.#timers.delete(first);
    this.#now = Math.max(this.#now, first.due);
    this.#moves++;
    first.callback();
  }
}
