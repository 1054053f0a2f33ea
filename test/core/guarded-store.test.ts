import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { GuardedStore } from "../../src/core/limits/guarded-store.js";
import type { Priority, RateLimitStore, Reservation } from "../../src/core/limits/rate-limit-store.js";
import { ManualClock } from "../support/manual-clock.js";

const WINDOW = 60_000;

type Asked = { readonly method: "reserve" | "settle" | "block"; readonly given: Record<string, unknown> };

/** A guarded store of a number of requests a minute, and how the shared store answers next. */
function guarded({ requests = 2, batchRequests = 2 } = {}) {
  const clock = new ManualClock(0);
  const asked: Asked[] = [];
  const next: Record<"answer" | "told", () => unknown> = { answer: down, told: () => undefined };
  const usage: { tell: () => unknown } = { tell: () => undefined };
  const shared = {
    reserve: (given: never) => {
      asked.push({ method: "reserve", given });
      return next.answer();
    },
    settle: (given: never) => {
      asked.push({ method: "settle", given });
      return next.told();
    },
    block: (given: never) => {
      asked.push({ method: "block", given });
      return next.told();
    },
    usage: () => usage.tell(),
  } as unknown as RateLimitStore;
  const store = new GuardedStore(clock, shared);
  const common = { key: "key", windowMs: WINDOW, leaseMs: 2 * WINDOW, requests, batchRequests } as const;
  const reserve = async (priority: Priority = "interactive") =>
    store.reserve({ ...common, now: clock.now(), priority });
  const settled = (slot: string, sent: boolean) =>
    store.settle({ key: "key", slot, now: clock.now(), windowMs: WINDOW, sent });
  return {
    clock,
    next,
    usage,
    store,
    reserve,
    answered: (slot: string) => settled(slot, true),
    notSent: (slot: string) => settled(slot, false),
    block: (until: number) => store.block({ key: "key", now: clock.now(), until }),
    /** What the shared store was given in calls of a method. */
    given: (method: Asked["method"]) => asked.filter((each) => each.method === method).map((each) => each.given),
    /** How many more requests may go now. */
    async more(priority?: Priority): Promise<number> {
      for (let count = 0; ; count++) {
        const reservation = await reserve(priority);
        if (!reservation.granted) return count;
        if (count > 1_000) throw new Error("nothing limits the requests");
      }
    },
  };
}

const down = () => Promise.reject(new Error("store down"));
const never = () => new Promise<never>(() => undefined);
const granted = (slot: string, used: unknown) => Promise.resolve({ granted: true, slot, used } as Reservation);

beforeEach(() => void vi.spyOn(console, "warn").mockReturnValue(undefined));
afterEach(() => vi.restoreAllMocks());

