import { expect, test } from "vitest";
import { doctor, formatReport } from "../../src/doctor/index.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { refusal, runDoctor, type Served, serveSchool, withHeaders, withRecords, withStatus } from "./support.js";

test.each(["main", "admin"] as const)(
  "finds no difference in the default sandbox, with at most 60 GETs: %s",
  async (api) => {
    const service = await serveSchool();
    const report = await runDoctor(service, { api });
    expect(withStatus(report, "differs")).toEqual({});
    expect(withStatus(report, "not_seen")).toEqual({
      retry_after: "no request was refused because of the rate limit",
      key_end: "no response shows the date; the key's page in the service does",
      signature: expect.stringContaining("doctor receives no deliveries"),
    });
    expect(service.requests.length).toBeLessThanOrEqual(60);
    expect(report.requests).toBe(service.requests.length);
    expect(service.requests.filter((request) => !request.startsWith("GET "))).toEqual([]);
  },
);

test("a list with only two records proves nothing about filters, and the check always requests 100 identifiers", async () => {
  const service = await serveSchool({}, { empty: true, data: { plannedCourses: [{}, {}] } });
  const report = await runDoctor(service);
  expect(withStatus(report, "not_seen")).toMatchObject({
    array_filters: "plannedCourses has too few records, or cannot be read",
  });
  expect(Math.max(...service.requests.map((request) => request.split("id=").length - 1))).toBe(100);
});

test("checks that need records say so in a school without records", async () => {
  const report = await runDoctor(await serveSchool({}, { empty: true }));
  expect(withStatus(report, "differs")).toEqual({});
  expect(Object.keys(withStatus(report, "as_assumed")).sort()).toEqual([
    "clock",
    "deprecations",
    "error_body",
    "etag",
    "feature_flags",
    "missing_is_404",
    "rate_limit_headers",
    "scopes",
    "total",
    "unknown_filters",
    "unreadable_filters",
    "without_key",
    "wrong_key",
  ]);
});

test("a domain that the key may not read is listed with the missing scope, and is not a difference", async () => {
  const service = await serveSchool();
  const apiKey = service.sandbox.createKey({ api: "main", scopes: ["relations:read", "courses:read"] });
  const report = await runDoctor(service, { apiKey });
  const scopes = report.findings.find(({ check }) => check === "scopes");
  expect(withStatus(report, "differs")).toEqual({});
  expect(scopes?.seen).toContain("; refused: enrollments (the service answered 403), orders");
  expect(scopes?.todo).toContain("the scopes orders:read, invoices:read, leads:read, teachers:read, settings:read");
});

test("a 404 for a whole domain counts as a refusal, not as an empty domain", async () => {
  const service = await serveSchool({
    answer: (_, __, { pathname }) => (pathname.startsWith("/api/v1/invoices") ? refusal(404) : undefined),
  });
  const { findings } = await runDoctor(service);
  const scopes = findings.find(({ check }) => check === "scopes");
  expect(scopes?.status).toBe("as_assumed");
  expect(scopes?.seen).toContain("refused: invoices (the service answered 404)");
  expect(scopes?.todo).toContain("A 404 does not mean that there are no records.");
});

test("a disabled feature flag counts as assumed", async () => {
  const report = await runDoctor(await serveSchool({}, { size: "small", disabledFeatures: ["Programs"] }));
  expect(withStatus(report, "differs")).toEqual({});
  expect(withStatus(report, "as_assumed").feature_flags).toBe(
    "Programs: 403: the feature is off, or the key is not allowed to read it; Custom objects: on",
  );
});

test("a key that may read nothing leads to the error of the first request", async () => {
  const service = await serveSchool({ answer: () => refusal(403) });
  await expect(runDoctor(service)).rejects.toMatchObject({ name: "PermissionDeniedError", operation: "accounts.list" });
});

test("an unreachable service receives only one request", async () => {
  let calls = 0;
  const service = await serveSchool();
  const fetch = async () => {
    calls++;
    throw new TypeError("fetch failed");
  };
  await expect(runDoctor(service, { fetch })).rejects.toMatchObject({ name: "ConnectionError" });
  expect(calls).toBe(1);
});

