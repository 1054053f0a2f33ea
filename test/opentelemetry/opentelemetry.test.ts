import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { DataPointType } from "@opentelemetry/sdk-metrics";
import type { ReadableSpan } from "@opentelemetry/sdk-trace-base";
import {
  ATTR_ERROR_TYPE,
  ATTR_HTTP_REQUEST_METHOD,
  ATTR_HTTP_REQUEST_RESEND_COUNT,
  ATTR_HTTP_RESPONSE_STATUS_CODE,
  ATTR_SERVER_ADDRESS,
  ATTR_SERVER_PORT,
  ATTR_URL_FULL,
  ATTR_URL_SCHEME,
} from "@opentelemetry/semantic-conventions";
import { ATTR_URL_TEMPLATE } from "@opentelemetry/semantic-conventions/incubating";
import { describe, expect, test } from "vitest";
import { instrument } from "../../src/opentelemetry/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { scriptedList, upTo } from "../support/lists.js";
import { accountRecord } from "../support/records.js";
import { json, serve } from "../support/server.js";
import { telemetry } from "./support.js";

const CLIENT = { kind: SpanKind.CLIENT };
const SERVER = { [ATTR_URL_SCHEME]: "https", [ATTR_SERVER_ADDRESS]: "school.example", [ATTR_SERVER_PORT]: 443 };

const spansNamed = (spans: readonly ReadableSpan[], name: string) => spans.filter((span) => span.name === name);
const eventsOf = ({ events }: ReadableSpan) => events.map(({ name, attributes }) => ({ name, ...attributes }));

