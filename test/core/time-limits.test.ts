import { afterEach, describe, expect, it, vi } from "vitest";
import { RateLimitError, RequestTimeoutError, ServerError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, json, serve } from "../support/server.js";

describe("the timeout of one attempt", () => {
  it("covers the body: headers followed by silence reject in time and close the socket", async () => {
    const server = await serve((request, response) => {
      if (request.index === 0) return json(response, 200, accountRecord());
      response.writeHead(200, { "content-type": "application/json" });
      response.write('{"id":');
    });
    const client = mainClient({ baseUrl: server.url, timeout: 200, retry: false });
    // The platform's fetch is slow on first use.
    await client.accounts.get(7, { timeout: 5_000 });
    const started = performance.now();
    const error = await failure<RequestTimeoutError>(client.accounts.get(7));
    expect(performance.now() - started).toBeGreaterThanOrEqual(195);
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ code: "timeout", scope: "attempt", outcome: "unknown", attempts: 1 });
    expect(error.message).toContain("200 ms");
    await until(() => server.sockets === 0, "the socket's end");
  });

  it("covers a body that arrives slowly", async () => {
    const server = await serve((_, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(timer));
    });
    const call = mainClient({ baseUrl: server.url, timeout: 150, retry: false }).accounts.get(7);
    expect(await failure(call)).toBeInstanceOf(RequestTimeoutError);
  });

  it("covers a fetch that ignores its signal", async () => {
    const client = mainClient({ fetch: () => new Promise(() => undefined), timeout: 30, retry: false });
    expect(await failure(client.accounts.get(7))).toBeInstanceOf(RequestTimeoutError);
  });

  it("starts again for each attempt", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(() => new Promise(() => undefined));
    const call = failure(mainClient({ fetch, clock, timeout: 1000, retry: { limit: 2 } }).accounts.get(7));
    expect(await clock.run(call)).toMatchObject({ scope: "attempt", attempts: 3 });
    expect(calls).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it("excludes the wait in the rate limiter and the wait for Retry-After", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(({ index }) =>
      index === 1 ? jsonResponse(errorBody(429), 429, { "retry-after": "287" }) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, clock, timeout: 10, rateLimit: { requests: 1, windowMs: 300_000 } });
    await client.accounts.get(1);
    const { response } = await clock.run(client.accounts.get(2).withResponse());
    // The call waits one window for its first attempt and another one for its second, during which the service's 287 s
    // pass.
    expect(response.waitedMs).toBe(600_000);
    expect(response.attempts).toBe(2);
  });
});

describe("totalTimeout", () => {
  it("ends the whole call, including waits and attempts", async () => {
    const clock = new ManualClock();
    const server = await serve(() => undefined);
    const client = mainClient({ baseUrl: server.url, clock, timeout: 300, totalTimeout: 750 });
    const call = failure(client.accounts.update(7, { name: "A" }));
    await until(() => server.requests.length === 1);
    await clock.advance(310);
    await until(() => server.requests.length === 2);
    await clock.advance(440);
    expect(await call).toMatchObject({ code: "timeout", scope: "total", outcome: "unknown" });
    await until(() => server.sockets === 0);
  });

  it("ends a call that waits for its key and was never sent", async () => {
    const client = mainClient({ apiKey: () => new Promise(() => undefined), totalTimeout: 30 });
    const error = await failure(client.accounts.get(7));
    expect(error).toMatchObject({ code: "timeout", scope: "total", outcome: "not_sent", attempts: 0 });
  });

  it("fails at once if Retry-After would exceed it, and gives the time to try again", async () => {
    const server = await serve((_, response) => json(response, 429, errorBody(429), { "retry-after": "287" }));
    const clock = new ManualClock();
    const client = mainClient({ baseUrl: server.url, clock, totalTimeout: 10_000 });
    const error = await failure<RateLimitError>(client.accounts.get(7));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterMs).toBe(287_000);
    expect(error.resetAt).toEqual(new Date(clock.now() + 287_000));
    expect(error.attempts).toBe(1);
    expect(error.message).toContain("totalTimeout");
    expect(clock.pending).toBe(0);
  });

  it("fails at once, without sending, if its turn in the queue would come too late", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, clock, rateLimit: { requests: 2, windowMs: 300_000 } });
    await client.accounts.get(1);
    await client.accounts.get(2);
    await clock.advance(100_000);
    const error = await failure<RateLimitError>(client.accounts.get(3, { totalTimeout: 199_999 }));
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error).toMatchObject({ retryAfterMs: 200_000, attempts: 0 });
    expect(error.resetAt).toEqual(new Date(clock.now() + 200_000));
    expect(error.message).toContain("not sent");
    expect(calls).toHaveLength(2);
    const patient = client.accounts.get(3, { totalTimeout: 200_001 });
    expect((await clock.run(patient)).id).toBe(7);
  });

  it("fails at once for a waiting call if a 429 delays its turn too long", async () => {
    const clock = new ManualClock();
    const answers: ((response: Response) => void)[] = [];
    const { fetch, calls } = recordingFetch(() => new Promise<Response>((resolve) => answers.push(resolve)));
    const client = mainClient({ fetch, clock, rateLimit: { concurrency: 1 } });
    const first = failure(client.accounts.get(1, { retry: false }));
    await until(() => calls.length === 1);
    const hurried = failure<RateLimitError>(client.accounts.get(2, { totalTimeout: 5_000 }));
    await until(() => client.rateLimit.queued === 1);
    answers[0]?.(jsonResponse(errorBody(429), 429, { "retry-after": "60" }));
    await first;
    expect(await hurried).toMatchObject({ code: "rate_limited", retryAfterMs: 60_000, attempts: 0 });
    expect(clock.pending).toBe(0);
  });

  it("fails at once if the pause after a 503 would exceed it", async () => {
    const server = await serve((_, response) => json(response, 503, errorBody(503), { "retry-after": "60" }));
    const error = await failure(mainClient({ baseUrl: server.url, totalTimeout: 10_000 }).accounts.get(7));
    expect(error).toBeInstanceOf(ServerError);
    expect(error.message).toContain("totalTimeout");
    expect(server.requests).toHaveLength(1);
  });
});

