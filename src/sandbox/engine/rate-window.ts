/** The sandbox's rate limit, for each token. */
export interface SandboxRateLimit {
  /** Requests in a window. Default 500, as the service description says (Limits). */
  readonly requests?: number | undefined;
  /** Length of the window in milliseconds. Default 300,000. */
  readonly windowMs?: number | undefined;
}

/** A sliding window per token: admits at most `requests` requests in any span of `windowMs`. @internal */
export class RateWindow {
  readonly #requests: number;
  readonly #windowMs: number;
  readonly #arrivals = new Map<string, number[]>();

  constructor({ requests = 500, windowMs = 300_000 }: SandboxRateLimit = {}) {
    if (!(Number.isInteger(requests) && requests > 0))
      throw new RangeError("rateLimit.requests must be a whole number from 1");
    if (!(windowMs > 0)) throw new RangeError("rateLimit.windowMs must be a number of milliseconds above 0");
    this.#requests = requests;
    this.#windowMs = windowMs;
  }

  /** Admits a request and returns null, or returns the seconds to wait. */
  admit(token: string, now: number): number | null {
    // rule: the rate window slides, and refused requests do not count.
    const recent = (this.#arrivals.get(token) ?? []).filter((arrival) => arrival > now - this.#windowMs);
    this.#arrivals.set(token, recent);
    const [oldest] = recent;
    if (recent.length >= this.#requests && oldest !== undefined) {
      return Math.max(1, Math.ceil((oldest + this.#windowMs - now) / 1_000));
    }
    recent.push(now);
    return null;
  }

  reset(): void {
    this.#arrivals.clear();
  }
}
