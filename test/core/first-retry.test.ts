import { describe, expect, it } from "vitest";
import type { ConnectionError, RetryEvent } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

describe("the pause after the first transient failure", () => {
  it("is under 0.2 s on average, with jitter", async () => {
    const clock = new ManualClock();
    const delays: number[] = [];
    const { fetch } = recordingFetch(({ index }) =>
      index % 2 === 0 ? jsonResponse(errorBody(503), 503) : jsonResponse(accountRecord()),
    );
    const on = { retry: ({ delayMs }: RetryEvent) => delays.push(delayMs) };
    const client = mainClient({ fetch, clock, retry: undefined, rateLimit: false, on });
    const started = clock.now();
    for (let call = 0; call < 200; call++) await clock.run(client.accounts.get(7));
    expect((clock.now() - started) / 200).toBeLessThan(200);
    expect(delays).toHaveLength(200);
    expect(Math.max(...delays)).toBeLessThanOrEqual(100);
    expect(new Set(delays).size).toBeGreaterThan(20);
  });

  it("triples its ceiling with every further failure, up to backoffLimit", async () => {
    const most = [0, 0, 0, 0, 0, 0];
    for (let round = 0; round < 60; round++) {
      const clock = new ManualClock();
      const { fetch } = recordingFetch(() => jsonResponse(errorBody(503), 503));
      const on = {
        retry: ({ attempt, delayMs }: RetryEvent) => {
          most[attempt - 1] = Math.max(most[attempt - 1] ?? 0, delayMs);
        },
      };
      const client = mainClient({ fetch, clock, on, rateLimit: false, retry: { limit: 6, backoffLimit: 1_000 } });
      await failure(clock.run(client.accounts.get(7)));
    }
    for (const [at, ceiling] of [100, 300, 900, 1_000, 1_000, 1_000].entries()) {
      expect(most[at]).toBeLessThanOrEqual(ceiling);
      expect(most[at]).toBeGreaterThan(ceiling * 0.7);
    }
  });
});

/** Counts how often a GET and a POST are sent if fetch rejects with this error. */
async function sendings(error: () => Error) {
  const clock = new ManualClock();
  const { fetch, calls } = recordingFetch(() => {
    throw error();
  });
  const client = mainClient({ fetch, clock });
  const read = await failure<ConnectionError>(clock.run(client.accounts.get(7)));
  const reads = calls.length;
  const write = await failure<ConnectionError>(clock.run(client.accounts.create({ name: "A" })));
  expect([read.code, write.code]).toEqual(["connection", "connection"]);
  return { reads, writes: calls.length - reads, message: read.message };
}

describe("a host name that does not resolve", () => {
  it("is retried once, for reads and writes", async () => {
    const { reads, writes, message } = await sendings(() => networkError("ENOTFOUND"));
    expect({ reads, writes }).toEqual({ reads: 2, writes: 2 });
    expect(message).toContain("baseUrl");
  });
});

describe("a certificate that cannot be trusted", () => {
  for (const code of [
    "DEPTH_ZERO_SELF_SIGNED_CERT",
    "SELF_SIGNED_CERT_IN_CHAIN",
    "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
    "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
    "CERT_HAS_EXPIRED",
    "CERT_NOT_YET_VALID",
    "ERR_TLS_CERT_ALTNAME_INVALID",
  ]) {
    it(`is not retried: ${code}`, async () => {
      const { reads, writes, message } = await sendings(() => networkError(code));
      expect({ reads, writes }).toEqual({ reads: 1, writes: 1 });
      expect(message).toContain(code);
    });
  }
});

