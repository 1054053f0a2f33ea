import type { Clock } from "../../core/clock.js";

/**
 * The time limit for responding to a delivery. The library's own work, such as verification, does not count and always
 * finishes: it can be slow on a busy machine, and a 503 would only make the service send the delivery again.
 */
export class AnswerLimit {
  readonly timeUp: Promise<"time_up">;
  readonly #clock: Clock;
  readonly #ms: number;
  #onTimeUp: () => void = () => undefined;
  #timer: unknown;
  #ended = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.timeUp = new Promise((resolve) => {
      this.#onTimeUp = () => resolve("time_up");
    });
    this.#count();
  }

  /** Waits for the library's own work, then restarts the full time limit. */
  async untimed<Value>(work: Promise<Value>): Promise<Value> {
    this.#clock.clearTimeout(this.#timer);
    try {
      return await work;
    } finally {
      if (!this.#ended) this.#count();
    }
  }

  end(): void {
    this.#ended = true;
    this.#clock.clearTimeout(this.#timer);
  }

  #count(): void {
    this.#timer = this.#clock.setTimeout(this.#onTimeUp, this.#ms);
  }
}
