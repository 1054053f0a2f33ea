import type { Clock } from "../clock.js";
import {
  MemoryRateLimitStore,
  type RateLimitBlock,
  type RateLimitStore,
  type RateLimitUsage,
  type Reservation,
  type ReserveRequest,
  type Settlement,
} from "./rate-limit-store.js";

/** A store as a rate limiter uses it: it always answers, at once or later. */
export interface LimitStore {
  /** True when the budget is meant to be kept outside this process. */
  readonly isShared: boolean;
  /** Takes a place in the window. */
  reserve(request: ReserveRequest): Reservation | Promise<Reservation>;
  /** Notes that a request was answered or not sent. */
  settle(settlement: Settlement): void | Promise<void>;
  /** Refuses every request until a point in time. */
  block(block: RateLimitBlock): void | Promise<void>;
  /** Places taken and when the next one is free; null where the store cannot say. */
  usage(key: string): RateLimitUsage | null;
}

/** The memory of this process. */
export function localStore(clock: Clock): LimitStore {
  const memory = new MemoryRateLimitStore();
  return {
    isShared: false,
    reserve: (request) => memory.reserve(request),
    settle: (settlement) => memory.settle(settlement),
    block: (block) => memory.block(block),
    usage: (key) => memory.usage({ key, now: clock.now() }),
  };
}

/** A store that processes share. What guards it is loaded now, as few programs have one. */
export function sharedStore(clock: Clock, store: RateLimitStore): LimitStore {
  let loaded: LimitStore | null = null;
  const loading = import("./guarded-store.js").then(({ GuardedStore }) => {
    loaded = new GuardedStore(clock, store);
    return loaded;
  });
  const guarded = async () => loaded ?? loading;
  return {
    isShared: true,
    reserve: async (request) => (await guarded()).reserve(request),
    settle: async (settlement) => (await guarded()).settle(settlement),
    block: async (block) => (await guarded()).block(block),
    usage: (key) => loaded?.usage(key) ?? null,
  };
}
