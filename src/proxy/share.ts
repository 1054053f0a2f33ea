import type { Clock } from "../core/clock.js";

/**
 * Counts the requests of a proxy in a sliding window, as the client's rate limiter counts those of a token. A visitor gets no more than
 * half of what the others have left, so that one of them never stops the rest.
 */
export class RequestShare {
  readonly #most: number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  // When each request ended, the oldest first. A request counts until a window after its end.
  #ended: { readonly at: number; readonly visitor: string }[] = [];
  readonly #inFlight: string[] = [];

  constructor(most: number, windowMs: number, clock: Clock) {
    this.#most = most;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /**
   * Takes a place. @returns null, or the milliseconds until one may be free when all are taken.
   * @param visitor "" where it is not known who asks: all of these have what there is.
   */
  take(visitor: string): number | null {
    const now = this.#clock.now();
    this.#ended = this.#ended.filter(({ at }) => at + this.#windowMs > now);
    const used = this.#inFlight.length + this.#ended.length;
    const own = [...this.#inFlight, ...this.#ended.map((one) => one.visitor)].filter((one) => one === visitor).length;
    const limit = visitor === "" ? this.#most : Math.max(1, Math.floor((this.#most - (used - own)) / 2));
    if (used < this.#most && (visitor === "" || own < limit)) {
      this.#inFlight.push(visitor);
      return null;
    }
    const waited = used >= this.#most ? this.#ended[0] : this.#ended.find((one) => one.visitor === visitor);
    return (waited?.at ?? now) + this.#windowMs - now;
  }

  /** Gives a place back. @param attempts how many requests were really sent. */
  settle(visitor: string, attempts: number): void {
    this.#inFlight.splice(this.#inFlight.indexOf(visitor), 1);
    const at = this.#clock.now();
    for (let attempt = 0; attempt < attempts; attempt++) this.#ended.push({ at, visitor });
  }
}
