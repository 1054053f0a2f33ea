import type { Clock } from "../core/clock.js";
import { momentNow } from "../work/schedule.js";

const ticks = /* @__PURE__ */ new WeakMap<Clock, Ticks>();

/** The ticks of a clock. All mirrors of a process share them; otherwise each would move the others ahead. */
export function ticksOf(clock: Clock): Ticks {
  const known = ticks.get(clock) ?? new Ticks(clock);
  ticks.set(clock, known);
  return known;
}

/**
 * The mirror's clock: strictly increasing times (ticks), as fast as `clock`. If `clock` was set back, or another
 * process has a clock that is ahead, they advance from the latest tick.
 */
export class Ticks {
  readonly #clock: Clock;
  #last = 0;
  /** Milliseconds to add to `momentNow` to get a tick. */
  #offset = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  next(): number {
    this.#last = Math.max(this.#last + 1, this.#now);
    return this.#last;
  }

  /** Makes all further ticks later than a tick of another process. */
  pass(tick: number): void {
    this.#offset = Math.max(this.#offset, tick - momentNow(this.#clock));
    this.#last = Math.max(this.#last, tick);
  }

  /** How many milliseconds the ticks are ahead of the clock. */
  get ahead(): number {
    return this.#now - this.#clock.now();
  }

  get #now(): number {
    const moment = momentNow(this.#clock);
    this.#offset = Math.max(this.#offset, this.#clock.now() - moment);
    return Math.round(moment + this.#offset);
  }
}
