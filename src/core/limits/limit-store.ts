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

/**
 * A store that processes share. What guards it is loaded now, as few programs have one; where that fails, the memory of
 * this process takes its place, with a warning.
 */
export function sharedStore(clock: Clock, store: RateLimitStore): LimitStore {
  let loaded: Omit<LimitStore, "isShared"> | null = null;
  const load = async () => {
    try {
      const GuardedStore = await loadGuardedStore();
      loaded = new GuardedStore(clock, store);
    } catch {
      console.warn(
        "education-admin-sdk: the code for rate-limit stores could not be loaded; falling back to a per-process limit.",
      );
      loaded = localStore(clock);
    }
    return loaded;
  };
  const loading = load();
  const guarded = async () => loaded ?? loading;
  return {
    isShared: true,
    reserve: async (request) => (await guarded()).reserve(request),
    settle: async (settlement) => (await guarded()).settle(settlement),
    block: async (block) => (await guarded()).block(block),
    usage: (key) => loaded?.usage(key) ?? null,
  };
}
