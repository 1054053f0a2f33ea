import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { AcquireOptions, Permit, RateLimit } from "../../src/core/limits/queue.js";
import type { RateLimitStore } from "../../src/core/limits/rate-limit-store.js";
import { localStore } from "../../src/core/limits/rate-limit-store.js";
import { type ClientLimiter, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import type { Moment } from "../../src/core/time.js";
import { ManualClock } from "./manual-clock.js";

/** The window of requests that name no other, in milliseconds. */
export const WINDOW = 60_000;
/** How long a permit lasts that is never settled, in milliseconds. */
export const LEASE = 90_000;

/** A moment of the clock of a limiter, which begins at 0. */
export const at = (ms: number): Moment => ms as Moment;

/** What a request asks for where it differs from others. */
export type Asked = Partial<AcquireOptions> & Partial<RateLimit>;

/** A limiter on a clock of its own, and what a test asks of it. */
export interface Limited {
  readonly clock: ManualClock;
  readonly limiter: RateLimiter;
  /** What requests were told about their waits. */
  readonly waits: unknown[][];
  /** Asks in the name of the client that has these limits. */
  ask(asked: Asked): ReturnType<ClientLimiter["acquire"]>;
  /** The client that has these limits. */
  client(limit?: Partial<RateLimit>): ClientLimiter;
  /** How many calls of all clients wait. */
  queued(): number;
  /** A permit that must be granted at once. */
  take(asked?: Asked): Permit;
  /** Names in the order in which they were granted. */
  readonly granted: string[];
  /** Asks for a permit under a name. */
  queue(name: string, asked?: Asked): void;
}

/** A limiter whose requests may be ten a minute, ten at a time, unless a request says otherwise. */
export function limited(store: RateLimitStore | null = null): Limited {
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
    return clientOf(asked).acquire({
      priority: "interactive",
      signal: undefined,
      deadline: null,
      timeoutMs: LEASE - WINDOW,
      onWait: (...wait) => void waits.push(wait),
      ...asked,
    });
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
