import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { RateLimit } from "../../src/core/limits/queue.js";
import type { RateLimitStore } from "../../src/core/limits/rate-limit-store.js";
import { localStore } from "../../src/core/limits/rate-limit-store.js";
import { type ClientLimiter, type Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import type { TicketOptions } from "../../src/core/limits/ticket.js";
import type { Moment } from "../../src/core/time.js";
import { ManualClock } from "./manual-clock.js";
import { makeTicket } from "./ticket.js";

/** The default rate limit window, in milliseconds. */
export const WINDOW = 60_000;
/** The time after which an unused permit expires, in milliseconds. */
export const LEASE = 90_000;

/** A time on a limiter's clock, which starts at 0. */
export const at = (ms: number): Moment => ms as Moment;

/** The options of a request that differ from the defaults. */
export type Asked = Partial<TicketOptions> & Partial<RateLimit>;

/** A limiter with a manual clock, and functions that call it. */
export interface Limited {
  readonly clock: ManualClock;
  readonly limiter: RateLimiter;
  /** The arguments of every `onWait` call. */
  readonly waits: unknown[][];
  /** Requests a permit for the client with these limits. */
  ask(asked: Asked): ReturnType<ClientLimiter["acquire"]>;
  /** The client with these limits. */
  client(limit?: Partial<RateLimit>): ClientLimiter;
  /** The number of waiting calls of all clients. */
  queued(): number;
  /** Returns a permit; throws if it is not granted at once. */
  take(asked?: Asked): Permit;
  /** The names passed to `queue`, in the order in which they got their permits. */
  readonly granted: string[];
  /** Requests a permit under a name. */
  queue(name: string, asked?: Asked): void;
}

/** Makes a limiter that allows ten requests per minute, and ten at the same time, unless a request has other limits. */
export function makeLimited(store: RateLimitStore | null = null): Limited {
  const clock = new ManualClock(0);
  const limiter = new RateLimiter("key", clock, store ? new GuardedStore(clock, store) : localStore(clock));
  const waits: unknown[][] = [];
  const clients = new Map<string, ClientLimiter>();
  const clientOf = (asked: Partial<RateLimit> = {}): ClientLimiter => {
    const { requests = 10, windowMs = WINDOW, reserve = 0, concurrency = 10, queueLimit = 100 } = asked;
    const limit = { requests, windowMs, reserve, concurrency, queueLimit };
    const key = JSON.stringify(limit);
    const found = clients.get(key) ?? limiter.client(limit);
    clients.set(key, found);
    return found;
  };
  const ask = (asked: Asked) => {
    const onWait = (...wait: unknown[]) => void waits.push(wait);
    return clientOf(asked).acquire(makeTicket({ timeoutMs: LEASE - WINDOW, onWait, ...asked }));
  };
  const granted: string[] = [];
  return {
    clock,
    limiter,
    waits,
    ask,
    client: clientOf,
    queued: () => [...clients.values()].reduce((sum, client) => sum + client.queued, 0),
    take(asked: Asked = {}): Permit {
      const permit = ask(asked);
      if (permit instanceof Promise) throw new Error("it has to wait");
      return permit;
    },
    granted,
    queue(name: string, asked: Asked = {}): void {
      void Promise.resolve(ask(asked)).then((permit) => {
        if ("settle" in permit) granted.push(name);
      });
    },
  };
}
