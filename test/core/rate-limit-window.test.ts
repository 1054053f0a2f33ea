import { describe, expect, it } from "vitest";
import { localStore } from "../../src/core/limits/rate-limit-store.js";
import { type Permit, RateLimiter } from "../../src/core/limits/rate-limiter.js";
import { amount } from "../support/amount.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { at } from "../support/limited.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { growsWithItsSize } from "../support/processor-time.js";
import { mostInAnyWindow, rateServer } from "../support/rate-server.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";
import { makeTicket } from "../support/ticket.js";

const WINDOW = 300_000;
const WINDOWS = amount(2, 6);
const CALLS = WINDOWS * 500;

describe(`${CALLS} calls started together, 500 allowed in 300 s`, () => {
  it("all succeed, no more than 500 arrive in any 300 s, and the service never responds 429", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const client = mainClient({ fetch: server.fetch, clock });
    const started = clock.now();
    const calls = Array.from({ length: CALLS }, (_, at) => client.accounts.get(at + 1));
    const records = await clock.run(Promise.all(calls));
    expect(records).toHaveLength(CALLS);
    expect(server.refusals).toEqual([]);
    expect(server.arrivals).toHaveLength(CALLS);
    expect(mostInAnyWindow(server.arrivals, WINDOW)).toBeLessThanOrEqual(500);
    expect(server.mostUnderWay).toBe(10);
    // The first window's worth of requests is sent at once, so it costs no wait. A slot becomes free one window after
    // its response, so each further window also costs a round trip.
    expect(clock.now() - started).toBeLessThan((WINDOWS - 1) * WINDOW * 1.02);
    expect(client.rateLimit).toMatchObject({ limit: 500, queued: 0 });
    expect(clock.pending).toBe(0);
  });

  it("all succeed if others use the budget too: at most one 429 per window, and nothing before +287 s", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { refuse: (index) => index === 300 || index === CALLS - 200 });
    const client = mainClient({ fetch: server.fetch, clock });
    const calls = Array.from({ length: CALLS }, (_, at) => client.accounts.get(at + 1));
    expect(await clock.run(Promise.all(calls))).toHaveLength(CALLS);
    expect(server.refusals).toHaveLength(2);
    expect(server.arrivals).toHaveLength(CALLS + 2);
    expect(mostInAnyWindow(server.refusals, WINDOW)).toBe(1);
    expect(mostInAnyWindow(server.arrivals, WINDOW)).toBeLessThanOrEqual(500);
    for (const refusal of server.refusals) {
      // Requests that were under way when the refusal was sent still arrive; all others wait.
      const later = server.arrivals.filter((at) => at > refusal + 200 && at < refusal + 287_000);
      expect(later).toEqual([]);
    }
    expect(clock.pending).toBe(0);
  });
});

