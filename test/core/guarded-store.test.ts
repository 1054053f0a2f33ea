import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Reservation } from "../../src/core/limits/rate-limit-store.js";
import { down, grantPermit, makeGuarded, WINDOW } from "../support/guarded-store.js";

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

// If the process's memory receives an earlier time, for example after a clock was set back, it moves its slots to that
// time.
describe("a slot becomes free one window after its response, and no earlier", () => {
  it("even if the store was slow to grant the next slot", async () => {
    const { clock, next, reserve, answered } = makeGuarded();
    next.answer = () => grantPermit("first", 1);
    await reserve();
    const late = Promise.withResolvers<Reservation>();
    next.answer = () => late.promise;
    const second = reserve();
    await clock.advance(3_000);
    await answered("first");
    await clock.advance(1_000);
    late.resolve({ granted: true, slot: "second", used: 2 });
    expect(await second).toMatchObject({ granted: true });
    await answered("second");
    // From here on, the store fails and the process's memory decides.
    next.answer = () => Promise.reject(new Error("store down"));
    await clock.advance(58_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 3_000 + WINDOW, reason: "window" });
    await clock.advance(1_000);
    expect(await reserve()).toMatchObject({ granted: true });
  });

  it("even if the store was slow to fail", async () => {
    const { clock, next, reserve, answered } = makeGuarded();
    next.answer = () => grantPermit("first", 1);
    await reserve();
    next.answer = () => new Promise(() => undefined);
    const second = reserve();
    await clock.advance(3_000);
    await answered("first");
    await clock.advance(2_000);
    expect(await second).toMatchObject({ granted: true });
    await clock.advance(57_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 3_000 + WINDOW, reason: "window" });
    await clock.advance(1_000);
    expect(await reserve()).toMatchObject({ granted: true });
  });
});

describe("a shared store that works", () => {
  it("decides alone: other processes may have released slots, or may use another limit", async () => {
    const { next, reserve } = makeGuarded({ requests: 1 });
    for (const slot of ["first", "second", "third"]) {
      next.answer = () => grantPermit(slot, 1);
      expect(await reserve()).toMatchObject({ granted: true, slot });
    }
  });

  it("decides alone even after a 429 was reported to it", async () => {
    const { next, reserve, block } = makeGuarded();
    await block(50_000);
    next.answer = () => grantPermit("first", 1);
    expect(await reserve()).toMatchObject({ granted: true, slot: "first" });
  });

  it("is called after every response, with the name that it gave the slot", async () => {
    const { next, reserve, answered, given } = makeGuarded();
    next.answer = () => grantPermit("first", 1);
    await reserve();
    await answered("first");
    expect(given("settle")).toEqual([{ key: "key", slot: "first", now: 0, windowMs: WINDOW, sent: true }]);
  });

  it("leaves no timer after its reply", async () => {
    const { next, clock, reserve, answered, block } = makeGuarded();
    next.answer = () => grantPermit("first", 1);
    await reserve();
    await answered("first");
    await block(1_000);
    next.answer = down;
    await reserve();
    expect(clock.pending).toBe(0);
  });
});

