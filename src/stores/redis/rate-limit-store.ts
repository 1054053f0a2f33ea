import type {
  RateLimitBlock,
  RateLimitStore,
  RateLimitUsage,
  Reservation,
  ReserveRequest,
  Settlement,
} from "../../core/limits/rate-limit-store.js";
import { LastKnown } from "../last-known.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { asked, graceMs, pollMs, windowOf } from "../turns.js";
import { type RedisConnection, type RunScript, scriptsOf } from "./connection.js";
import { BLOCK, RESERVE, SETTLE } from "./rate-limit-scripts.js";

/**
 * Shares a rate limit between processes through Redis: one round trip for a place, and keys that end by themselves. It goes
 * by Redis's clock; the `now` of requests is only used to answer in the clock of the caller. `client.rateLimit` shows what
 * Redis said last.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: RedisConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  return new RedisRateLimitStore(connection, options);
}

// What a script returns; Redis makes false of Lua null and cuts the fractions off numbers.
type Answer = [slot: string | null, waitMs: number | null, blocked: number, used: number, resetMs: string | null];

class RedisRateLimitStore implements RateLimitStore {
  readonly #run: RunScript;
  readonly #prefix: string;
  readonly #application: string | null;
  readonly #lastKnown = new LastKnown();

  constructor(connection: RedisConnection, options: RateLimitStoreOptions) {
    const { prefix, application } = rateLimitSettings(options);
    this.#prefix = prefix;
    this.#application = application;
    this.#run = scriptsOf("rateLimitStore", connection);
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const { window, key, shared, batch, requests, batchRequests, windowMs, leaseMs } = asked(
      request,
      this.#application,
    );
    const [slot, waitMs, blocked, used, resetMs] = (await this.#run(RESERVE, this.#keys(window), [
      key,
      shared ? 1 : 0,
      batch ? "b" : "i",
      requests,
      batchRequests,
      windowMs,
      leaseMs,
      pollMs(windowMs, requests),
      graceMs(windowMs),
    ])) as Answer;
    const callersTime = (ms: number | string | null) => (ms === null ? null : request.now + Number(ms));
    this.#lastKnown.remember(request.key, { used, resetAt: callersTime(resetMs), until: request.now + leaseMs });
    if (typeof blocked !== "number") throw new Error("Redis returned something else than the script does");
    if (slot !== null) return { granted: true, slot, used };
    return { granted: false, retryAt: callersTime(waitMs), reason: blocked === 1 ? "rate_limited" : "window" };
  }

  async settle({ key, slot, windowMs, sent }: Settlement): Promise<void> {
    const place = `${slot} ${this.#application === null ? "" : key}`;
    const keys = this.#keys(windowOf(key, this.#application));
    await this.#run(SETTLE, keys, [place, sent ? 1 : 0, Math.ceil(windowMs)]);
  }

  async block({ key, now, until }: RateLimitBlock): Promise<void> {
    await this.#run(BLOCK, this.#keys(windowOf(key, this.#application)), [Math.ceil(until - now)]);
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    return this.#lastKnown.usage(key, now);
  }

  #keys(window: string): string[] {
    return ["state", "flight", "answered", "waiters", "keys"].map((part) => `${this.#prefix}limit:{${window}}:${part}`);
  }
}
