import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/core/limits/rate-limit-store.js";
import {
  type AcquireOptions,
  type Permit,
  type RateLimit,
  RateLimiter,
  type Refusal,
} from "../../src/core/limits/rate-limiter.js";
import { failure, ManualClock, settle } from "../support/manual-clock.js";

const WINDOW = 60_000;
const LEASE = 90_000;

type Asked = Partial<Omit<AcquireOptions, "limit">> & Partial<RateLimit>;

/** A limiter whose requests may be ten a minute, ten at a time, unless a request says otherwise. */
function limited(store: RateLimitStore | null = null) {
  const clock = new ManualClock(0);
  const limiter = new RateLimiter("key", clock, store);
  const waits: unknown[][] = [];
  const ask = ({
    requests = 10,
    windowMs = WINDOW,
    reserve = 0,
    concurrency = 10,
    queueLimit = 100,
    ...asked
  }: Asked) =>
    limiter.acquire({
      limit: { requests, windowMs, reserve, concurrency, queueLimit },
      priority: "interactive",
      signal: undefined,
      deadline: null,
      leaseMs: LEASE,
      onWait: (...wait) => void waits.push(wait),
      ...asked,
    });
  const granted: string[] = [];
  return {
    clock,
    limiter,
    /** What requests were told about their waits. */
    waits,
    ask,
    /** A permit that must be granted at once. */
    take(asked: Asked = {}): Permit {
      const permit = ask(asked);
      if (permit instanceof Promise) throw new Error("it has to wait");
      return permit;
    },
    /** Names in the order in which they were granted. */
    granted,
    /** Asks for a permit under a name. */
    queue(name: string, asked: Asked = {}): void {
      void Promise.resolve(ask(asked)).then((permit) => {
        if ("settle" in permit) granted.push(name);
      });
    },
  };
}

describe("a permit", () => {
  it("is there at once while places are free", () => {
    const { limiter, take, waits } = limited();
    expect(take().waitedMs).toBe(0);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
    expect(waits).toEqual([]);
  });

  it("returns its place once, however often it is settled", async () => {
    const { clock, limiter, take } = limited();
    const [permit] = [take(), take()];
    permit.settle(false);
    permit.settle(false);
    permit.settle(true);
    expect(limiter.usage.used).toBe(1);
    await clock.advance(0);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
  });

  it("is refused a caller who has already given up, with the reason, and takes no place", async () => {
    const { limiter, ask } = limited();
    const reason = new Error("enough");
    expect(await failure(Promise.resolve(ask({ signal: AbortSignal.abort(reason) })))).toBe(reason);
    expect(limiter.usage.used).toBe(0);
  });
});

describe("a request waits for requests in flight", () => {
  it("until one of them is answered, and learns how long it waited", async () => {
    const { clock, limiter, take, ask, waits } = limited();
    await clock.advance(100);
    const [first] = [take({ concurrency: 2 }), take({ concurrency: 2 })];
    const third = ask({ concurrency: 2 });
    expect(limiter.queued).toBe(1);
    await clock.advance(500);
    expect(waits).toEqual([["concurrency", null]]);
    first.settle(true);
    expect(((await third) as Permit).waitedMs).toBe(500);
    expect(limiter.queued).toBe(0);
  });

  it("and no longer than until their leases end, if they are never answered", async () => {
    const { clock, take, queue, granted } = limited();
    take({ concurrency: 2, leaseMs: 5_000 });
    take({ concurrency: 2, leaseMs: 3_500 });
    queue("third", { concurrency: 2 });
    await clock.advance(3_499);
    expect(granted).toEqual([]);
    await clock.advance(1);
    expect(granted).toEqual(["third"]);
  });

  it("goes out at once when a lease has ended, though its timer did not fire", async () => {
    const { clock, take } = limited();
    take({ concurrency: 1, leaseMs: 3_000 });
    await clock.advance(3_000);
    expect(take({ concurrency: 1 }).waitedMs).toBe(0);
  });
});

