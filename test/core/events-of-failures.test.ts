import { describe, expect, it, onTestFinished } from "vitest";
import type { ClientOptions, MainClient, Observers } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, settle, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody, type Handler, inTurn, json, serve } from "../support/server.js";

interface Seen {
  readonly name: string;
  readonly event: Record<string, unknown>;
}

/** Observers that record every event in order. */
function watching(): { seen: Seen[]; on: Observers; of(name: string): Seen["event"][] } {
  const seen: Seen[] = [];
  const names = ["request", "response", "failure", "retry", "wait"];
  const on = Object.fromEntries(
    names.map((name) => [name, (event: Record<string, unknown>) => seen.push({ name, event })]),
  ) as Observers;
  return { seen, on, of: (name) => seen.filter((one) => one.name === name).map(({ event }) => event) };
}

async function against(handler: Handler, more: ClientOptions = {}) {
  const server = await serve(handler);
  const watched = watching();
  return { ...watched, server, client: mainClient({ baseUrl: server.url, on: watched.on, ...more }) };
}

const ok: Handler = (_, response) => json(response, 200, accountRecord());
const reset: Handler = (_, response) => response.destroy();
const silent: Handler = () => undefined;
const truncate: Handler = (_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"id": 7, "na', () => response.destroy());
};
const tooLarge: Handler = (_, response) =>
  response.writeHead(200, { "content-type": "application/json", "content-length": String(1024 ** 3) }).write("[");
const redirect: Handler = (_, response) => response.writeHead(302, { location: "https://elsewhere.example/" }).end();

const create = (client: MainClient) => client.accounts.create({ name: "A" });
const created = { operation: "accounts.create", method: "POST", path: "accounts" };
const read = { operation: "accounts.get", method: "GET", path: "accounts/{id}" };