describe("a refused connection nested inside the error of fetch", () => {
  const refusal = () => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  const wrap = (error: Error, times: number): Error =>
    times === 0 ? error : wrap(new Error("fetch failed", { cause: error }), times - 1);

  for (const [what, error] of Object.entries({
    "in the AggregateError of a host with several addresses": () =>
      new TypeError("fetch failed", { cause: new AggregateError([refusal(), refusal()], "all failed") }),
    "two causes deep": () => wrap(refusal(), 2),
    "four causes deep": () => wrap(refusal(), 4),
  })) {
    it(`means the POST was not sent, so it is retried: ${what}`, async () => {
      const { fetch, calls } = recordingFetch(({ index }) => {
        if (index === 0) throw error();
        return jsonResponse(accountRecord());
      });
      expect((await mainClient({ fetch }).accounts.create({ name: "A" })).id).toBe(7);
      expect(calls).toHaveLength(2);
    });
  }

  it("is searched for in finite time when causes are circular", async () => {
    const { fetch, calls } = recordingFetch(() => {
      const error = new Error("fetch failed");
      error.cause = new Error("inner", { cause: error });
      throw error;
    });
    await failure(mainClient({ fetch }).accounts.create({ name: "A" }));
    expect(calls).toHaveLength(1);
  });
});

describe("the retry quota of a client", () => {
  it("is not used up by failures that a retry overcomes", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(({ index }) =>
      index % 2 === 0 ? jsonResponse(errorBody(503), 503) : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, clock, rateLimit: false });
    for (let call = 0; call < 300; call++) expect((await clock.run(client.accounts.get(7))).id).toBe(7);
    expect(calls).toHaveLength(600);
  });

  it("is used up by an outage: calls then fail after one attempt, and their message says why", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = recordingFetch(() => jsonResponse(errorBody(503), 503));
    const client = mainClient({ fetch, clock, rateLimit: false });
    for (let call = 0; call < 40; call++) await failure(clock.run(client.accounts.get(7)));
    const sent = calls.length;
    const error = await failure(clock.run(client.accounts.get(7)));
    expect(calls).toHaveLength(sent + 1);
    expect(error.message).toMatch(/not (tried again|retried)/i);
    expect(sent).toBeLessThan(200);
  });
});

describe("a retry delay compared with totalTimeout", () => {
  const answering = (delay: string) => {
    const clock = new ManualClock();
    const retries: number[] = [];
    const { fetch } = recordingFetch(() => jsonResponse(errorBody(503), 503, { "retry-after": delay }));
    const on = { retry: ({ delayMs }: RetryEvent) => retries.push(delayMs) };
    return { clock, retries, client: mainClient({ fetch, clock, on, totalTimeout: 1_000 }) };
  };

  it("is waited for when it ends exactly at the deadline, but not when it ends later", async () => {
    const just = answering("1");
    await failure(just.clock.run(just.client.accounts.get(7)));
    expect(just.retries).toEqual([1_000]);
    const late = answering("1.001");
    const started = late.clock.now();
    await failure(late.clock.run(late.client.accounts.get(7)));
    expect(late.retries).toEqual([]);
    expect(late.clock.now()).toBe(started);
  });
});

describe("a retry delay longer than the platform's longest timer", () => {
  it("is split into several timers, so that none fires immediately", async () => {
    const clock = new ManualClock();
    const set: number[] = [];
    const watched = {
      now: () => clock.now(),
      setTimeout: (callback: () => void, ms: number) => {
        set.push(ms);
        return clock.setTimeout(callback, ms);
      },
      clearTimeout: (handle: unknown) => clock.clearTimeout(handle),
    };
    const days = 30 * 24 * 3_600;
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(503), 503, { "retry-after": String(days) }) : jsonResponse(accountRecord()),
    );
    const started = clock.now();
    const call = mainClient({
      fetch,
      clock: watched,
      rateLimit: false,
      retry: { maxRetryAfter: 400 * 24 * 3_600_000 },
    }).accounts.get(7);
    await clock.run(call, 2 * days * 1_000);
    expect(clock.now() - started).toBeGreaterThanOrEqual(days * 1_000);
    expect(Math.max(...set)).toBeLessThanOrEqual(2 ** 31 - 1);
    expect(calls).toHaveLength(2);
  });
});