describe("spans", () => {
  test("exist for each call and, below it, each request, with the attributes of the conventions", async () => {
    const { spans, runWithin: within, ancestors } = telemetry();
    const { fetch } = recordingFetch(({ index }) =>
      index === 0 ? new Response(null, { status: 503 }) : jsonResponse(accountRecord(7)),
    );
    await within("caller", () => mainClient({ fetch, baseUrl: "https://school.example/tenant/" }).accounts.get(7));
    const [first, second, call, caller] = spans as [ReadableSpan, ReadableSpan, ReadableSpan, ReadableSpan];
    const template = "/tenant/api/v1/accounts/{id}";
    const known = { ...SERVER, [ATTR_HTTP_REQUEST_METHOD]: "GET", [ATTR_URL_TEMPLATE]: template };
    expect(call).toMatchObject({
      name: "accounts.get",
      kind: SpanKind.INTERNAL,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(call.attributes).toEqual({
      ...known,
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
      "education_admin.operation": "accounts.get",
      "education_admin.attempts": 2,
    });
    expect(first).toMatchObject({
      name: `GET ${template}`,
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.ERROR },
    });
    expect(first.attributes).toEqual({ ...known, [ATTR_HTTP_RESPONSE_STATUS_CODE]: 503, [ATTR_ERROR_TYPE]: "503" });
    expect(second).toMatchObject({ name: `GET ${template}`, status: { code: SpanStatusCode.UNSET } });
    expect(second.attributes).toEqual({
      ...known,
      [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200,
      [ATTR_HTTP_REQUEST_RESEND_COUNT]: 1,
    });
    expect([first, second].map(ancestors)).toEqual([
      ["accounts.get", "caller"],
      ["accounts.get", "caller"],
    ]);
    expect(caller.name).toBe("caller");
    expect(eventsOf(call)).toEqual([
      { name: "retry", "education_admin.retry.reason": "503", "education_admin.retry.delay_ms": expect.any(Number) },
    ]);
  });

  test.each([
    [
      "404",
      () => new Response(null, { status: 404 }),
      "404",
      { [ATTR_HTTP_RESPONSE_STATUS_CODE]: 404, [ATTR_ERROR_TYPE]: "404" },
    ],
    [
      "no connection",
      () =>
        Promise.reject(new TypeError("fetch failed", { cause: Object.assign(new Error(), { code: "ECONNREFUSED" }) })),
      "ConnectionError",
      { [ATTR_ERROR_TYPE]: "ECONNREFUSED" },
    ],
    [
      "what is not JSON",
      () => new Response("<html>", { headers: { "content-type": "text/html" } }),
      "ResponseFormatError",
      { [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200 },
    ],
  ])("of a call that ends with %s have the type of the error", async (_, respond, type, ofRequest) => {
    const { spans } = telemetry();
    const { fetch } = recordingFetch(() => respond() as Response);
    await mainClient({ fetch, retry: false })
      .accounts.get(7)
      .catch(() => undefined);
    const [request, call] = spans;
    expect(call).toMatchObject({ name: "accounts.get", status: { code: SpanStatusCode.ERROR } });
    expect(call?.attributes[ATTR_ERROR_TYPE]).toBe(type);
    expect(request?.attributes).toMatchObject(ofRequest);
    expect(call?.status.message).toBeUndefined();
  });

  test("of an aborted call end, and contain neither the signal's reason nor its message", async () => {
    const { spans } = telemetry();
    const stop = new AbortController();
    const { fetch } = recordingFetch(() => new Promise<Response>(() => undefined));
    const call = mainClient({ fetch }).accounts.get(7, { signal: stop.signal });
    await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort(new Error("somebody@example.org has left"));
    await expect(call).rejects.toThrow("has left");
    expect(spans.map(({ attributes }) => attributes[ATTR_ERROR_TYPE])).toEqual(["aborted", "_OTHER"]);
  });

  test("of a raw request do not contain its path", async () => {
    const { spans } = telemetry();
    const { fetch } = recordingFetch(() => jsonResponse({}));
    await mainClient({ fetch }).request({ method: "GET", path: "api/v1/people/somebody@example.org" });
    expect(spans.map(({ name }) => name)).toEqual(["GET", "request"]);
    for (const { attributes } of spans) expect(attributes[ATTR_URL_TEMPLATE]).toBeUndefined();
    expect(JSON.stringify(spans.map(({ name, attributes }) => [name, attributes]))).not.toContain("somebody");
  });

  test("can have url.full, with parameter names in place of values", async () => {
    const { spans } = telemetry({ urlFull: true });
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(7)));
    const client = mainClient({ fetch, baseUrl: "https://school.example/tenant/" });
    await client.accounts.get(7);
    await client.request({ method: "GET", path: "api/v1/accounts/7", query: { search: "secret" } });
    expect(
      spans.filter(({ kind }) => kind === SpanKind.CLIENT).map(({ attributes }) => attributes[ATTR_URL_FULL]),
    ).toEqual(["https://school.example/tenant/api/v1/accounts/{id}", "https://school.example/[redacted]"]);
  });

  test("are the only ones of a request beside undici's instrumentation", async () => {
    const set = telemetry();
    // Starts and ends spans as @opentelemetry/instrumentation-undici does; test/frameworks has the package itself.
    const open = new WeakMap<object, Span>();
    const requestOf = (message: unknown) => (message as { request: { path: string } }).request;
    const startSpan = (message: unknown) => {
      const { path } = requestOf(message);
      open.set(requestOf(message), set.tracer.startSpan("GET", { ...CLIENT, attributes: { [ATTR_URL_FULL]: path } }));
    };
    const endSpan = (message: unknown) => open.get(requestOf(message))?.end();
    subscribe("undici:request:create", startSpan);
    subscribe("undici:request:trailers", endSpan);
    const server = await serve((_, response) => json(response, 200, accountRecord(7)));
    await mainClient({ baseUrl: server.url, fetch: undefined }).accounts.get(7);
    await (await fetch(server.url)).text();
    unsubscribe("undici:request:create", startSpan);
    unsubscribe("undici:request:trailers", endSpan);
    const clientSpans = set.spans.filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(clientSpans.map(({ name }) => name)).toEqual(["GET /api/v1/accounts/{id}", "GET"]);
  });

  test("are made once, although a second copy of the package instruments the process too", async () => {
    const set = telemetry();
    const copy = (await import("../../src/opentelemetry/index.js?copy" as string)) as { instrument: typeof instrument };
    expect(copy.instrument).not.toBe(instrument);
    const again = [instrument({ tracer: set.tracer }), copy.instrument({ tracer: set.tracer })];
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(7)));
    const client = mainClient({ fetch });
    await client.accounts.get(7);
    expect(set.spans.map(({ name }) => name)).toEqual(["GET /api/v1/accounts/{id}", "accounts.get"]);
    again[1]?.disable();
    await client.accounts.get(7);
    expect(set.spans).toHaveLength(2);
    const { disable } = copy.instrument({ tracer: set.tracer, meter: false });
    set.disable();
    await client.accounts.get(7);
    disable();
    expect(set.spans).toHaveLength(4);
  });

  test("end when tracing is disabled, and a tracer that throws has no effect on calls", async () => {
    const set = telemetry();
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(7)));
    const client = mainClient({ fetch });
    set.disable();
    set.disable();
    await client.accounts.get(7);
    expect(set.spans).toEqual([]);
    const throwing = {
      startSpan: () => {
        throw new Error("no");
      },
      startActiveSpan: () => undefined as never,
    };
    const { disable } = instrument({ tracer: throwing, meter: false });
    expect(await client.accounts.get(7)).toEqual(accountRecord(7));
    disable();
  });
});

