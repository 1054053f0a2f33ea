import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

type Asked = "reserve" | "settle" | "block";

/** A working store, except that one method returns another value after `from` calls. */
function storeWith(method: Asked, answer: () => unknown, from = 0): RateLimitStore {
  const memory = new MemoryRateLimitStore();
  let calls = 0;
  const store = {
    reserve: (request: never) => Promise.resolve(memory.reserve(request)),
    settle: (settlement: never) => Promise.resolve(memory.settle(settlement)),
    block: (block: never) => Promise.resolve(memory.block(block)),
  };
  const working = store[method];
  return { ...store, [method]: (given: never) => (calls++ < from ? working(given) : answer()) } as RateLimitStore;
}

const never = () => new Promise(() => undefined);

let rejections: unknown[];
const onRejection = (reason: unknown) => void rejections.push(reason);

beforeEach(() => {
  rejections = [];
  process.on("unhandledRejection", onRejection);
});

afterEach(() => {
  process.off("unhandledRejection", onRejection);
  vi.restoreAllMocks();
});

async function callsThrough(store: RateLimitStore, count = 5): Promise<{ warnings: number; sent: number }> {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const clock = new ManualClock();
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  const client = mainClient({ fetch, clock, rateLimit: { store } });
  for (let call = 0; call < count; call++) {
    expect((await clock.run(client.accounts.get(7), 600_000)).id).toBe(7);
  }
  // A store has five seconds to respond.
  await clock.advance(5_000);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(rejections).toEqual([]);
  return { warnings: warn.mock.calls.length, sent: calls.length };
}

const ANSWERS: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  "an empty object": () => ({}),
  "a promise of null": () => Promise.resolve(null),
  "a promise of undefined": () => Promise.resolve(undefined),
  "a promise of an empty object": () => Promise.resolve({}),
  "a string": () => "granted",
  "a granted place without a slot": () => ({ granted: true }),
  "a time that is NaN": () => ({ granted: false, retryAt: Number.NaN, reason: "window" }),
  "a rejection": () => Promise.reject(new Error("store down")),
};

describe("a shared store whose reserve returns", () => {
  for (const [what, answer] of Object.entries(ANSWERS)) {
    it(`${what} is abandoned after one warning, and every call succeeds`, async () => {
      expect(await callsThrough(storeWith("reserve", answer))).toEqual({ warnings: 1, sent: 5 });
    });

    it(`${what} after it worked is abandoned after one warning, and every call succeeds`, async () => {
      expect(await callsThrough(storeWith("reserve", answer, 2))).toEqual({ warnings: 1, sent: 5 });
    });
  }
});

describe("a shared store that never answers", () => {
  for (const method of ["reserve", "settle"] as const) {
    it(`${method} does not block calls and is warned about once`, async () => {
      expect(await callsThrough(storeWith(method, never))).toEqual({ warnings: 1, sent: 5 });
    });
  }

  it("block does not prevent the retry of a POST that was answered 429", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "7" }) : jsonResponse(accountRecord(), 201),
    );
    // Without these observers, the first long wait of a process would cause a warning, too.
    const on = { wait: () => undefined, retry: () => undefined };
    const client = mainClient({ fetch, clock, on, rateLimit: { store: storeWith("block", never) } });
    const started = clock.now();
    expect((await clock.run(client.accounts.create({ name: "A" }), 600_000)).id).toBe(7);
    expect(calls).toHaveLength(2);
    expect(clock.now() - started).toBeGreaterThanOrEqual(7_000);
    expect(warn).toHaveBeenCalledTimes(1);
  });

  it("is replaced by a count of this process that keeps the limit", async () => {
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const sentAt: number[] = [];
    const { fetch } = recordingFetch(() => {
      sentAt.push(clock.now());
      return jsonResponse(accountRecord());
    });
    const rateLimit = { store: storeWith("reserve", never), requests: 3, windowMs: 60_000 };
    const client = mainClient({ fetch, clock, rateLimit });
    await clock.run(Promise.all([1, 2, 3, 4, 5, 6].map((id) => client.accounts.get(id))), 600_000);
    expect((sentAt[3] as number) - (sentAt[0] as number)).toBeGreaterThanOrEqual(60_000);
  });
});

