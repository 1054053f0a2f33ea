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

/** Requests one of two slots at this time. Batch requests may use only one of the two. */
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

describe("a slot", () => {
  it("is granted until the window is full, each with its own name", () => {
    expect(take(0)).not.toBe(take(0));
    expect(reserve(0)).toEqual(full(null));
    expect(countUsed(0)).toBe(2);
  });

  it("becomes free one window after its response, to the millisecond", () => {
    const first = take(0);
    take(0);
    settle(first, 1_000);
    expect(reserve(1_000)).toEqual(full(61_000));
    expect(reserve(60_999)).toEqual(full(61_000));
    expect(reserve(61_000).granted).toBe(true);
  });

  it("becomes free at once if its request was not sent", () => {
    take(0);
    settle(take(0), 10, { sent: false });
    expect(countUsed(10)).toBe(1);
    expect(reserve(10).granted).toBe(true);
  });

  it("is settled only once; settling it again, or an unknown name, has no effect", () => {
    const first = take(0);
    settle(first, 0);
    settle(first, 30_000);
    settle("unknown", 30_000);
    expect(countUsed(30_000)).toBe(1);
    expect(countUsed(WINDOW)).toBe(0);
  });

  it("ends with its lease if it is never settled, and a later settlement has no effect", () => {
    const first = take(0);
    take(10_000, { leaseMs: 20_000 });
    expect(countUsed(29_999)).toBe(2);
    expect(countUsed(30_000)).toBe(1);
    expect(countUsed(89_999)).toBe(1);
    expect(countUsed(90_000)).toBe(0);
    settle(first, 90_000);
    expect(countUsed(90_000)).toBe(0);
  });

  it("ends with its lease even if one with a longer lease was taken before or after", () => {
    take(0, { requests: 9, leaseMs: 50_000 });
    take(0, { requests: 9, leaseMs: 20_000 });
    take(0, { requests: 9, leaseMs: 80_000 });
    expect([0, 20_000, 50_000, 80_000].map((now) => countUsed(now))).toEqual([3, 2, 1, 0]);
  });

  it("counts only for its own key", () => {
    take(0);
    take(0);
    expect(reserve(0, { key: "other" }).granted).toBe(true);
    expect(countUsed(0, "other")).toBe(1);
    expect(countUsed(0, "unknown")).toBe(0);
  });
});

describe("a full window returns as the time to try again", () => {
  it("the time of the settled slot that becomes free first, even if another one was settled before", () => {
    const [long, short] = [take(0), take(0)];
    settle(long, 0, { windowMs: 50_000 });
    settle(short, 1_000, { windowMs: 10_000 });
    expect(reserve(1_000)).toEqual(full(11_000));
    expect(countUsed(11_000)).toBe(1);
    expect(countUsed(50_000)).toBe(0);
  });

  it("the time of the slot that brings the count below the caller's limit", () => {
    for (let at = 0; at < 4; at++) settle(take(at, { requests: 9 }), at);
    expect(reserve(5, { requests: 4 })).toEqual(full(WINDOW));
    expect(reserve(5, { requests: 3 })).toEqual(full(WINDOW + 1));
    expect(reserve(5, { requests: 1 })).toEqual(full(WINDOW + 3));
    expect(reserve(5, { requests: 5 }).granted).toBe(true);
  });

  it("null if so many requests are in flight that no settled slot matters", () => {
    for (let at = 0; at < 2; at++) take(0, { requests: 9 });
    settle(take(0, { requests: 9 }), 0);
    expect(reserve(0, { requests: 2 })).toEqual(full(null));
    expect(reserve(0, { requests: 3 })).toEqual(full(WINDOW));
  });

  it("a time computed only from slots that are still taken", () => {
    for (const at of [0, 10_000, 20_000]) settle(take(at, { requests: 9 }), at);
    expect(reserve(WINDOW, { requests: 2 })).toEqual(full(WINDOW + 10_000));
    expect(reserve(WINDOW, { requests: 1 })).toEqual(full(WINDOW + 20_000));
  });
});

