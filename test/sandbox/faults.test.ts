import { describe, expect, test } from "vitest";
import {
  ConnectionError,
  MainClient,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
  ServerError,
} from "../../src/index.js";
import { createSandbox, type DriftFault } from "../../src/sandbox/index.js";
import { ask } from "./support.js";

const once = { retry: false } as const;

describe("faults", () => {
  test("a status occurs once, with the error body, and the request is not carried out", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ status: 503, operation: "accounts.create" });
    const client = new MainClient(sandbox);
    expect((await client.accounts.get(1)).id).toBe(1);
    const error = await client.accounts.create({ name: "x" }).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServerError);
    expect(error).toMatchObject({ status: 503, apiCode: 503, apiMessage: "Service Unavailable" });
    expect(sandbox.store.accounts.count).toBe(10);
    expect((await client.accounts.create({ name: "x" })).id).toBe(11);
    expect(sandbox.faults.pending).toEqual([]);
  });

  test("applied: the write happens although the caller gets no response", async () => {
    const sandbox = createSandbox({ size: 10 });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ reset: true, applied: true });
    const error = await client.accounts.create({ name: "x" }).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "unknown" });
    expect(sandbox.store.accounts.count).toBe(11);
    expect(sandbox.requests.at(-1)).toMatchObject({ operation: "accounts.create", status: null });
  });

  test.each([
    ["no response", { delayMs: Number.POSITIVE_INFINITY }],
    ["a response that comes too late", { delayMs: 60_000 }],
    ["a failure that comes too late", { delayMs: 60_000, status: 503 }],
  ])("applied: the write happens during %s", async (_, fault) => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    const client = new MainClient({ ...sandbox, timeout: 1_000 });
    sandbox.faults.next({ operation: "accounts.create", ...fault, applied: true });
    const error = await client.accounts.create({ name: "Late Ltd" }).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RequestTimeoutError);
    expect(error).toMatchObject({ outcome: "unknown" });
    expect(sandbox.store.accounts.filter(({ name }) => name === "Late Ltd")).toHaveLength(1);
    expect(sandbox.requests.at(-1)).toMatchObject({ operation: "accounts.create", status: null });
  });

  test("applied with a delay within the time limit: one write, and the caller gets its response", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    sandbox.faults.next({ delayMs: 5_000, applied: true });
    expect((await new MainClient(sandbox).accounts.create({ name: "Late Ltd" })).id).toBe(11);
    expect(sandbox.store.accounts.count).toBe(11);
  });

  test.each([
    ["a timeout", { delayMs: Number.POSITIVE_INFINITY }, RequestTimeoutError],
    ["a broken connection", { reset: true }, ConnectionError],
    ["a failure of the service", { status: 503 }, ServerError],
    ["a response that would have come with the write", {}, RequestTimeoutError],
  ])("appliedAfterMs: the service finishes the write after %s", async (_, fault, thrown) => {
    const sandbox = createSandbox({ size: 10, now: "2030-01-01T00:00:00.000Z" });
    const client = new MainClient({ ...sandbox, timeout: 1_000 });
    sandbox.faults.next({ operation: "accounts.create", ...fault, appliedAfterMs: 5_000 });
    const call = expect(client.accounts.create({ name: "Late Ltd" })).rejects.toBeInstanceOf(thrown);
    await sandbox.clock.advance(4_999);
    await call;
    expect(sandbox.store.accounts.count).toBe(10);
    await sandbox.clock.advance(1);
    expect(sandbox.store.accounts.get(11)).toMatchObject({
      name: "Late Ltd",
      created_at: "2030-01-01T00:00:05.000Z",
    });
  });

  test.each([
    [5_000, {}],
    [5_000, { delayMs: 3_000 }],
    [8_000, { delayMs: 8_000 }],
  ])("appliedAfterMs: a caller that waits gets the response of the one write after %d ms", async (ms, fault) => {
    const sandbox = createSandbox({ size: 10, now: "2030-01-01T00:00:00.000Z" });
    sandbox.faults.next({ ...fault, appliedAfterMs: 5_000 });
    let ended = false;
    const call = new MainClient(sandbox).accounts.create({ name: "Late Ltd" }).then((account) => {
      ended = true;
      return account;
    });
    await sandbox.clock.advance(ms - 1);
    expect(ended).toBe(false);
    await sandbox.clock.advance(1);
    expect(await call).toMatchObject({ id: 11, created_at: "2030-01-01T00:00:05.000Z" });
    expect(sandbox.store.accounts.count).toBe(11);
    expect(sandbox.requests.map(({ status }) => status)).toEqual([201]);
  });

  test("appliedAfterMs: a reset forgets the write", async () => {
    const sandbox = createSandbox({ size: 10, now: "2030-01-01T00:00:00.000Z" });
    const client = new MainClient(sandbox);
    sandbox.faults.next({ status: 503, appliedAfterMs: 60_000 });
    await expect(client.accounts.create({ name: "Late Ltd" })).rejects.toBeInstanceOf(ServerError);
    expect(sandbox.clock.pending).toEqual({ count: 1, nextInMs: 60_000 });
    sandbox.reset();
    await sandbox.clock.advance(60_000);
    expect(sandbox.store.accounts.count).toBe(10);
  });

  test("without applied, a write that the caller abandons does not happen", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    sandbox.faults.next({ delayMs: 60_000 });
    const client = new MainClient({ ...sandbox, timeout: 1_000 });
    await expect(client.accounts.create({ name: "Late Ltd" })).rejects.toBeInstanceOf(RequestTimeoutError);
    expect(sandbox.store.accounts.count).toBe(10);
  });

  test("a 200 with an error body throws that error", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ status: 200 });
    await expect(new MainClient({ ...sandbox, ...once }).accounts.get(1)).rejects.toMatchObject({
      code: "api",
      status: 200,
    });
  });

  test("the error body of a 200 has the code 422, so that the client does not retry it; a caller's body takes precedence", async () => {
    const sandbox = createSandbox({ size: 10 });
    const get = { operation: "accounts.get", status: 200 } as const;
    sandbox.faults.next(get, { ...get, errors: { id: ["is odd"] } }, { ...get, body: { code: 409 } });
    const error = await new MainClient(sandbox).accounts.get(1).then(undefined, (thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "api", status: 200 });
    expect(sandbox.requests).toHaveLength(1);
    const { status, body } = await ask(sandbox, "api/v1/accounts/1");
    expect([status, body]).toEqual([200, { errors: { id: ["is odd"] }, code: 422, message: "OK" }]);
    expect((await ask(sandbox, "api/v1/accounts/1")).body).toEqual({ code: 409 });
    sandbox.faults.next({ status: 300 });
    expect((await ask(sandbox, "api/v1/accounts/1")).body).toMatchObject({ code: 300 });
  });

  test("html returns a proxy's page", async () => {
    const sandbox = createSandbox({ size: 10 });
    const client = new MainClient({ ...sandbox, ...once });
    sandbox.faults.next({ html: true, status: 200 });
    const error = await client.accounts.get(1).then(undefined, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(error).toMatchObject({ contentType: "text/html; charset=utf-8" });
    sandbox.faults.next({ html: true });
    await expect(client.accounts.get(1)).rejects.toMatchObject({ status: 502 });
  });

  test("cut ends the body early, at any position", async () => {
    const sandbox = createSandbox({ size: 10 });
    const whole = await (await sandbox.fetch(`${sandbox.baseUrl}/api/v1/accounts`, auth(sandbox))).text();
    for (const [cut, share] of [
      [true, 0.5],
      [0.25, 0.25],
      [0, 0],
    ] as const) {
      sandbox.faults.next({ cut });
      const response = await sandbox.fetch(`${sandbox.baseUrl}/api/v1/accounts`, auth(sandbox));
      let text = "";
      const read = async () => {
        for await (const part of response.body as ReadableStream<Uint8Array>) text += new TextDecoder().decode(part);
      };
      await expect(read()).rejects.toThrow("terminated");
      expect(text).toBe(whole.slice(0, Math.floor(whole.length * share)));
    }
    sandbox.faults.next({ cut: true });
    await expect(new MainClient({ ...sandbox, ...once }).accounts.get(1)).rejects.toBeInstanceOf(ResponseFormatError);
  });

  test.each<[DriftFault | true, string]>([
    [true, "unknown_field"],
    ["extra", "unknown_field"],
    ["missing", "missing_field"],
    ["null", "unexpected_null"],
    ["type", "wrong_type"],
    ["value", "unknown_value"],
  ])("drift %s changes every record of a response accordingly", async (drift, kind) => {
    const sandbox = createSandbox({ size: 10 });
    const seen: string[] = [];
    const client = new MainClient({ ...sandbox, on: { drift: (event) => seen.push(event.kind) } });
    sandbox.faults.next({ drift, count: 2 });
    expect((await client.accounts.list()).records).toHaveLength(10);
    expect(seen).toEqual([kind]);
    const strict = client.accounts.get(1, { validation: "strict" });
    // Strict validation accepts new fields.
    if (kind === "unknown_field") await expect(strict).resolves.toMatchObject({ id: 1 });
    else await expect(strict).rejects.toBeInstanceOf(ResponseValidationError);
  });

  test("delayMs runs on the sandbox's clock, and an abort ends it", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ delayMs: 60_000, count: 2 });
    const answer = ask(sandbox, "api/v1/accounts");
    await sandbox.clock.advance(60_000);
    expect((await answer).status).toBe(200);
    const controller = new AbortController();
    const aborted = ask(sandbox, "api/v1/accounts", { signal: controller.signal });
    await sandbox.clock.advance(10);
    controller.abort(new Error("enough"));
    await expect(aborted).rejects.toThrow("enough");
    expect(sandbox.clock.pending.count).toBe(0);
  });

  test("an endless delay makes a client time out at once if waits are skipped", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true });
    sandbox.faults.next({ delayMs: Number.POSITIVE_INFINITY });
    await expect(new MainClient({ ...sandbox, ...once }).accounts.get(1)).rejects.toBeInstanceOf(RequestTimeoutError);
  });

  test("headers of a fault are in its response", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ headers: { "x-served-by": "proxy" } });
    expect((await ask(sandbox, "api/v1/accounts")).headers.get("x-served-by")).toBe("proxy");
  });
});

