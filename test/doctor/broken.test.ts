import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { drawCases } from "../support/amount.js";
import { type Otherwise, refusal, runDoctor, serveSchool, withHeaders, withRecords, withStatus } from "./support.js";

const ACCOUNTS = "/api/v1/accounts";

/** Changes the responses for one path. */
function at(path: string, answer: NonNullable<Otherwise["answer"]>): Otherwise {
  return { answer: (response, request, url) => (url.pathname === path ? answer(response, request, url) : undefined) };
}

/** Changes the responses for a list and its records. */
function answerBelow(path: string, answer: NonNullable<Otherwise["answer"]>): Otherwise {
  return {
    answer: (response, request, url) => (url.pathname.startsWith(path) ? answer(response, request, url) : undefined),
  };
}

/** Changes the responses that have a link to a next page. */
function atLinks(change: (link: string, url: URL) => string): Otherwise {
  return {
    answer: (response, _, url) => {
      const link = response.headers.get("link");
      return link === null ? undefined : withHeaders(response, { link: change(link, url) || null });
    },
  };
}

/** Refuses a cursor the nth time it is used, and from then on. */
function atUse(use: number, path: string): Otherwise {
  const uses = new Map<string, number>();
  return {
    answer: (_, __, url) => {
      const cursor = url.searchParams.get("cursor");
      if (cursor === null || url.pathname !== path) return undefined;
      uses.set(cursor, (uses.get(cursor) ?? 0) + 1);
      return (uses.get(cursor) ?? 0) >= use ? refusal(400, { message: "The cursor has expired" }) : undefined;
    },
  };
}

