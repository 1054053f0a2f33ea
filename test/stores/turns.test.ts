import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { RateLimitStore, Reservation, ReserveRequest } from "../../src/index.js";
import { rateLimitStore } from "../../src/stores/sqlite/index.js";
import { type Answer, block, endOf, newWindow, reserve, settle, tidy, usage } from "../../src/stores/turns.js";

const WINDOW = 2_000;
const START = 1_800_000_000_000;

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: START }));
afterEach(() => vi.useRealTimers());

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms);

function schools(): RateLimitStore {
  return rateLimitStore(new DatabaseSync(":memory:"), { application: "schools" });
}

async function ask(store: RateLimitStore, key: string, more: Partial<ReserveRequest> = {}): Promise<Reservation> {
  const limits = { requests: 4, batchRequests: 4, windowMs: WINDOW, leaseMs: 2 * WINDOW };
  return store.reserve({ key, now: Date.now(), priority: "interactive", ...limits, ...more });
}

async function take(store: RateLimitStore, key: string, more: Partial<ReserveRequest> = {}): Promise<string> {
  for (let left = 200; left > 0; left--) {
    const answer = await ask(store, key, more);
    if (answer.granted) return answer.slot;
    pass(Math.max(1, (answer.retryAt ?? Date.now()) - Date.now()));
  }
  throw new Error(`${key} got no place`);
}

async function free(store: RateLimitStore, key: string, slot: string | undefined): Promise<void> {
  await store.settle({ key, slot: slot ?? "", now: Date.now(), windowMs: WINDOW, sent: false });
}

describe("keys that share a window", () => {
  it("share one limit, and a block of one key blocks all", async () => {
    const store = schools();
    for (const key of ["a", "b", "c", "d"]) await take(store, key);
    expect(await ask(store, "e")).toMatchObject({ granted: false, reason: "window" });
    await store.block({ key: "a", now: Date.now(), until: Date.now() + 500 });
    expect(await ask(store, "f")).toEqual({ granted: false, reason: "rate_limited", retryAt: Date.now() + 500 });
  });

  it("take turns: interactive before batch, then the key with the fewest slots", async () => {
    const store = schools();
    const batch = { priority: "batch" } as const;
    const slots = [await take(store, "greedy"), await take(store, "greedy"), await take(store, "greedy")];
    await take(store, "other");
    for (const key of ["greedy", "other"]) expect(await ask(store, key)).toMatchObject({ granted: false });
    expect(await ask(store, "new", batch)).toMatchObject({ granted: false });
    await free(store, "greedy", slots[0]);
    expect(await ask(store, "new", batch)).toMatchObject({ granted: false });
    expect(await ask(store, "greedy")).toMatchObject({ granted: false });
    await take(store, "other");
  });

  it("take turns by the length of their wait if they hold the same number of slots", async () => {
    const store = schools();
    const slots = [await take(store, "a"), await take(store, "b"), await take(store, "c"), await take(store, "d")];
    for (const key of ["first", "second"]) {
      expect(await ask(store, key)).toMatchObject({ granted: false });
      pass(1);
    }
    await free(store, "a", slots[0]);
    expect(await ask(store, "second")).toMatchObject({ granted: false });
    expect(await ask(store, "first")).toMatchObject({ granted: true });
  });

  it("do not wait for an absent key", async () => {
    const store = schools();
    const slots = [await take(store, "a"), await take(store, "a"), await take(store, "a"), await take(store, "a")];
    await ask(store, "gone");
    await free(store, "a", slots[0]);
    expect(await ask(store, "b", { priority: "batch" })).toMatchObject({ granted: false });
    const asked = Date.now();
    await take(store, "b", { priority: "batch" });
    // The store reserved the absent key's turn only until shortly after the key should have asked again.
    expect(Date.now() - asked).toBeLessThan(WINDOW / 2);
  });

  it("get further slots one at a time above their share, and finally the whole window", async () => {
    const store = schools();
    const limits = { requests: 40, batchRequests: 40 };
    const granted: number[] = [];
    while (Date.now() < START + WINDOW) {
      const answer = await ask(store, "alone", limits);
      if (answer.granted) granted.push(Date.now() - START);
      else pass(Math.max(1, (answer.retryAt ?? 0) - Date.now()));
    }
    // The store grants a tenth of the limit at once, then one request at a time.
    expect(granted.filter((at) => at === 0).length).toBe(4);
    expect(granted.slice(5).map((at, index) => at - (granted[index + 4] ?? 0))).toEqual(
      Array.from({ length: granted.length - 5 }, () => expect.toSatisfy((gap: number) => gap >= 50 && gap <= 52)),
    );
    expect(granted.length).toBeGreaterThanOrEqual(39);
    expect(granted.length).toBeLessThanOrEqual(40);
  });

  it("have a larger share if fewer of them send requests", async () => {
    const share = async (others: number) => {
      const store = schools();
      const limits = { requests: 200, batchRequests: 200 };
      for (let key = 0; key < others; key++) await take(store, `other ${key}`, limits);
      let places = 0;
      while ((await ask(store, "greedy", limits)).granted) places++;
      return places;
    };
    expect([await share(0), await share(39)]).toEqual([200 / 10, 200 / 40]);
  });

  it("work for processes whose clocks differ", async () => {
    const store = rateLimitStore(new DatabaseSync(":memory:"));
    const hour = 3_600_000;
    const limits = { requests: 1, batchRequests: 1 };
    const slot = await take(store, "a", limits);
    await store.settle({ key: "a", slot, now: Date.now() - hour, windowMs: WINDOW, sent: true });
    const ahead = Date.now() + hour;
    expect(await ask(store, "a", { ...limits, now: ahead })).toMatchObject({ retryAt: ahead + WINDOW });
    await store.block({ key: "a", now: ahead, until: ahead + 400 });
    expect(await ask(store, "a", { now: 0 })).toMatchObject({ reason: "rate_limited", retryAt: 400 });
    pass(401);
    expect(await ask(store, "a", { ...limits, now: 0 })).toMatchObject({ reason: "window", retryAt: WINDOW - 401 });
  });
});