describe("backoff", () => {
  afterEach(() => vi.restoreAllMocks());

  it("triples from a tenth of a second up to backoffLimit, with full jitter", async () => {
    vi.spyOn(Math, "random").mockReturnValue(1);
    const clock = new ManualClock();
    const delays: number[] = [];
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(500), 500));
    const client = mainClient({
      fetch,
      clock,
      retry: { limit: 7, backoffLimit: 5_000 },
      on: { retry: ({ delayMs }) => delays.push(delayMs) },
    });
    await clock.run(failure(client.accounts.get(7)));
    expect(delays).toEqual([100, 300, 900, 2700, 5000, 5000, 5000]);
    vi.spyOn(Math, "random").mockReturnValue(0);
    delays.length = 0;
    await clock.run(failure(client.accounts.get(7)));
    expect(delays).toEqual([0, 0, 0, 0, 0, 0, 0]);
  });

  it("after a first failure is under 0.1 s, with jitter, and a success refunds the quota", async () => {
    const clock = new ManualClock();
    const delays: number[] = [];
    const { fetch } = recordingFetch(({ index }) =>
      index % 2 === 0 ? jsonResponse(errorBody(503), 503) : jsonResponse(accountRecord()),
    );
    const on = { retry: ({ delayMs }: { delayMs: number }) => delays.push(delayMs) };
    const client = mainClient({ fetch, clock, retry: undefined, rateLimit: false, on });
    for (let call = 0; call < 200; call++) await clock.run(client.accounts.get(7));
    expect(delays).toHaveLength(200);
    expect(Math.max(...delays)).toBeLessThanOrEqual(100);
    expect(new Set(delays).size).toBeGreaterThan(20);
  });
});

describe("the retry quota", () => {
  it("does not multiply an outage: after it is used up, calls fail after one attempt", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(errorBody(500), 500));
    const client = mainClient({ fetch, retry: { backoffLimit: 0.001 }, rateLimit: false });
    const errors: Error[] = [];
    for (let call = 0; call < 60; call++) errors.push(await failure(client.accounts.get(7)));
    // The quota holds 100 retries: 60 calls make 160 requests, not 360.
    expect(calls).toHaveLength(160);
    expect(errors.at(-1)?.message).toContain("too many recent requests from this client have failed");
    expect(errors.at(-1)).toMatchObject({ status: 500, attempts: 1 });
  });

  it("recovers with successes, and a 429 costs none of it", async () => {
    let answer = () => jsonResponse(errorBody(500), 500);
    const { fetch, calls } = recordingFetch(() => answer());
    const client = mainClient({ fetch, retry: { backoffLimit: 0.001, limit: 1000 }, rateLimit: false });
    await failure(client.accounts.get(7));
    expect(calls).toHaveLength(101);
    answer = () => jsonResponse(accountRecord());
    for (let call = 0; call < 10; call++) await client.accounts.get(7);
    calls.length = 0;
    answer = () => jsonResponse(errorBody(500), 500);
    await failure(client.accounts.get(7));
    // Ten successes earned two retries.
    expect(calls).toHaveLength(3);
    calls.length = 0;
    answer = () => jsonResponse(errorBody(429), 429, { "retry-after": "0" });
    await failure(client.accounts.get(7, { retry: { limit: 20 } }));
    expect(calls).toHaveLength(21);
    await settle();
  });
});
