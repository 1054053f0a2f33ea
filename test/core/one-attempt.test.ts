import { describe, expect, it, vi } from "vitest";
import { MemoryRateLimitStore, type RateLimitStore } from "../../src/core/limits/rate-limit-store.js";
import { ConfigurationError } from "../../src/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, networkError, recordingFetch } from "../support/fetch.js";
import { failure, ManualClock, until } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { errorBody } from "../support/server.js";

const redirect = (location: string | null, status = 302) =>
  new Response(null, { status, headers: location === null ? {} : { location } });

describe("a redirect of a read within the origin", () => {
  it.each([301, 302, 303, 307, 308])("with status %d is followed", async (status) => {
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? redirect("/moved", status) : jsonResponse(accountRecord()),
    );
    expect((await mainClient({ fetch, retry: false }).accounts.get(7)).id).toBe(7);
    expect(calls.map(({ url }) => url.pathname)).toEqual(["/api/v1/accounts/7", "/moved"]);
    expect(calls[1]?.headers.authorization).toBe(calls[0]?.headers.authorization);
  });

  it.each([300, 304, 305, 306])("is not followed with status %d", async (status) => {
    const { fetch, calls } = recordingFetch(() => redirect("/moved", status));
    const error = await failure(mainClient({ fetch, retry: false }).accounts.get(7));
    expect(error.message).not.toMatch(/redirect/i);
    expect(calls).toHaveLength(1);
  });

  it("is followed five times, relative to its own URL, and not a sixth time", async () => {
    const chain = (length: number) =>
      recordingFetch(({ index }) => (index < length ? redirect(`./${index}/next`) : jsonResponse(accountRecord())));
    const five = chain(5);
    expect((await mainClient({ fetch: five.fetch, retry: false }).accounts.get(7)).id).toBe(7);
    expect(five.calls.at(-1)?.url.pathname).toBe("/api/v1/accounts/0/1/2/3/4/next");
    const six = chain(6);
    const error = await failure(mainClient({ fetch: six.fetch, retry: false }).accounts.get(7));
    expect(error).toMatchObject({ code: "response_format", status: 302, attempts: 6 });
    expect(error.message).toMatch(/redirect/);
    expect(six.calls).toHaveLength(6);
  });
});

describe("a redirect that is not followed", () => {
  it.each([
    ["of a write", "POST", "/moved"],
    ["to another origin", "GET", "https://elsewhere.example/"],
    ["to another port", "GET", "https://school.example:8443/"],
    ["to the same host without TLS", "GET", "http://school.example/"],
    ["without an address", "GET", null],
    ["to what is no address", "GET", "https://:"],
  ])("%s: nothing is sent to it, and the key stays here", async (_, method, location) => {
    const { fetch, calls } = recordingFetch(() => redirect(location));
    const { accounts } = mainClient({ fetch });
    const error = await failure(method === "POST" ? accounts.create({ name: "A" }) : accounts.get(7));
    expect(error).toMatchObject({ code: "response_format", status: 302, attempts: 1 });
    expect(error.message).toMatch(/redirect/);
    expect(calls).toHaveLength(1);
  });
});

describe("a redirect that a browser hides", () => {
  it("is not a response, and the error mentions the browser", async () => {
    const response = {
      status: 0,
      type: "opaqueredirect",
      headers: new Headers(),
      body: null,
      bodyUsed: false,
      arrayBuffer: async () => new ArrayBuffer(0),
    };
    const { fetch, calls } = recordingFetch(() => response as unknown as Response);
    const error = await failure(mainClient({ fetch }).accounts.get(7));
    expect(error).toMatchObject({ code: "response_format", attempts: 1 });
    expect(error.message).toContain("browser");
    expect(calls).toHaveLength(1);
  });
});

