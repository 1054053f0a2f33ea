import { beforeEach, describe, expect, it } from "vitest";
import { MemoryRateLimitStore, type Priority, type Reservation } from "../../src/core/limits/rate-limit-store.js";

const WINDOW = 60_000;
const LEASE = 90_000;

let store: MemoryRateLimitStore;
beforeEach(() => {
  store = new MemoryRateLimitStore();
});

interface Asked {
  readonly key?: string;
  readonly requests?: number;
  readonly batchRequests?: number;
  readonly priority?: Priority;
  readonly leaseMs?: number;
}

/** Asks at the given time for one of two slots. Batch requests may use only one of the two. */
function reserve(now: number, asked: Asked = {}): Reservation {
  return store.reserve({
    key: "key",
    requests: 2,
    batchRequests: 1,
    priority: "interactive",
    windowMs: WINDOW,
    leaseMs: LEASE,
    ...asked,
    now,
  });
}

/** Takes a slot; throws if none is free. */
function take(now: number, asked?: Asked): string {
  const reservation = reserve(now, asked);
  if (!reservation.granted) throw new Error("there was no place");
  return reservation.slot;
}

function settle(slot: string, now: number, { sent = true, windowMs = WINDOW } = {}): void {
  store.settle({ key: "key", slot, now, windowMs, sent });
}

const countUsed = (now: number, key = "key") => store.usage({ key, now }).used;
const full = (retryAt: number | null) => ({ granted: false, retryAt, reason: "window" });

describe("a place", () => {
  it("is granted until the window is full, each with a name of its own", () => {
    expect(take(0)).not.toBe(take(0));
    expect(reserve(0)).toEqual(full(null));
    expect(countUsed(0)).toBe(2);
  });

  it("is free a window after its answer, to the millisecond", () => {
    const first = take(0);
    take(0);
    settle(first, 1_000);
    expect(reserve(1_000)).toEqual(full(61_000));
    expect(reserve(60_999)).toEqual(full(61_000));
    expect(reserve(61_000).granted).toBe(true);
  });

  it("is free at once when its request was not sent", () => {
    take(0);
    settle(take(0), 10, { sent: false });
    expect(countUsed(10)).toBe(1);
    expect(reserve(10).granted).toBe(true);
  });

  it("is settled once: a second time, or under a name nobody was given, changes nothing", () => {
    const first = take(0);
    settle(first, 0);
    settle(first, 30_000);
    settle("unknown", 30_000);
    expect(countUsed(30_000)).toBe(1);
    expect(countUsed(WINDOW)).toBe(0);
  });

  it("ends with its lease when it is never settled, and later settling changes nothing", () => {
    const first = take(0);
    take(10_000, { leaseMs: 20_000 });
    expect(countUsed(29_999)).toBe(2);
    expect(countUsed(30_000)).toBe(1);
    expect(countUsed(89_999)).toBe(1);
    expect(countUsed(90_000)).toBe(0);
    settle(first, 90_000);
    expect(countUsed(90_000)).toBe(0);
  });

  it("ends with its lease also when one with a longer lease was taken before or after", () => {
    take(0, { requests: 9, leaseMs: 50_000 });
    take(0, { requests: 9, leaseMs: 20_000 });
    take(0, { requests: 9, leaseMs: 80_000 });
    expect([0, 20_000, 50_000, 80_000].map((now) => countUsed(now))).toEqual([3, 2, 1, 0]);
  });

  it("belongs to its key alone", () => {
    take(0);
    take(0);
    expect(reserve(0, { key: "other" }).granted).toBe(true);
    expect(countUsed(0, "other")).toBe(1);
    expect(countUsed(0, "unknown")).toBe(0);
  });
});

