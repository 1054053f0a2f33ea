import { runInNewContext } from "node:vm";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

type Asked = "reserve" | "settle" | "block";

/** A working store, except that after the first `from` calls one method returns other values. */
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
  "a promise of an empty object": () => Promise.resolve({}),
  "a rejection": () => Promise.reject(new Error("store down")),
};

describe("a shared store whose reserve returns", () => {
  for (const [what, answer] of Object.entries(ANSWERS)) {
    it(`${what} is abandoned after one warning, and every call succeeds`, async () => {
      expect(await callsThrough(storeWith("reserve", answer))).toEqual({ warnings: 1, sent: 5 });
    });

    it(`${what} after some valid replies is abandoned after one warning, and every call succeeds`, async () => {
      expect(await callsThrough(storeWith("reserve", answer, 2))).toEqual({ warnings: 1, sent: 5 });
    });
  }
});

describe("a shared store that never replies", () => {
  for (const method of ["reserve", "settle"] as const) {
    it(`${method} does not block calls and is warned about once`, async () => {
      expect(await callsThrough(storeWith(method, never))).toEqual({ warnings: 1, sent: 5 });
    });
  }

  it("block does not prevent the retry of a POST that got a 429", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "7" }) : jsonResponse(accountRecord(), 201),
    );
    // Without these observers, the first long wait in a process would also print a warning.
    const on = { wait: () => undefined, retry: () => undefined };
    const client = mainClient({ fetch, clock, on, rateLimit: { store: storeWith("block", never) } });
    const started = clock.now();
    expect((await clock.run(client.accounts.create({ name: "A" }), 600_000)).id).toBe(7);
    expect(calls).toHaveLength(2);
    expect(clock.now() - started).toBeGreaterThanOrEqual(7_000);
    expect(warn).toHaveBeenCalledTimes(1);
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

  it("of another realm is abandoned if one rejects", async () => {
    const reject = () => runInNewContext("Promise.reject(new Error('store down'))");
    expect(await callsThrough(storeWith("reserve", reject))).toEqual({ warnings: 1, sent: 5 });
  });
});