const BROKEN: Readonly<Record<string, readonly [Otherwise, Readonly<Record<string, string>>]>> = {
  "a list in descending order": [
    at("/api/v1/leads", (response) => withRecords(response, (records) => records.reverse())),
    { ascending_ids: "not ascending: leads" },
  ],
  "a record twice on a page": [
    at("/api/v1/labels", (response) => withRecords(response, ([first, , ...more]) => [first, first, ...more])),
    { identifiers: "missing, not a positive whole number, or twice on a page: labels" },
  ],
  "pages of 50": [
    { ask: ({ searchParams }) => searchParams.get("per_page") === "100" && searchParams.set("per_page", "50") },
    { page_size: expect.stringContaining("accounts: 50 instead of 100") },
  ],
  "per_page ignored": [
    { ask: ({ pathname, searchParams }) => pathname === ACCOUNTS && searchParams.set("per_page", "25") },
    { page_size: "accounts: 25 records instead of 2" },
  ],
  "no link to the next page": [
    atLinks((link) => (link.includes("cursor") ? "" : link)),
    { next_page: "accounts: a page with records after it has no link to the next" },
  ],
  "a link to other records": [
    {
      ask: (url) => {
        if (url.searchParams.has("cursor") && url.pathname === ACCOUNTS) url.searchParams.delete("cursor");
      },
    },
    {
      next_page: "accounts: the link leads to other records",
      wrong_cursor: "a wrong cursor is ignored: the list begins again",
      page_numbers: "page 2 is not the page that the first page links to",
    },
  ],
  "a cursor for one use": [
    atUse(2, ACCOUNTS),
    {
      cursor_repeat: "accounts: the link was refused: the service refused the cursor",
      cursor_life: "accounts: the link was refused: the service refused the cursor",
    },
  ],
  "a cursor that expires": [
    atUse(3, ACCOUNTS),
    { cursor_life: "accounts: the link was refused: the service refused the cursor" },
  ],
  "a wrong cursor refused without a reason": [
    at(ACCOUNTS, ({ status }) => (status === 400 ? refusal(422) : undefined)),
    { wrong_cursor: "422, and the error does not mention the cursor" },
  ],
  "links to an inner host": [
    atLinks((link) => link.replaceAll(/https?:\/\/[^/]+/g, "http://10.0.0.7:3000")),
    { link_address: "the link names another host" },
  ],
  "links to another path": [
    atLinks((link) => link.replaceAll("/api/", "/v2/")),
    { link_address: "the link names another path" },
  ],
  "page refused": [
    { answer: (_, __, { searchParams }) => (searchParams.has("page") ? refusal(400) : undefined) },
    { page_numbers: "page: the service answered 400" },
  ],
  "page ignored": [{ ask: ({ searchParams }) => searchParams.delete("page") }, { page_numbers: "page is ignored" }],
  "no link to the last page": [
    atLinks((link) => link.replace(/, <[^>]+>; rel="last"/, "")),
    { page_numbers: "`page` works, but no link with rel=last shows the number of pages" },
  ],
  "a total that lies": [
    at("/api/v1/labels", (response) => withHeaders(response, { total: "1000" })),
    { total: "the Total header has no number or a wrong one: labels" },
  ],
  "a total that is no number": [
    at("/api/v1/leads", (response) => withHeaders(response, { total: "many" })),
    { total: "the Total header has no number or a wrong one: leads" },
  ],
  "a last page in another order": [
    at("/api/v1/invoices", (response, _, { searchParams }) =>
      Number(searchParams.get("page")) > 1 ? withRecords(response, (records) => records.reverse()) : undefined,
    ),
    { ascending_ids: "not ascending: invoices" },
  ],
  "a record left out": [
    at("/api/v1/users", (response, _, { searchParams }) =>
      searchParams.has("email") ? undefined : withRecords(response, (records) => records.filter((_, at) => at !== 50)),
    ),
    { whole_pages: "pages with fewer records than they should have: users: 99" },
  ],
  "a filter that takes 50 values": [
    {
      ask: ({ searchParams }) => {
        const ids = searchParams.getAll("id");
        if (ids.length > 50) {
          searchParams.delete("id");
          for (const id of ids.slice(0, 10)) searchParams.append("id", id);
        }
      },
    },
    {
      many_identifiers: expect.stringMatching(
        /^plannedCourses: 10 records for 100 identifiers; the list has \d+ of them/,
      ),
    },
  ],
  "people without a key": [
    {
      answer: (_, request, { pathname }) =>
        pathname === "/api/v1/users" && !request.headers.has("authorization") ? Response.json([]) : undefined,
    },
    { without_key: expect.stringMatching(/^open without a key: courses, plannedCourses, users; refused: invoices/) },
  ],
  "a key that ends in a week": [
    {
      answer: (response) =>
        withHeaders(response, { "x-token-expires-at": new Date(Date.now() + 7.5 * 86_400_000).toISOString() }),
    },
    { key_end: "in 7 days, according to the header x-token-expires-at" },
  ],
  "a list that cuts texts": [
    at("/api/v1/courses", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, name: String(each.name).slice(0, 3) }))),
    ),
    { list_shows_all: "missing, additional, shorter or different in the list: courses.name" },
  ],
  "a list with another identifier": [
    at("/api/v1/enrollments", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, student_id: 999_999 }))),
    ),
    { list_shows_all: "missing, additional, shorter or different in the list: enrollments.student_id" },
  ],
  "a filter ignored": [
    { ask: ({ searchParams }) => searchParams.delete("email") },
    { filters: "users: filtering by an unused e-mail address returned 100 records" },
  ],
  "a filter that finds nothing": [
    { ask: ({ searchParams }) => searchParams.has("email") && searchParams.set("email", "x@nobody.example.com") },
    { filters: "users: a search for a user's e-mail address did not find the user" },
  ],
  "e-mail addresses in their case": [
    at("/api/v1/users", (response, _, { searchParams }) =>
      /[A-Z]/.test(searchParams.get("email") ?? "") ? withRecords(response, () => []) : undefined,
    ),
    { email_case: "users: 1 record for the stored form of the address, 0 in the opposite case" },
  ],
  "the last value of a filter only": [
    {
      ask: ({ searchParams }) =>
        searchParams.has("id") && searchParams.set("id", searchParams.getAll("id").at(-1) ?? ""),
    },
    {
      array_filters: "plannedCourses: 1 record for two identifiers; the list has 2 of them; with name[]: 2 records",
      many_identifiers: expect.any(String),
    },
  ],
  "a listed record that cannot be read": [
    { answer: (_, __, { pathname }) => (/users\/\d+$/.test(pathname) ? refusal(404) : undefined) },
    { listed_is_readable: "users: the service answered 404" },
  ],
  "a list that hides values": [
    {
      answer: (response, _, { pathname }) =>
        /api\/v1\/users/.test(pathname)
          ? withRecords(response, (records) =>
              records.map((each) => ({ ...each, locale: pathname.endsWith("users") ? null : "en" })),
            )
          : undefined,
    },
    { list_shows_all: "missing, additional, shorter or different in the list: users.locale" },
  ],
  "a list that leaves a field out": [
    at(ACCOUNTS, (response) => withRecords(response, (records) => records.map(({ slug: _, ...each }) => each))),
    {
      list_shows_all: "missing, additional, shorter or different in the list: accounts.slug",
      model_types: "accounts.slug (missing_field)",
    },
  ],
  "403 for what does not exist": [
    { answer: ({ status }) => (status === 404 ? refusal(403) : undefined) },
    { missing_is_404: "accounts: the service answered 403" },
  ],
  "errors of another form": [
    { answer: ({ status }) => (status === 404 ? Response.json({ detail: "?" }, { status }) : undefined) },
    { error_body: "no errors (404), no code (404), no message (404)" },
  ],
  "errors in HTML": [
    {
      answer: ({ status }) =>
        status === 404 ? new Response("<html>", { status, headers: { "content-type": "text/html" } }) : undefined,
    },
    { error_body: expect.stringContaining("(404)") },
  ],
  "a value that an enumeration lacks": [
    answerBelow("/api/v1/invoices", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, status: "archived" }))),
    ),
    { unknown_values: "invoices.status", sendable_values: "refused when sent: invoices.status" },
  ],
  "a number in place of text": [
    answerBelow("/api/v1/orders", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, number: {} }))),
    ),
    { model_types: "orders.number (wrong_type)" },
  ],
  "times with an offset": [
    answerBelow("/api/v1/teachers", (response) =>
      withRecords(response, (records) =>
        records.map((each) => ({ ...each, created_at: "2030-06-01T14:00:00.000+02:00" })),
      ),
    ),
    { time_zone: "teachers.created_at (with an offset)" },
  ],
  "days with a time": [
    answerBelow("/api/v1/enrollments", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, start_date: "2030-06-01 00:00" }))),
    ),
    { time_zone: "enrollments.start_date (without a zone)" },
  ],
  "amounts with one decimal": [
    answerBelow("/api/v1/invoices", (response) =>
      withRecords(response, (records) => records.map((each) => ({ ...each, total_incl: "10.0" }))),
    ),
    { amounts: "invoices.total_incl (1 decimal)" },
  ],
  "an unknown parameter ignored": [
    { ask: ({ searchParams }) => searchParams.delete("doctor") },
    { unknown_filters: "plannedCourses: ignored" },
  ],
  "a day of another form ignored": [
    { ask: ({ searchParams }) => searchParams.delete("start_date_from") },
    { unreadable_filters: "plannedCourses: ignored" },
  ],
  "404 for a wrong key": [
    {
      answer: (_, request) =>
        request.headers.get("authorization")?.includes("doctor-asks") ? refusal(404) : undefined,
    },
    { wrong_key: "accounts: 404" },
  ],
  "401 without a scope": [
    at("/api/v1/invoices", () => refusal(401)),
    { scopes: expect.stringContaining("; other: invoices (the service answered 401)") },
  ],
  "422 without a flag": [
    at("/api/v1/program/programs", () => refusal(422)),
    { feature_flags: "Programs: 422: the feature is off, or the key is not allowed to read it; Custom objects: on" },
  ],
  "a lower limit": [
    { answer: (response) => withHeaders(response, { "x-ratelimit-limit": "120", "x-ratelimit-remaining": "7" }) },
    { rate_limit_headers: "headers: x-ratelimit-limit, x-ratelimit-remaining; 120 requests, the client allows 500" },
  ],
  "a 429 that does not say how long": [
    at("/api/organization/contacts", () => refusal(429)),
    { retry_after: "a 429 without Retry-After" },
  ],
  "a 429 that counts milliseconds": [
    at("/api/organization/contacts", () => refusal(429, {}, { "retry-after": "287000" })),
    { retry_after: "a number far above the rate limit's 300 seconds" },
  ],
  "a clock ten minutes ahead": [
    { answer: (response) => withHeaders(response, { date: new Date(Date.now() + 600_000).toUTCString() }) },
    { clock: expect.stringMatching(/^\d+ seconds apart$/) },
  ],
};