describe("when the window is full, the answer says when to ask again", () => {
  it("the first answered place, as places become free in the order of their time and not of their answers", () => {
    const [long, short] = [take(0), take(0)];
    settle(long, 0, { windowMs: 50_000 });
    settle(short, 1_000, { windowMs: 10_000 });
    expect(reserve(1_000)).toEqual(full(11_000));
    expect(countUsed(11_000)).toBe(1);
    expect(countUsed(50_000)).toBe(0);
  });

  it("the place that makes the count smaller than the asker's limit", () => {
    for (let at = 0; at < 4; at++) settle(take(at, { requests: 9 }), at);
    expect(reserve(5, { requests: 4 })).toEqual(full(WINDOW));
    expect(reserve(5, { requests: 3 })).toEqual(full(WINDOW + 1));
    expect(reserve(5, { requests: 1 })).toEqual(full(WINDOW + 3));
    expect(reserve(5, { requests: 5 }).granted).toBe(true);
  });

  it("null when too many requests are in flight for any answered place to matter", () => {
    for (let at = 0; at < 2; at++) take(0, { requests: 9 });
    settle(take(0, { requests: 9 }), 0);
    expect(reserve(0, { requests: 2 })).toEqual(full(null));
    expect(reserve(0, { requests: 3 })).toEqual(full(WINDOW));
  });

  it("counts only places that are taken still", () => {
    for (const at of [0, 10_000, 20_000]) settle(take(at, { requests: 9 }), at);
    expect(reserve(WINDOW, { requests: 2 })).toEqual(full(WINDOW + 10_000));
    expect(reserve(WINDOW, { requests: 1 })).toEqual(full(WINDOW + 20_000));
  });
});

describe("batch requests", () => {
  const batch = { priority: "batch", requests: 4, batchRequests: 2 } as const;
  const interactive = { requests: 4, batchRequests: 2 };

  it("take no more than their part, and leave the rest to interactive ones", () => {
    take(0, batch);
    take(0, batch);
    expect(reserve(0, batch)).toEqual(full(null));
    take(0, interactive);
    take(0, interactive);
    expect(reserve(0, interactive)).toEqual(full(null));
  });

  it("have to stop when interactive ones took all places", () => {
    for (let at = 0; at < 4; at++) settle(take(0, interactive), 0);
    expect(reserve(0, batch)).toEqual(full(WINDOW));
  });

  it("are told when a place of their part is free, interactive ones when any is", () => {
    settle(take(0, interactive), 0);
    settle(take(0, batch), 10);
    settle(take(10, batch), 20);
    expect(reserve(20, batch)).toEqual(full(WINDOW + 10));
    settle(take(20, interactive), 20);
    expect(reserve(20, interactive)).toEqual(full(WINDOW));
  });

  it("wait for requests in flight when those hold their whole part", () => {
    take(0, batch);
    take(0, batch);
    settle(take(0, interactive), 0);
    expect(reserve(0, batch)).toEqual(full(null));
  });

  it.each([
    { how: "was not sent", free: (slot: string) => settle(slot, 0, { sent: false }), at: 0 },
    { how: "was answered a window ago", free: (slot: string) => settle(slot, 0), at: WINDOW },
    { how: "was never settled within its lease", free: () => undefined, at: LEASE },
  ])("get a place of their part back when its request $how, and only one", ({ free, at }) => {
    const slot = take(0, batch);
    take(0, { ...batch, leaseMs: 10 * LEASE });
    expect(reserve(0, batch).granted).toBe(false);
    free(slot);
    take(at, { ...batch, leaseMs: 10 * LEASE });
    expect(reserve(at, batch)).toEqual(full(null));
  });

  it.each([
    { how: "was not sent", free: (slot: string) => settle(slot, 0, { sent: false }), at: 0 },
    { how: "was answered a window ago", free: (slot: string) => settle(slot, 0), at: WINDOW },
    { how: "was never settled within its lease", free: () => undefined, at: LEASE },
  ])("get no place for an interactive request that $how", ({ free, at }) => {
    const slot = take(0, interactive);
    take(0, { ...batch, leaseMs: 10 * LEASE });
    take(0, { ...batch, leaseMs: 10 * LEASE });
    free(slot);
    expect(reserve(at, batch)).toEqual(full(null));
  });
});