describe("a process that loses the shared store", () => {
  it.each([
    { used: 3, more: 17, because: "it held all places" },
    { used: 6, more: 7, because: "it held half of all places" },
    { used: 7, more: 5, because: "its share is rounded down" },
    { used: 60, more: 0, because: "it already holds more than its share" },
    { used: 2, more: 17, because: "the store forgot a place of this process" },
    { used: undefined, more: 17, because: "the store does not say" },
    { used: 0, more: 17, because: "the store does not count" },
    { used: "many", more: 17, because: "the store says no number" },
  ])("has $more of 20 slots left after three grants, the last with $used used: $because", async ({ used, more }) => {
    const guard = makeGuarded({ requests: 20 });
    for (const [slot, count] of [
      ["first", undefined],
      ["second", undefined],
      ["third", used],
    ] as const) {
      guard.next.answer = () => grantPermit(slot, count);
      await guard.reserve();
    }
    guard.next.answer = down;
    expect(await guard.more()).toBe(more);
  });

  it.each([
    { requests: 500, used: 1_000_000, more: 4, because: "a hundredth of the limit at least" },
    { requests: 20, used: 1_000_000, more: 0, because: "one place at least" },
  ])("may use $because", async ({ requests, used, more }) => {
    const { next, clock, reserve, answered, notSent, ...guard } = makeGuarded({ requests });
    next.answer = () => grantPermit("first", used);
    await reserve();
    next.answer = down;
    expect(await guard.more()).toBe(more);
    await answered("first");
    await clock.advance(WINDOW);
    const { granted: again, slot } = (await reserve()) as { granted: boolean; slot: string };
    expect(again).toBe(true);
    await notSent(slot);
  });

  it.each([
    { reason: "window", priority: "interactive", more: 0, because: "the others held 19 of 20" },
    { reason: "window", priority: "batch", more: 1, because: "of 8 batch places the others held 7" },
    { reason: "rate_limited", priority: "interactive", more: 19, because: "the service refused it, not the window" },
  ] as const)(
    "has $more of 20 slots left after a grant and a refusal ($reason, $priority): $because",
    async (refusal) => {
      const guard = makeGuarded({ requests: 20, batchRequests: 8 });
      guard.next.answer = () => grantPermit("first", undefined);
      await guard.reserve();
      guard.next.answer = () => ({ granted: false, retryAt: null, reason: refusal.reason });
      await guard.reserve(refusal.priority);
      guard.next.answer = down;
      expect(await guard.more()).toBe(refusal.more);
    },
  );

  it("keeps to its share of a full window, even if it is the first to use the next one", async () => {
    const guard = makeGuarded({ requests: 20 });
    guard.next.answer = () => grantPermit("first", 20);
    await guard.reserve();
    await guard.answered("first");
    await guard.clock.advance(2 * WINDOW - 1);
    guard.next.answer = () => grantPermit("second", 1);
    await guard.reserve();
    guard.next.answer = down;
    expect(await guard.more()).toBe(0);
  });

  it("takes a new share after two windows that were not as full", async () => {
    const guard = makeGuarded({ requests: 20 });
    guard.next.answer = () => grantPermit("first", 20);
    await guard.reserve();
    await guard.answered("first");
    await guard.clock.advance(2 * WINDOW);
    guard.next.answer = () => grantPermit("second", 1);
    await guard.reserve();
    guard.next.answer = down;
    expect(await guard.more()).toBe(19);
  });

  it("keeps to its share of the batch slots too", async () => {
    const guard = makeGuarded({ requests: 20, batchRequests: 8 });
    guard.next.answer = () => grantPermit("first", 2);
    await guard.reserve();
    guard.next.answer = down;
    expect(await guard.more("batch")).toBe(4);
    expect(await guard.more()).toBe(5);
  });

  it("counts its responses itself and sends none of them to the store", async () => {
    const { next, clock, reserve, answered, notSent, given } = makeGuarded({ requests: 2 });
    next.answer = () => grantPermit("first", 1);
    await reserve();
    next.answer = down;
    const second = (await reserve()) as { slot: string };
    expect(await reserve()).toMatchObject({ granted: false, retryAt: null });
    await notSent(second.slot);
    const third = (await reserve()) as { slot: string };
    await answered("first");
    await clock.advance(1_000);
    await answered(third.slot);
    expect(await reserve()).toEqual({ granted: false, retryAt: WINDOW, reason: "window" });
    expect(given("settle")).toEqual([]);
  });

  it("releases slots in its own memory after the store has recovered, without a call of the store", async () => {
    const { next, clock, reserve, notSent, given } = makeGuarded();
    const { slot } = (await reserve()) as { slot: string };
    next.answer = () => grantPermit("test", 1);
    await clock.advance(6_000);
    await reserve();
    await clock.advance(0);
    await notSent(slot);
    expect(given("settle").map(({ slot }) => slot)).toEqual(["test"]);
  });

  it("keeps the pause of a 429", async () => {
    const { reserve, block } = makeGuarded();
    await reserve();
    await block(30_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 30_000, reason: "rate_limited" });
  });

  it("reports the slots that it counts itself", async () => {
    const { store, usage, reserve } = makeGuarded();
    usage.tell = () => ({ used: 17, resetAt: null });
    expect(store.usage("key")).toEqual({ used: 17, resetAt: null });
    await reserve();
    expect(store.usage("key")).toEqual({ used: 1, resetAt: null });
  });
});

describe("a store that has never replied", () => {
  it.each([
    [undefined, 40],
    [1, 40],
    [4, 10],
    [100, 1],
    [0, 40],
    [Number.NaN, 40],
    ["four", 40],
  ])("leaves the process its share of the limit if %s processes use it", async (processes, most) => {
    const { more } = makeGuarded({ requests: 40, batchRequests: 40, processes });
    expect(await more()).toBe(most);
  });
});