const MORE: typeof BROKEN = {
  "another header with a total": [
    { answer: (response) => withHeaders(response, { "x-total-count": "1000" }) },
    { total: "other headers: x-total-count" },
  ],
  "a field that the models lack": [
    {
      answer: (response, _, { pathname }) =>
        /v1\/courses/.test(pathname)
          ? withRecords(response, (records) => records.map((each) => ({ ...each, mood: 1 })))
          : undefined,
    },
    { unknown_fields: "courses.mood (number, null in 0 %)" },
  ],
  "announced ends of operations": [
    {
      answer(response, _, { pathname }) {
        const next = response.headers.get("link");
        const link = (own: string) => [own, next].filter(Boolean).join(", ");
        if (/v1\/accounts$/.test(pathname)) {
          const page = link('<https://docs.example/end?for=Ada%20Lovelace#now>; rel="deprecation"');
          return withHeaders(response, {
            deprecation: "@1861920000",
            sunset: "Tue, 01 Jan 2030 00:00:00 GMT",
            link: page,
          });
        }
        if (/v1\/accounts\/\d+$/.test(pathname)) return withHeaders(response, { sunset: "soon" });
        if (!/v1\/courses$/.test(pathname)) return undefined;
        return withHeaders(response, { deprecation: "true", link: link('<javascript:alert(1)>; rel="deprecation"') });
      },
    },
    {
      deprecations:
        "accounts.list (deprecated since 2029-01-01, ends on 2030-01-01, see https://docs.example/end), courses.list (deprecated), accounts.get (deprecated)",
    },
  ],
  "304 to If-None-Match": [
    {
      answer: (response, request) =>
        request.headers.has("if-none-match")
          ? new Response(null, { status: 304 })
          : withHeaders(response, { etag: 'W/"7"' }),
    },
    { etag: "ETag, and 304 in response to If-None-Match" },
  ],
};

