import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type Reservation, type ReserveRequest } from "../../src/index.js";
import { rateLimitStoreTests } from "./suite/index.ts";
import { resultOf, resultsOf } from "./support/suite-results.ts";
import { asks, refuses, resultsWith, type Wrong } from "./support/wrong-limits.ts";

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const whole = (...values: number[]) => {
  if (!values.every(Number.isInteger)) throw new Error("not a whole number");
};

const REFUSED: Reservation = { granted: false, retryAt: null, reason: "window" };

describe("the tests of rate limit stores", () => {
  it("pass a correct store, with or without usage", async () => {
    const results = await resultsWith(() => ({}));
    expect(Object.keys(results)).toHaveLength(14);
    expect(Object.values(results)).toEqual(Array(14).fill(null));
    expect(await resultsWith(() => ({ usage: undefined as never }))).toEqual(results);
  });

  it("wait less than 10 seconds in total on the machine's clock", async () => {
    let isOver = false;
    const results = resultsOf((test) => rateLimitStoreTests({ test, create: () => new MemoryRateLimitStore() }));
    void results.finally(() => {
      isOver = true;
    });
    let waited = 0;
    for (; waited < 10_000 && !isOver; waited++) await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
    expect(Object.values(await results)).toEqual(Array(14).fill(null));
    expect(waited).toBeGreaterThan(2_000);
  });

  it.each<[store: string, stops: number, result: string]>([
    ["pass on a machine that stood still once", 1, "it passed"],
    ["fail with a store that is always slower than its leases", Infinity, "no slot is free"],
  ])("%s", async (_, stops, result) => {
    let left = stops;
    const create = () => {
      const right = new MemoryRateLimitStore();
      const slow = left-- > 0 ? 400 : 0;
      const reserve = (request: ReserveRequest) => {
        vi.setSystemTime(Date.now() + slow);
        return right.reserve({ ...request, now: Date.now() });
      };
      return { reserve, settle: right.settle.bind(right), block: right.block.bind(right) };
    };
    const results = resultsOf((test) => rateLimitStoreTests({ test, create }));
    await vi.runAllTimersAsync();
    expect(resultOf("rate limit store: grants as many", await results)).toBe(result);
  });

  it.each<[wrong: string, store: Wrong, test: string, message: string]>([
    [
      "grants one slot too many",
      asks(({ requests }) => ({ requests: requests + 1 })),
      "grants as many",
      "no slot is free",
    ],
    [
      "grants one slot too few",
      asks(({ requests }) => ({ requests: requests - 1 })),
      "grants as many",
      "a slot is free",
    ],
    [
      "calls a full window a block",
      refuses(() => ({ reason: "rate_limited" })),
      "grants as many",
      'the reason is window; found "rate_limited"',
    ],
    [
      "gives all slots the same name",
      (right) => ({ reserve: (request) => ({ ...right.reserve(request), slot: "one" }) }),
      "grants as many",
      'three slots have three names; found ["one","one","one"]',
    ],
    [
      "lets others come between reading a window and writing it",
      (right) => ({
        async reserve(request) {
          const { used } = right.usage(request);
          await Promise.resolve();
          return used < request.requests ? right.reserve({ ...request, requests: 1_000 }) : REFUSED;
        },
      }),
      "never grants more",
      "seven of forty are granted; found 40",
    ],
    ["never frees a slot", () => ({ settle: () => undefined }), "frees a slot a window after", "retryAt is between"],
    [
      "frees a slot 50 ms after it said",
      (right) => ({
        settle: (settlement) => right.settle({ ...settlement, windowMs: settlement.windowMs + 50 }),
        reserve(request) {
          const answer = right.reserve(request);
          return answer.granted || answer.retryAt === null ? answer : { ...answer, retryAt: answer.retryAt - 50 };
        },
      }),
      "frees a slot a window after",
      "a slot is free; found",
    ],
    [
      "says when the last slot is free",
      refuses(({ retryAt }) => ({ retryAt: retryAt && retryAt + 20 })),
      "frees a slot a window after",
      "retryAt is between",
    ],
    [
      "says a slot is free earlier than it is",
      refuses(({ retryAt }) => ({ retryAt: retryAt && retryAt - 5 })),
      "frees a slot a window after",
      "retryAt is between",
    ],
    [
      "frees slots in a third of the window",
      (right) => ({ settle: (settlement) => right.settle({ ...settlement, windowMs: settlement.windowMs / 3 }) }),
      "does not free a slot before",
      "a slot in the middle of its window is taken",
    ],
    [
      "names a time while all requests are in flight",
      refuses(({ retryAt }) => ({ retryAt: retryAt ?? 1 })),
      "cannot say when",
      "retryAt is null; found 1",
    ],
    [
      "ends a lease after a window",
      asks(({ windowMs }) => ({ leaseMs: windowMs })),
      "cannot say when",
      "no slot is free",
    ],
    [
      "counts a request that was not sent",
      (right) => ({ settle: (settlement) => right.settle({ ...settlement, sent: true }) }),
      "frees a slot immediately",
      "a slot is free",
    ],
    [
      "frees all slots with one that was not sent",
      (right) => ({ settle: ({ sent }) => (sent ? undefined : right.clear()) }),
      "frees a slot immediately",
      "no slot is free",
    ],
    ["never ends a lease", asks(() => ({ leaseMs: Infinity })), "ends the lease", "a slot is free"],
    [
      "lets batch requests take all",
      asks(({ requests }) => ({ batchRequests: requests })),
      "lets batch requests",
      "no slot is free",
    ],
    [
      "counts every request as batch",
      asks(() => ({ priority: "batch", batchRequests: 2 })),
      "lets batch requests",
      "a slot is free",
    ],
    [
      "names a time while both batch requests are in flight",
      refuses(({ retryAt }) => ({ retryAt: retryAt ?? 1 })),
      "lets batch requests",
      "both batch requests are in flight",
    ],
    [
      "never gives batch requests their part again",
      (right) => {
        let batch = 0;
        return {
          reserve(request) {
            const answer = right.reserve(request);
            return answer.granted && request.priority === "batch" && ++batch > 2 ? REFUSED : answer;
          },
        };
      },
      "lets batch requests",
      "a slot is free",
    ],
    [
      "keeps to the first limit it hears",
      (right) => {
        let first: number | undefined;
        return {
          reserve(request) {
            first ??= request.requests;
            return right.reserve({ ...request, requests: first });
          },
        };
      },
      "lets a smaller limit",
      "no slot is free",
    ],
    [
      "names a time to a smaller limit while its requests are in flight",
      refuses(({ retryAt }) => ({ retryAt: retryAt ?? 1 })),
      "lets a smaller limit",
      "both requests are in flight",
    ],
    [
      "tells a smaller limit when the first slot is free",
      (right) => ({
        reserve(request) {
          const answer = right.reserve(request);
          return answer.granted ? answer : { ...answer, retryAt: right.usage(request).resetAt };
        },
      }),
      "lets a smaller limit",
      "retryAt is between",
    ],
    ["ignores blocks", () => ({ block: () => undefined }), "refuses everybody", "no slot is free"],
    [
      "calls a block a full window",
      refuses(() => ({ reason: "window" })),
      "refuses everybody",
      'the reason is rate_limited; found "window"',
    ],
    [
      "blocks until the last block ends",
      (right) => ({
        block(block) {
          right.clear();
          right.block(block);
        },
      }),
      "refuses everybody",
      "retryAt is between",
    ],
    [
      "ignores blocks after the first one",
      (right) => {
        let blocks = 0;
        return { block: (block) => (++blocks === 1 ? right.block(block) : undefined) };
      },
      "refuses everybody",
      "no slot is free",
    ],
    [
      "blocks longer than it says",
      (right) => ({
        block: (block) => right.block({ ...block, until: block.until + 50 }),
        reserve(request) {
          const answer = right.reserve(request);
          if (answer.granted || answer.reason === "window") return answer;
          return { ...answer, retryAt: (answer.retryAt ?? 0) - 50 };
        },
      }),
      "refuses everybody",
      "a slot is free",
    ],
    ["has one window for all keys", asks(() => ({ key: "all" })), "keeps the keys apart", "a slot is free"],
    [
      "frees a slot of any key",
      (right) => {
        let first: { key: string; slot: string } | undefined;
        return {
          reserve(request) {
            const answer = right.reserve(request);
            if (answer.granted) first ??= { key: request.key, slot: answer.slot };
            return answer;
          },
          settle: (settlement) => right.settle({ ...settlement, ...(settlement.sent ? {} : first) }),
        };
      },
      "keeps the keys apart",
      "no slot is free",
    ],
    [
      "blocks all keys",
      (right) => {
        const keys = new Set<string>();
        return {
          reserve(request) {
            keys.add(request.key);
            return right.reserve(request);
          },
          block(block) {
            for (const key of keys) right.block({ ...block, key });
          },
        };
      },
      "keeps the keys apart",
      "a slot is free",
    ],
    [
      "begins the window of a slot again when it is settled again",
      (right) => {
        let last: ReserveRequest;
        return {
          reserve(request) {
            last = request;
            return right.reserve(request);
          },
          settle(settlement) {
            right.clear();
            const answer = right.reserve(last);
            if (answer.granted) right.settle({ ...settlement, slot: answer.slot, sent: true });
          },
        };
      },
      "ignores a slot that is settled twice",
      "retryAt is between",
    ],
    [
      "frees a slot that was settled before",
      (right) => {
        const settled = new Set<string>();
        let freed = 0;
        return {
          reserve: (request) => right.reserve({ ...request, requests: request.requests + freed }),
          settle(settlement) {
            if (settled.has(settlement.slot) && !settlement.sent) freed++;
            settled.add(settlement.slot);
            right.settle(settlement);
          },
        };
      },
      "ignores a slot that is settled twice",
      "no slot is free",
    ],
    [
      "frees a slot when it hears of one that nobody took",
      (right) => {
        const taken = new Set<string>();
        let freed = 0;
        return {
          reserve(request) {
            const answer = right.reserve({ ...request, requests: request.requests + freed });
            if (answer.granted) taken.add(answer.slot);
            return answer;
          },
          settle(settlement) {
            if (!taken.has(settlement.slot)) freed++;
            right.settle(settlement);
          },
        };
      },
      "ignores a slot that is settled twice",
      "no slot is free",
    ],
    [
      "takes whole windows only",
      (right) => ({
        reserve(request) {
          whole(request.windowMs);
          return right.reserve(request);
        },
      }),
      "takes times that are not whole",
      "not a whole number",
    ],
    [
      "takes whole leases only",
      (right) => ({
        reserve(request) {
          whole(request.leaseMs);
          return right.reserve(request);
        },
      }),
      "takes times that are not whole",
      "not a whole number",
    ],
    [
      "settles whole windows only",
      (right) => ({
        settle(settlement) {
          whole(settlement.windowMs);
          right.settle(settlement);
        },
      }),
      "takes times that are not whole",
      "not a whole number",
    ],
    [
      "takes whole blocks only",
      (right) => ({
        block(block) {
          whole(block.until);
          right.block(block);
        },
      }),
      "takes times that are not whole",
      "not a whole number",
    ],
    [
      "tells a wrong number of slots",
      () => ({ usage: () => ({ used: 1, resetAt: null }) }),
      "tells how many slots",
      'two slots are taken; found {"used":1,"resetAt":null}',
    ],
  ])("fail for a store that %s", async (_, wrong, name, message) => {
    expect(resultOf(`rate limit store: ${name}`, await resultsWith(wrong))).toContain(message);
  });
});
