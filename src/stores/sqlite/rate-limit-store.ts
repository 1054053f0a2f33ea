import type {
  RateLimitBlock,
  RateLimitStore,
  RateLimitUsage,
  Reservation,
  ReserveRequest,
  Settlement,
} from "../../core/limits/rate-limit-store.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import {
  type Asked,
  asked,
  CATCH_UP,
  graceMs,
  KEY_WINDOWS,
  LEAST_KEYS,
  pollMs,
  spacingMs,
  windowOf,
} from "../turns.js";
import { type SqliteConnection, SqliteDatabase } from "./connection.js";
import { rateLimitStatements, rateLimitTables } from "./rate-limit-sql.js";

/**
 * Shares a rate limit between the processes of one machine, in an SQLite file. Give it a connection of its own: it sets
 * WAL, waits at most 2 seconds for other processes, and creates and migrates its tables when it is first used. It goes by
 * the machine's date, also when that is set back; the `now` of requests is only used to answer in the clock of the caller.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: SqliteConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  return new SqliteRateLimitStore(connection, options);
}

interface Window {
  readonly now: number;
  readonly blockedUntil: number;
  readonly spacedUntil: number;
}

interface Counts {
  readonly used: number;
  readonly batch: number;
  readonly own: number;
}

class SqliteRateLimitStore implements RateLimitStore {
  readonly #database: SqliteDatabase;
  readonly #sql: ReturnType<typeof rateLimitStatements>;
  readonly #application: string | null;
  /**
   * The time of each window minus this process's date, which may be set back. It is not stored: a process whose clock is
   * ahead would add to it what the others had added because of that process.
   */
  readonly #shifts = new Map<string, number>();

  constructor(connection: SqliteConnection, options: RateLimitStoreOptions) {
    const { prefix, application } = rateLimitSettings(options);
    this.#application = application;
    this.#sql = rateLimitStatements(prefix);
    const tables = { part: "rate_limit", prefix, steps: rateLimitTables(prefix), synchronous: "NORMAL" } as const;
    this.#database = new SqliteDatabase("rateLimitStore", connection, tables);
  }

  reserve(request: ReserveRequest): Reservation {
    const ask = asked(request, this.#application);
    return this.#database.transaction(() => {
      const window = this.#open(ask.window);
      const { now, blockedUntil } = window;
      const callersTime = (at: number) => request.now + at - now;
      if (blockedUntil > now) return { granted: false, retryAt: callersTime(blockedUntil), reason: "rate_limited" };
      const slotOrTime = ask.shared ? this.#inTurn(ask, window) : this.#alone(ask, now);
      if (typeof slotOrTime === "string") return { granted: true, slot: slotOrTime, used: this.#counts(ask).used };
      return { granted: false, retryAt: slotOrTime === null ? null : callersTime(slotOrTime), reason: "window" };
    });
  }

  settle({ slot, windowMs, sent, key }: Settlement): void {
    if (!/^\d{1,15}$/.test(slot)) return;
    const window = windowOf(key, this.#application);
    const place = { slot: Number(slot), window };
    this.#database.transaction(() => {
      if (!sent) this.#database.prepare(this.#sql.remove).run(place);
      else this.#database.prepare(this.#sql.answer).run({ ...place, at: this.#now(window) + Math.ceil(windowMs) });
    });
  }

  block({ key, now, until }: RateLimitBlock): void {
    const window = windowOf(key, this.#application);
    this.#database.transaction(() => {
      const at = this.#open(window).now + Math.ceil(until - now);
      this.#database.prepare(this.#sql.block).run({ window, at });
    });
  }

  usage({ key, now }: { readonly key: string; readonly now: number }): RateLimitUsage {
    const window = windowOf(key, this.#application);
    const windowNow = this.#now(window);
    const row = this.#database.prepare(this.#sql.usage).get({ window, now: windowNow });
    const { used, next, blocked } = row as { used: number; next: number | null; blocked: number | null };
    const at = blocked !== null && blocked > windowNow ? blocked : next;
    return { used, resetAt: at === null ? null : now + at - windowNow };
  }

  /** The slot of a place; or when there is one, null when that depends on requests in flight. */
  #alone(ask: Asked, now: number): string | number | null {
    const counts = this.#counts(ask);
    if (hasRoom(ask, counts)) return this.#take(ask, now);
    return this.#roomAt(ask, counts);
  }

  /** The same where several keys share the window. */
  #inTurn(ask: Asked, { now, spacedUntil }: Window): string | number {
    const { window, key, batch, requests, batchRequests, windowMs } = ask;
    const counts = this.#counts(ask);
    const spacing = spacingMs(windowMs, requests);
    const spacedAt = Math.max(spacedUntil, now - windowMs / CATCH_UP);
    const isSpaced = this.#hasItsShare(ask, counts, now);
    const mine = { window, key, batch: Number(batch), now };
    const row = this.#database.prepare(this.#sql.ahead).get({ ...mine, own: counts.own });
    const { ahead, batchAhead } = row as { ahead: number; batchAhead: number };
    // What the keys before this one need is not free for it.
    const left = { ...ask, requests: requests - ahead, batchRequests: batchRequests - batchAhead };
    const isFree = hasRoom(left, counts);
    if (isFree && !(isSpaced && spacedAt > now)) {
      this.#database.prepare(this.#sql.space).run({ window, until: spacedAt + spacing });
      this.#database.prepare(this.#sql.stopWaiting).run({ window, key, batch: Number(batch) });
      return this.#take(ask, now);
    }
    const pollAt = now + pollMs(windowMs, requests);
    let at = isFree ? now : (this.#roomAt(left, counts) ?? pollAt);
    // The keys before this one may not come.
    if (hasRoom(ask, counts)) at = Math.min(at, pollAt);
    at = Math.ceil(Math.max(at, isSpaced ? spacedAt + ahead * spacing : at));
    this.#database.prepare(this.#sql.wait).run({ ...mine, ends: at + graceMs(windowMs) });
    return at;
  }

  /** The window's time without writing it. */
  #now(window: string): number {
    const row = this.#database.prepare(this.#sql.seen).get({ window });
    return this.#notBefore(window, (row as { seen: number } | undefined)?.seen ?? 0);
  }

  #time(window: string): number {
    return Date.now() + (this.#shifts.get(window) ?? 0);
  }

  /** This process's time for a window, once it has caught up with the time that a process has seen. */
  #notBefore(window: string, seen: number): number {
    const time = this.#time(window);
    if (time >= seen) return time;
    this.#shifts.set(window, (this.#shifts.get(window) ?? 0) + seen - time);
    return seen;
  }

  /** The state of a window, without the places that have become free. Its time never goes backwards. */
  #open(window: string): Window {
    const row = this.#database.prepare(this.#sql.open).get({ window, time: this.#time(window) });
    const state = row as Window;
    this.#notBefore(window, state.now);
    this.#database.prepare(this.#sql.forget).run({ window, now: state.now });
    return state;
  }

  #counts({ window, key }: Asked): Counts {
    return this.#database.prepare(this.#sql.count).get({ window, key }) as Counts;
  }

  /** When the places are fewer than the limits allow; null when that depends on requests in flight. */
  #roomAt({ window, batch, requests, batchRequests }: Asked, counts: Counts): number | null {
    const next = (least: 0 | 1, taken: number, most: number): number | null => {
      if (taken < most) return 0;
      const row = this.#database.prepare(this.#sql.next).get({ window, least, skip: taken - most });
      return (row as { at: number } | undefined)?.at ?? null;
    };
    const all = next(0, counts.used, requests);
    const ofBatch = batch ? next(1, counts.batch, batchRequests) : 0;
    return all === null || ofBatch === null ? null : Math.max(all, ofBatch);
  }

  #take({ window, key, batch, leaseMs }: Asked, now: number): string {
    const row = this.#database.prepare(this.#sql.take).get({ window, key, batch: Number(batch), at: now + leaseMs });
    return String((row as { slot: number }).slot);
  }

  /** Whether a key holds its share of the window, so that it gets further places one at a time. */
  #hasItsShare({ window, key, windowMs, requests }: Asked, { own }: Counts, now: number): boolean {
    this.#database.prepare(this.#sql.see).run({ window, key, now, windowMs });
    const row = this.#database.prepare(this.#sql.keys).get({ window, since: now - KEY_WINDOWS * windowMs });
    const { keys } = row as { keys: number };
    return own >= requests / Math.max(LEAST_KEYS, keys);
  }
}

function hasRoom({ batch, requests, batchRequests }: Asked, counts: Counts): boolean {
  return counts.used < requests && (!batch || counts.batch < batchRequests);
}