describe("a window", () => {
  const limits = { windowMs: 100, leaseMs: 300, shared: false, key: "", batchRequests: 3, requests: 5 } as const;

  it("never holds more than its limits and reports exactly when there is room, in any history", () => {
    const event = fc.record({
      wait: fc.integer({ min: 0, max: 60 }),
      what: fc.constantFrom("ask", "batch", "answer", "unsent", "block"),
      which: fc.nat(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 60 }), (events) => {
        const window = newWindow();
        // The model: the time at which each slot becomes free, and the slot's name while its request is in flight.
        let places: { freeAt: number; batch: boolean; slot: string | null }[] = [];
        let now = 1;
        let blockedUntil = 0;
        for (const [number, { wait, what, which }] of events.entries()) {
          now += wait;
          places = places.filter(({ freeAt }) => freeAt > now);
          tidy(window, now);
          const inFlight = places.filter(({ slot }) => slot !== null);
          const one = inFlight[which % Math.max(1, inFlight.length)];
          if (what === "block") {
            block(window, now + (which % 50));
            blockedUntil = Math.max(blockedUntil, now + (which % 50));
          } else if (what === "answer" || what === "unsent") {
            const sent = what === "answer";
            settle(window, "", one?.slot ?? "nobody", sent ? now + limits.windowMs : null);
            if (one && sent) Object.assign(one, { freeAt: now + limits.windowMs, slot: null });
            else places = places.filter((place) => place !== one);
          } else {
            const batch = what === "batch";
            const slot = `${number}`;
            const answer = reserve(window, { ...limits, batch: batch ? 1 : 0, slot }, now);
            expect(answer).toEqual(expectedAnswer(places, batch, blockedUntil, now));
            if (answer.granted) places.push({ freeAt: now + limits.leaseMs, batch, slot });
          }
          expect(usage(window, now).used).toBe(places.length);
          expect(endOf(window)).toBe(Math.max(blockedUntil, ...places.map(({ freeAt }) => freeAt)));
        }
      }),
    );
  });

  function expectedAnswer(
    places: readonly { freeAt: number; batch: boolean; slot: string | null }[],
    batch: boolean,
    blockedUntil: number,
    now: number,
  ): Answer {
    if (blockedUntil > now) return { granted: false, at: blockedUntil, blocked: true };
    const hasRoomAt = (time: number) => {
      const left = places.filter(({ freeAt, slot }) => slot !== null || freeAt > time);
      const ofBatch = left.filter((place) => place.batch).length;
      return left.length < limits.requests && (!batch || ofBatch < limits.batchRequests);
    };
    if (hasRoomAt(now)) return { granted: true };
    const times = places.flatMap(({ freeAt, slot }) => (slot === null ? [freeAt] : [])).sort((a, b) => a - b);
    return { granted: false, at: times.find(hasRoomAt) ?? null, blocked: false };
  }
});
