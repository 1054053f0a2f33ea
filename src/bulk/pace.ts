import { type Clock, wait } from "../core/clock.js";

/** Spends no more than a share of a request budget. */
export class Pace {
  readonly #clock: Clock;
  /** Requests in a window; infinite without a limit. */
  readonly most: number;
  readonly windowMs: number;
  readonly #onWait: (until: Date | null) => void;
  readonly #spent: number[] = [];
  #turns: Promise<void> = Promise.resolve();

  constructor(
    clock: Clock,
    limit: { readonly requests: number; readonly windowMs: number } | null,
    share: number,
    onWait: (until: Date | null) => void,
  ) {
    this.#clock = clock;
    this.#onWait = onWait;
    this.most = limit ? Math.max(1, Math.floor(limit.requests * share)) : Number.POSITIVE_INFINITY;
    this.windowMs = limit?.windowMs ?? 0;
  }

  /** Milliseconds that a number of requests take. */
  duration(requests: number): number {
    return Math.max(0, Math.ceil(requests / this.most) - 1) * this.windowMs;
  }

  /** Waits for the right to send a request; one after the other. */
  turn(signal: AbortSignal | undefined): Promise<void> {
    const turn = this.#turns.then(() => this.#next(signal));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  async #next(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#spent.length >= this.most) {
      const until = (this.#spent.shift() ?? 0) + this.windowMs;
      const ms = until - this.#clock.now();
      if (ms > 0) {
        this.#onWait(new Date(until));
        await wait(this.#clock, Math.min(ms, this.windowMs), signal);
        this.#onWait(null);
      }
    }
    if (Number.isFinite(this.most)) this.#spent.push(this.#clock.now());
  }
}
