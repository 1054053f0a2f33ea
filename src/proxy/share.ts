import type { Clock } from "../core/clock.js";

/**
 * Counts the requests of a proxy in a sliding window, as the client's rate limiter does. A visitor gets at most half
 * of the share that other visitors have not used, so that no visitor can block all others.
 */
export class RequestShare {
  readonly #limit: () => number;
  readonly #windowMs: number;
  readonly #clock: Clock;
  // When each request ended, oldest first. A request counts for one window after it has ended.
  #ended: { readonly at: number; readonly visitor: string }[] = [];
  readonly #inFlight: string[] = [];

  constructor(limit: () => number, windowMs: number, clock: Clock) {
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#clock = clock;
  }

  /**
   * Takes one request from the share. @returns null, or the milliseconds to wait if the share is used up.
   * @param visitor "" for an unknown visitor, who is limited only by the share.
   */
  take(visitor: string): number | null {
    const now = this.#clock.now();
    const most = this.#limit();
    this.#ended = this.#ended.filter(({ at }) => at + this.#windowMs > now);
    const used = this.#inFlight.length + this.#ended.length;
    const byVisitor = [...this.#inFlight, ...this.#ended.map((one) => one.visitor)].filter(
      (one) => one === visitor,
    ).length;
    const limit = visitor === "" ? most : Math.max(1, Math.floor((most - (used - byVisitor)) / 2));
    if (used < most && (visitor === "" || byVisitor < limit)) {
      this.#inFlight.push(visitor);
      return null;
    }
    const waited = used >= most ? this.#ended[0] : this.#ended.find((one) => one.visitor === visitor);
    return (waited?.at ?? now) + this.#windowMs - now;
  }

  /** Ends a request that was taken from the share. @param attempts how many requests were actually sent. */
  settle(visitor: string, attempts: number): void {
    this.#inFlight.splice(this.#inFlight.indexOf(visitor), 1);
    const at = this.#clock.now();
    for (let attempt = 0; attempt < attempts; attempt++) this.#ended.push({ at, visitor });
  }
}
