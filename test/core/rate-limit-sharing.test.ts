import { createHash } from "node:crypto";
import { describe, expect, it, test, vi } from "vitest";
import { RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { RateLimiters } from "../../src/core/limits/rate-limiters.js";
import {
  AdminClient,
  MainClient,
  MemoryRateLimitStore,
  OrganizationClient,
  RateLimitError,
  type RateLimitStore,
} from "../../src/index.js";
import { rateLimitStoreTests } from "../stores/suite/index.ts";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { mostInAnyWindow, rateServer } from "../support/rate-server.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

/** A memory store that responds one turn of the event loop later, as a store in another process would. */
function asyncStore(): RateLimitStore {
  const memory = new MemoryRateLimitStore();
  const later = async <T>(answer: () => T): Promise<T> => {
    await new Promise((resolve) => setImmediate(resolve));
    return answer();
  };
  return {
    reserve: (request) => later(() => memory.reserve(request) as never),
    settle: (settlement) => later(() => memory.settle(settlement)),
    block: (block) => later(() => memory.block(block)),
  };
}

describe("a store that replies later", () => {
  rateLimitStoreTests({ test, create: asyncStore, advance: () => undefined });
});

describe("the two lanes", () => {
  it("keep a tenth of the window for interactive calls, which batch calls cannot take", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { requests: 100 } });
    const batch = Array.from({ length: 150 }, (_, at) => client.accounts.get(at + 1, { priority: "batch" }));
    await until(() => client.rateLimit.queued === 140);
    await clock.advance(60_000);
    expect(server.calls).toHaveLength(90);
    const interactive = Array.from({ length: 12 }, (_, at) => client.accounts.get(at + 201));
    await clock.advance(60_000);
    expect(server.calls.slice(90).map(({ url }) => Number(url.pathname.split("/").at(-1)))).toEqual(
      Array.from({ length: 10 }, (_, at) => at + 201),
    );
    expect(client.rateLimit).toMatchObject({ used: 100, queued: 62 });
    await clock.run(Promise.all([...batch, ...interactive]));
    expect(server.refusals).toEqual([]);
  });

  it("send a waiting interactive call before every batch call, even one that has waited longer", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { latency: () => [10, 10] });
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { concurrency: 1 } });
    const calls: PromiseLike<unknown>[] = [];
    for (const [at, id] of [1, 2, 3, 8, 9].entries()) {
      calls.push(client.accounts.get(id, { priority: id < 8 ? "batch" : "interactive" }));
      await until(() => server.calls.length === 1 && client.rateLimit.queued === at);
    }
    await clock.run(Promise.all(calls));
    expect(server.calls.map(({ url }) => Number(url.pathname.split("/").at(-1)))).toEqual([1, 8, 9, 2, 3]);
  });

  it("leave batch calls at least one slot, whatever the reserve", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { requests: 1, reserve: 0.99 } });
    expect((await clock.run(client.accounts.get(7, { priority: "batch" }))).id).toBe(7);
  });
});