describe("a shared store that returns promises", () => {
  const foreign = (value: unknown) => runInNewContext("Promise.resolve(value)", { value }) as Promise<unknown>;
  const thenable = (value: unknown) => ({
    // biome-ignore lint/suspicious/noThenProperty: the test needs a thenable.
    then: (resolve: (value: unknown) => void) => queueMicrotask(() => resolve(value)),
  });

  for (const [what, wrap] of Object.entries({ "of another realm": foreign, "of another library": thenable })) {
    it(`${what} works without a warning`, async () => {
      const memory = new MemoryRateLimitStore();
      const store = {
        reserve: (request: never) => wrap(memory.reserve(request)),
        settle: (settlement: never) => wrap(memory.settle(settlement)),
        block: (block: never) => wrap(memory.block(block)),
      } as unknown as RateLimitStore;
      expect(await callsThrough(store)).toEqual({ warnings: 0, sent: 5 });
    });
  }

  it("of another realm is abandoned when one rejects", async () => {
    const reject = () => runInNewContext("Promise.reject(new Error('store down'))");
    expect(await callsThrough(storeWith("reserve", reject))).toEqual({ warnings: 1, sent: 5 });
  });
});

const USAGES: Record<string, () => unknown> = {
  null: () => null,
  "a promise": () => Promise.resolve({ used: 1, resetAt: null }),
  "an error": () => {
    throw new Error("store down");
  },
};

describe("a store whose usage returns an invalid value", () => {
  for (const [what, usage] of Object.entries(USAGES)) {
    it(`does not change client.rateLimit: ${what}`, () => {
      const store = { ...storeWith("reserve", never), usage } as RateLimitStore;
      const client = mainClient({ fetch: recordingFetch(() => jsonResponse({})).fetch, rateLimit: { store } });
      expect(client.rateLimit).toEqual({ limit: 500, used: 0, resetAt: null, queued: 0 });
    });
  }
});

describe("a shared store that was down and is back", () => {
  /** A store that fails while `isDown`, with a log of its calls. */
  function failingStore() {
    const memory = new MemoryRateLimitStore();
    const state = { isDown: false, reserved: 0 };
    const orFail = <T>(answer: () => T): Promise<T> =>
      state.isDown ? Promise.reject(new Error("store down")) : Promise.resolve(answer());
    const store: RateLimitStore = {
      reserve: (request) => {
        state.reserved++;
        return orFail(() => memory.reserve(request));
      },
      settle: (settlement) => orFail(() => memory.settle(settlement)),
      block: (block) => orFail(() => memory.block(block)),
      usage: (request) => memory.usage(request),
    };
    return { store, state };
  }

  it("counts again after a tenth of a window, and no request waits for it", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const { store, state } = failingStore();
    const client = mainClient({ fetch, clock, rateLimit: { store, requests: 100, windowMs: 60_000 } });
    const call = () => clock.run(client.accounts.get(7), 0);
    await call();
    state.isDown = true;
    for (let at = 0; at < 3; at++) await call();
    expect(state.reserved).toBe(2);
    await clock.advance(6_000);
    await call();
    expect(state.reserved).toBe(3);
    state.isDown = false;
    await clock.advance(6_000);
    await call();
    await call();
    expect(client.rateLimit.used).toBe(2);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(calls).toHaveLength(7);
  });

  it("leaves a process with the places it had taken itself", async () => {
    vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const sentAt: number[] = [];
    const { fetch } = recordingFetch(() => {
      sentAt.push(clock.now());
      return jsonResponse(accountRecord());
    });
    const { store, state } = failingStore();
    const client = mainClient({ fetch, clock, rateLimit: { store, requests: 3, windowMs: 60_000 } });
    await clock.run(Promise.all([1, 2].map((id) => client.accounts.get(id))), 0);
    state.isDown = true;
    await clock.run(Promise.all([3, 4].map((id) => client.accounts.get(id))), 120_000);
    expect((sentAt[3] as number) - (sentAt[0] as number)).toBeGreaterThanOrEqual(60_000);
  });
});
