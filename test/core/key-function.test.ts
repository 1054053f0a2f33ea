import { describe, expect, it } from "vitest";
import { type ClientOptions, ConfigurationError, type MainClient, PermissionDeniedError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { type FetchCall, jsonResponse, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

/** A key function that asynchronously returns these keys in turn, and the number of its calls. */
function keys(...values: (string | Error)[]) {
  let asked = 0;
  return {
    get asked() {
      return asked;
    },
    apiKey: async () => {
      const value = values[Math.min(asked++, values.length - 1)];
      await settle();
      if (value instanceof Error) throw value;
      return value as string;
    },
  };
}

/** A service that accepts one key and responds to all others with this status. */
function guardKey(good: () => string, status = 401) {
  return recordingFetch(({ headers }: FetchCall) =>
    headers.authorization === `Bearer ${good()}`
      ? jsonResponse(accountRecord())
      : jsonResponse(errorBody(status), status),
  );
}

const many = <T>(count: number, work: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => work(at));
const client = (options: ClientOptions) => mainClient({ rateLimit: { concurrency: 100 }, ...options });

describe("a key function that fails", () => {
  it("means that nothing was sent, if it fails before the first request", async () => {
    const { fetch, calls } = guardKey(() => "one");
    const error = await failure(client({ fetch, apiKey: keys(new Error("vault")).apiKey }).accounts.get(7));
    expect(error).toMatchObject({
      name: "ConfigurationError",
      operation: "accounts.get",
      attempts: 0,
      outcome: "not_sent",
      cause: expect.objectContaining({ message: "vault" }),
    });
    expect(error.message).toContain("Nothing was sent");
    expect(calls).toHaveLength(0);
  });

  it("leaves the outcome of an earlier write unknown", async () => {
    const statuses = [503, 401];
    const { fetch, calls } = recordingFetch(() => {
      const status = statuses.shift() ?? 500;
      return jsonResponse(errorBody(status), status);
    });
    const source = keys("old", new Error("vault"));
    const main = client({ fetch, apiKey: source.apiKey, retry: { limit: 1, backoffLimit: 1 } });
    const error = await failure(main.accounts.update(7, { name: "A" }));
    expect(calls).toHaveLength(2);
    expect(error).toMatchObject({ name: "ConfigurationError", attempts: 2, outcome: "unknown" });
    expect(error.message).toContain("see the cause. The function was called because the service answered 401.");
    expect(error.cause).toMatchObject({ message: "vault" });
    expect(error.message).not.toContain("Nothing was sent");
  });

  it("is abandoned after timeout when it never settles", async () => {
    const clock = new ManualClock();
    const { fetch, calls } = guardKey(() => "one");
    const call = failure(client({ fetch, clock, timeout: 300, apiKey: () => new Promise(() => {}) }).accounts.get(7));
    await settle();
    await clock.advance(300);
    expect((await call).message).toContain("did not settle within timeout (300 ms)");
    expect(calls).toHaveLength(0);
  });

  it("leaves no unhandled rejection if the caller stops waiting for it", async () => {
    const failures: unknown[] = [];
    const controller = new AbortController();
    const { fetch, calls } = guardKey(() => "one");
    const main = client({
      fetch,
      apiKey: () => new Promise(() => {}),
      on: { failure: (event) => failures.push(event) },
    });
    const call = failure(main.accounts.get(7, { signal: controller.signal }));
    await settle();
    controller.abort(new Error("enough"));
    expect((await call).message).toBe("enough");
    expect([calls, failures]).toEqual([[], []]);
  });
});

describe("a key function", () => {
  it("leaves no timer after it has settled", async () => {
    const clock = new ManualClock();
    const { fetch } = guardKey(() => "one");
    const main = client({ fetch, clock, rateLimit: false, apiKey: keys("one").apiKey });
    await main.accounts.get(7);
    expect(clock.pending).toBe(0);
  });

  it("is not called before the first call, and is called once for fifty waiting calls", async () => {
    const source = keys("one");
    const { fetch, calls } = guardKey(() => "one");
    const main = client({ fetch, apiKey: source.apiKey });
    await settle();
    expect(source.asked).toBe(0);
    await Promise.all(many(50, (at) => main.accounts.get(at + 1)));
    await main.accounts.get(99);
    expect(source.asked).toBe(1);
    expect(calls).toHaveLength(51);
  });

  it("may return the key without a promise, surrounded by white space", async () => {
    const { fetch } = guardKey(() => "one");
    expect((await client({ fetch, apiKey: () => " one\n" }).accounts.get(7)).id).toBe(7);
  });

  for (const status of [401, 403]) {
    it(`is called once more after a ${status} for all refused calls, and each of them is repeated once`, async () => {
      const source = keys("old", "new");
      const { fetch, calls } = guardKey(() => "new", status);
      const main = client({ fetch, apiKey: source.apiKey });
      const answers = await Promise.all(many(50, (at) => main.accounts.get(at + 1).withResponse()));
      expect(source.asked).toBe(2);
      const attempts = answers.map(({ response }) => response.attempts);
      expect(new Set(attempts)).toEqual(new Set([2]));
      expect(calls).toHaveLength(100);
      await main.accounts.get(99);
      expect(source.asked).toBe(2);
    });
  }

  it("lets a POST be repeated as well, because the service refused it", async () => {
    const source = keys("old", "new");
    const { fetch, calls } = guardKey(() => "new");
    await client({ fetch, apiKey: source.apiKey }).accounts.create({ name: "A" });
    expect(calls.map(({ body }) => body)).toEqual(['{"name":"A"}', '{"name":"A"}']);
  });

  it("that returns the same key again causes no repetition", async () => {
    const source = keys("old");
    const { fetch, calls } = guardKey(() => "new", 403);
    const error = await failure(client({ fetch, apiKey: source.apiKey }).accounts.get(7));
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect(error).toMatchObject({ attempts: 1 });
    expect(source.asked).toBe(2);
    expect(calls).toHaveLength(1);
  });

  for (const status of [401, 403, 404]) {
    it(`that returns the new key late ends the ${status}s within five minutes of it`, async () => {
      const clock = new ManualClock();
      const source = { key: "old" };
      let good = "old";
      const { fetch } = guardKey(() => good, status);
      const main = client({ fetch, clock, rateLimit: false, apiKey: () => source.key });
      await main.accounts.get(7);
      good = "new";
      for (let minute = 0; minute < 60; minute++) {
        expect(await failure(main.accounts.get(7))).toMatchObject({ status, attempts: 1 });
        await clock.advance(60_000);
      }
      source.key = "new";
      await clock.advance(300_000);
      expect((await main.accounts.get(7)).id).toBe(7);
    });
  }

  it("is called at once when the next key expires, because the renewed one worked", async () => {
    const clock = new ManualClock();
    const source = { key: "one" };
    const { fetch } = guardKey(() => source.key, 403);
    const main = client({ fetch, clock, rateLimit: false, apiKey: () => source.key });
    for (const key of ["one", "two", "three", "four"]) {
      source.key = key;
      expect((await main.accounts.get(7)).id).toBe(7);
    }
  });

  it("has no more pauses after a repeated call that succeeds in a later attempt", async () => {
    const clock = new ManualClock();
    const source = { key: "one" };
    let failures = 0;
    const { fetch } = recordingFetch(({ headers }: FetchCall) => {
      if (headers.authorization !== `Bearer ${source.key}`) return jsonResponse(errorBody(403), 403);
      return failures-- > 0 ? jsonResponse(errorBody(503), 503) : jsonResponse(accountRecord());
    });
    const main = client({ fetch, clock, rateLimit: false, retry: { backoffLimit: 1 }, apiKey: () => source.key });
    await main.accounts.get(7);
    source.key = "two";
    failures = 1;
    await clock.run(main.accounts.get(7));
    source.key = "three";
    expect((await main.accounts.get(7)).id).toBe(7);
  });

  for (const [by, use] of [
    ["an operation", (main: MainClient) => main.labels.get(1)],
    ["hand", (main: MainClient) => main.request({ method: "GET", path: "api/v1/labels/1" })],
  ] as const) {
    it(`that returns another key each time is called once for twenty calls by ${by} that are forbidden`, async () => {
      let number = 0;
      const { fetch, calls } = guardKey(() => "never", 403);
      const main = client({ fetch, clock: new ManualClock(), rateLimit: false, apiKey: () => `key-${++number}` });
      for (let call = 0; call < 20; call++) expect(await failure(use(main))).toMatchObject({ status: 403 });
      expect([number, calls.length]).toEqual([2, 21]);
    });
  }

  it("is called at most once more per call, however often the key changes", async () => {
    let number = 0;
    const { fetch, calls } = guardKey(() => "never");
    const error = await failure(client({ fetch, apiKey: () => `key-${++number}` }).accounts.get(7));
    expect(error).toMatchObject({ status: 401, attempts: 2 });
    expect(number).toBe(2);
    expect(calls).toHaveLength(2);
  });

  it("is not called again for a refused key that has been renewed meanwhile", async () => {
    const source = keys("old", "new", "newer");
    const slow: (() => void)[] = [];
    const { fetch } = recordingFetch(async ({ headers, index }) => {
      if (index === 0) await new Promise<void>((resolve) => slow.push(resolve));
      return headers.authorization === "Bearer new" ? jsonResponse(accountRecord()) : jsonResponse(errorBody(401), 401);
    });
    const main = client({ fetch, apiKey: source.apiKey });
    const first = main.accounts.get(1);
    await settle();
    await settle();
    await settle();
    await main.accounts.get(2);
    slow[0]?.();
    await first;
    expect(source.asked).toBe(2);
  });

  it("is called even with retry: false, because a renewal is not a retry of a failure", async () => {
    const source = keys("old", "new");
    const { fetch } = guardKey(() => "new");
    expect((await client({ fetch, apiKey: source.apiKey, retry: false }).accounts.get(7)).id).toBe(7);
  });

  it("moves a call to the budget of the new key", async () => {
    const clock = new ManualClock();
    const source = keys("old", "new");
    const { fetch } = guardKey(() => "new");
    const main = client({ fetch, clock, apiKey: source.apiKey });
    await main.accounts.get(7);
    expect(main.rateLimit.used).toBe(1);
  });

  it("that fails causes a ConfigurationError for all waiting calls, and is called again by the next call", async () => {
    const down = new Error("the vault is closed");
    const source = keys(down, "one");
    const { fetch, calls } = guardKey(() => "one");
    const main = client({ fetch, apiKey: source.apiKey });
    const errors = await Promise.all(many(50, (at) => failure(main.accounts.get(at + 1))));
    for (const error of errors) {
      expect(error).toBeInstanceOf(ConfigurationError);
      expect(error.cause).toBe(down);
    }
    expect(source.asked).toBe(1);
    expect(calls).toEqual([]);
    expect((await main.accounts.get(7)).id).toBe(7);
    expect(source.asked).toBe(2);
  });

  it("that throws instead of rejecting, or fails when called again, is reported in the same way", async () => {
    const thrown = new RangeError("no key today");
    const { fetch } = guardKey(() => "new");
    const throwing = client({
      fetch,
      apiKey: () => {
        throw thrown;
      },
    });
    expect((await failure(throwing.accounts.get(7))).cause).toBe(thrown);
    const later = new Error("the vault has closed");
    const error = await failure(client({ fetch, apiKey: keys("old", later).apiKey }).accounts.get(7));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.cause).toBe(later);
  });
});

describe("a fixed key", () => {
  it("is sent as a bearer token and not tried again after a refusal", async () => {
    const { fetch, calls } = guardKey(() => "right");
    await failure(client({ fetch, apiKey: "wrong" }).accounts.get(7));
    expect(calls.map(({ headers }) => headers.authorization)).toEqual(["Bearer wrong"]);
    expect((await client({ fetch, apiKey: "right" }).accounts.get(7)).id).toBe(7);
  });
});

describe("calls that wait while the key is renewed", () => {
  it("count in the window of the key that they are sent with", async () => {
    const clock = new ManualClock();
    const opened = clock.now();
    const sent: Record<string, number> = {};
    const { fetch } = recordingFetch(({ headers: { authorization = "" } }) => {
      const used = (sent[authorization] ?? 0) + 1;
      sent[authorization] = used;
      if (authorization === "Bearer renewal-old") return jsonResponse(errorBody(401), 401);
      return used > 5 && clock.now() < opened + 60_000
        ? jsonResponse(errorBody(429), 429)
        : jsonResponse(accountRecord());
    });
    const rateLimit = { requests: 5, windowMs: 60_000, reserve: 0, concurrency: 1 };
    const tokens = ["renewal-old"];
    const apiKey = () => tokens.shift() ?? "renewal-new";
    const refused: number[] = [];
    const on = { response: ({ status }: { status: number }) => void (status === 429 && refused.push(status)) };
    const main = mainClient({ fetch, clock, on, rateLimit, apiKey });
    const calls = many(5, () => main.accounts.get(7));
    await clock.run(Promise.all(calls));
    expect(sent["Bearer renewal-new"]).toBe(5);
    expect(main.rateLimit.used).toBe(5);
    const sixth = main.accounts.get(7);
    await settle();
    expect(main.rateLimit.queued).toBe(1);
    await clock.run(sixth);
    expect(refused).toEqual([]);
  });
});