describe("a request", () => {
  it("has the headers for JSON, whatever the options are, and a content type only with a body", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({ fetch, apiKey: "the-key", headers: { "x-own": "1" } });
    await client.accounts.get(7);
    await client.accounts.create({ name: "A" });
    const common = { accept: "application/json", authorization: "Bearer the-key", "x-own": "1" };
    expect(calls[0]?.headers).toMatchObject(common);
    expect(calls[0]?.headers).not.toHaveProperty("content-type");
    expect(calls[1]?.headers).toMatchObject({ ...common, "content-type": "application/json" });
    expect(
      calls.map(({ init, body }) => [init.method, init.redirect, "body" in init, body && JSON.parse(body)]),
    ).toEqual([
      ["GET", "manual", false, null],
      ["POST", "manual", true, { name: "A" }],
    ]);
  });

  it("that writes without a body has no body and no content type", async () => {
    const { fetch, calls } = recordingFetch(() => jsonResponse({}));
    await mainClient({ fetch }).request({ method: "POST", path: "api/v1/rooms/7/open" });
    expect(calls[0]?.init.method).toBe("POST");
    expect(calls[0]?.init).not.toHaveProperty("body");
    expect(calls[0]?.headers).not.toHaveProperty("content-type");
  });

  it("reports its number in the call, its duration and its wait to observers", async () => {
    const clock = new ManualClock();
    const events: unknown[] = [];
    const { fetch } = recordingFetch(async ({ index }) => {
      await new Promise<void>((resolve) => clock.setTimeout(resolve, 40 + index));
      if (index === 0) return redirect("/moved");
      const answer = index === 1 ? jsonResponse(errorBody(503), 503) : jsonResponse(accountRecord());
      answer.headers.set("x-request-id", `id-${index}`);
      return answer;
    });
    const on = {
      request: ({ attempt }: { attempt: number }) => events.push(["request", attempt]),
      response: ({ attempt, status, durationMs, waitedMs, requestId }: Record<string, unknown>) =>
        events.push(["response", attempt, status, durationMs, waitedMs, requestId]),
      retry: ({ attempt, reason }: Record<string, unknown>) => events.push(["retry", attempt, reason]),
    } as never;
    await clock.run(mainClient({ fetch, clock, on }).accounts.get(7));
    expect(events).toEqual([
      ["request", 1],
      ["response", 1, 302, 40, 0, null],
      ["request", 2],
      ["response", 2, 503, 41, 0, "id-1"],
      ["retry", 2, "503"],
      ["request", 3],
      ["response", 3, 200, 42, 0, "id-2"],
    ]);
  });

  it("adds up the waits of all its attempts and those before repetitions", async () => {
    const clock = new ManualClock();
    const { fetch } = recordingFetch(({ index }) =>
      index === 0
        ? redirect("/moved")
        : index === 1
          ? jsonResponse(errorBody(503), 503, { "retry-after": "5" })
          : jsonResponse(accountRecord()),
    );
    const client = mainClient({ fetch, clock, rateLimit: { requests: 1, windowMs: 1_000 } });
    const { response } = await clock.run(client.accounts.get(7).withResponse());
    expect(response).toMatchObject({ attempts: 3, waitedMs: 1_000 + 5_000 });
  });

  it("releases its slot if it was never sent, and keeps it if that is unknown", async () => {
    const clock = new ManualClock();
    const codes = ["ECONNREFUSED", "ECONNRESET"];
    const { fetch } = recordingFetch(({ index }) => Promise.reject(networkError(codes[index] as string)));
    const client = mainClient({ fetch, clock, retry: false });
    await failure(client.accounts.get(7));
    expect(client.rateLimit.used).toBe(0);
    await failure(client.accounts.get(7));
    expect(client.rateLimit.used).toBe(1);
  });

  it("is not sent if its observer aborts it, and releases its slot", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const failures: unknown[] = [];
    const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
    const client = mainClient({
      fetch,
      on: { request: () => controller.abort(reason), failure: (event) => failures.push(event) },
    });
    expect(await failure(client.accounts.get(7, { signal: controller.signal }))).toBe(reason);
    expect(calls).toEqual([]);
    expect(failures).toEqual([]);
    expect(client.rateLimit.used).toBe(0);
  });

  it("passes an abort on to fetch, with its reason, and rejects even if fetch ignores that", async () => {
    const controller = new AbortController();
    const reason = new Error("stop");
    const { fetch, calls } = recordingFetch(() => new Promise(() => undefined));
    const call = failure(mainClient({ fetch }).accounts.get(7, { signal: controller.signal }));
    await until(() => calls.length === 1);
    expect(calls[0]?.init.signal?.aborted).toBe(false);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(calls[0]?.init.signal?.reason).toBe(reason);
  });
});

describe("a 429 without Retry-After", () => {
  it("delays other calls of the token for as long as its own pause", async () => {
    // A random pause could be shorter than a millisecond.
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    const clock = new ManualClock();
    const delays: number[] = [];
    const { fetch } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429) : jsonResponse(accountRecord()),
    );
    const on = { retry: ({ delayMs }: { delayMs: number }) => delays.push(delayMs) };
    const client = mainClient({ fetch, clock, on, retry: { backoffLimit: 10_000 } });
    const call = client.accounts.get(7);
    await until(() => delays.length === 1);
    expect(client.rateLimit.resetAt).toEqual(new Date(clock.now() + (delays[0] as number)));
    await clock.run(call);
  });
});

describe("a 429 with a slow store", () => {
  it("is neither reported nor retried before the store has recorded it", async () => {
    const clock = new ManualClock();
    const memory = new MemoryRateLimitStore();
    const blocks: (() => void)[] = [];
    const store: RateLimitStore = {
      reserve: async (request) => memory.reserve(request),
      settle: async (settlement) => memory.settle(settlement),
      block: () => new Promise<void>((resolve) => blocks.push(resolve)),
    };
    const { fetch, calls } = recordingFetch(({ index }) =>
      index === 0 ? jsonResponse(errorBody(429), 429, { "retry-after": "0" }) : jsonResponse(accountRecord()),
    );
    const responses: number[] = [];
    const on = { response: ({ status }: { status: number }) => responses.push(status) };
    const client = mainClient({ fetch, clock, on, rateLimit: { store } });
    const call = client.accounts.get(7);
    await until(() => blocks.length === 1);
    expect([calls.length, responses]).toEqual([1, []]);
    blocks[0]?.();
    expect((await clock.run(call)).id).toBe(7);
    expect(responses).toEqual([429, 200]);
  });
});

describe("a caller's fetch that returns", () => {
  it.each([
    ["nothing", undefined, "must return a Response"],
    ["null", null, "must return a Response"],
    ["a record", accountRecord(), "must return a Response"],
    ["a status without headers", { status: 200 }, "must return a Response"],
    ["headers of another kind", { status: 200, headers: {} }, "must return a Response"],
    ["headers without a status", { headers: new Headers() }, "must return a Response"],
  ])("%s is reported, and fetch is not called again", async (_, answer, message) => {
    const { fetch, calls } = recordingFetch(() => answer as never);
    const error = await failure(mainClient({ fetch }).accounts.get(7));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error.message).toMatch(/^accounts\.get: the `fetch` option /);
    expect(error.message).toContain(message);
    expect(error).toMatchObject({ operation: "accounts.get" });
    expect(calls).toHaveLength(1);
  });

  it("the same Response twice gets an error that asks for a new one per call", async () => {
    const response = jsonResponse(accountRecord());
    const client = mainClient({ fetch: recordingFetch(() => response).fetch });
    await client.accounts.get(7);
    const error = await failure(client.accounts.get(7));
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ operation: "accounts.get" });
    expect(error.message).toContain("it must create a new one for each call");
  });
});
