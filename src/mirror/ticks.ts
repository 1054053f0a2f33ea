import type { Clock } from "../core/clock.js";

const ticks = /* @__PURE__ */ new WeakMap<Clock, Ticks>();

/** The ticks of a clock, shared by all mirrors of a process: separate ticks would get ahead of the clock. */
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

  next(): number {
    this.#last = Math.max(this.#clock.now(), this.#last + 1);
    return this.#last;
  }

  /** Makes all further ticks later than a tick of another process. */
  pass(tick: number): void {
    this.#last = Math.max(this.#last, tick);
  }
}