describe("the window", () => {
  it("frees a slot windowMs after the response, not after the request", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { latency: () => [2_000, 8_000] });
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { requests: 1, windowMs: 60_000 } });
    const started = clock.now();
    const both = Promise.all([client.accounts.get(1), client.accounts.get(2)]);
    await until(() => server.calls.length === 1 && client.rateLimit.queued === 1);
    await clock.advance(10_000);
    expect(client.rateLimit).toEqual({ limit: 1, used: 1, resetAt: new Date(started + 70_000), queued: 1 });
    await clock.advance(59_999);
    expect(server.calls).toHaveLength(1);
    await clock.advance(1);
    expect(server.calls).toHaveLength(2);
    await clock.run(both);
    expect(server.arrivals.map((at) => at - started)).toEqual([2_000, 72_000]);
  });

  it("frees the slot of a request that was never sent at once", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ index }) => {
      if (index < 3) throw Object.assign(new TypeError("fetch failed"), { code: "ECONNREFUSED" });
      return jsonResponse(accountRecord());
    });
    const client = mainClient({ fetch, clock, retry: false, rateLimit: { requests: 1 } });
    for (let call = 0; call < 3; call++) await failure(client.accounts.get(7));
    await client.accounts.get(7);
    expect(calls).toHaveLength(4);
    expect(client.rateLimit.used).toBe(1);
  });

  it("keeps the slots of failures that reached the service", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(404), 404));
    const client = mainClient({ fetch, clock, rateLimit: { requests: 5 } });
    for (let call = 0; call < 3; call++) await failure(client.accounts.get(7));
    expect(client.rateLimit.used).toBe(3);
  });

  it("counts each attempt", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(({ index }) =>
      jsonResponse(index < 2 ? errorBody(500) : accountRecord(), index < 2 ? 500 : 200),
    );
    const client = mainClient({ fetch, clock });
    await clock.run(client.accounts.get(7));
    expect(client.rateLimit.used).toBe(3);
  });

  it("reports waits in on.wait and withResponse, with the reason and the expected end", async () => {
    const clock = new ManualClock();
    const start = clock.now();
    const server = rateServer(clock, { latency: () => [5, 5], refuse: (index) => index === 2 });
    const waits: [string, number | undefined][] = [];
    const client = mainClient({
      fetch: server.fetch,
      clock,
      rateLimit: { requests: 2, windowMs: 1_000, concurrency: 1 },
      on: { wait: ({ reason, expectedAt }) => waits.push([reason, expectedAt?.getTime()]) },
    });
    const calls = [1, 2, 3].map((id) => client.accounts.get(id).withResponse());
    await until(() => server.calls.length === 1 && client.rateLimit.queued === 2);
    const answers = await clock.run(Promise.all(calls));
    // Both later calls wait for the request in flight. The third then waits until the first slot of the window is free.
    expect(waits).toEqual([
      ["concurrency", undefined],
      ["concurrency", undefined],
      ["window", start + 1_010],
    ]);
    expect(answers.map(({ response }) => response.waitedMs)).toEqual([0, 10, 1_010 + 287_000]);
  });

  it("reports the wait of every call, also deep in the queue: once for requests in flight, once for the window", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { latency: () => [5, 5] });
    const waits: string[] = [];
    const client = mainClient({
      fetch: server.fetch,
      clock,
      rateLimit: { requests: 20, windowMs: 1_000, concurrency: 20 },
      on: { wait: ({ reason }) => waits.push(reason) },
    });
    const calls = Array.from({ length: 60 }, (_, at) => client.accounts.get(at + 1));
    await until(() => client.rateLimit.queued === 40);
    await clock.run(Promise.all(calls));
    expect(waits.filter((reason) => reason === "concurrency")).toHaveLength(40);
    expect(waits.filter((reason) => reason === "window")).toHaveLength(40);
  });

  it("lets the whole allowance be sent at once if concurrency permits, otherwise as much as it permits", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { concurrency: 500 } });
    const calls = Array.from({ length: 600 }, (_, at) => client.accounts.get(at + 1));
    await settle();
    await until(() => server.calls.length === 500);
    expect(client.rateLimit).toMatchObject({ used: 500, queued: 100 });
    await clock.run(Promise.all(calls));
    expect(server.mostUnderWay).toBe(500);
    expect(server.refusals).toEqual([]);
  });

  it("is no limit at all with rateLimit: false", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock, { requests: 10_000 });
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: false });
    const calls = Array.from({ length: 700 }, (_, at) => client.accounts.get(at + 1));
    await clock.run(Promise.all(calls), 1_000);
    expect(server.mostUnderWay).toBe(700);
    expect(client.rateLimit).toEqual({ limit: null, used: 0, resetAt: null, queued: 0 });
  });
});

describe("the queue", () => {
  it("refuses the first call beyond queueLimit at once, with a clear error, and accepts calls again later", async () => {
    const clock = new ManualClock();
    const server = rateServer(clock);
    const client = mainClient({ fetch: server.fetch, clock, rateLimit: { requests: 1, queueLimit: 2 } });
    const calls = [1, 2, 3].map((id) => client.accounts.get(id));
    await until(() => client.rateLimit.queued === 2);
    const error = await failure(client.accounts.get(4));
    expect(error).toMatchObject({ code: "rate_limited", attempts: 0, retryAfterMs: null });
    expect(error.message).toContain("queueLimit");
    await clock.run(Promise.all(calls));
    expect((await clock.run(client.accounts.get(5))).id).toBe(5);
  });

  it("takes no more processor time per waiting call with a deadline if many wait", async () => {
    const limit = { requests: 1, windowMs: WINDOW, reserve: 0, concurrency: 10, queueLimit: 100_000 };
    const options = { priority: "batch", deadline: at(Number.MAX_SAFE_INTEGER), timeoutMs: WINDOW } as const;
    const queue = (calls: number) => async () => {
      const clock = new ManualClock();
      const limiter = new RateLimiter("key", clock, localStore(clock)).client(limit);
      ((await limiter.acquire(makeTicket({ ...options, signal: new AbortController().signal }))) as Permit).settle(
        true,
      );
      for (let call = 0; call < calls; call++) {
        void Promise.resolve(limiter.acquire(makeTicket({ ...options, signal: new AbortController().signal })));
      }
      await settle();
      expect(limiter.queued).toBe(calls);
    };
    expect(await growsWithItsSize(queue, 10_000), "time in proportion to the queue").toBe(true);
  });
});
