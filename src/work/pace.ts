import { type Clock, wait } from "../core/clock.js";
import { pauseBetweenPages } from "../core/lists/spread.js";
import { type Moment, momentOf } from "../core/time.js";

export interface Budget {
  readonly requests: number;
  readonly windowMs: number;
}

/** Priority of a turn to send a request: requests for webhook events go before those for lists. */
export type Lane = "events" | "sweep";

/** A share of a request budget that spares the reserve for interactive calls; unlimited without a rate limit. */
export function shareOf(limit: (Budget & { readonly reserve?: number }) | null, share: number): Budget {
  if (!limit) return { requests: Number.POSITIVE_INFINITY, windowMs: 0 };
  const { requests, windowMs, reserve = 0 } = limit;
  const most = Math.min(Math.floor(requests * share), requests - Math.floor(requests * reserve));
  return { requests: Math.max(1, most), windowMs };
}

const POLL_MS = 1_000;

export class Pace {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #onWait: (until: Date | null) => void;
  readonly #longestWaitMs: number;
  readonly #spent: Moment[] = [];
  #reserved = 0;
  #events = 0;
  #turns: Promise<void> = Promise.resolve();

  /**
   * @param onWait called with the earliest possible end of a wait when the wait begins, and with null when it is over.
   * @param longestWaitMs a longer wait is split, and `onWait` is called again for each part. Default: no limit.
   */
  constructor(
    clock: Clock,
    budget: Budget,
    onWait: (until: Date | null) => void,
    longestWaitMs: number = Number.POSITIVE_INFINITY,
  ) {
    this.#longestWaitMs = longestWaitMs;
    this.#clock = clock;
    this.#budget = budget;
    this.#onWait = onWait;
  }

  /**
   * Waits for a turn to send one request. @param onWait called with the earliest possible end of the wait, if there is
   * one. @param pages how many requests the rest of the list takes; infinite if its length is unknown.
   */
  async turn(lane: Lane, signal?: AbortSignal, onWait?: (until: Date) => void, pages = 0): Promise<void> {
    await this.#reserve(1, lane, signal, onWait, this.#pauseFor(pages));
    this.spend();
  }

  /** Reserves this many requests once they can be sent without waiting. Callers are served in order. */
  room(requests: number, signal?: AbortSignal): Promise<void> {
    const turn = this.#turns.then(() =>
      this.#reserve(Math.min(requests, this.#budget.requests), "sweep", signal, undefined),
    );
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  spend(): void {
    this.#reserved--;
    this.#spent.push(momentOf(this.#clock));
  }

  leave(requests: number): void {
    this.#reserved -= requests;
  }

  /** Counts all attempts of a request except the first. */
  countRetries(attempts: number): void {
    for (let left = attempts; left > 1; left--) this.#spent.push(momentOf(this.#clock));
  }

  async #reserve(
    requests: number,
    lane: Lane,
    signal: AbortSignal | undefined,
    onWait: ((until: Date) => void) | undefined,
    pauseMs = 0,
  ): Promise<void> {
    if (lane === "events") this.#events++;
    let hasWaited = false;
    try {
      for (let pause = pauseMs; ; pause = 0) {
        signal?.throwIfAborted();
        const ms = Math.max(pause, this.#waitFor(requests, lane));
        if (ms <= 0) break;
        const until = new Date(this.#clock.now() + ms);
        hasWaited = true;
        this.#onWait(until);
        onWait?.(until);
        await wait(this.#clock, Math.min(ms, this.#longestWaitMs), signal);
      }
    } finally {
      if (lane === "events") this.#events--;
      if (hasWaited) this.#onWait(null);
    }
    this.#reserved += requests;
  }

  #pauseFor(pages: number): number {
    const now = this.#forgetSpent();
    const { requests, windowMs } = this.#budget;
    const left = requests - this.#spent.length - this.#reserved;
    return pauseBetweenPages(pages, left, (this.#spent[0] ?? now) + windowMs - now);
  }

  #forgetSpent(): Moment {
    const { requests, windowMs } = this.#budget;
    const now = momentOf(this.#clock);
    if (requests === Number.POSITIVE_INFINITY) this.#spent.length = 0;
    while (this.#spent.length > 0 && (this.#spent[0] as Moment) + windowMs <= now) this.#spent.shift();
    return now;
  }

  #waitFor(wanted: number, lane: Lane): number {
    const { requests, windowMs } = this.#budget;
    const now = this.#forgetSpent();
    if (requests === Number.POSITIVE_INFINITY) return 0;
    const ahead = lane === "sweep" ? this.#events : 0;
    const missing = this.#spent.length + this.#reserved + ahead + wanted - requests - 1;
    if (missing < 0) return 0;
    // Another caller may release its reserved requests earlier, so the wait is short.
    if (this.#reserved > 0 && missing >= this.#spent.length) return Math.min(windowMs, POLL_MS);
    const at = this.#spent[Math.min(missing, this.#spent.length - 1)] ?? now;
    return Math.max(1, at + windowMs - now);
  }
}