describe("one budget", () => {
  const limits = { rateLimit: { requests: 4, windowMs: 60_000, reserve: 0 } };

  it("is shared by clients of the same token and host, whatever their API and path", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { requests: 4, windowMs: 60_000 });
    const shared = { apiKey: "one-token", fetch: server.fetch, clock, ...limits };
    const main = new MainClient({ baseUrl: "https://school.example", ...shared });
    const admin = new AdminClient({ baseUrl: "https://school.example/prefix", ...shared });
    const organization = new OrganizationClient({ baseUrl: "https://school.example", ...shared });
    const validation = "off" as const;
    const calls = [
      ...[1, 2, 3].map((id) => main.accounts.get(id)),
      ...[1, 2, 3].map((id) => admin.accounts.get(id)),
      ...[1, 2, 3].map(() => failure(organization.contacts.list({}, { validation }))),
      failure(main.organization.contacts.list()),
    ];
    await clock.run(Promise.all(calls));
    expect(server.arrivals).toHaveLength(10);
    expect(mostInAnyWindow(server.arrivals, 60_000)).toBe(4);
    expect(server.refusals).toEqual([]);
  });

  it("is visible to a client that has not sent anything yet", async () => {
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const shared = { baseUrl: "https://school.example", apiKey: "told-token", fetch };
    await new MainClient(shared).accounts.get(7);
    expect(new AdminClient(shared).rateLimit.used).toBe(1);
    expect(new OrganizationClient({ ...shared, apiKey: async () => "told-token" }).rateLimit.used).toBe(0);
  });

  it("is not shared with another token or another host", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const common = { fetch: server.fetch, clock, rateLimit: { requests: 1 } };
    const one = new MainClient({ baseUrl: "https://school.example", apiKey: "token-one", ...common });
    const two = new MainClient({ baseUrl: "https://school.example", apiKey: "token-two", ...common });
    const three = new MainClient({ baseUrl: "https://other.example", apiKey: "token-one", ...common });
    await clock.run(Promise.all([one, two, three].map((client) => client.accounts.get(7))), 1_000);
    expect([one, two, three].map(({ rateLimit }) => rateLimit.used)).toEqual([1, 1, 1]);
  });

  it("stops every client of the token at a 429", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { refuse: (index) => index === 0 });
    const common = { baseUrl: "https://school.example", apiKey: "one-token", fetch: server.fetch, clock };
    const [one, two] = [new MainClient(common), new MainClient(common)];
    const first = one.accounts.get(1);
    await until(() => server.calls.length === 1);
    await clock.advance(1_000);
    const second = two.accounts.get(2);
    await clock.run(Promise.all([first, second]));
    const refused = server.refusals[0] as number;
    for (const at of server.arrivals.slice(1)) expect(at).toBeGreaterThanOrEqual(refused + 287_000);
  });

  it("stays shared after an idle token's budget was dropped for another token", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { requests: 1_000 });
    const common = { baseUrl: "https://school.example", fetch: server.fetch, clock, ...limits };
    const early = new MainClient({ ...common, apiKey: "quiet-token" });
    await clock.run(early.accounts.get(1));
    await clock.advance(120_000);
    await clock.run(new MainClient({ ...common, apiKey: "other-token" }).accounts.get(1));
    await clock.advance(120_000);
    const late = new MainClient({ ...common, apiKey: "quiet-token" });
    server.arrivals.length = 0;
    const calls = [1, 2, 3, 4].flatMap((id) => [late.accounts.get(id), early.accounts.get(id)]);
    await clock.run(Promise.all(calls));
    expect(mostInAnyWindow(server.arrivals, 60_000)).toBe(4);
  });
});

describe("tokens that rotate", () => {
  it("cause a lookup of only a few other limiters each, however many there are", () => {
    const looks = vi.spyOn(RateLimiter.prototype, "idle", "get");
    const settings = { clock: new ManualClock(), store: undefined, host: "school.example", limit: null };
    const limiters = new RateLimiters(settings);
    for (let token = 0; token < 1_000; token++) limiters.of(`rotating-token-${token}`);
    expect(looks.mock.calls.length).toBeGreaterThan(500);
    expect(looks.mock.calls.length).toBeLessThan(2_000);
    looks.mockRestore();
  });
});

