import { type Clock, wait } from "../core/clock.js";
import type { RateLimit } from "../core/limits/rate-limiter.js";

/** Who waits for a turn: what webhooks report goes before the sweep. */
export type Lane = "events" | "sweep";

/** Spends no more than a share of the client's request budget. */
export class Pace {
  readonly #clock: Clock;
  readonly #share: number;
  readonly #limit: Pick<RateLimit, "requests" | "windowMs"> | null;
  readonly #onWait: (until: Date) => void;
  readonly #spent: number[] = [];
  #events = 0;

  /**
   * @param limit the client's own limit; null without one.
   * @param onWait called when a wait begins, with the earliest time at which it can end.
   */
  constructor(
    clock: Clock,
    share: number,
    limit: Pick<RateLimit, "requests" | "windowMs"> | null,
    onWait: (until: Date) => void,
  ) {
    this.#onWait = onWait;
    this.#clock = clock;
    this.#share = share;
    this.#limit = limit;
  }

  /** Waits for a turn to send one request. @param onWait called when it begins to wait, with the earliest end. */
  async turn(lane: Lane, signal?: AbortSignal, onWait?: (until: Date) => void): Promise<void> {
    if (lane === "events") this.#events++;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const ms = this.#waitFor(lane);
        if (ms <= 0) break;
        const until = new Date(this.#clock.now() + ms);
        this.#onWait(until);
        onWait?.(until);
        await wait(this.#clock, ms, signal);
      }
    } finally {
      if (lane === "events") this.#events--;
    }
    this.#spent.push(this.#clock.now());
  }

  /** Counts the further attempts of a request. */
  retried(attempts: number): void {
    for (let left = attempts; left > 1; left--) this.#spent.push(this.#clock.now());
  }

  #waitFor(lane: Lane): number {
    if (this.#limit === null) return 0;
    const { requests, windowMs } = this.#limit;
    const most = Math.max(1, Math.floor(requests * this.#share));
    const now = this.#clock.now();
    while (this.#spent.length > 0 && (this.#spent[0] as number) + windowMs <= now) this.#spent.shift();
    const ahead = lane === "sweep" ? this.#events : 0;
    const missing = this.#spent.length + ahead - most;
    if (missing < 0) return 0;
    return Math.max(1, (this.#spent[Math.min(missing, this.#spent.length - 1)] ?? now) + windowMs - now);
  }
}
