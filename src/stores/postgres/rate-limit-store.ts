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
import { asked, windowOf } from "../turns.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";
import { rateLimitStatements, rateLimitSteps, rateLimitTidy } from "./rate-limit-sql.js";

/**
 * Shares a rate limit between processes through Postgres: one round trip for a place. Tables and functions are created
 * and migrated when it is first used. It goes by the database's clock; the `now` of requests is only used to answer in the
 * clock of the caller. `client.rateLimit` shows what the database said last.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: PostgresConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  return new PostgresRateLimitStore(connection, options);
}

interface Answer {
  readonly slot: string | null;
  readonly wait_ms: number | null;
  readonly blocked: boolean;
  readonly used: number;
  readonly reset_ms: number | null;
}

class PostgresRateLimitStore implements RateLimitStore {
  readonly #database: PostgresDatabase;
  readonly #sql: ReturnType<typeof rateLimitStatements>;
  readonly #application: string | null;
  readonly #lastKnown = new LastKnown();

  constructor(connection: PostgresConnection, options: RateLimitStoreOptions) {
    const { prefix, application } = rateLimitSettings(options);
    this.#application = application;
    this.#sql = rateLimitStatements(prefix);
    const tables = { part: "rate_limit", prefix, steps: rateLimitSteps(prefix), tidy: rateLimitTidy(prefix) };
    this.#database = new PostgresDatabase("rateLimitStore", connection, tables);
  }

  async reserve(request: ReserveRequest): Promise<Reservation> {
    const ask = asked(request, this.#application);
    const { window, key, shared, batch, requests, batchRequests, windowMs, leaseMs } = ask;
    const values = [window, key, shared, batch, requests, batchRequests, windowMs, leaseMs];
    const [answer] = await this.#database.query<Answer>(this.#sql.reserve, values);
    if (!answer) throw new Error("Postgres returned no row");
    const callersTime = (ms: number | null) => (ms === null ? null : request.now + ms);
    const { used, reset_ms, slot, wait_ms, blocked } = answer;
    const until = request.now + leaseMs;
    this.#lastKnown.remember(request.key, { used, resetAt: callersTime(reset_ms), until });
    if (slot !== null) return { granted: true, slot, used };
    return { granted: false, retryAt: callersTime(wait_ms), reason: blocked ? "rate_limited" : "window" };
  }

  async settle({ key, slot, windowMs, sent }: Settlement): Promise<void> {
    if (!/^\d{1,18}$/.test(slot)) return;
    await this.#database.query(this.#sql.settle, [windowOf(key, this.#application), slot, sent, Math.ceil(windowMs)]);
  }

  async block({ key, now, until }: RateLimitBlock): Promise<void> {
    await this.#database.query(this.#sql.block, [windowOf(key, this.#application), Math.ceil(until - now)]);
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    return this.#lastKnown.usage(key, now);
  }
}
