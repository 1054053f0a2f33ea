import { type Clock, wait } from "../core/clock.js";

// The service counts requests in windows of this length (service description, Limits).
const WINDOW_MS = 300_000;

/** Who waits for a turn: what webhooks report goes before the sweep. */
export type Lane = "events" | "sweep";

/** Spends no more than a share of the client's request budget. */
export class Pace {
  readonly #clock: Clock;
  readonly #share: number;
  readonly #limit: () => number | null;
  readonly #spent: number[] = [];
  #events = 0;

  /** @param limit requests that a window of the client holds; null without a limit. */
  constructor(clock: Clock, share: number, limit: () => number | null) {
    this.#clock = clock;
    this.#share = share;
    this.#limit = limit;
  }

  /** Waits for a turn to send one request. */
  async turn(lane: Lane, signal?: AbortSignal): Promise<void> {
    if (lane === "events") this.#events++;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const ms = this.#waitFor(lane);
        if (ms <= 0) break;
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
    const limit = this.#limit();
    if (limit === null) return 0;
    const most = Math.max(1, Math.floor(limit * this.#share));
    const now = this.#clock.now();
    while (this.#spent.length > 0 && (this.#spent[0] as number) + WINDOW_MS <= now) this.#spent.shift();
    const ahead = lane === "sweep" ? this.#events : 0;
    const missing = this.#spent.length + ahead - most;
    if (missing < 0) return 0;
    return Math.max(1, (this.#spent[Math.min(missing, this.#spent.length - 1)] ?? now) + WINDOW_MS - now);
  }
}
