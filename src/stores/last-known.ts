import type { RateLimitUsage } from "../core/limits/rate-limit-store.js";
import { rememberAtMost } from "../webhooks/bounded-map.js";

// Keys of which the last answer is remembered; tokens that rotate would otherwise leave an entry each.
const MAX_KEYS = 1_000;

interface Known extends RateLimitUsage {
  /** When all of it has certainly become free. */
  readonly until: number;
}

/** What a database said last about each key: `client.rateLimit` must not cost a round trip. */
export class LastKnown {
  readonly #known = new Map<string, Known>();

  /** Remembers what an answer said, in the caller's clock. */
  remember(key: string, known: Known): void {
    rememberAtMost(this.#known, MAX_KEYS, key, known);
  }

  /** What is known of a key at a time. */
  usage(key: string, now: number): RateLimitUsage {
    const known = this.#known.get(key);
    if (!known || known.until <= now) return { used: 0, resetAt: null };
    const { used, resetAt } = known;
    return { used, resetAt: resetAt !== null && resetAt <= now ? null : resetAt };
  }
}