describe("a request waits for the window", () => {
  it("until the first place is free, to the millisecond, and learns when that will be", async () => {
    const { clock, take, queue, granted, waits } = limited();
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

  it("and asks each second while that depends on requests that others have in flight", async () => {
    const asked: number[] = [];
    const answers = { places: 0 };
    const { clock, queue, granted, waits } = limited({
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

  it("is told of requests in flight and of the window once each, however often it is asked for", async () => {
    const { clock, limiter, take, queue, waits } = limited();
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
  it("stops everybody until its pause is over", async () => {
    const { clock, limiter, queue, granted, waits } = limited();
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

  it("is told at once to whoever cannot wait so long", async () => {
    const { limiter, ask, queue } = limited();
    limiter.block(5_000);
    const late = ask({ deadline: 4_999 });
    queue("just", { deadline: 5_000 });
    expect(await late).toEqual({ refused: "deadline", retryAt: 5_000 });
    expect(limiter.queued).toBe(1);
  });
});

describe("a request is refused", () => {
  it("when its turn comes after its deadline, at once; not when it comes just then", async () => {
    const { limiter, take, ask, queue, clock, granted } = limited();
    take({ requests: 1 }).settle(true);
    const late = ask({ requests: 1, deadline: WINDOW - 1 });
    queue("just", { requests: 1, deadline: WINDOW });
    expect(await late).toEqual({ refused: "deadline", retryAt: WINDOW } satisfies Refusal);
    expect(limiter.queued).toBe(1);
    await clock.advance(WINDOW);
    expect(granted).toEqual(["just"]);
  });

  it("when the next place moves behind its deadline while it waits", async () => {
    const { clock, limiter, take, ask } = limited();
    take({ requests: 1 }).settle(true);
    const waiting = ask({ requests: 1, deadline: WINDOW + 1_000 });
    await clock.advance(10);
    limiter.block(WINDOW + 1_001);
    expect(await waiting).toEqual({ refused: "deadline", retryAt: WINDOW + 1_001 });
    expect(clock.pending).toBe(0);
  });

  it("when as many wait as may, and not before", async () => {
    const { limiter, take, ask } = limited();
    take({ concurrency: 1 });
    for (let at = 0; at < 2; at++) void ask({ concurrency: 1, queueLimit: 2 });
    expect(await ask({ concurrency: 1, queueLimit: 2 })).toEqual({ refused: "queue_full", retryAt: null });
    expect(limiter.queued).toBe(2);
  });
});

describe("a caller who gives up while waiting", () => {
  it("gets the signal's reason and leaves the queue; the timer goes with the last one", async () => {
    const { clock, limiter, take, ask, queue, granted } = limited();
    take({ requests: 1 }).settle(true);
    const [one, two] = [new AbortController(), new AbortController()];
    const first = failure(Promise.resolve(ask({ requests: 1, signal: one.signal })));
    const second = failure(Promise.resolve(ask({ requests: 1, signal: two.signal, priority: "batch" })));
    await clock.advance(10);
    const reason = new Error("enough");
    one.abort(reason);
    expect(await first).toBe(reason);
    expect([limiter.queued, clock.pending]).toEqual([1, 1]);
    two.abort(reason);
    expect(await second).toBe(reason);
    expect([limiter.queued, clock.pending]).toEqual([0, 0]);
    queue("third", { requests: 1 });
    await clock.advance(WINDOW);
    expect(granted).toEqual(["third"]);
  });

  it("leaves no listener on the signal, nor does one who gets a permit", async () => {
    const { clock, take, ask } = limited();
    const first = take({ concurrency: 1 });
    const { signal } = new AbortController();
    const waiting = ask({ concurrency: 1, signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    first.settle(false);
    await clock.advance(0);
    await waiting;
    expect(getEventListeners(signal, "abort")).toHaveLength(0);
  });

  it("is not told any more that it has to wait for something else", async () => {
    const { clock, take, ask, queue, waits } = limited();
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

  it("does not hold up those behind", async () => {
    const { clock, take, ask, queue, granted, waits } = limited();
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
    const limiter = new RateLimiter("key", {
      now: () => manual.now() + late.ms,
      setTimeout: (callback, ms) => manual.setTimeout(callback, ms),
      clearTimeout: (handle) => manual.clearTimeout(handle),
    });
    const limit = { requests: 1, windowMs: WINDOW, reserve: 0, concurrency: 10, queueLimit: 100 };
    const options = { limit, priority: "interactive", signal: undefined, deadline: null, leaseMs: LEASE } as const;
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
    ["more requests", { requests: 1 }, { requests: 2 }],
    ["more requests, batch as well", { requests: 1, priority: "batch" }, { requests: 2, priority: "batch" }],
    ["a part kept for interactive requests", { requests: 1, priority: "batch" }, { requests: 2 }],
    ["more at a time", { concurrency: 1 }, { concurrency: 2 }],
  ])("a request with %s goes out though one with less has to wait", async (_, less, more) => {
    const { clock, take, queue, granted } = limited();
    take(less);
    queue("less", less);
    queue("more", more);
    await clock.advance(0);
    expect(granted).toEqual(["more"]);
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

describe("a limiter", () => {
  it("is idle when nothing is in flight, waiting or remembered", async () => {
    const { clock, limiter, take } = limited();
    expect(limiter.idle).toBe(true);
    const permit = take();
    expect(limiter.idle).toBe(false);
    permit.settle(true);
    expect(limiter.idle).toBe(false);
    await clock.advance(WINDOW);
    expect(limiter.idle).toBe(true);
    limiter.block(WINDOW + 1_000);
    expect(limiter.idle).toBe(false);
    await clock.advance(1_000);
    expect(limiter.idle).toBe(true);
  });

  it("forgets who is in flight and who waits when it is reset", async () => {
    const { clock, limiter, take, queue, granted } = limited();
    take({ concurrency: 1 });
    queue("waiting", { concurrency: 1 });
    await clock.advance(0);
    limiter.reset();
    expect(limiter.queued).toBe(0);
    expect(clock.pending).toBe(0);
    expect(take({ concurrency: 1 }).waitedMs).toBe(0);
    await clock.advance(LEASE);
    expect(granted).toEqual([]);
  });
});

describe("a limiter with a shared store", () => {
  /** A store that answers when the test says so, and what it was told. */
  function slow() {
    const waiting: ((granted: boolean) => void)[] = [];
    const settled: boolean[] = [];
    const blocked: number[] = [];
    let slots = 0;
    const store: RateLimitStore = {
      reserve: () =>
        new Promise((resolve) => {
          waiting.push((granted) =>
            resolve(granted ? { granted, slot: String(++slots) } : { granted: false, retryAt: null, reason: "window" }),
          );
        }),
      settle: ({ sent }) => void settled.push(sent),
      block: ({ until }) => void blocked.push(until),
    };
    const answer = async (granted: boolean) => {
      await settle();
      waiting.shift()?.(granted);
      await settle();
    };
    return { store, waiting, settled, blocked, answer };
  }

  it("asks it for one request after the other, in their order", async () => {
    const { store, waiting, answer } = slow();
    const { queue, granted } = limited(store);
    queue("batch", { priority: "batch" });
    queue("first");
    queue("second");
    await settle();
    expect(waiting).toHaveLength(1);
    for (let at = 0; at < 3; at++) await answer(true);
    expect(granted).toEqual(["batch", "first", "second"]);
  });

  it("gives back the place of a caller who gave up meanwhile", async () => {
    const { store, answer, settled } = slow();
    const { ask, limiter, queue, granted } = limited(store);
    const controller = new AbortController();
    const gone = failure(Promise.resolve(ask({ signal: controller.signal })));
    await settle();
    controller.abort();
    await gone;
    await answer(true);
    expect(settled).toEqual([false]);
    expect(limiter.usage).toEqual({ used: 0, resetAt: null });
    queue("next");
    await answer(true);
    expect(granted).toEqual(["next"]);
  });

  it("tells a caller who gave up meanwhile nothing of a wait", async () => {
    const { store, answer } = slow();
    const { ask, queue, waits } = limited(store);
    const controller = new AbortController();
    const gone = failure(Promise.resolve(ask({ signal: controller.signal })));
    queue("other");
    await settle();
    controller.abort();
    await gone;
    for (let at = 0; at < 3; at++) await answer(false);
    expect(waits).toEqual([["window", null]]);
  });

  it("gives back the place of a request that was dropped meanwhile", async () => {
    const { store, answer, settled } = slow();
    const { queue, limiter, granted } = limited(store);
    queue("dropped");
    await settle();
    limiter.reset();
    await answer(true);
    expect(granted).toEqual([]);
    expect(settled).toEqual([false]);
  });

  it("tells it of an answer once", async () => {
    const { store, answer, settled } = slow();
    const { ask } = limited(store);
    const asked = ask({});
    await answer(true);
    const permit = (await asked) as Permit;
    permit.settle(true);
    permit.settle(false);
    await settle();
    expect(settled).toEqual([true]);
  });

  it("is not idle while a request waits for it", async () => {
    const { store, answer } = slow();
    const { queue, limiter } = limited(store);
    expect(limiter.idle).toBe(true);
    queue("first");
    await answer(false);
    expect(limiter.idle).toBe(false);
  });

  it("asks it again as soon as it has taken a place back, though that takes its time", async () => {
    const memory = new MemoryRateLimitStore();
    const { clock, ask, queue, granted } = limited({
      reserve: async (request) => memory.reserve(request),
      settle: async (settlement) => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 300));
        memory.settle(settlement);
      },
      block: () => undefined,
    });
    const first = (await ask({ requests: 1 })) as Permit;
    queue("second", { requests: 1 });
    await clock.advance(100);
    first.settle(false);
    await clock.advance(300);
    expect(granted).toEqual(["second"]);
  });

  it("tells a 429 to those who wait as soon as the store knows it", async () => {
    const memory = new MemoryRateLimitStore();
    const { clock, limiter, ask } = limited({
      reserve: async (request) => memory.reserve(request),
      settle: async (settlement) => memory.settle(settlement),
      block: async (block) => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 300));
        memory.block(block);
      },
    });
    ((await ask({ requests: 1 })) as Permit).settle(true);
    const refused: unknown[] = [];
    void Promise.resolve(ask({ requests: 1, deadline: WINDOW + 1 })).then((answer) => refused.push(answer));
    await clock.advance(100);
    void limiter.block(2 * WINDOW);
    await clock.advance(300);
    expect(refused).toEqual([{ refused: "deadline", retryAt: 2 * WINDOW }]);
  });

  it.each<[string, number, Asked, Asked]>([
    ["the same limits", 1, {}, {}],
    ["the same limits for batch requests", 1, {}, { priority: "batch" }],
    ["the same limits, both batch", 1, { priority: "batch" }, { priority: "batch", windowMs: 2 * WINDOW }],
    ["fewer requests", 1, { requests: 10 }, { requests: 5 }],
    ["a larger reserve", 1, {}, { reserve: 0.1 }],
    ["more requests", 2, { requests: 10 }, { requests: 11 }],
    ["more batch requests", 2, { requests: 10 }, { requests: 11, priority: "batch" }],
    ["a smaller reserve", 2, { reserve: 0.1 }, {}],
  ])("asks it for a second request with %s %d times in a round when it has no place for the first", async (...row) => {
    const [, times, first, second] = row;
    let asked = 0;
    const { clock, queue } = limited({
      reserve: () => {
        asked++;
        return { granted: false, retryAt: null, reason: "window" };
      },
      settle: () => undefined,
      block: () => undefined,
    });
    queue("first", first);
    queue("second", second);
    await clock.advance(999);
    asked = 0;
    await clock.advance(1);
    expect(asked).toBe(times);
  });

  it("asks it again when an answer has freed a place", async () => {
    const { store, answer, settled } = slow();
    const { ask, queue, granted } = limited(store);
    const first = ask({});
    await answer(true);
    queue("second");
    await answer(false);
    expect(granted).toEqual([]);
    ((await first) as Permit).settle(true);
    await settle();
    await answer(true);
    expect(settled).toEqual([true]);
    expect(granted).toEqual(["second"]);
  });

  it("tells it of a 429, and counts what is in flight where the store does not", async () => {
    const { store, answer, blocked } = slow();
    const { ask, limiter } = limited(store);
    void ask({});
    await answer(true);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
    await limiter.block(7_000);
    expect(blocked).toEqual([7_000]);
  });
});