describe("the failure event of an attempt without a usable response", () => {
  it("reports a write whose connection was reset and that is not retried", async () => {
    const { client, of } = await against(reset);
    await failure(create(client));
    expect(of("failure")).toEqual([
      {
        ...created,
        attempt: 1,
        reason: "connection",
        code: expect.any(String),
        outcome: "unknown",
        retried: false,
        durationMs: expect.any(Number),
      },
    ]);
    expect(of("response")).toEqual([]);
  });

  it("reports a write that exceeded its timeout", async () => {
    const { client, of } = await against(silent, { timeout: 150 });
    await failure(create(client));
    expect(of("failure")).toEqual([
      {
        ...created,
        attempt: 1,
        reason: "timeout",
        code: null,
        outcome: "unknown",
        retried: false,
        durationMs: expect.any(Number),
      },
    ]);
    expect(of("failure")[0]?.durationMs).toBeGreaterThanOrEqual(100);
  });

  it("reports a refused connection as not sent and retried", async () => {
    const { on, of, seen } = watching();
    const { fetch } = recordingFetch(({ index }) => {
      if (index === 0) throw networkError("ECONNREFUSED");
      return jsonResponse(accountRecord());
    });
    await mainClient({ fetch, on }).accounts.create({ name: "A" });
    expect(of("failure")).toMatchObject([
      { ...created, attempt: 1, reason: "connection", code: "ECONNREFUSED", outcome: "not_sent", retried: true },
    ]);
    expect(seen.map(({ name }) => name).filter((name) => name !== "retry")).toEqual([
      "request",
      "failure",
      "request",
      "response",
    ]);
  });

  it("reports the last failed attempt as not retried", async () => {
    const { client, of } = await against(reset, { retry: { limit: 2, backoffLimit: 1 } });
    await failure(client.accounts.get(7));
    expect(of("failure").map(({ attempt, retried }) => [attempt, retried])).toEqual([
      [1, true],
      [2, true],
      [3, false],
    ]);
  });

  it("reports a truncated body", async () => {
    const { client, of } = await against(inTurn(truncate, ok));
    await client.accounts.get(7);
    expect(of("failure")).toMatchObject([{ ...read, attempt: 1, reason: "truncated", retried: true }]);
    expect(of("response")).toMatchObject([{ attempt: 2, status: 200 }]);
  });

  it("reports a body over the size limit", async () => {
    const { client, of } = await against(tooLarge);
    await failure(create(client));
    expect(of("failure")).toMatchObject([{ ...created, reason: "too_large", outcome: "unknown", retried: false }]);
  });

  it("reports a redirect that is not followed", async () => {
    const { client, of } = await against(redirect);
    await failure(client.accounts.get(7));
    expect(of("failure")).toMatchObject([{ ...read, attempt: 1, reason: "redirect", retried: false }]);
  });

  it("reports a request aborted in flight", async () => {
    const { client, of, server } = await against(silent, { timeout: 5_000 });
    const controller = new AbortController();
    const call = failure(client.accounts.create({ name: "A" }, { signal: controller.signal }));
    await until(() => server.requests.length === 1);
    controller.abort();
    await call;
    expect(of("failure")).toMatchObject([{ ...created, reason: "aborted", outcome: "unknown", retried: false }]);
  });

  it("is emitted when totalTimeout expires", async () => {
    const { client, of } = await against(silent, { timeout: 5_000, totalTimeout: 100 });
    await failure(create(client));
    expect(of("failure")).toMatchObject([{ ...created, outcome: "unknown", retried: false }]);
  });

  it("is not emitted for an error response of the service", async () => {
    const { client, of } = await against((_, response) => json(response, 422, errorBody(422)));
    await failure(create(client));
    expect(of("failure")).toEqual([]);
    expect(of("response")).toMatchObject([{ status: 422 }]);
  });

  it("follows every request event that has no response event", async () => {
    const { client, of } = await against(inTurn(reset, truncate, silent, reset, ok), {
      retry: { limit: 4, backoffLimit: 1 },
      // Short enough for the silent response, but long enough for the other responses to arrive on a busy machine.
      timeout: 2_000,
    });
    await client.accounts.get(7);
    expect(of("request").map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(of("failure").map(({ attempt, reason }) => [attempt, reason])).toEqual([
      [1, "connection"],
      [2, "truncated"],
      [3, "timeout"],
      [4, "connection"],
    ]);
    expect(of("response").map(({ attempt }) => attempt)).toEqual([5]);
  });

  it("contains no token, body or query value", async () => {
    const { client, of } = await against(reset, { apiKey: "canary-token", retry: false });
    await failure(client.accounts.create({ name: "canary-name" }));
    await failure(client.accounts.list({ search: "canary-search" }).toArray());
    expect(of("failure")).toHaveLength(2);
    expect(JSON.stringify(of("failure"))).not.toContain("canary");
  });

  it("changes nothing when its observer throws", async () => {
    const throwing: object = {
      failure: () => {
        throw new Error("observer");
      },
    };
    const { client, server } = await against(inTurn(reset, ok), { on: throwing });
    expect((await client.accounts.get(7)).id).toBe(7);
    expect(server.requests).toHaveLength(2);
  });
});

describe("the wait event", () => {
  async function waiting(more: ClientOptions) {
    const clock = new ManualClock();
    const { on, of } = watching();
    const recording = recordingFetch(({ index }) =>
      index === 1 && more.retry === false
        ? jsonResponse(errorBody(429), 429, { "retry-after": "30" })
        : jsonResponse(accountRecord()),
    );
    return { clock, of, ...recording, client: mainClient({ fetch: recording.fetch, clock, on, ...more }) };
  }

  it("is emitted when the wait begins, with its expected end; the response event has its duration", async () => {
    const { clock, client, of } = await waiting({ rateLimit: { requests: 1, windowMs: 60_000 } });
    const started = clock.now();
    await client.accounts.get(7);
    const second = client.accounts.get(8);
    await until(() => client.rateLimit.queued === 1);
    await settle();
    expect(of("wait")).toEqual([{ ...read, reason: "window", expectedAt: new Date(started + 60_000) }]);
    await clock.run(second);
    expect(of("wait")).toHaveLength(1);
    expect(of("response").map(({ waitedMs }) => waitedMs)).toEqual([0, 60_000]);
  });

  it("has the end of the Retry-After period that delays other calls", async () => {
    const { clock, client, of } = await waiting({ retry: false });
    const started = clock.now();
    await client.accounts.get(7);
    await failure(client.accounts.get(7));
    const third = client.accounts.get(8);
    await until(() => client.rateLimit.queued === 1);
    await settle();
    expect(of("wait")).toEqual([{ ...read, reason: "rate_limited", expectedAt: new Date(started + 30_000) }]);
    await clock.run(third);
    expect(of("response").at(-1)).toMatchObject({ status: 200, waitedMs: 30_000 });
  });

  it("has no expected end while all concurrent requests are in flight", async () => {
    const clock = new ManualClock();
    const { on, of } = watching();
    const { fetch, calls } = recordingFetch(
      () => new Promise((resolve) => clock.setTimeout(() => resolve(jsonResponse(accountRecord())), 500)),
    );
    const client = mainClient({ fetch, clock, on, rateLimit: { concurrency: 1 } });
    const both = Promise.all([client.accounts.get(7), client.accounts.get(8)]);
    await until(() => calls.length === 1 && client.rateLimit.queued === 1);
    await settle();
    expect(of("wait")).toEqual([{ ...read, reason: "concurrency", expectedAt: null }]);
    await clock.run(both);
    expect(of("response").map(({ waitedMs }) => waitedMs)).toEqual([0, 500]);
  });

  it("is not emitted for a call that does not wait", async () => {
    const { client, of } = await waiting({});
    await client.accounts.get(7);
    expect(of("wait")).toEqual([]);
    expect(of("response")[0]).toMatchObject({ waitedMs: 0 });
  });
});

describe("an observer of request that aborts the call", () => {
  it("rejects it with the signal's reason and causes no unhandled rejection", async () => {
    const rejections: unknown[] = [];
    const onRejection = (reason: unknown) => rejections.push(reason);
    process.on("unhandledRejection", onRejection);
    onTestFinished(() => void process.off("unhandledRejection", onRejection));
    const controller = new AbortController();
    const reason = new Error("stop");
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, on: { request: () => controller.abort(reason) } });
    expect(await failure(client.accounts.get(7, { signal: controller.signal }))).toBe(reason);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(rejections).toEqual([]);
  });
});
