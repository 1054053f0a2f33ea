import { type Clock, systemClock } from "../core/clock.js";

/**
 * The time a delivery may take until its answer. A clock that a test advances must not count while the library itself
 * works, because WebCrypto takes real time; that work is limited by the machine's clock.
 */
export class AnswerLimit {
  /** Resolves when the time is up. */
  readonly timeUp: Promise<"time_up">;
  readonly #clock: Clock;
  readonly #ms: number;
  #onTimeUp: () => void = () => undefined;
  #stop: () => void = () => undefined;
  #ended = false;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
    this.timeUp = new Promise((resolve) => {
      this.#onTimeUp = () => resolve("time_up");
    });
    this.#countOn(clock);
  }

  /** Waits for work of the library; with the machine's clock it counts as any other. */
  async ownWork<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#clock === systemClock) return work;
    this.#countOn(systemClock);
    try {
      return await work;
    } finally {
      this.#countOn(this.#clock);
    }
  }

  /** Stops counting. */
  end(): void {
    this.#ended = true;
    this.#stop();
  }

  #countOn(clock: Clock): void {
    this.#stop();
    // Work may end after the answer.
    if (this.#ended) return;
    const timer = clock.setTimeout(this.#onTimeUp, this.#ms);
    this.#stop = () => clock.clearTimeout(timer);
  }
}
