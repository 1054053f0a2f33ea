import type { Clock } from "../../core/clock.js";

/**
 * The time limit of a delivery until its response. The library's own work, such as verifying, always ends and does not
 * count: on a busy machine it takes long, and a 503 would only make the service send the delivery again.
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

  /** Waits for work of the library, which does not count; the full time limit starts again afterwards. */
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
