import { afterEach, describe, expect, it, vi } from "vitest";
import type { RateLimit } from "../../../src/core/limits/queue.js";
import type { Permit } from "../../../src/core/limits/rate-limiter.js";
import type { Moment } from "../../../src/core/time.js";
import type { ClientOptions } from "../../../src/index.js";
import { mainClient } from "../../support/clients.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../../support/fetch.js";
import { makeLimited, WINDOW } from "../../support/limited.js";
import { failure, ManualClock, until } from "../../support/manual-clock.js";
import { accountRecord } from "../../support/records.js";
import { errorBody } from "../../support/server.js";
import { makeTicket } from "../../support/ticket.js";

const idOf = ({ url }: FetchCall) => Number(url.pathname.split("/").at(-1));
const record = () => jsonResponse(accountRecord());
const refusal = (seconds: number) => jsonResponse(errorBody(429), 429, { "retry-after": String(seconds) });

/** A client whose service creates responses by their position, and the identifiers in the order of the requests. */
function clientOf(answer: (index: number) => Response | Promise<Response>, options: ClientOptions = {}) {
  const clock = new ManualClock();
  const sent: number[] = [];
  const { fetch } = recordingFetch((call) => {
    sent.push(idOf(call));
    return answer(call.index);
  });
  const on = { wait: () => undefined, retry: () => undefined };
  const client = mainClient({ fetch, clock, on, validation: "off", rateLimit: { concurrency: 1 }, ...options });
  return { client, clock, sent };
}

/** Waits in real time for the millisecond that ky pauses before another attempt. */
const startRetry = () => new Promise((resolve) => setTimeout(resolve, 20));

const twenty = Array.from({ length: 20 }, (_, at) => at + 1);

describe("a call whose attempt failed", () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ["a 429", () => refusal(2)],
    ["a 503 with Retry-After", () => jsonResponse(errorBody(503), 503, { "retry-after": "2" })],
  ])("is sent again before calls that came later: %s", async (_, answer) => {
    const { client, clock, sent } = clientOf((index) => (index === 0 ? answer() : record()), {
      rateLimit: { concurrency: 1, requests: 5, windowMs: 2_000, reserve: 0 },
    });
    await clock.run(Promise.all(twenty.map((id) => client.accounts.get(id))));
    const again = sent.indexOf(1, 1);
    expect(sent.slice(again + 1).every((id) => id > Math.max(...sent.slice(0, again)))).toBe(true);
    expect(sent.filter((id, at) => at !== again && id === 1)).toHaveLength(1);
  });

  it("is the first to be sent when the block of a 429 ends", async () => {
    const { client, clock, sent } = clientOf((index) => (index === 0 ? refusal(2) : record()));
    await clock.run(Promise.all(twenty.map((id) => client.accounts.get(id))));
    expect(sent).toEqual([1, ...twenty]);
  });

  it("keeps its place even if its next attempt begins after the block has ended", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    const { client, clock, sent } = clientOf((index) => (index === 0 ? refusal(2) : record()));
    const calls = [1, 2, 3].map((id) => client.accounts.get(id));
    await clock.advance(2_000);
    expect(sent).toEqual([1]);
    vi.advanceTimersByTime(1);
    await Promise.all(calls);
    expect(sent).toEqual([1, 1, 2, 3]);
  });

  it("sends nothing during its pause and delays no other call", async () => {
    const unavailable = () => jsonResponse(errorBody(503), 503, { "retry-after": "60" });
    const { client, clock, sent } = clientOf((index) => (index === 0 ? unavailable() : record()));
    const first = client.accounts.get(1);
    await clock.run(client.accounts.get(2));
    await clock.run(client.accounts.get(3), 0);
    expect([sent, client.rateLimit.queued]).toEqual([[1, 2, 3], 1]);
    await startRetry();
    await clock.advance(59_999);
    expect(sent).toEqual([1, 2, 3]);
    await clock.run(first);
    expect(sent).toEqual([1, 2, 3, 1]);
  });

  it("waits from the start of the 429, not from the end of its body", async () => {
    const slow = () => {
      const start = (controller: ReadableStreamDefaultController) =>
        void clock.setTimeout(() => controller.close(), 1_500);
      return new Response(new ReadableStream({ start }), { status: 429, headers: { "retry-after": "2" } });
    };
    const { client, clock, sent } = clientOf((index) => (index === 0 ? slow() : record()));
    const calls = [1, 2, 3].map((id) => client.accounts.get(id));
    await clock.advance(1_999);
    expect(sent).toEqual([1]);
    await clock.advance(1);
    await Promise.all(calls);
    expect(sent).toEqual([1, 1, 2, 3]);
  });

  it("waits for its pause without a rate limit too", async () => {
    const { client, clock, sent } = clientOf((index) => (index === 0 ? refusal(60) : record()), { rateLimit: false });
    const first = client.accounts.get(1);
    await clock.advance(0);
    await startRetry();
    await clock.advance(59_999);
    expect(sent).toEqual([1]);
    const { response } = await clock.run(first.withResponse());
    expect(response).toMatchObject({ attempts: 2, waitedMs: 60_000 });
  });

  it("is reported only by `retry`; the others wait", async () => {
    const waits: string[] = [];
    const on = { retry: () => void waits.push("retry"), wait: ({ reason }: { reason: string }) => waits.push(reason) };
    const { client, clock } = clientOf((index) => (index === 0 ? refusal(2) : record()), { on });
    const calls = [1, 2].map((id) => client.accounts.get(id));
    await clock.advance(0);
    await startRetry();
    await clock.run(Promise.all(calls));
    expect(waits).toEqual(["concurrency", "rate_limited", "retry"]);
  });

  it("delays no other call while the body of its 429 stalls", async () => {
    const stalled = new Response(new ReadableStream(), { status: 429, headers: { "retry-after": "2" } });
    const { client, clock, sent } = clientOf((index) => (index === 0 ? stalled : record()), {
      rateLimit: { concurrency: 2 },
      retry: false,
    });
    const first = failure(client.accounts.get(1));
    await clock.advance(0);
    const second = client.accounts.get(2);
    await clock.advance(2_000);
    expect(sent).toEqual([1, 2]);
    await second;
    await clock.run(first);
  });
});