test("after a 429 the doctor sends nothing more, and the remaining checks count as not seen", async () => {
  const service = await serveSchool({
    answer: (_, __, { pathname }) =>
      pathname === "/api/v1/courses" ? refusal(429, {}, { "retry-after": "120" }) : undefined,
  });
  const report = await runDoctor(service);
  expect(service.requests).toHaveLength(3);
  expect(withStatus(report, "differs")).toEqual({});
  expect(withStatus(report, "as_assumed").retry_after).toBe("seconds");
  expect(withStatus(report, "not_seen").next_page).toBe("accounts: not asked: the service had answered 429");
});

test("after three requests without a response the doctor sends nothing more", async () => {
  const service = await serveSchool();
  let calls = 0;
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (++calls > 2) throw new TypeError("fetch failed");
    return service.fetch(new Request(url, init));
  };
  const report = await runDoctor(service, { fetch });
  expect(calls).toBe(5);
  expect(withStatus(report, "differs")).toEqual({});
  expect(withStatus(report, "not_seen").next_page).toBe("accounts: not asked: 3 requests had no response");
});

test("values that are not records are reported, and the checks continue", async () => {
  const service = await serveSchool({
    answer: (response, _, { pathname }) =>
      pathname === "/api/v1/leads" ? withRecords(response, () => [null, "text", [1], 7]) : undefined,
  });
  const report = await runDoctor(service);
  expect(Object.keys(withStatus(report, "differs"))).toEqual(["identifiers", "page_size", "model_types"]);
});

test("a failing list affects only its own findings", async () => {
  const service = await serveSchool({
    answer: (_, __, { pathname }) => (pathname === "/api/v1/users" ? refusal(503) : undefined),
  });
  const report = await runDoctor(service);
  expect(withStatus(report, "not_seen")).toMatchObject({ filters: "no user with an e-mail address could be read" });
  expect(withStatus(report, "as_assumed")).toHaveProperty("next_page");
});

test("an abort ends the doctor with the signal's reason", async () => {
  const stop = new AbortController();
  const service = await serveSchool({
    answer: (_, __, { pathname }) => {
      if (pathname === "/api/v1/orders") stop.abort(new Error("enough"));
      return undefined;
    },
  });
  await expect(runDoctor(service, {}, { signal: stop.signal })).rejects.toThrow("enough");
  expect(service.requests.length).toBeLessThan(10);
});

test("an unknown option is refused before anything is sent", async () => {
  const service = await serveSchool();
  await expect(runDoctor(service, {}, { write: true } as object)).rejects.toMatchObject({ name: "InputError" });
  expect(service.requests).toEqual([]);
});

test("the report contains no value of a record, whatever the service sends", async () => {
  // Written like a value of an enumeration, because reports write field names like this.
  const canary = "canary_7f3a9c";
  const poison = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poison);
    if (typeof value === "object" && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, each]) => [name, name === "id" ? each : poison(each)]),
      );
    }
    return canary;
  };
  const service = await serveSchool({
    async answer(response) {
      const body =
        response.status === 200
          ? await withRecords(response, (records) => records.map(poison))
          : refusal(response.status, { message: canary, errors: { [canary]: [canary] } });
      return withHeaders(body, {
        ...{ etag: `"${canary}"`, "x-request-id": canary, "x-total-count": canary, "x-ratelimit-limit": canary },
        ...{ "retry-after": canary, date: canary },
      });
    },
  });
  const report = await runDoctor(service);
  expect(withStatus(report, "differs")).toMatchObject({
    unknown_values: expect.stringContaining("accounts.account_type"),
  });
  expect(JSON.stringify(report) + formatReport(report)).not.toContain(canary);
  expect(JSON.stringify(report)).not.toContain(service.baseUrl);
});

test("the report contains no invalid field name either", async () => {
  const name = "Alva Sample, 4 High Street";
  const service = await serveSchool({
    answer: (response, _, { pathname }) =>
      pathname.startsWith("/api/v1/accounts")
        ? withRecords(response, (records) => records.map((each) => ({ ...each, [name]: { [name]: 1 } })))
        : undefined,
  });
  const report = await runDoctor(service);
  expect(withStatus(report, "new")).toEqual({ unknown_fields: "accounts.(a name in another form)" });
});