describe("a store passed by the caller", () => {
  it("that replies later is called for every slot, every response and a 429", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, {
      requests: 20,
      windowMs: 60_000,
      retryAfter: "61",
      refuse: (index) => index === 5,
    });
    const store = asyncStore();
    const common = { baseUrl: "https://school.example", apiKey: "t", fetch: server.fetch };
    const rateLimit = { requests: 20, windowMs: 60_000, store };
    // Two processes: each has its own rate limiter, and they share only the store.
    const one = new MainClient({ ...common, clock, rateLimit });
    const two = new MainClient({ ...common, clock, rateLimit: { ...rateLimit, store: { ...store } } });
    const calls = Array.from({ length: 40 }, (_, at) => (at % 2 ? one : two).accounts.get(at + 1));
    expect(await clock.run(Promise.all(calls))).toHaveLength(40);
    expect(mostInAnyWindow(server.arrivals, 60_000)).toBeLessThanOrEqual(20);
    expect(server.refusals).toHaveLength(1);
  });

  const failing = (method: "reserve" | "settle" | "block" | "usage", how: "throws" | "rejects"): RateLimitStore => {
    const memory = new MemoryRateLimitStore();
    const fail = () => {
      if (how === "throws") throw new Error("the store is down");
      return Promise.reject(new Error("the store is down"));
    };
    return {
      reserve: (request) => memory.reserve(request),
      settle: (settlement) => memory.settle(settlement),
      block: (block) => memory.block(block),
      usage: (request) => memory.usage(request),
      [method]: fail,
    };
  };

  for (const method of ["reserve", "settle", "block"] as const) {
    for (const how of ["throws", "rejects"] as const) {
      it(`that ${how} in ${method} is replaced by a count in this process, with one warning`, async () => {
        const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
        const clock = new ManualClock();
        const server = rateServer(clock, { requests: 100, retryAfter: "5", refuse: (index) => index === 3 });
        const rateLimit = { requests: 5, windowMs: 60_000, store: failing(method, how) };
        // Without these observers, a long wait would also print a warning.
        const on = { wait: () => undefined, retry: () => undefined };
        const client = mainClient({ fetch: server.fetch, clock, on, rateLimit });
        const calls = Array.from({ length: 20 }, (_, at) => client.accounts.get(at + 1));
        expect(await clock.run(Promise.all(calls))).toHaveLength(20);
        expect(warn).toHaveBeenCalledTimes(1);
        expect(String(warn.mock.calls[0])).toContain("rate-limit store failed");
        // Without the store, the process does not know which slots were taken before the failure, so a window may hold
        // twice the limit.
        expect(mostInAnyWindow(server.arrivals, 60_000)).toBeLessThanOrEqual(10);
      });
    }
  }

  it("whose usage throws does not break client.rateLimit or other tokens", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const store = failing("usage", "throws");
    const client = mainClient({ fetch, clock, rateLimit: { store } });
    await client.accounts.get(7);
    expect(client.rateLimit).toMatchObject({ limit: 500, queued: 0 });
    await mainClient({ fetch, clock, rateLimit: { store } }).accounts.get(7);
  });

  it("that never replies does not keep a call from reacting to its signal", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const store = { ...asyncStore(), reserve: () => new Promise<never>(() => undefined) };
    const client = mainClient({ fetch, rateLimit: { store } });
    const controller = new AbortController();
    const call = client.accounts.get(7, { signal: controller.signal });
    await settle();
    controller.abort(new Error("stop"));
    expect(await failure(call)).toBe(controller.signal.reason);
    expect(await failure(client.accounts.get(7, { totalTimeout: 20 }))).toMatchObject({ scope: "total" });
    expect(calls).toEqual([]);
  });
});

describe("client.rateLimit", () => {
  it("reports limit, used, resetAt and queued, and the end of a 429's block", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(({ index }) =>
      index === 1 ? jsonResponse(errorBody(429), 429, { "retry-after": "40" }) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, clock });
    expect(client.rateLimit).toEqual({ limit: 500, used: 0, resetAt: null, queued: 0 });
    await client.accounts.get(7);
    expect(client.rateLimit).toEqual({ limit: 500, used: 1, resetAt: new Date(clock.now() + 300_000), queued: 0 });
    expect(await failure(client.accounts.get(7, { retry: false }))).toBeInstanceOf(RateLimitError);
    expect(client.rateLimit).toEqual({ limit: 500, used: 2, resetAt: new Date(clock.now() + 40_000), queued: 0 });
    await clock.advance(300_000);
    expect(client.rateLimit).toEqual({ limit: 500, used: 0, resetAt: null, queued: 0 });
  });
});

describe("a store that processes share", () => {
  it("receives the token as a SHA-256 hash", async () => {
    const keys = new Set<string>();
    const store: RateLimitStore = {
      reserve: ({ key }) => {
        keys.add(key);
        return { granted: true, slot: "1" };
      },
      settle: () => undefined,
      block: () => undefined,
    };
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, apiKey: "key-of-a-shared-store", rateLimit: { store } });
    await client.accounts.get(7);
    const hash = createHash("sha256").update("key-of-a-shared-store").digest("hex");
    expect([...keys]).toEqual([`${new URL(client.baseUrl).host} ${hash}`]);
  });
});
