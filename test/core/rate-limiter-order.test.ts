import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { localStore } from "../../src/core/limits/rate-limit-store.js";
import { type Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { type Asked, LEASE, limited, WINDOW } from "../support/limited.js";
import { ManualClock } from "../support/manual-clock.js";

describe("the order", () => {
  it("is interactive before batch, and earlier before later, also between different limits", async () => {
    const { clock, take, queue, granted } = limited();
    const first = take({ concurrency: 1 });
    queue("batch 1", { concurrency: 1, priority: "batch" });
    queue("batch 2", { concurrency: 1, priority: "batch", queueLimit: 50, requests: 11 });
    queue("interactive 1", { concurrency: 1, requests: 12 });
    queue("interactive 2", { concurrency: 1 });
    queue("interactive 3", { concurrency: 1, requests: 12 });
    await clock.advance(0);
    first.settle(false);
    // Each lease lets the next one go.
    for (let at = 0; at < 5; at++) await clock.advance(LEASE);
    expect(granted).toEqual(["interactive 1", "interactive 2", "interactive 3", "batch 1", "batch 2"]);
  });

  it("does not let a new request pass those who wait", async () => {
    const { clock, take, queue, granted } = limited();
    const [first, second] = [take({ concurrency: 2 }), take({ concurrency: 2 })];
    queue("waiting", { concurrency: 2 });
    first.settle(false);
    second.settle(false);
    queue("new", { concurrency: 2 });
    await clock.advance(0);
    expect(granted).toEqual(["waiting", "new"]);
  });
});

describe("a timer that is late", () => {
  it("does not let a new request pass those whose time has come", async () => {
    const manual = new ManualClock(0);
    const late = { ms: 0 };
    const clock: Clock = {
      now: () => manual.now() + late.ms,
      setTimeout: (callback, ms) => manual.setTimeout(callback, ms),
      clearTimeout: (handle) => manual.clearTimeout(handle),
    };
    const limiter = new RateLimiter("key", clock, localStore(clock));
    limiter.join({ requests: 1, windowMs: WINDOW, reserve: 0, concurrency: 10, queueLimit: 100 });
    const options = { priority: "interactive", signal: undefined, deadline: null, leaseMs: LEASE } as const;
    (limiter.acquire(options) as Permit).settle(true);
    const granted: string[] = [];
    const queue = (name: string) => void Promise.resolve(limiter.acquire(options)).then(() => granted.push(name));
    queue("waiting");
    await manual.advance(0);
    late.ms = WINDOW;
    queue("new");
    await manual.advance(0);
    expect(granted).toEqual(["waiting"]);
  });
});

describe("limits of different size on one key", () => {
  it.each<[string, Asked, Asked]>([
    ["requests", { requests: 1 }, { requests: 2 }],
    ["requests, of batch calls", { requests: 1, priority: "batch" }, { requests: 2, priority: "batch" }],
    ["requests at a time", { concurrency: 1 }, { concurrency: 2 }],
    ["reserve", { requests: 2, reserve: 0.5, priority: "batch" }, { requests: 2, reserve: 0, priority: "batch" }],
  ])("the strictest number of %s holds for all of them, whoever asks first", async (_, less, more) => {
    for (const [first, second] of [
      [less, more],
      [more, less],
    ] as const) {
      const { clock, take, queue, granted } = limited();
      take(first);
      queue("second", second);
      queue("third", first);
      await clock.advance(0);
      expect(granted).toEqual([]);
    }
  });

  it("the longest window holds for all of them", async () => {
    const { clock, take, queue, granted } = limited();
    take({ requests: 1, windowMs: 30_000 }).settle(true);
    queue("second", { requests: 9, windowMs: 60_000 });
    await clock.advance(29_999);
    expect(granted).toEqual([]);
    await clock.advance(1);
    expect(granted).toEqual(["second"]);
    queue("third", { requests: 1, windowMs: 30_000 });
    await clock.advance(30_000);
    expect(granted).toEqual(["second"]);
  });

  it.each<[string, Asked]>([
    ["requests", { requests: 1 }],
    ["concurrency", { concurrency: 1 }],
  ])("two of the same %s wait together, behind whoever holds the place", async (_, asked) => {
    const { clock, take, queue, granted } = limited();
    take(asked);
    queue("batch", { ...asked, priority: "batch" });
    queue("interactive", asked);
    await clock.advance(0);
    expect(granted).toEqual([]);
  });
});

describe("the part kept for interactive requests", () => {
  it.each([
    { requests: 10, reserve: 0.1, batch: 9 },
    { requests: 15, reserve: 0.1, batch: 14 },
    { requests: 10, reserve: 0, batch: 10 },
    { requests: 3, reserve: 1, batch: 1 },
  ])("of $requests requests with a reserve of $reserve leaves batch requests $batch", async (row) => {
    const { requests, reserve, batch } = row;
    const { clock, queue, granted, limiter } = limited();
    for (let at = 0; at < requests; at++) queue("batch", { requests, reserve, priority: "batch", concurrency: 20 });
    await clock.advance(0);
    expect(granted).toHaveLength(batch);
    for (let at = 0; at < requests; at++) queue("interactive", { requests, reserve, concurrency: 20 });
    await clock.advance(0);
    expect(granted).toHaveLength(requests);
    expect(limiter.usage.used).toBe(requests);
  });
});