test("the report begins with the differences, and says what to do", async () => {
  const service = await serveSchool({
    ask: ({ searchParams }) => searchParams.delete("page"),
  });
  const text = formatReport(await runDoctor(service));
  expect(text.split("\n").slice(0, 7)).toEqual([
    expect.stringMatching(/^doctor, main API: \d+ requests, \d+ checks: 1 differs, 0 new, 3 not seen, \d+ as assumed$/),
    "",
    "DIFFERS  page_numbers: Does a list accept `page`, and does it show which page is the last?",
    "  Seen: page is ignored",
    "  Touches: docs/guides/fewer-requests.md: `with` and `getMany` learn from the first page whether reading a list is cheaper than single records",
    "  To do: Nothing breaks: `with` and `getMany` then read up to twice as many pages.",
    "",
  ]);
});

test("every fifth request gets a 500, is repeated once, and fails no check", async () => {
  let count = 0;
  const service = await serveSchool({ answer: () => (++count % 5 === 0 ? refusal(500) : undefined) });
  const report = await runDoctor(service);
  expect(withStatus(report, "differs")).toEqual({});
  expect(Object.keys(withStatus(report, "not_seen"))).toEqual(["retry_after", "key_end", "signature"]);
  expect(report.requests).toBe(service.requests.length);
});

test("a list that always returns 500 counts as not seen after two requests", async () => {
  const service = await serveSchool({
    answer: (_, __, { pathname }) => (pathname.startsWith("/api/v1/invoices") ? refusal(500) : undefined),
  });
  const report = await runDoctor(service);
  expect(withStatus(report, "differs")).toEqual({});
  expect(service.requests.filter((request) => request.includes("/invoices"))).toHaveLength(2);
});

test("a record deleted during the check proves nothing", async () => {
  const deleted = new Set<string>();
  const service = await serveSchool({
    answer(response, _, { pathname }) {
      const id = /^\/api\/v1\/users\/(\d+)$/.exec(pathname)?.[1];
      if (id !== undefined) {
        deleted.add(id);
        return refusal(404);
      }
      return pathname === "/api/v1/users"
        ? withRecords(response, (records) => records.filter((user) => !deleted.has(String(user.id))))
        : undefined;
    },
  });
  expect(withStatus(await runDoctor(service), "differs")).not.toHaveProperty("listed_is_readable");
});

test("checks that have sent no request when the time is up count as not seen", async () => {
  const sandbox = createSandbox({ skipWaits: true, size: "small", now: "2030-06-01T12:00:00.000Z" });
  const client = new MainClient({
    ...sandbox,
    fetch: async (url, init) => {
      await new Promise<void>((resolve) => void sandbox.clock.setTimeout(resolve, 1_000));
      return sandbox.fetch(url, init);
    },
  });
  const report = await doctor(client, { totalTimeout: 10_000 });
  expect(report.requests).toBeLessThanOrEqual(11);
  expect(withStatus(report, "differs")).toEqual({});
  expect(JSON.stringify(report.findings)).toContain("not asked: the time limit has passed");
});

test("reports about the same school have the same mark, and those about two schools different ones", async () => {
  const schoolMarkOf = async (service: Served) => withStatus(await runDoctor(service), "as_assumed").school;
  const one = await serveSchool();
  const mark = await schoolMarkOf(one);
  expect(mark).toMatch(/^mark [0-9a-f]{8};/);
  expect(await schoolMarkOf(one)).toBe(mark);
  expect(await schoolMarkOf(await serveSchool({}, { now: "2031-01-01T00:00:00.000Z", size: "small" }))).not.toBe(mark);
});

test("a new field is listed with its type and share of nulls, with `all` for every list", async () => {
  const mood = (id: unknown) => (Number(id) % 4 === 0 ? "good" : null);
  const service = await serveSchool({
    answer: (response, _, { pathname }) =>
      /v1\/(courses|tasks)$/.test(pathname)
        ? withRecords(response, (records) => records.map((each) => ({ ...each, mood: mood(each.id) })))
        : undefined,
  });
  const some = await runDoctor(service);
  expect(withStatus(some, "new").unknown_fields).toMatch(/^courses\.mood \(text, null in 7[05] %\)$/);
  expect(some.unread).toContain("tasks.list");
  expect(formatReport(some)).toMatch(/^not read {2}.*\btasks\.list\b/m);
  const all = await runDoctor(service, {}, { all: true });
  expect(withStatus(all, "new").unknown_fields).toContain(", tasks.mood (text, null in ");
  expect(all.unread).toEqual([]);
});
