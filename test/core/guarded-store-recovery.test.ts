import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { down, grantPermit, makeGuarded, never, WINDOW } from "../support/guarded-store.js";

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

describe("a shared store that failed is called again", () => {
  /** Makes a guarded store whose shared store failed six seconds ago. */
  async function failGuard(limits?: { requests: number; batchRequests?: number }) {
    const guard = makeGuarded(limits);
    await guard.reserve();
    await guard.clock.advance(6_000);
    return { ...guard, countReserved: () => guard.given("reserve").length - 1 };
  }

  it("every tenth of a window, counted from its last failure", async () => {
    const { clock, next, reserve, countReserved } = await failGuard();
    next.answer = never;
    await reserve();
    await clock.advance(4_999);
    await reserve();
    expect(countReserved()).toBe(1);
    // The store is treated as failed once it has not responded for five seconds.
    await clock.advance(6_000);
    await reserve();
    expect(countReserved()).toBe(1);
    await clock.advance(1);
    await reserve();
    expect(countReserved()).toBe(2);
  });

  it("no sooner than a tenth of a window after its first failure", async () => {
    const { clock, reserve, given } = makeGuarded({ requests: 9 });
    await reserve();
    await clock.advance(5_999);
    await reserve();
    expect(given("reserve")).toHaveLength(1);
    await clock.advance(1);
    await reserve();
    expect(given("reserve")).toHaveLength(2);
  });

  it("with one warning, even if several requests had called it", async () => {
    const { clock, next, reserve, given } = makeGuarded({ requests: 9 });
    const late = Promise.withResolvers<never>();
    next.answer = () => late.promise;
    const slow = reserve();
    next.answer = down;
    await reserve();
    await clock.advance(4_000);
    late.reject(new Error("store down"));
    await slow;
    expect(console.warn).toHaveBeenCalledTimes(1);
    await clock.advance(2_000);
    await reserve();
    expect(given("reserve")).toHaveLength(3);
  });

  it("and releases the slot of that test, for which no request was sent", async () => {
    const { clock, next, reserve, given } = await failGuard();
    next.answer = () => grantPermit("test", 1);
    await reserve();
    await clock.advance(0);
    expect(given("settle")).toEqual([{ key: "key", slot: "test", now: 6_000, windowMs: WINDOW, sent: false }]);
  });

  it("and counts as recovered even if it has no free slot, provided that it can also settle", async () => {
    const { clock, next, reserve, countReserved, given } = await failGuard({ requests: 9 });
    next.answer = () => ({ granted: false, retryAt: null, reason: "window" });
    await reserve();
    await clock.advance(0);
    expect(given("settle")).toHaveLength(1);
    await reserve();
    expect(countReserved()).toBe(2);
  });

  it.each([
    { what: "still answers something else", answer: () => ({}), told: () => undefined },
    { what: "cannot settle", answer: () => grantPermit("test", 1), told: down },
  ])("but is not used if it $what", async ({ answer, told }) => {
    const { clock, next, reserve, countReserved } = await failGuard({ requests: 9 });
    next.answer = answer;
    next.told = told;
    await reserve();
    await clock.advance(0);
    expect(await reserve()).toMatchObject({ granted: true });
    expect(countReserved()).toBe(1);
  });

  it("but has missed requests, so the process keeps to its share for a window, a retry interval and the time that a call may take", async () => {
    const { clock, next, reserve, countReserved, answered } = await failGuard({ requests: 2 });
    next.answer = () => grantPermit("test", 1);
    await reserve();
    await clock.advance(0);
    // Two slots are taken in memory, none in the store.
    expect(await reserve()).toMatchObject({ granted: false });
    expect(countReserved()).toBe(1);
    await clock.advance(1.1 * WINDOW + 5_000 - 1);
    expect(await reserve()).toMatchObject({ granted: false });
    await clock.advance(1);
    next.answer = () => grantPermit("alone", 1);
    expect(await reserve()).toMatchObject({ granted: true, slot: "alone" });
    await answered("alone");
  });
});