describe("the parent of a call's span is the span of its caller", () => {
  test("however long the call waits for the rate limiter", async () => {
    const { spans, runWithin: within, ancestors } = telemetry();
    const { fetch } = recordingFetch(async ({ url }) => {
      await new Promise((resolve) => setTimeout(resolve, 3));
      return jsonResponse(accountRecord(Number(url.pathname.split("/").at(-1))));
    });
    const client = mainClient({ fetch, rateLimit: { concurrency: 1 } });
    // The limiter sends each request while it handles another call, after its own caller has returned.
    await Promise.all(upTo(12).map((id) => within(`caller ${id}`, () => client.accounts.get(id))));
    const calls = spansNamed(spans, "accounts.get");
    const requests = spansNamed(spans, "GET /api/v1/accounts/{id}");
    expect(calls.map(ancestors)).toEqual(upTo(12).map((id) => [`caller ${id}`]));
    expect(requests.map(ancestors)).toEqual(upTo(12).map((id) => ["accounts.get", `caller ${id}`]));
    const waits = calls.slice(1).map(eventsOf);
    expect(waits).toEqual(
      waits.map(() => [expect.objectContaining({ name: "wait", "education_admin.wait.reason": "concurrency" })]),
    );
  });

  test("even if pages of several lists are prefetched at once", async () => {
    const { spans, runWithin: within, ancestors } = telemetry();
    const client = mainClient({ fetch: scriptedList(60).fetch, rateLimit: { concurrency: 2 } });
    const read = async (prefetch: number) => {
      let records = 0;
      const contacts = client.organization.contacts.list({ per_page: 10 }, { prefetch });
      for await (const _ of contacts) records++;
      return records;
    };
    const counts = await Promise.all([0, 1, 2, 3].map((ahead) => within(`reader ${ahead}`, () => read(ahead))));
    expect(counts).toEqual([60, 60, 60, 60]);
    for (const ahead of [0, 1, 2, 3]) {
      const own = spans.filter((span) => ancestors(span).at(-1) === `reader ${ahead}`);
      expect(spansNamed(own, "organization.contacts.list")).toHaveLength(6);
      expect(spansNamed(own, "GET /api/organization/contacts")).toHaveLength(6);
    }
  });

  test("and fetch runs within the span of the request, which it may pass on", async () => {
    const { spans, runWithin: within } = telemetry();
    let active: Span | undefined;
    const { fetch } = recordingFetch(() => {
      active = trace.getActiveSpan();
      return jsonResponse(accountRecord(7));
    });
    const outside = await within("caller", async () => {
      await mainClient({ fetch }).accounts.get(7);
      return trace.getSpan(context.active());
    });
    expect(active).toBe(spansNamed(spans, "GET /api/v1/accounts/{id}")[0]);
    expect((outside as unknown as ReadableSpan).name).toBe("caller");
  });
});

