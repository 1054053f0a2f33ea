import type { Clock } from "../core/clock.js";

const ticks = /* @__PURE__ */ new WeakMap<Clock, Ticks>();

/** The ticks of a clock: all copies of a process share them, as each would run ahead of the clock by itself. */
export function ticksOf(clock: Clock): Ticks {
  const known = ticks.get(clock) ?? new Ticks(clock);
  ticks.set(clock, known);
  return known;
}

/** Times that tell what came first: each one is later than the one before, even when the clock stands still or is set back. */
export class Ticks {
  readonly #clock: Clock;
  #last = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A time later than every one before. */
  next(): number {
    this.#last = Math.max(this.#clock.now(), this.#last + 1);
    return this.#last;
  }

  /** Makes the following times later than one that another process took. */
  pass(tick: number): void {
    this.#last = Math.max(this.#last, tick);
  }
}