test("each check fails for one of these services, except two that no service can contradict", async () => {
  const { findings } = await runDoctor(await serveSchool({}, { size: "small" }));
  const found = new Set(
    ["school", "signature"].concat(
      Object.values({ ...BROKEN, ...MORE }).flatMap(([, expected]) => Object.keys(expected)),
    ),
  );
  expect(findings.map(({ check }) => check).filter((check) => !found.has(check))).toEqual([]);
});

test.each(drawCases(Object.entries(BROKEN), 5))(
  "only this difference is found: %s",
  async (_, [otherwise, expected]) => {
    const service = await serveSchool(otherwise);
    const report = await runDoctor(service);
    expect(withStatus(report, "differs")).toEqual(expected);
    expect(service.requests.length).toBeLessThanOrEqual(90);
    const found = report.findings.filter(({ status }) => status === "differs");
    expect(found.filter(({ todo, touches }) => !todo || !existsSync(touches.split(": ")[0] ?? ""))).toEqual([]);
  },
);

test.each(drawCases(Object.entries(MORE), 3))(
  "%s is reported as new, not as a difference",
  async (_, [otherwise, expected]) => {
    const report = await runDoctor(await serveSchool(otherwise));
    expect(withStatus(report, "differs")).toEqual({});
    expect(withStatus(report, "new")).toEqual(expected);
  },
);