describe("a full queue", () => {
  it("refuses only new calls, not one that already had a permit", async () => {
    const unavailable = () => jsonResponse(errorBody(503), 503, { "retry-after": "1" });
    const pending: ((response: Response) => void)[] = [];
    const answer = (index: number) =>
      index === 0 ? unavailable() : new Promise<Response>((resolve) => pending.push(resolve));
    const { client, clock, sent } = clientOf(answer, { rateLimit: { concurrency: 1, queueLimit: 1 } });
    const first = client.accounts.get(1);
    await clock.advance(0);
    const second = client.accounts.get(2);
    await clock.advance(1_000);
    // ky pauses for a millisecond of real time before another attempt.
    await until(() => sent.length === 2 && client.rateLimit.queued === 1);
    expect(await failure(client.accounts.get(3))).toMatchObject({ code: "rate_limited", attempts: 0 });
    pending[0]?.(record());
    await until(() => sent.length === 3);
    expect(sent).toEqual([1, 2, 1]);
    pending[1]?.(record());
    await clock.run(Promise.all([first, second]));
  });

  it("does not refuse a call that waited and then needs another key", async () => {
    const { clock, client } = makeLimited();
    const limit: Partial<RateLimit> = { concurrency: 1, queueLimit: 1 };
    const [one, other] = [client(limit), makeLimited().client(limit)];
    const ticket = makeTicket();
    const held = one.acquire(makeTicket()) as Permit;
    const waiting = one.acquire(ticket) as Promise<Permit>;
    held.settle(true);
    (await clock.run(waiting)).settle(false);
    other.acquire(makeTicket());
    void other.acquire(makeTicket());
    expect(await Promise.race([other.acquire(ticket), "waits"])).toBe("waits");
  });
});

