import { type Clock, wait } from "../core/clock.js";

/** The share of a request budget that a plan's minutes are told for, and that `apply` takes unless it is told otherwise. */
export const DEFAULT_SHARE = 0.5;

/** A number of requests in a window. */
export interface Budget {
  readonly requests: number;
  readonly windowMs: number;
}

/** A share of a request budget; without a limit it has no end. */
export function shareOf(limit: Budget | null, share: number): Budget {
  if (!limit) return { requests: Number.POSITIVE_INFINITY, windowMs: 0 };
  return { requests: Math.max(1, Math.floor(limit.requests * share)), windowMs: limit.windowMs };
}

/** Milliseconds that a number of requests take. */
export function durationOf(requests: number, budget: Budget): number {
  return Math.max(0, Math.ceil(requests / budget.requests) - 1) * budget.windowMs;
}

/** Spends no more than a budget. */
export class Pace {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #onWait: (until: Date | null) => void;
  readonly #spent: number[] = [];
  #turns: Promise<void> = Promise.resolve();

  constructor(clock: Clock, budget: Budget, onWait: (until: Date | null) => void) {
    this.#clock = clock;
    this.#budget = budget;
    this.#onWait = onWait;
  }

  /** Waits for the right to send a request; one after the other. */
  turn(signal: AbortSignal | undefined): Promise<void> {
    const turn = this.#turns.then(() => this.#next(signal));
    this.#turns = turn.catch(() => undefined);
    return turn;
  }

  async #next(signal: AbortSignal | undefined): Promise<void> {
    const { requests, windowMs } = this.#budget;
    signal?.throwIfAborted();
    if (this.#spent.length >= requests) {
      const until = (this.#spent.shift() ?? 0) + windowMs;
      const ms = until - this.#clock.now();
      if (ms > 0) {
        this.#onWait(new Date(until));
        await wait(this.#clock, Math.min(ms, windowMs), signal);
        this.#onWait(null);
      }
    }
    if (Number.isFinite(requests)) this.#spent.push(this.#clock.now());
  }
}
