import { type Clock, steadyNow } from "../clock.js";
import { type LimitStore, MemoryRateLimitStore, type RateLimitStore } from "./rate-limit-store.js";

/** The memory of this process. Its windows end on time even if the system clock is set back. */
export function localStore(clock: Clock, memory: MemoryRateLimitStore = new MemoryRateLimitStore()): LimitStore {
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
    clear: () => memory.clear(),
  };
}

/**
 * What guards stores that processes share, loaded with the first request, as few programs have one. Where it cannot be loaded,
 * the memory of this process takes the store's place, with a warning.
 */
export async function loadGuard(): Promise<(clock: Clock, store: RateLimitStore) => LimitStore> {
  try {
    const { GuardedStore } = await import("./guarded-store.js");
    return (clock, store) => new GuardedStore(clock, store);
  } catch {
    return (clock) => {
      console.warn(
        "education-admin-sdk: the code for rate-limit stores could not be loaded; falling back to a per-process limit.",
      );
      return localStore(clock);
    };
  }
}