// The memory of the process moves its places to an earlier time when it is told one, as after a clock that was set back.
describe("a place is free a window after its answer and no earlier", () => {
  it("when the store took its time to grant the next one", async () => {
    const { clock, next, reserve, answered } = guarded();
    next.answer = () => granted("first", 1);
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
    // Now the memory decides.
    next.answer = () => Promise.reject(new Error("store down"));
    await clock.advance(58_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 3_000 + WINDOW, reason: "window" });
    await clock.advance(1_000);
    expect(await reserve()).toMatchObject({ granted: true });
  });

  it("when the store took its time to fail", async () => {
    const { clock, next, reserve, answered } = guarded();
    next.answer = () => granted("first", 1);
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
  it("decides alone: other processes may have given places back, and another limit may hold there", async () => {
    const { next, reserve } = guarded({ requests: 1 });
    for (const slot of ["first", "second", "third"]) {
      next.answer = () => granted(slot, 1);
      expect(await reserve()).toMatchObject({ granted: true, slot });
    }
  });

  it("decides alone even after a 429 that it was told of", async () => {
    const { next, reserve, block } = guarded();
    await block(50_000);
    next.answer = () => granted("first", 1);
    expect(await reserve()).toMatchObject({ granted: true, slot: "first" });
  });

  it("is told of every answer under the name of its own place", async () => {
    const { next, reserve, answered, given } = guarded();
    next.answer = () => granted("first", 1);
    await reserve();
    await answered("first");
    expect(given("settle")).toEqual([{ key: "key", slot: "first", now: 0, windowMs: WINDOW, sent: true }]);
  });

  it("leaves no timer behind once it has answered", async () => {
    const { next, clock, reserve, answered, block } = guarded();
    next.answer = () => granted("first", 1);
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
  ])("has $more of 20 places left after three grants, the last with $used used: $because", async ({ used, more }) => {
    const guard = guarded({ requests: 20 });
    for (const [slot, count] of [
      ["first", undefined],
      ["second", undefined],
      ["third", used],
    ] as const) {
      guard.next.answer = () => granted(slot, count);
      await guard.reserve();
    }
    guard.next.answer = down;
    expect(await guard.more()).toBe(more);
  });

  it.each([
    { requests: 500, used: 1_000_000, more: 4, because: "a hundredth of the limit at least" },
    { requests: 20, used: 1_000_000, more: 0, because: "one place at least" },
  ])("may use $because", async ({ requests, used, more }) => {
    const { next, clock, reserve, answered, notSent, ...guard } = guarded({ requests });
    next.answer = () => granted("first", used);
    await reserve();
    next.answer = down;
    expect(await guard.more()).toBe(more);
    await answered("first");
    await clock.advance(WINDOW);
    const { granted: again, slot } = (await reserve()) as { granted: boolean; slot: string };
    expect(again).toBe(true);
    await notSent(slot);
  });

  it("keeps its share of the batch places, too", async () => {
    const guard = guarded({ requests: 20, batchRequests: 8 });
    guard.next.answer = () => granted("first", 2);
    await guard.reserve();
    guard.next.answer = down;
    expect(await guard.more("batch")).toBe(4);
    expect(await guard.more()).toBe(5);
  });

  it("counts its answers itself and does not bother the store with them", async () => {
    const { next, clock, reserve, answered, notSent, given } = guarded({ requests: 2 });
    next.answer = () => granted("first", 1);
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

  it("gives back places of its own memory when the store is back, and the store hears nothing of them", async () => {
    const { next, clock, reserve, notSent, given } = guarded();
    const { slot } = (await reserve()) as { slot: string };
    next.answer = () => granted("test", 1);
    await clock.advance(6_000);
    await reserve();
    await clock.advance(0);
    await notSent(slot);
    expect(given("settle").map(({ slot }) => slot)).toEqual(["test"]);
  });

  it("keeps a 429's pause", async () => {
    const { reserve, block } = guarded();
    await reserve();
    await block(30_000);
    expect(await reserve()).toEqual({ granted: false, retryAt: 30_000, reason: "rate_limited" });
  });

  it("shows the places that it counts itself", async () => {
    const { store, usage, reserve } = guarded();
    usage.tell = () => ({ used: 17, resetAt: null });
    expect(store.usage("key")).toEqual({ used: 17, resetAt: null });
    await reserve();
    expect(store.usage("key")).toEqual({ used: 1, resetAt: null });
  });
});

describe("a shared store that failed is asked again", () => {
  /** A guarded store whose shared store failed six seconds ago. */
  async function failed(limits?: { requests: number; batchRequests?: number }) {
    const guard = guarded(limits);
    await guard.reserve();
    await guard.clock.advance(6_000);
    return { ...guard, reserved: () => guard.given("reserve").length - 1 };
  }

  it("every tenth of a window, and not before it has failed again", async () => {
    const { clock, next, reserve, reserved } = await failed();
    next.answer = never;
    await reserve();
    await clock.advance(4_999);
    await reserve();
    expect(reserved()).toBe(1);
    // It has failed five seconds after it was asked.
    await clock.advance(6_000);
    await reserve();
    expect(reserved()).toBe(1);
    await clock.advance(1);
    await reserve();
    expect(reserved()).toBe(2);
  });

  it("no sooner than a tenth of a window after its first failure", async () => {
    const { clock, reserve, given } = guarded({ requests: 9 });
    await reserve();
    await clock.advance(5_999);
    await reserve();
    expect(given("reserve")).toHaveLength(1);
    await clock.advance(1);
    await reserve();
    expect(given("reserve")).toHaveLength(2);
  });

  it("after one warning, though several requests had asked it", async () => {
    const { clock, next, reserve, given } = guarded({ requests: 9 });
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

  it("and gives back the place of the test, which was not sent", async () => {
    const { clock, next, reserve, given } = await failed();
    next.answer = () => granted("test", 1);
    await reserve();
    await clock.advance(0);
    expect(given("settle")).toEqual([{ key: "key", slot: "test", now: 6_000, windowMs: WINDOW, sent: false }]);
  });

  it("and counts as back when it has no place, if it can also settle", async () => {
    const { clock, next, reserve, reserved, given } = await failed({ requests: 9 });
    next.answer = () => ({ granted: false, retryAt: null, reason: "window" });
    await reserve();
    await clock.advance(0);
    expect(given("settle")).toHaveLength(1);
    await reserve();
    expect(reserved()).toBe(2);
  });

  it.each([
    { what: "still answers something else", answer: () => ({}), told: () => undefined },
    { what: "cannot settle", answer: () => granted("test", 1), told: down },
  ])("but not used when it $what", async ({ answer, told }) => {
    const { clock, next, reserve, reserved } = await failed({ requests: 9 });
    next.answer = answer;
    next.told = told;
    await reserve();
    await clock.advance(0);
    expect(await reserve()).toMatchObject({ granted: true });
    expect(reserved()).toBe(1);
  });

  it("and does not know what was sent meanwhile, so the process keeps to its share for one more window", async () => {
    const { clock, next, reserve, reserved, answered } = await failed({ requests: 2 });
    next.answer = () => granted("test", 1);
    await reserve();
    await clock.advance(0);
    // Two places of the memory are taken, and none of the store.
    expect(await reserve()).toMatchObject({ granted: false });
    expect(reserved()).toBe(1);
    await clock.advance(WINDOW - 1);
    expect(await reserve()).toMatchObject({ granted: false });
    await clock.advance(1);
    next.answer = () => granted("alone", 1);
    expect(await reserve()).toMatchObject({ granted: true, slot: "alone" });
    await answered("alone");
  });
});

describe("a 429 that the shared store did not learn of", () => {
  const back = async ({ clock, next, reserve }: ReturnType<typeof guarded>) => {
    next.answer = () => granted("test", 1);
    next.told = () => undefined;
    await clock.advance(6_000);
    await reserve();
    await clock.advance(0);
  };

  it("because it was down is told when it is back, with the time of that moment", async () => {
    const guard = guarded();
    await guard.reserve();
    await guard.block(50_000);
    await back(guard);
    expect(guard.given("block")).toEqual([{ key: "key", now: 6_000, until: 50_000 }]);
  });

  it("because it failed just then is told when it is back", async () => {
    const guard = guarded();
    guard.next.told = down;
    await guard.block(50_000);
    await back(guard);
    expect(guard.given("block").map(({ until }) => until)).toEqual([50_000, 50_000]);
  });

  it("is told once, with the longest pause of several", async () => {
    const guard = guarded();
    await guard.reserve();
    for (const until of [40_000, 50_000, 30_000]) await guard.block(until);
    await back(guard);
    expect(guard.given("block").map(({ until }) => until)).toEqual([50_000]);
  });

  it("is not told any more when its pause is over", async () => {
    const guard = guarded();
    await guard.reserve();
    await guard.block(6_000);
    await back(guard);
    expect(guard.given("block")).toEqual([]);
    // It is back all the same.
    guard.next.answer = () => granted("second", 1);
    await guard.clock.advance(WINDOW);
    expect(await guard.reserve()).toMatchObject({ slot: "second" });
  });
});

describe("an answer of a shared store", () => {
  it.each([
    { granted: false, retryAt: null, reason: "window" },
    { granted: false, retryAt: 5_000, reason: "window" },
    { granted: false, retryAt: 5_000, reason: "rate_limited" },
    { granted: true, slot: "a place" },
  ])("counts: %j", async (answer) => {
    const { next, reserve } = guarded();
    next.answer = () => answer;
    expect(await reserve()).toEqual(answer);
    expect(console.warn).not.toHaveBeenCalled();
  });

  it.each([
    undefined,
    null,
    "granted",
    {},
    { granted: true },
    { granted: true, slot: 7 },
    { granted: "true", slot: "a place" },
    { granted: "no", slot: "a place", retryAt: null, reason: "window" },
    { retryAt: null, reason: "window" },
    { granted: false, retryAt: null },
    { granted: false, retryAt: null, reason: "" },
    { granted: false, retryAt: null, reason: "busy" },
    { granted: false, reason: "window" },
    { granted: false, retryAt: "5000", reason: "window" },
    { granted: false, retryAt: Number.NaN, reason: "rate_limited" },
  ])("does not count, and the process decides with one warning: %j", async (answer) => {
    const { next, reserve } = guarded();
    next.answer = () => answer;
    expect(await reserve()).toMatchObject({ granted: true, slot: expect.stringMatching(/^local /) });
    expect(console.warn).toHaveBeenCalledExactlyOnceWith(
      "education-admin-sdk: the rate-limit store failed; falling back to a per-process limit.",
    );
  });
});

describe("the usage that a shared store tells", () => {
  it.each([
    { used: 0, resetAt: null },
    { used: 3, resetAt: 5_000 },
  ])("is shown: %j", (told) => {
    const { store, usage } = guarded();
    usage.tell = () => told;
    expect(store.usage("key")).toEqual(told);
  });

  it.each([
    undefined,
    null,
    {},
    { used: 3 },
    { used: "3", resetAt: null },
    { used: Number.NaN, resetAt: null },
    { resetAt: null },
    { resetAt: 5_000 },
    { used: 3, resetAt: "5000" },
  ])("is not shown when it is no usage: %j", (told) => {
    const { store, usage } = guarded();
    usage.tell = () => told;
    expect(store.usage("key")).toBeNull();
  });

  it("is not shown when the store throws", () => {
    const { store, usage } = guarded();
    usage.tell = () => {
      throw new Error("store down");
    };
    expect(store.usage("key")).toBeNull();
  });
});