describe("a place", () => {
  it("is given up by a call that ends between its attempts", async () => {
    const stop = new AbortController();
    const on = { wait: () => undefined, retry: () => stop.abort(new Error("enough")) };
    const { client, clock, sent } = clientOf((index) => (index === 0 ? refusal(2) : record()), { on });
    const first = failure(client.accounts.get(1, { signal: stop.signal }));
    const second = client.accounts.get(2);
    expect((await first).message).toBe("enough");
    await clock.advance(2_000);
    expect([sent, client.rateLimit.queued]).toEqual([[1, 2], 0]);
    await second;
  });

  it("is given up when the key changes, so that calls waiting for a permit use the new key", async () => {
    let keys = 0;
    const used: string[] = [];
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ headers, index }) => {
      used.push(headers.authorization ?? "");
      return index === 0 ? jsonResponse(errorBody(401), 401) : record();
    });
    const rateLimit = { requests: 1, windowMs: WINDOW };
    const client = mainClient({ fetch, clock, validation: "off", apiKey: () => `place-${++keys}`, rateLimit });
    await clock.run(Promise.all([client.accounts.get(1), client.accounts.get(2)]));
    expect([calls.length, used]).toEqual([3, ["Bearer place-1", "Bearer place-2", "Bearer place-2"]]);
  });

  it("is given up for a place at another limiter, where the call gets a new number", () => {
    const [one, other] = [makeLimited().client(), makeLimited().client()];
    const ticket = makeTicket();
    (one.acquire(makeTicket()) as Permit).settle(true);
    (one.acquire(ticket) as Permit).settle(true);
    (one.acquire(ticket) as Permit).settle(true);
    expect([ticket.number, ticket.place]).toEqual([2, one]);
    one.keep(ticket);
    expect(one.queued).toBe(1);
    (other.acquire(ticket) as Permit).settle(true);
    expect([ticket.number, ticket.place, one.queued]).toEqual([1, other, 0]);
  });

  it("loses the refusal of its limiter when it is given up", async () => {
    const { clock, client } = makeLimited();
    const [one, other] = [client({ requests: 2 }), makeLimited().client({ concurrency: 1 })];
    const ticket = makeTicket({ deadline: (clock.now() + WINDOW / 2) as Moment });
    (one.acquire(ticket) as Permit).settle(true);
    one.keep(ticket);
    ticket.notBefore = (clock.now() + 1) as Moment;
    (one.acquire(makeTicket()) as Permit).settle(true);
    void one.acquire(makeTicket());
    expect(ticket.refusal?.refused).toBe("deadline");
    ticket.notBefore = 0 as Moment;
    const held = other.acquire(makeTicket()) as Permit;
    const waiting = other.acquire(ticket) as Promise<Permit>;
    held.settle(true);
    expect(await waiting).toHaveProperty("settle");
  });

  it("is passed over by later calls if its call does not use its turn within a second", async () => {
    const { clock, client } = makeLimited();
    const limiter = client({ concurrency: 1 });
    const slow = makeTicket();
    const permit = limiter.acquire(slow) as Permit;
    const next = limiter.acquire(makeTicket()) as Promise<Permit>;
    limiter.keep(slow);
    permit.settle(true);
    expect(await Promise.race([next, clock.advance(999).then(() => "waits")])).toBe("waits");
    await clock.advance(1_100);
    (await next).settle(true);
    const again = limiter.acquire(slow);
    expect(slow.number).toBe(1);
    (await clock.run(Promise.resolve(again) as Promise<Permit>)).settle(true);
    expect(limiter.queued).toBe(0);
  });

  it("ends with a reset of the limiter", async () => {
    const { clock, client, limiter } = makeLimited();
    const ticket = makeTicket();
    (client().acquire(ticket) as Permit).settle(true);
    ticket.notBefore = (clock.now() + WINDOW) as Moment;
    client().keep(ticket);
    limiter.reset();
    const again = Promise.resolve(client().acquire(ticket)).then(() => "permit");
    expect(await Promise.race([again, clock.advance(2 * WINDOW).then(() => "none")])).toBe("none");
    expect(client().queued).toBe(0);
  });
});
