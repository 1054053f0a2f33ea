import { loadGuardedStore } from "#guarded-store";
import type { Clock } from "../clock.js";
import { type LimitStore, MemoryRateLimitStore, type RateLimitStore } from "./rate-limit-store.js";

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
  const loading = loadGuardedStore().then((GuardedStore) => {
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