describe("the rate window", () => {
  test("accepts 500 requests, then returns 429 with the seconds to wait, after which requests succeed", async () => {
    const sandbox = createSandbox({ size: 10 });
    for (let at = 0; at < 500; at++) await ask(sandbox, "api/v1/accounts/1");
    const refused = await ask(sandbox, "api/v1/accounts/1");
    expect(refused.status).toBe(429);
    expect(refused.body).toEqual({ errors: {}, code: 429, message: "Too Many Requests" });
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(280);
    expect(wait).toBeLessThanOrEqual(300);
    await sandbox.clock.advance((wait - 20) * 1_000);
    expect((await ask(sandbox, "api/v1/accounts/1")).status).toBe(429);
    await sandbox.clock.advance(20_000);
    expect((await ask(sandbox, "api/v1/accounts/1")).status).toBe(200);
  });

  test("is separate for every key, and for requests without a key", async () => {
    const sandbox = createSandbox({ size: 10, rateLimit: { requests: 2, windowMs: 1_000 } });
    const statuses = async (apiKey: string | null) => {
      const found: number[] = [];
      for (let at = 0; at < 3; at++) found.push((await ask(sandbox, "api/v1/accounts/1", { apiKey })).status);
      return found;
    };
    expect(await statuses(sandbox.apiKey)).toEqual([200, 200, 429]);
    expect(await statuses(sandbox.main.apiKey)).toEqual([200, 200, 429]);
    expect(await statuses(null)).toEqual([403, 403, 429]);
  });

  test("makes a client without a rate limit wait as long as it states, on the sandbox's clock", async () => {
    const sandbox = createSandbox({ size: 10, skipWaits: true, rateLimit: { requests: 3, windowMs: 300_000 } });
    const client = new MainClient({ ...sandbox, rateLimit: false });
    for (let at = 0; at < 3; at++) await client.accounts.get(1);
    const { response } = await client.accounts.get(2).withResponse();
    expect(response.attempts).toBe(2);
    expect(response.waitedMs).toBeGreaterThan(290_000);
    expect(sandbox.requests.map(({ status }) => status)).toEqual([200, 200, 200, 429, 200]);
  });

  test("makes a client with a shorter deadline fail at once", async () => {
    const sandbox = createSandbox({ size: 10 });
    sandbox.faults.next({ retryAfter: 287 });
    const call = new MainClient(sandbox).accounts.get(1, { totalTimeout: 1_000 });
    await expect(call).rejects.toBeInstanceOf(RateLimitError);
  });

  test("accepts any number if it is false", async () => {
    const sandbox = createSandbox({ size: 10, rateLimit: false });
    for (let at = 0; at < 600; at++) await ask(sandbox, "api/v1/accounts/1");
    expect(sandbox.requests.filter(({ status }) => status !== 200)).toEqual([]);
  });
});

function auth({ apiKey }: { apiKey: string }): RequestInit {
  return { headers: { authorization: `Bearer ${apiKey}` } };
}
