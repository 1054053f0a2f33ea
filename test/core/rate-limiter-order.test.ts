import { describe, expect, it } from "vitest";
import type { Clock } from "../../src/core/clock.js";
import { localStore } from "../../src/core/limits/rate-limit-store.js";
import { type Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { type Asked, makeLimited, WINDOW } from "../support/limited.js";
import { ManualClock } from "../support/manual-clock.js";
import { makeTicket } from "../support/ticket.js";

describe("the order", () => {
  it("is interactive before batch and first come first served, also between clients", async () => {
    const { clock, take, queue, granted } = makeLimited();
    take({ requests: 5 }).settle(true);
    for (let more = 0; more < 4; more++) {
      await clock.advance(10);
      take({ requests: 5 }).settle(true);
    }
    queue("batch 1", { requests: 5, priority: "batch" });
    queue("batch 2", { requests: 5, queueLimit: 50, priority: "batch" });
    queue("interactive 1", { requests: 5, queueLimit: 50 });
    queue("interactive 2", { requests: 5 });
    queue("interactive 3", { requests: 5, queueLimit: 50 });
    await clock.advance(WINDOW);
    expect(granted).toEqual(["interactive 1", "interactive 2", "interactive 3", "batch 1", "batch 2"]);
  });

  it("does not let a new request overtake those that wait", async () => {
    const { clock, take, queue, granted } = makeLimited();
    const [first, second] = [take({ concurrency: 2 }), take({ concurrency: 2 })];
    queue("waiting", { concurrency: 2 });
    first.settle(false);
    second.settle(false);
    queue("new", { concurrency: 2 });
    await clock.advance(0);
    expect(granted).toEqual(["waiting", "new"]);
  });
});

describe("a timer that fires late", () => {
  it("does not let a new request overtake those that are due", async () => {
    const manual = new ManualClock(0);
    const late = { ms: 0 };
    const clock: Clock = {
      now: () => manual.now() + late.ms,
      setTimeout: (callback, ms) => manual.setTimeout(callback, ms),
      clearTimeout: (handle) => manual.clearTimeout(handle),
    };
    const limit = { requests: 1, windowMs: WINDOW, reserve: 0, concurrency: 10, queueLimit: 100 };
    const limiter = new RateLimiter("key", clock, localStore(clock)).client(limit);
    (limiter.acquire(makeTicket()) as Permit).settle(true);
    const granted: string[] = [];
    const queue = (name: string) => void Promise.resolve(limiter.acquire(makeTicket())).then(() => granted.push(name));
    queue("waiting");
    await manual.advance(0);
    late.ms = WINDOW;
    queue("new");
    await manual.advance(0);
    expect(granted).toEqual(["waiting"]);
  });
});

describe("clients of one token with different limits", () => {
  it.each<[string, Asked, Asked]>([
    ["requests", { requests: 1 }, { requests: 2 }],
    ["requests, of batch calls", { requests: 1, priority: "batch" }, { requests: 2, priority: "batch" }],
    ["requests at a time", { concurrency: 1 }, { concurrency: 2 }],
    ["reserve", { requests: 2, reserve: 0.5, priority: "batch" }, { requests: 2, reserve: 0, priority: "batch" }],
  ])("each wait by their own limit of %s; a call with room overtakes one without", async (_, less, more) => {
    const { clock, take, queue, granted } = makeLimited();
    take(less);
    queue("less", less);
    queue("more", more);
    queue("less again", less);
    await clock.advance(0);
    expect(granted).toEqual(["more"]);
  });

  it("count each other's requests", async () => {
    const { clock, take, queue, granted } = makeLimited();
    take({ requests: 3 });
    queue("second", { requests: 1 });
    queue("third", { requests: 2 });
    queue("fourth", { requests: 2 });
    await clock.advance(0);
    expect(granted).toEqual(["third"]);
  });

  it("do not share concurrency or queues", async () => {
    const { clock, take, queue, granted, ask } = makeLimited();
    take({ concurrency: 1, queueLimit: 1 });
    queue("first", { concurrency: 1, queueLimit: 1 });
    expect(await ask({ concurrency: 1, queueLimit: 1 })).toEqual({ refused: "queue_full", retryAt: null });
    queue("of another", { concurrency: 1, queueLimit: 2 });
    queue("waiting of another", { concurrency: 1, queueLimit: 2 });
    await clock.advance(0);
    expect(granted).toEqual(["of another"]);
  });

  it("count a request for the window of the client that sent it", async () => {
    const { clock, take, queue, granted } = makeLimited();
    take({ requests: 1, windowMs: 30_000 }).settle(true);
    queue("second", { requests: 1, windowMs: 60_000 });
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
  ])("all wait while another call uses up their %s", async (_, asked) => {
    const { clock, take, queue, granted } = makeLimited();
    take(asked);
    queue("batch", { ...asked, priority: "batch" });
    queue("interactive", asked);
    await clock.advance(0);
    expect(granted).toEqual([]);
  });

  it("are forgotten after their last call", async () => {
    const { clock, limiter, take, client } = makeLimited();
    const strict = { requests: 1, windowMs: 1_000, concurrency: 1, queueLimit: 1 };
    const permit = take(strict);
    expect(limiter.client(client(strict).limit)).toBe(client(strict));
    permit.settle(true);
    expect(limiter.client(client(strict).limit)).not.toBe(client(strict));
    for (let at = 0; at < 9; at++) take();
    await clock.advance(1_000);
    expect(take().waitedMs).toBe(0);
  });
});

describe("the part reserved for interactive requests", () => {
  it.each([
    { requests: 10, reserve: 0.1, batch: 9 },
    { requests: 15, reserve: 0.1, batch: 14 },
    { requests: 10, reserve: 0, batch: 10 },
    { requests: 3, reserve: 1, batch: 1 },
  ])("of $requests requests with a reserve of $reserve leaves batch requests $batch", async (row) => {
    const { requests, reserve, batch } = row;
    const { clock, queue, granted, limiter } = makeLimited();
    for (let at = 0; at < requests; at++) queue("batch", { requests, reserve, priority: "batch", concurrency: 20 });
    await clock.advance(0);
    expect(granted).toHaveLength(batch);
    for (let at = 0; at < requests; at++) queue("interactive", { requests, reserve, concurrency: 20 });
    await clock.advance(0);
    expect(granted).toHaveLength(requests);
    expect(limiter.usage.used).toBe(requests);
  });
});
