import type { SandboxManners } from "../data/manners.js";

/** The sandbox's rate limit, for each token. */
export interface SandboxRateLimit {
  /** Requests in a window. Default 500, as the service description says (Limits). */
  readonly requests?: number | undefined;
  /** Length of the window in milliseconds. Default 300,000. */
  readonly windowMs?: number | undefined;
}

/**
 * Admits at most `requests` requests of a token per window; the manners set the kind of window and which requests
 * count.
 * @internal
 */
export class RateWindow {
  readonly #requests: number;
  readonly #windowMs: number;
  readonly #manners: WindowManners;
  readonly #arrivals = new Map<string, number[]>();
  #began: number | undefined;

  constructor({ requests = 500, windowMs = 300_000 }: SandboxRateLimit, manners: WindowManners) {
    if (!(Number.isInteger(requests) && requests > 0))
      throw new RangeError("rateLimit.requests must be a positive whole number");
    if (!(windowMs > 0)) throw new RangeError("rateLimit.windowMs must be a number of milliseconds above 0");
    this.#requests = requests;
    this.#windowMs = windowMs;
    this.#manners = manners;
  }

  /** Admits a request and returns null, or returns the seconds to wait. */
  admit(token: string, now: number): number | null {
    const [length, { window, limit, refusedRequests }] = [this.#windowMs, this.#manners];
    this.#began ??= now;
    const isHalf = limit === "half at first" && now < this.#began + length;
    const most = isHalf ? Math.ceil(this.#requests / 2) : this.#requests;
    const start = window === "fixed" ? Math.floor(now / length) * length : now - length + 1;
    const recent = (this.#arrivals.get(token) ?? []).filter((arrival) => arrival >= start);
    this.#arrivals.set(token, recent);
    const isAdmitted = recent.length < most;
    if (isAdmitted || refusedRequests === "counted") recent.push(now);
    if (isAdmitted) return null;
    // A sliding window has room again once enough requests have left it to bring the count below the limit.
    const ends = window === "fixed" ? start + length : (recent[recent.length - most] ?? now) + length;
    return Math.max(1, Math.ceil((ends - now) / 1_000));
  }

  reset(): void {
    this.#arrivals.clear();
    this.#began = undefined;
  }
}

type WindowManners = Pick<SandboxManners, "window" | "limit" | "refusedRequests">;
