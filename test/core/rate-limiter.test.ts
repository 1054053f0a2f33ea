import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import type { Permit } from "../../src/core/limits/rate-limiter.js";
import { at, LEASE, makeLimited, WINDOW } from "../support/limited.js";
import { failure } from "../support/manual-clock.js";

describe("a permit", () => {
  it("is granted at once while slots are free", () => {
    const { limiter, take, waits } = makeLimited();
    expect(take().waitedMs).toBe(0);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
    expect(waits).toEqual([]);
  });

  it("releases its slot only once, however often it is settled", async () => {
    const { clock, limiter, take } = makeLimited();
    const [permit] = [take(), take()];
    permit.settle(false);
    permit.settle(false);
    permit.settle(true);
    expect(limiter.usage.used).toBe(1);
    await clock.advance(0);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
  });

  it("is refused with the reason to a caller that has already given up, and takes no slot", async () => {
    const { limiter, ask } = makeLimited();
    const reason = new Error("enough");
    expect(await failure(Promise.resolve(ask({ signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(limiter.usage.used).toBe(0);
  });
});

describe("a request waits for the requests in flight", () => {
  it("until one of them ends, and learns how long it waited", async () => {
    const { clock, take, ask, waits, queued } = makeLimited();
    await clock.advance(100);
    const [first] = [take({ concurrency: 2 }), take({ concurrency: 2 })];
    const third = ask({ concurrency: 2 });
    expect(queued()).toBe(1);
    await clock.advance(500);
    expect(waits).toEqual([["concurrency", null]]);
    first.settle(true);
    expect(((await third) as Permit).waitedMs).toBe(500);
    expect(queued()).toBe(0);
  });

  it("but no longer than their time limits and 6 seconds if they never end", async () => {
    const { clock, take, queue, granted } = makeLimited();
    take({ concurrency: 2, timeoutMs: 5_000 });
    take({ concurrency: 2, timeoutMs: 3_500 });
    queue("third", { concurrency: 2 });
    await clock.advance(9_499);
    expect(granted).toEqual([]);
    await clock.advance(1);
    expect(granted).toEqual(["third"]);
  });

  it("and is sent at once after such a limit, even if its timer did not fire", async () => {
    const { clock, take } = makeLimited();
    take({ concurrency: 1, timeoutMs: 3_000 });
    await clock.advance(9_000);
    expect(take({ concurrency: 1 }).waitedMs).toBe(0);
  });
});

describe("a request waits for the window", () => {
  it("until the first slot is free, to the millisecond, and learns this time", async () => {
    const { clock, take, queue, granted, waits } = makeLimited();
    take({ requests: 1 }).settle(true);
    await clock.advance(1_000);
    queue("second", { requests: 1 });
    await clock.advance(58_999);
    expect(granted).toEqual([]);
    expect(waits).toEqual([["window", WINDOW]]);
    await clock.advance(1);
    expect(granted).toEqual(["second"]);
    expect(clock.pending).toBe(0);
  });

  it("and tries each second while the wait depends on other processes' requests in flight", async () => {
    const asked: number[] = [];
    const answers = { places: 0 };
    const { clock, queue, granted, waits } = makeLimited({
      reserve: ({ now }) => {
        asked.push(now);
        return answers.places-- > 0
          ? { granted: true, slot: "first" }
          : { granted: false, retryAt: null, reason: "window" };
      },
      settle: () => undefined,
      block: () => undefined,
    });
    queue("first");
    await clock.advance(2_500);
    expect(asked).toEqual([0, 1_000, 2_000]);
    expect(waits).toEqual([["window", null]]);
    answers.places = 1;
    await clock.advance(500);
    expect(granted).toEqual(["first"]);
  });

  it("and is notified once of requests in flight and once of the window, however often it tries", async () => {
    const { clock, limiter, take, queue, waits } = makeLimited();
    const first = take({ requests: 1, concurrency: 1 });
    queue("second", { requests: 1, concurrency: 1 });
    queue("third", { requests: 1, concurrency: 1, onWait: undefined });
    await clock.advance(10);
    first.settle(true);
    await clock.advance(10);
    await limiter.block(1_000);
    await clock.advance(10);
    expect(waits).toEqual([
      ["concurrency", null],
      ["window", WINDOW + 10],
    ]);
  });
});

describe("a 429", () => {
  it("delays every call until its pause is over", async () => {
    const { clock, limiter, queue, granted, waits } = makeLimited();
    limiter.block(5_000);
    expect(limiter.usage).toEqual({ used: 0, resetAt: 5_000 });
    queue("first");
    queue("second", { requests: 20, concurrency: 20, priority: "batch" });
    await clock.advance(4_999);
    expect(granted).toEqual([]);
    expect(waits).toEqual([
      ["rate_limited", 5_000],
      ["rate_limited", 5_000],
    ]);
    await clock.advance(1);
    expect(granted).toEqual(["first", "second"]);
  });

  it("rejects at once every call that cannot wait that long", async () => {
    const { limiter, ask, queue, queued } = makeLimited();
    limiter.block(5_000);
    const late = ask({ deadline: at(4_999) });
    queue("just", { deadline: at(5_000) });
    expect(await late).toEqual({ refused: "deadline", retryAt: 5_000 });
    expect(queued()).toBe(1);
  });
});

describe("a request is refused", () => {
  it("at once if its turn would come after its deadline, but not if both coincide", async () => {
    const { take, ask, queue, clock, granted, queued } = makeLimited();
    take({ requests: 1 }).settle(true);
    const late = ask({ requests: 1, deadline: at(WINDOW - 1) });
    queue("just", { requests: 1, deadline: at(WINDOW) });
    expect(await late).toEqual({ refused: "deadline", retryAt: WINDOW });
    expect(queued()).toBe(1);
    await clock.advance(WINDOW);
    expect(granted).toEqual(["just"]);
  });

  it("if the next slot moves beyond its deadline while it waits", async () => {
    const { clock, limiter, take, ask } = makeLimited();
    take({ requests: 1 }).settle(true);
    const waiting = ask({ requests: 1, deadline: at(WINDOW + 1_000) });
    await clock.advance(10);
    limiter.block(WINDOW + 991);
    expect(await waiting).toEqual({ refused: "deadline", retryAt: WINDOW + 1_001 });
    expect(clock.pending).toBe(0);
  });

  it("if the queue is full, and not before", async () => {
    const { take, ask, queued } = makeLimited();
    take({ concurrency: 1, queueLimit: 2 });
    for (let at = 0; at < 2; at++) void ask({ concurrency: 1, queueLimit: 2 });
    expect(await ask({ concurrency: 1, queueLimit: 2 })).toEqual({ refused: "queue_full", retryAt: null });
    expect(queued()).toBe(2);
  });
});

describe("a caller that gives up while waiting", () => {
  it("gets the signal's reason and leaves the queue; the timer is cancelled with the last one", async () => {
    const { clock, take, ask, queue, granted, queued } = makeLimited();
    take({ requests: 1 }).settle(true);
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failure(Promise.resolve(ask({ requests: 1, signal: one.signal })));
    const second = failure(Promise.resolve(ask({ requests: 1, signal: two.signal, priority: "batch" })));
    await clock.advance(10);
    const reason = new Error("enough");
    one.abort(reason);
    expect(await first).toBe(reason);
    expect([queued(), clock.pending]).toEqual([1, 1]);
    two.abort(reason);
    expect(await second).toBe(reason);
    expect([queued(), clock.pending]).toEqual([0, 0]);
    queue("third", { requests: 1 });
    await clock.advance(WINDOW);
    expect(granted).toEqual(["third"]);
  });

  it("leaves no listener on the signal, nor does one that gets a permit", async () => {
    const { clock, take, ask } = makeLimited();
    const first = take({ concurrency: 1 });
    const { signal } = new AbortController();
    const waiting = ask({ concurrency: 1, signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    first.settle(false);
    await clock.advance(0);
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("is not notified of further waits", async () => {
    const { clock, take, ask, queue, waits } = makeLimited();
    const first = take({ requests: 1, concurrency: 1 });
    const controller = new AbortController();
    const asked = { requests: 1, concurrency: 1 };
    const gone = failure(Promise.resolve(ask({ ...asked, signal: controller.signal })));
    queue("stays", asked);
    await clock.advance(0);
    controller.abort();
    await gone;
    waits.length = 0;
    first.settle(true);
    await clock.advance(0);
    expect(waits).toEqual([["window", WINDOW]]);
  });

  it("does not delay those behind it", async () => {
    const { clock, take, ask, queue, granted, waits } = makeLimited();
    const first = take({ concurrency: 1 });
    const controller = new AbortController();
    const gone = failure(Promise.resolve(ask({ concurrency: 1, signal: controller.signal })));
    queue("behind", { concurrency: 1 });
    controller.abort();
    await gone;
    first.settle(false);
    await clock.advance(0);
    expect(granted).toEqual(["behind"]);
    expect(waits).toHaveLength(2);
  });
});

describe("a limiter", () => {
  it("is idle if nothing is in flight, waiting or remembered", async () => {
    const { clock, limiter, take } = makeLimited();
    expect(limiter.idle).toBe(true);
    const permit = take();
    expect(limiter.idle).toBe(false);
    permit.settle(true);
    expect(limiter.idle).toBe(false);
    await clock.advance(WINDOW);
    expect(limiter.idle).toBe(true);
    limiter.block(1_000);
    expect(limiter.idle).toBe(false);
    await clock.advance(1_000);
    expect(limiter.idle).toBe(true);
  });

  it("forgets requests in flight and waiting calls when it is reset", async () => {
    const { clock, limiter, take, queue, granted, queued } = makeLimited();
    take({ concurrency: 1 });
    queue("waiting", { concurrency: 1 });
    await clock.advance(0);
    limiter.reset();
    expect(queued()).toBe(0);
    await clock.advance(0);
    expect(clock.pending).toBe(0);
    expect(take({ concurrency: 1 }).waitedMs).toBe(0);
    await clock.advance(LEASE);
    expect(granted).toEqual([]);
  });
});
