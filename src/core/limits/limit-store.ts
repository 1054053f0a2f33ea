import { type Clock, steadyNow } from "../clock.js";
import { type LimitStore, MemoryRateLimitStore, type RateLimitStore } from "./rate-limit-store.js";

/** The memory of this process. Its windows end on time even if the system clock is set back. */
export function localStore(clock: Clock): LimitStore {
  const memory = new MemoryRateLimitStore();
  const shown = (time: number | null) => (time === null ? null : clock.now() + time - steadyNow(clock));
  return {
    isShared: false,
    reserve: (request) => {
      const reservation = memory.reserve({ ...request, now: steadyNow(clock) });
      return reservation.granted ? reservation : { ...reservation, retryAt: shown(reservation.retryAt) };
    },
    settle: (settlement) => memory.settle({ ...settlement, now: steadyNow(clock) }),
    block: ({ key, now, until }) => memory.block({ key, until: steadyNow(clock) + until - now }),
    usage: (key) => {
      const { used, resetAt } = memory.usage({ key, now: steadyNow(clock) });
      return { used, resetAt: shown(resetAt) };
    },
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
      const { GuardedStore } = await import("./guarded-store.js");
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
