import { describe, expect, it } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/core/limits/rate-limit-store.js";
import type { Permit } from "../../src/core/limits/rate-limiter.js";
import { at, makeLimited, WINDOW } from "../support/limited.js";
import { failure, settle, until } from "../support/manual-clock.js";

describe("a limiter with a shared store", () => {
  /** A store that replies when the test lets it, with a log of its calls. */
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

  it("calls it for all requests at once, in their order, and for no more than may be in flight", async () => {
    const { store, waiting, answer } = slow();
    const { queue, granted } = makeLimited(store);
    const asked = { concurrency: 3, queueLimit: 1 };
    queue("batch", { ...asked, priority: "batch" });
    for (const name of ["first", "second", "third"]) queue(name, asked);
    await until(() => waiting.length > 0);
    expect(waiting).toHaveLength(3);
    for (let at = 0; at < 3; at++) await answer(true);
    expect(granted).toEqual(["batch", "first", "second"]);
    expect(waiting).toHaveLength(0);
  });

  it("releases the slot of a caller that gave up meanwhile", async () => {
    const { store, answer, settled } = slow();
    const { ask, limiter, queue, granted } = makeLimited(store);
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

  it("reports no wait to a caller that gave up meanwhile", async () => {
    const { store, answer } = slow();
    const { ask, queue, waits } = makeLimited(store);
    const controller = new AbortController();
    const gone = failure(Promise.resolve(ask({ signal: controller.signal })));
    queue("other");
    await settle();
    controller.abort();
    await gone;
    for (let at = 0; at < 3; at++) await answer(false);
    expect(waits).toEqual([["window", null]]);
  });

  it("releases the slot of a request that was dropped meanwhile", async () => {
    const { store, answer, settled } = slow();
    const { queue, limiter, granted } = makeLimited(store);
    queue("dropped");
    await settle();
    limiter.reset();
    await answer(true);
    expect(granted).toEqual([]);
    expect(settled).toEqual([false]);
  });

  it("calls it once per response", async () => {
    const { store, answer, settled } = slow();
    const { ask } = makeLimited(store);
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
    const { queue, limiter } = makeLimited(store);
    expect(limiter.idle).toBe(true);
    queue("first");
    await answer(false);
    expect(limiter.idle).toBe(false);
  });

  it("calls it again after it has released a slot, even if the release is slow", async () => {
    const memory = new MemoryRateLimitStore();
    const { clock, ask, queue, granted } = makeLimited({
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

  it("reports a 429 to the waiting calls as soon as the store has recorded it", async () => {
    const memory = new MemoryRateLimitStore();
    const { clock, limiter, ask } = makeLimited({
      reserve: async (request) => memory.reserve(request),
      settle: async (settlement) => memory.settle(settlement),
      block: async (block) => {
        await new Promise<void>((resolve) => clock.setTimeout(resolve, 300));
        memory.block(block);
      },
    });
    ((await ask({ requests: 1 })) as Permit).settle(true);
    const refused: unknown[] = [];
    void Promise.resolve(ask({ requests: 1, deadline: at(WINDOW + 1) })).then((answer) => refused.push(answer));
    await clock.advance(100);
    void limiter.block(2 * WINDOW - 100);
    await clock.advance(300);
    expect(refused).toEqual([{ refused: "deadline", retryAt: 2 * WINDOW }]);
  });

  it("does not call it again before the time that it named, even for new calls", async () => {
    let asked = 0;
    const { clock, queue } = makeLimited({
      reserve: () => {
        asked++;
        return { granted: false, retryAt: 5_000, reason: "window" };
      },
      settle: () => undefined,
      block: () => undefined,
    });
    queue("first");
    await clock.advance(100);
    queue("second");
    queue("third", { priority: "batch" });
    await clock.advance(4_899);
    expect(asked).toBe(1);
    await clock.advance(1);
    // The number of calls depends on the order: once the store has refused an earlier call, a later one need not ask.
    expect(asked).toBeGreaterThan(1);
  });

  it("calls it again after a response has freed a slot", async () => {
    const { store, answer, settled } = slow();
    const { ask, queue, granted } = makeLimited(store);
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

  it("passes a 429 on to it, and counts requests in flight if the store does not", async () => {
    const { store, answer, blocked } = slow();
    const { ask, limiter } = makeLimited(store);
    void ask({});
    await answer(true);
    expect(limiter.usage).toEqual({ used: 1, resetAt: null });
    await limiter.block(7_000);
    expect(blocked).toEqual([7_000]);
  });
});
