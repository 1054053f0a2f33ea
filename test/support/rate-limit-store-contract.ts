import { beforeEach, describe, expect, it } from "vitest";
import type { RateLimitStore, ReserveRequest } from "../../src/index.js";

const WINDOW = 60_000;
const LEASE = 90_000;

/**
 * What every rate limit store must hold, whatever it is built on. Call it at the top of a test file.
 * @param makeStore makes an empty store; called before each test.
 * @param options.leases true when the store frees the places of processes that died; memory has no need to.
 */
export function rateLimitStoreContract(
  name: string,
  makeStore: () => RateLimitStore | Promise<RateLimitStore>,
  options: { leases?: boolean } = {},
): void {
  let store: RateLimitStore;
  const start = Date.UTC(2026, 0, 5, 12);
  const reserve = (now: number, more: Partial<ReserveRequest> = {}) =>
    store.reserve({
      key: "a",
      now: start + now,
      requests: 3,
      batchRequests: 3,
      priority: "interactive",
      windowMs: WINDOW,
      leaseMs: LEASE,
      ...more,
    });
  const settle = (slot: string, now: number, sent = true, key = "a") =>
    store.settle({ key, slot, now: start + now, windowMs: WINDOW, sent });
  const taken = async (now: number, more: Partial<ReserveRequest> = {}): Promise<string> => {
    const reservation = await reserve(now, more);
    if (!reservation.granted) throw new Error(`no place at ${now}: ${reservation.reason}`);
    return reservation.slot;
  };

  describe(`${name} as a rate limit store`, () => {
    beforeEach(async () => {
      store = await makeStore();
    });

    it("grants as many places as the window holds, each with a name of its own", async () => {
      const slots = [await taken(0), await taken(0), await taken(1)];
      expect(new Set(slots).size).toBe(3);
      expect(await reserve(2)).toMatchObject({ granted: false, reason: "window" });
    });

    it("takes times that are not whole numbers", async () => {
      const slot = await taken(0.25, { windowMs: 10.5, leaseMs: 20.5 });
      await store.settle({ key: "a", slot, now: start + 1.5, windowMs: 10.5, sent: true });
      await store.block({ key: "a", until: start + 2.5 });
      expect(await reserve(1.75)).toMatchObject({ granted: false, reason: "rate_limited" });
      expect(await reserve(20.5)).toMatchObject({ granted: true });
    });

    it("keeps places for interactive requests, and counts those of batch requests on their own", async () => {
      const batch = { priority: "batch", batchRequests: 2 } as const;
      const first = await taken(0, batch);
      await taken(0);
      await taken(0, batch);
      await settle(first, 1_000);
      expect(await reserve(2_000)).toEqual({ granted: false, retryAt: start + 1_000 + WINDOW, reason: "window" });
      const later = 1_000 + WINDOW;
      await taken(later, batch);
      expect(await reserve(later, batch)).toMatchObject({ granted: false, reason: "window" });
    });

    it("grants a batch request less than the window, however few interactive requests there are", async () => {
      const batch = { priority: "batch", batchRequests: 2 } as const;
      const slots = [await taken(0, batch), await taken(0, batch)];
      expect(await reserve(1, batch)).toEqual({ granted: false, retryAt: null, reason: "window" });
      await settle(slots[0] as string, 1_000);
      expect(await reserve(2_000, batch)).toEqual({
        granted: false,
        retryAt: start + 1_000 + WINDOW,
        reason: "window",
      });
      expect(await reserve(2_000)).toMatchObject({ granted: true });
    });

    it("cannot say when a place frees up while every request is still under way", async () => {
      for (let place = 0; place < 3; place++) await taken(0);
      expect(await reserve(10)).toEqual({ granted: false, retryAt: null, reason: "window" });
      expect(await reserve(WINDOW + 10)).toMatchObject({ granted: false });
    });

    it("frees a place a window after its answer and says when", async () => {
      const slots = [await taken(0), await taken(0), await taken(0)];
      await settle(slots[1] as string, 5_000);
      await settle(slots[0] as string, 7_000);
      expect(await reserve(8_000)).toEqual({ granted: false, retryAt: start + 5_000 + WINDOW, reason: "window" });
      expect(await reserve(4_999 + WINDOW)).toMatchObject({ granted: false });
      await taken(5_000 + WINDOW);
      expect(await reserve(5_000 + WINDOW)).toEqual({
        granted: false,
        retryAt: start + 7_000 + WINDOW,
        reason: "window",
      });
    });

    it("frees a place at once when the request never left", async () => {
      const slots = [await taken(0), await taken(0), await taken(0)];
      await settle(slots[2] as string, 10, false);
      await taken(10);
      expect(await reserve(10)).toMatchObject({ granted: false });
    });

    it("lets a smaller share see a full window sooner, and says when that share has room", async () => {
      const slots = [await taken(0), await taken(0)];
      expect(await reserve(1, { requests: 2 })).toMatchObject({ granted: false, retryAt: null });
      await settle(slots[0] as string, 1_000);
      await settle(slots[1] as string, 2_000);
      expect(await reserve(3_000, { requests: 1 })).toEqual({
        granted: false,
        retryAt: start + 2_000 + WINDOW,
        reason: "window",
      });
      await taken(3_000, { requests: 3 });
    });

    it("refuses everybody until a block ends; a later one wins, an earlier one changes nothing", async () => {
      await store.block({ key: "a", until: start + 20_000 });
      await store.block({ key: "a", until: start + 10_000 });
      expect(await reserve(19_999)).toEqual({ granted: false, retryAt: start + 20_000, reason: "rate_limited" });
      await taken(20_000);
      await store.block({ key: "a", until: start + 30_000 });
      expect(await reserve(20_001)).toMatchObject({ granted: false, reason: "rate_limited" });
    });

    it("keeps the keys apart", async () => {
      for (let place = 0; place < 3; place++) await taken(0);
      await store.block({ key: "a", until: start + 50_000 });
      const other = await taken(0, { key: "b" });
      await settle(other, 10, false, "b");
      expect(await reserve(10)).toMatchObject({ granted: false });
    });

    it("takes a place that is settled twice, or that nobody knows, in its stride", async () => {
      const slot = await taken(0);
      await settle(slot, 1_000);
      await settle(slot, 2_000);
      await settle("nobody", 2_000);
      await taken(3_000);
      await taken(3_000);
      expect(await reserve(3_000)).toMatchObject({ granted: false, retryAt: start + 1_000 + WINDOW });
    });

    it("never grants more than the window holds, however many ask at once", async () => {
      const asked = await Promise.all(Array.from({ length: 50 }, () => reserve(0, { requests: 7 })));
      expect(asked.filter(({ granted }) => granted)).toHaveLength(7);
    });

    it("tells how many places are taken, if it tells at all", async () => {
      if (!store.usage) return;
      const slot = await taken(0);
      await taken(0);
      expect(store.usage({ key: "a", now: start })).toEqual({ used: 2, resetAt: null });
      await settle(slot, 1_000);
      expect(store.usage({ key: "a", now: start + 2_000 })).toEqual({ used: 2, resetAt: start + 1_000 + WINDOW });
      await store.block({ key: "a", until: start + 9_000 });
      expect(store.usage({ key: "a", now: start + 2_000 })).toEqual({ used: 2, resetAt: start + 9_000 });
      expect(store.usage({ key: "a", now: start + 1_000 + WINDOW })).toEqual({ used: 1, resetAt: null });
    });

    if (options.leases) {
      it("frees the places of a process that died once their lease has run out", async () => {
        for (let place = 0; place < 3; place++) await taken(0);
        expect(await reserve(LEASE - 1)).toMatchObject({ granted: false });
        await taken(LEASE + WINDOW);
      });
    }
  });
}
