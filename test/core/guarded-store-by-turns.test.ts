import { beforeEach, expect, it, vi } from "vitest";
import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import {
  MemoryRateLimitStore,
  type RateLimitBlock,
  type RateLimitStore,
  type ReserveRequest,
  type Settlement,
} from "../../src/core/limits/rate-limit-store.js";
import { ManualClock } from "../support/manual-clock.js";

const WINDOW = 2_000;
const LIMIT = 40;
const PROCESSES = 4;
const RUN = 24_000;

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));

// If one process takes every slot, each of the others may still use one slot while it cannot use the store.
it.each([
  { name: "as long as a window", onMs: 2_000, offMs: 2_000, asks: LIMIT / PROCESSES, most: LIMIT },
  { name: "half a window", onMs: 1_000, offMs: 1_000, asks: LIMIT / PROCESSES, most: LIMIT },
  { name: "longer than a window", onMs: 3_700, offMs: 2_300, asks: LIMIT / PROCESSES, most: LIMIT },
  { name: "as long as a window", onMs: 2_000, offMs: 2_000, asks: LIMIT, most: LIMIT + PROCESSES - 1 },
  { name: "half a window", onMs: 1_000, offMs: 1_000, asks: LIMIT, most: LIMIT + PROCESSES - 1 },
  { name: "longer than a window", onMs: 3_700, offMs: 2_300, asks: LIMIT, most: LIMIT + PROCESSES - 1 },
])(
  "a store that alternates between up and down, each $name, allows at most $most requests in any window if $asks are attempted at once",
  async ({ onMs, offMs, asks, most }) => {
    const clock = new ManualClock(0);
    const memory = new MemoryRateLimitStore();
    let isUp = true;
    const whileUp = <T>(answer: () => T) => (isUp ? Promise.resolve(answer()) : Promise.reject(new Error("read-only")));
    // Reports the number of used slots, as the database stores do.
    const shared: RateLimitStore = {
      reserve: (request: ReserveRequest) =>
        whileUp(() => {
          const reservation = memory.reserve(request);
          return reservation.granted ? { ...reservation, used: memory.usage(request).used } : reservation;
        }),
      settle: (settlement: Settlement) => whileUp(() => memory.settle(settlement)),
      block: (block: RateLimitBlock) => whileUp(() => memory.block(block)),
    };
    const processes = Array.from({ length: PROCESSES }, () => new GuardedStore(clock, shared));
    const sent: number[] = [];
    const ask = async (store: GuardedStore) => {
      const request = {
        key: "key",
        requests: LIMIT,
        batchRequests: LIMIT,
        windowMs: WINDOW,
        leaseMs: 2 * WINDOW,
      } as const;
      const reservation = await store.reserve({ ...request, priority: "interactive" });
      if (!reservation.granted) return;
      sent.push(clock.now());
      await store.settle({ key: "key", slot: reservation.slot, windowMs: WINDOW, sent: true });
    };
    // Each process requests a slot every 200 ms, 50 ms after the previous process, and must notice by itself whether
    // the store is up.
    for (let at = 0; at < RUN; at += 50) {
      isUp = at < 4_000 || at % (onMs + offMs) < onMs;
      for (let asked = 0; asked < asks; asked++) await ask(processes[(at / 50) % PROCESSES] as GuardedStore);
      await clock.advance(50);
    }
    const fullest = Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + WINDOW).length));
    expect(fullest).toBeLessThanOrEqual(most);
    expect(sent.length).toBeGreaterThan((LIMIT * RUN) / WINDOW / 2);
  },
);