describe("a block", () => {
  const blockUntil = (retryAt: number) => ({ granted: false, retryAt, reason: "rate_limited" });

  it("refuses every request until its end, to the millisecond", () => {
    store.block({ key: "key", until: 5_000 });
    expect(reserve(0)).toEqual(blockUntil(5_000));
    expect(reserve(4_999)).toEqual(blockUntil(5_000));
    expect(reserve(5_000).granted).toBe(true);
  });

  it("is not shortened by an earlier one", () => {
    for (const until of [5_000, 9_000, 7_000]) store.block({ key: "key", until });
    expect(reserve(0)).toEqual(blockUntil(9_000));
  });

  it("shows in the usage until it ends, before the next free place", () => {
    settle(take(0), 0);
    store.block({ key: "key", until: 5_000 });
    expect(store.usage({ key: "key", now: 4_999 })).toEqual({ used: 1, resetAt: 5_000 });
    expect(store.usage({ key: "key", now: 5_000 })).toEqual({ used: 1, resetAt: WINDOW });
  });
});

describe("the usage", () => {
  it("says when the next answered place is free, and nothing while all are in flight or none is taken", () => {
    const usage = (now: number) => store.usage({ key: "key", now });
    expect(usage(0)).toEqual({ used: 0, resetAt: null });
    const slot = take(0);
    expect(usage(0)).toEqual({ used: 1, resetAt: null });
    settle(slot, 10);
    settle(take(10), 20);
    expect(usage(20)).toEqual({ used: 2, resetAt: WINDOW + 10 });
    expect(usage(WINDOW + 10)).toEqual({ used: 1, resetAt: WINDOW + 20 });
    expect(usage(WINDOW + 20)).toEqual({ used: 0, resetAt: null });
  });

  it("starts anew after clear", () => {
    take(0);
    store.block({ key: "key", until: 5_000 });
    store.clear();
    expect(store.usage({ key: "key", now: 0 })).toEqual({ used: 0, resetAt: null });
  });
});

describe("when the machine's date is set back", () => {
  const HOUR = 3_600_000;

  it("answered places are free when as much time has gone by as was to go by", () => {
    const [first, second] = [take(HOUR), take(HOUR)];
    settle(first, HOUR);
    settle(second, HOUR + 10);
    expect(reserve(10)).toEqual(full(WINDOW));
    expect([WINDOW - 1, WINDOW, WINDOW + 10].map((now) => countUsed(now))).toEqual([2, 1, 0]);
  });

  it("leases end when as much time has gone by", () => {
    take(HOUR);
    expect([0, LEASE - 1, LEASE].map((now) => countUsed(now))).toEqual([1, 1, 0]);
  });

  it("a block ends when as much time has gone by", () => {
    reserve(HOUR);
    store.block({ key: "key", until: HOUR + 5_000 });
    expect(reserve(0)).toMatchObject({ retryAt: 5_000 });
    expect(reserve(5_000).granted).toBe(true);
  });

  it("batch places stay batch places", () => {
    settle(take(HOUR, { priority: "batch" }), HOUR);
    const inFlight = take(HOUR, { priority: "batch", batchRequests: 2 });
    expect(reserve(0, { priority: "batch", requests: 9 })).toEqual(full(null));
    settle(inFlight, 0, { sent: false });
    expect(reserve(0, { priority: "batch" })).toEqual(full(WINDOW));
    expect(reserve(WINDOW, { priority: "batch" }).granted).toBe(true);
  });
});

it("counts right over many windows", () => {
  for (let round = 0; round < 10; round++) {
    const now = round * WINDOW;
    for (let at = 0; at < 300; at++) settle(take(now + at, { requests: 300 }), now + at);
    expect(reserve(now + 299, { requests: 300 })).toEqual(full(now + WINDOW));
    expect(store.usage({ key: "key", now: now + 299 })).toEqual({ used: 300, resetAt: now + WINDOW });
  }
});
