import type { Clock } from "../core/clock.js";

/** Counts the requests of a proxy in a sliding window, as the client's rate limiter counts those of a token. */
export class RequestShare {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  // When each request ended, the oldest first. A request counts until a window after its end.
  #ended: number[] = [];
  #inFlight = 0;

  constructor(most: number, windowMs: number, clock: Clock) {
    this.#most = most;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /** Takes a place. @returns null, or the milliseconds until one may be free when all are taken. */
  take(): number | null {
    const now = this.#clock.now();
    this.#ended = this.#ended.filter((time) => time + this.#windowMs > now);
    const [oldest = now] = this.#ended;
    if (this.#inFlight + this.#ended.length >= this.#most) return oldest + this.#windowMs - now;
    this.#inFlight++;
    return null;
  }

  /** Gives a place back. @param attempts how many requests were really sent. */
  settle(attempts: number): void {
    this.#inFlight--;
    for (let attempt = 0; attempt < attempts; attempt++) this.#ended.push(this.#clock.now());
  }
}