describe("batch requests", () => {
  const batch = { priority: "batch", requests: 4, batchRequests: 2 } as const;
  const interactive = { requests: 4, batchRequests: 2 };

  it("take at most their share and leave the rest to interactive ones", () => {
    take(0, batch);
    take(0, batch);
    expect(reserve(0, batch)).toEqual(full(null));
    take(0, interactive);
    take(0, interactive);
    expect(reserve(0, interactive)).toEqual(full(null));
  });

  it("have to wait if interactive ones took all slots", () => {
    for (let at = 0; at < 4; at++) settle(take(0, interactive), 0);
    expect(reserve(0, batch)).toEqual(full(WINDOW));
  });

  it("wait until a slot of their share is free, interactive ones until any slot is", () => {
    settle(take(0, interactive), 0);
    settle(take(0, batch), 10);
    settle(take(10, batch), 20);
    expect(reserve(20, batch)).toEqual(full(WINDOW + 10));
    settle(take(20, interactive), 20);
    expect(reserve(20, interactive)).toEqual(full(WINDOW));
  });

  it("wait for requests in flight if those hold their whole share", () => {
    take(0, batch);
    take(0, batch);
    settle(take(0, interactive), 0);
    expect(reserve(0, batch)).toEqual(full(null));
  });

  it.each([
    { how: "was not sent", free: (slot: string) => settle(slot, 0, { sent: false }), at: 0 },
    { how: "was answered a window ago", free: (slot: string) => settle(slot, 0), at: WINDOW },
    { how: "was never settled within its lease", free: () => undefined, at: LEASE },
  ])("get one slot of their share back if its request $how", ({ free, at }) => {
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
  ])("get no slot from an interactive request that $how", ({ free, at }) => {
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

  it("is not shortened by an earlier end", () => {
    for (const until of [5_000, 9_000, 7_000]) store.block({ key: "key", until });
    expect(reserve(0)).toEqual(blockUntil(9_000));
  });

  it("appears in the usage until it ends, instead of the next free slot", () => {
    settle(take(0), 0);
    store.block({ key: "key", until: 5_000 });
    expect(store.usage({ key: "key", now: 4_999 })).toEqual({ used: 1, resetAt: 5_000 });
    expect(store.usage({ key: "key", now: 5_000 })).toEqual({ used: 1, resetAt: WINDOW });
  });
});

describe("the usage", () => {
  it("reports when the next settled slot becomes free, or null if all are in flight or none is taken", () => {
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

  it("is empty after clear", () => {
    take(0);
    store.block({ key: "key", until: 5_000 });
    store.clear();
    expect(store.usage({ key: "key", now: 0 })).toEqual({ used: 0, resetAt: null });
  });
});

describe("when the machine's date is set back", () => {
  const HOUR = 3_600_000;

  it("settled slots become free after the remaining time", () => {
    const [first, second] = [take(HOUR), take(HOUR)];
    settle(first, HOUR);
    settle(second, HOUR + 10);
    expect(reserve(10)).toEqual(full(WINDOW));
    expect([WINDOW - 1, WINDOW, WINDOW + 10].map((now) => countUsed(now))).toEqual([2, 1, 0]);
  });

  it("leases end after the remaining time", () => {
    take(HOUR);
    expect([0, LEASE - 1, LEASE].map((now) => countUsed(now))).toEqual([1, 1, 0]);
  });

  it("a block ends after the remaining time", () => {
    reserve(HOUR);
    store.block({ key: "key", until: HOUR + 5_000 });
    expect(reserve(0)).toMatchObject({ retryAt: 5_000 });
    expect(reserve(5_000).granted).toBe(true);
  });

  it("batch slots remain batch slots", () => {
    settle(take(HOUR, { priority: "batch" }), HOUR);
    const inFlight = take(HOUR, { priority: "batch", batchRequests: 2 });
    expect(reserve(0, { priority: "batch", requests: 9 })).toEqual(full(null));
    settle(inFlight, 0, { sent: false });
    expect(reserve(0, { priority: "batch" })).toEqual(full(WINDOW));
    expect(reserve(WINDOW, { priority: "batch" }).granted).toBe(true);
  });
});

it("counts stay correct over many windows", () => {
  for (let round = 0; round < 10; round++) {
    const now = round * WINDOW;
    for (let at = 0; at < 300; at++) settle(take(now + at, { requests: 300 }), now + at);
    expect(reserve(now + 299, { requests: 300 })).toEqual(full(now + WINDOW));
    expect(store.usage({ key: "key", now: now + 299 })).toEqual({ used: 300, resetAt: now + WINDOW });
  }
});