describe("metrics", () => {
  test("measure the durations of requests and calls", async () => {
    const { metrics } = telemetry();
    const { fetch } = recordingFetch(({ index }) =>
      index === 0 ? new Response(null, { status: 503 }) : jsonResponse(accountRecord(7)),
    );
    await mainClient({ fetch }).accounts.get(7);
    const all = await metrics();
    const requests = all.get("education_admin.request.duration");
    expect(requests?.descriptor).toMatchObject({ unit: "s" });
    const known = { ...SERVER, [ATTR_HTTP_REQUEST_METHOD]: "GET", [ATTR_URL_TEMPLATE]: "/api/v1/accounts/{id}" };
    expect(requests?.dataPoints.map(({ attributes }) => attributes)).toEqual([
      { ...known, [ATTR_HTTP_RESPONSE_STATUS_CODE]: 503, [ATTR_ERROR_TYPE]: "503" },
      { ...known, [ATTR_HTTP_RESPONSE_STATUS_CODE]: 200 },
    ]);
    expect(requests?.dataPointType).toBe(DataPointType.HISTOGRAM);
    const calls = all.get("education_admin.call.duration")?.dataPoints;
    expect(calls).toMatchObject([
      { attributes: { "education_admin.operation": "accounts.get", ...SERVER }, value: { count: 1 } },
    ]);
  });

  test("count drift, and spans contain its kind but not the field", async () => {
    const { metrics, spans } = telemetry();
    const record = { ...accountRecord(7), name: null, "private note": "x" };
    const { fetch } = recordingFetch(() => jsonResponse(record));
    const client = mainClient({ fetch, on: { drift: () => undefined } });
    await client.accounts.get(7);
    await client.accounts.get(7);
    const points = (await metrics()).get("education_admin.drift")?.dataPoints;
    expect(points).toMatchObject([
      { attributes: { "education_admin.drift.kind": "unexpected_null" }, value: 1 },
      { attributes: { "education_admin.drift.kind": "unknown_field" }, value: 1 },
    ]);
    expect(eventsOf(spansNamed(spans, "accounts.get")[0] as ReadableSpan)).toHaveLength(2);
    expect(JSON.stringify(spans.map(eventsOf))).not.toContain("private");
  });

  test("show the fullest rate limit of an address as gauges", async () => {
    const { metrics } = telemetry();
    const { fetch } = recordingFetch(() => jsonResponse(accountRecord(7)));
    const full = mainClient({ fetch, baseUrl: "https://gauges.example", rateLimit: { requests: 10 } });
    const empty = mainClient({ fetch, baseUrl: "https://gauges.example", rateLimit: { requests: 100 } });
    for (let call = 0; call < 4; call++) await full.accounts.get(7);
    await empty.accounts.get(7);
    await mainClient({ fetch, baseUrl: "https://unlimited.example", rateLimit: false }).accounts.get(7);
    const all = await metrics();
    const values = (name: string) =>
      all
        .get(`education_admin.rate_limit.${name}`)
        ?.dataPoints.map(({ attributes, value }) => [attributes[ATTR_SERVER_ADDRESS], value]);
    expect(values("used")).toEqual([
      ["gauges.example", 4],
      ["unlimited.example", 0],
    ]);
    expect(values("limit")).toEqual([["gauges.example", 10]]);
    expect(values("queued")).toEqual([
      ["gauges.example", 0],
      ["unlimited.example", 0],
    ]);
  });
});

test("refuse wrong options", () => {
  expect(() => instrument({ tracers: 1 } as object)).toThrow('tracers is unknown; did you mean "tracer"?');
  expect(() => instrument({ tracer: {} as never })).toThrow("tracer must be a Tracer");
  expect(() => instrument({ meter: {} as never })).toThrow("meter must be a Meter");
});

test("contain no key, and no value of a path, query, body, header or response", async () => {
  const { spans, metrics } = telemetry();
  const secret = (what: string) => `canary-${what}-somebody@example.org`;
  const sandbox = createSandbox({ apiKey: "canary-key" });
  const statuses = [200, 201, 204, 400, 401, 403, 404, 409, 422, 429, 500];
  let at = 0;
  const echo = async (_url: string, init: { body?: string }) => {
    const status = statuses[at++ % statuses.length] as number;
    const text = init.body ?? "nothing";
    const body = { errors: { [secret("field")]: [text] }, code: status, message: `${text} ${secret("message")}` };
    const headers = {
      "x-request-id": secret("id"),
      link: `</?cursor=${secret("cursor")}>; rel="next"`,
      "retry-after": "0",
    };
    return status === 204 ? new Response(null, { status, headers }) : jsonResponse(body, status, headers);
  };
  for (const fetch of [sandbox.fetch, echo]) {
    const client = mainClient({
      fetch,
      baseUrl: sandbox.baseUrl,
      apiKey: "canary-key",
      headers: { "x-own": "canary-header" },
    });
    for (let round = 0; round < statuses.length; round++) {
      await Promise.allSettled([
        client.accounts.list({ search: secret("query") }),
        client.accounts.create({ name: secret("body") }),
        client.accounts.update(707_070, { name: secret("body") }),
        client.accounts.get(707_070),
        client.customRecords.list({ object_slug: secret("path").replace("@", "-") } as never),
        client.request({ method: "POST", path: `api/v1/x/${secret("path")}`, body: { note: secret("body") } }),
        client.accounts.list({ cursor: secret("cursor") }).toArray({ max: 3 }),
      ]);
    }
  }
  const written = JSON.stringify([
    spans.map(({ name, attributes, events, status, links }) => ({ name, attributes, events, status, links })),
    [...(await metrics()).values()].map(({ dataPoints }) => dataPoints.map(({ attributes }) => attributes)),
  ]);
  expect(spans.length).toBeGreaterThan(200);
  expect(written).not.toContain("canary");
  expect(written).not.toContain("somebody");
  expect(written).not.toContain("707070");
});
