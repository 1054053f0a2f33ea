import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RateLimitStore, Reservation, ReserveRequest } from "../../src/index.js";
import { DATABASES, type Database } from "./support/databases.js";

const WINDOW = 2_000;

describe.each(DATABASES)("keys that share a window on %s", (_, start) => {
  let database: Database;
  beforeAll(async () => {
    database = await start();
  }, 60_000);
  afterAll(() => database.remove());

  let applications = 0;
  const open = () => database.open({ application: `application ${++applications}` });
  const ask = async (store: RateLimitStore, key: string, more: Partial<ReserveRequest> = {}): Promise<Reservation> =>
    store.reserve({
      key,
      now: Date.now(),
      requests: 4,
      batchRequests: 4,
      priority: "interactive",
      windowMs: WINDOW,
      leaseMs: 2 * WINDOW,
      ...more,
    });
  const take = async (store: RateLimitStore, key: string, more: Partial<ReserveRequest> = {}): Promise<string> => {
    for (let left = 200; left > 0; left--) {
      const answer = await ask(store, key, more);
      if (answer.granted) return answer.slot;
      // Above its share a key gets one place at a time.
      await setTimeout(Math.min(20, Math.max(1, (answer.retryAt ?? 0) - Date.now())));
    }
    throw new Error(`${key} got no place`);
  };
  const free = (store: RateLimitStore, key: string, slot: string) =>
    store.settle({ key, slot, now: Date.now(), windowMs: WINDOW, sent: false });

  it("have one limit together, and a block of one is a block of all", async () => {
    const store = open();
    for (const key of ["a", "b", "c", "d"]) await take(store, key);
    expect(await ask(store, "e")).toMatchObject({ granted: false, reason: "window" });
    await store.block({ key: "a", now: Date.now(), until: Date.now() + 500 });
    expect(await ask(store, "f")).toMatchObject({ granted: false, reason: "rate_limited" });
  });

  it("take turns: interactive before batch, then who holds the fewest places", async () => {
    const store = open();
    const few = { priority: "batch" } as const;
    const slots = [
      await take(store, "greedy"),
      await take(store, "greedy"),
      await take(store, "greedy"),
      await take(store, "other"),
    ];
    expect(await ask(store, "greedy")).toMatchObject({ granted: false });
    expect(await ask(store, "other")).toMatchObject({ granted: false });
    expect(await ask(store, "new", few)).toMatchObject({ granted: false });
    await free(store, "greedy", slots[0] ?? "");
    // The place is for `other`, which holds fewer than `greedy` and goes before batch.
    expect(await ask(store, "new", few)).toMatchObject({ granted: false });
    expect(await ask(store, "greedy")).toMatchObject({ granted: false });
    expect(await ask(store, "other")).toMatchObject({ granted: false, reason: "window" });
    await take(store, "other");
  });

  it("do not wait for a key that does not come", async () => {
    const store = open();
    const slots = [await take(store, "a"), await take(store, "a"), await take(store, "a"), await take(store, "a")];
    await ask(store, "gone");
    await free(store, "a", slots[0] ?? "");
    expect(await ask(store, "b", { priority: "batch" })).toMatchObject({ granted: false });
    const asked = Date.now();
    await take(store, "b", { priority: "batch" });
    // Its turn was kept until it had to ask, and a moment more.
    expect(Date.now() - asked).toBeLessThan(WINDOW / 2);
  });

  it("get further places one at a time above their share, and all of the window in the end", async () => {
    const store = open();
    const limits = { requests: 40, batchRequests: 40 };
    let granted = 0;
    const started = Date.now();
    while (Date.now() - started < WINDOW) {
      const answer = await ask(store, "alone", limits);
      if (answer.granted) granted++;
      else await setTimeout(Math.max(1, (answer.retryAt ?? 0) - Date.now()));
      // A tenth at once, and a twentieth caught up.
      if (Date.now() - started < WINDOW / 10) expect(granted).toBeLessThanOrEqual(4 + 2 + 4 + 1);
    }
    expect(granted).toBeGreaterThanOrEqual(38);
    expect(granted).toBeLessThanOrEqual(40);
  });

  it("are asked by processes whose clocks differ", async () => {
    const store = database.open();
    const hour = 3_600_000;
    const key = `clocks ${Math.random()}`;
    const more = { requests: 1, batchRequests: 1 };
    const slot = await take(store, key, more);
    await store.settle({ key, slot, now: Date.now() - hour, windowMs: WINDOW, sent: true });
    const ahead = Date.now() + hour;
    const answer = await ask(store, key, { ...more, now: ahead });
    if (answer.granted || answer.retryAt === null) throw new Error("it must be refused with a time");
    expect(answer.retryAt - ahead).toBeGreaterThan(WINDOW - 200);
    expect(answer.retryAt - ahead).toBeLessThanOrEqual(WINDOW);
    await store.block({ key, now: ahead, until: ahead + 400 });
    expect(await ask(store, key, { now: 0 })).toMatchObject({ granted: false, reason: "rate_limited" });
    await setTimeout(420);
    expect(await ask(store, key, { ...more, now: 0 })).toMatchObject({ granted: false, reason: "window" });
  });
});
