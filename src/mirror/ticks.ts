import type { Clock } from "../core/clock.js";

const ticks = /* @__PURE__ */ new WeakMap<Clock, Ticks>();

/** The ticks of a clock, shared by all copies of a process, because each alone would run ahead of the clock. */
export function ticksOf(clock: Clock): Ticks {
  const known = ticks.get(clock) ?? new Ticks(clock);
  ticks.set(clock, known);
  return known;
}

/** Strictly increasing times, even when the clock stands still or is set back. */
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

  /** Makes all further times later than one that another process took. */
  pass(tick: number): void {
    this.#last = Math.max(this.#last, tick);
  }
}
