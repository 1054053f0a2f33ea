import { type Clock, systemClock } from "../clock.js";
import { fingerprint } from "../fingerprint.js";
import { dateOf } from "../time.js";
import type { RateLimit } from "./queue.js";
import { type LimitStore, localStore, MemoryRateLimitStore, type RateLimitStore } from "./rate-limit-store.js";
import { type ClientLimiter, RateLimiter } from "./rate-limiter.js";

/** The state of a client's rate limit, for dashboards and logs. */
export interface RateLimitState {
  /** Requests per window; null when the client has no limit. */
  readonly limit: number | null;
  /** Number of requests that currently count in the window, from all clients that use the token. */
  readonly used: number;
  /** When the next request stops counting, or when a 429's Retry-After ends; null when no request counts. */
  readonly resetAt: Date | null;
  /** Number of this client's calls that are waiting, including those between two attempts. */
  readonly queued: number;
}

export interface LimitSettings {
  readonly clock: Clock;
  readonly store: RateLimitStore | undefined;
  readonly host: string;
  /** Null for a client without a limit. */
  readonly limit: RateLimit | null;
}

// A client without a limit needs no permits; it only reports a 429 to the other clients that use its token.
const NO_LIMIT = {} as RateLimit;

export class RateLimiters {
  readonly #settings: LimitSettings;
  #last: { readonly token: string | null; readonly found: ClientLimiter } | null = null;

  constructor(settings: LimitSettings) {
    this.#settings = settings;
  }

  /**
   * The client's limiter for a token. Clients of this process with the same token and host share one rate limiter; null
   * selects the limiter of the host's clients without a key.
   */
  of(token: string | null): ClientLimiter | Promise<ClientLimiter> {
    if (this.#last?.token === token) return this.#last.found;
    const { clock, store, host } = this.#settings;
    // Not `instanceof`: a subclass may send the key out of the process.
    if (!store || store.constructor === MemoryRateLimitStore) {
      const make = () => localStore(clock, store as MemoryRateLimitStore | undefined);
      return this.#remember(token, sharedLimiter(limiterKey(host, token), clock, store, make));
    }
    return loadGuard().then(async (guard) => {
      const hash = token === null ? NO_KEY : ((await guard?.sha256(token)) ?? fingerprint(token));
      const make = () => (guard ? new guard.GuardedStore(clock, store) : insteadOfStore(clock));
      return this.#remember(token, sharedLimiter(`${host} ${hash}`, clock, store, make));
    });
  }

  /** How much of a token's window is used; pass undefined if the token is not known yet. */
  state(token: string | null | undefined): RateLimitState {
    const { limit } = this.#settings;
    const found = limit && token !== undefined ? this.of(token) : null;
    // With a shared store, the first call finds the limiter; until then this process has used nothing.
    const client = found instanceof Promise ? null : found;
    const { used, resetAt } = client?.limiter.usage ?? { used: 0, resetAt: null };
    return {
      limit: limit?.requests ?? null,
      used,
      resetAt: resetAt === null ? null : new Date(dateOf(this.#settings.clock, resetAt)),
      queued: client?.queued ?? 0,
    };
  }

  #remember(token: string | null, limiter: RateLimiter): ClientLimiter {
    // Several calls may look for the limiter at the same time; their requests in flight must count together.
    if (this.#last?.token !== token) {
      this.#last = { token, found: limiter.client(this.#settings.limit ?? NO_LIMIT) };
    }
    return this.#last.found;
  }
}

// Loaded on demand, because few programs use a shared store. The build for Node includes this code.
const loadGuard = () => import("./guarded-store.js").catch(() => null);

// The fallback for a page that is offline and cannot load guarded-store.js.
function insteadOfStore(clock: Clock): LimitStore {
  console.warn(
    "education-admin-sdk: the code for rate-limit stores could not be loaded; falling back to a per-process limit.",
  );
  return localStore(clock);
}

const REGISTRY = /* @__PURE__ */ Symbol.for("education-admin-sdk.rate-limiters.v2");
// Idle limiters are held weakly: as long as a client keeps its limiter, new clients share it.
type Limiters = Map<string, RateLimiter | WeakRef<RateLimiter>> & {
  /** Number of limiters at which idle ones are next removed; absent before the first time. */
  sweepAt?: number;
};
type Registry = WeakMap<object, Limiters>;

// Clients in one process share a limiter, even across copies of the library. A client with its own store or clock
// shares it only with clients that use the same store or clock.
function sharedLimiter(
  key: string,
  clock: Clock,
  store: RateLimitStore | undefined,
  make: () => LimitStore,
): RateLimiter {
  const shared = globalThis as { [REGISTRY]?: Registry };
  shared[REGISTRY] ??= new WeakMap();
  const registry = shared[REGISTRY];
  const anchor = store ?? (clock === systemClock ? globalThis : clock);
  let limiters = registry.get(anchor);
  if (!limiters) {
    limiters = new Map();
    registry.set(anchor, limiters);
  }
  let limiter = alive(limiters.get(key));
  if (!limiter) {
    if (limiters.size >= (limiters.sweepAt ?? 0)) sweep(limiters);
    limiter = new RateLimiter(key, clock, make());
  }
  limiters.set(key, limiter);
  return limiter;
}

// Removes idle limiters, because tokens that rotate leave theirs behind. Runs only when the map holds twice as many
// limiters as after the last sweep: with thousands of tokens, a sweep for each new token would take seconds.
function sweep(limiters: Limiters): void {
  for (const [key, held] of limiters) {
    const candidate = alive(held);
    if (!candidate) limiters.delete(key);
    else limiters.set(key, candidate.idle ? new WeakRef(candidate) : candidate);
  }
  limiters.sweepAt = 2 * limiters.size;
}

/**
 * Resets the rate limiters of the clients with this store: no request counts as in flight any more, and calls that wait
 * for a permit never get one; they end only if their signal aborts.
 */
export function resetRateLimiters(store: RateLimitStore): void {
  for (const held of limitersOf(store)?.values() ?? []) alive(held)?.reset();
}

/** Like {@link resetRateLimiters}, for a token's clients that have neither a store nor a clock of their own. */
export function resetRateLimiterOf(host: string, token: string | null): void {
  alive(limitersOf(globalThis)?.get(limiterKey(host, token)))?.reset();
}

function limitersOf(anchor: object): ReturnType<Registry["get"]> {
  return (globalThis as { [REGISTRY]?: Registry })[REGISTRY]?.get(anchor);
}

// Used in place of a token's hash: the service counts requests without a key by IP address.
const NO_KEY = "no-key";

function limiterKey(host: string, token: string | null): string {
  return `${host} ${token === null ? NO_KEY : fingerprint(token)}`;
}

function alive(held: RateLimiter | WeakRef<RateLimiter> | undefined): RateLimiter | undefined {
  return held instanceof WeakRef ? held.deref() : held;
}
