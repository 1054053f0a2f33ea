import { beforeEach, describe, expect, it } from "vitest";
import { type AdminClient, InputError, type MainClient } from "../../src/index.js";
import { AccountType, CostScheme, InvoiceStatus } from "../../src/schemas.js";
import { adminClient, mainClient } from "../support/clients.js";
import { failure } from "../support/manual-clock.js";
import { accountRecord } from "../support/records.js";
import { json, serve, type TestServer } from "../support/server.js";

let server: TestServer;
let main: MainClient;
let admin: AdminClient;

beforeEach(async () => {
  server = await serve((_, response) => json(response, 200, accountRecord()));
  main = mainClient({ baseUrl: server.url });
  admin = adminClient({ baseUrl: server.url });
});

// Lets a test pass any value, as an untyped caller might.
const odd = (value: unknown): never => value as never;

/** Expects an InputError that names the field, and no request to the server. */
async function expectInputError(
  work: () => PromiseLike<unknown>,
  operation: string,
  path: string,
): Promise<InputError> {
  const error = await failure<InputError>(async () => work());
  expect(error).toBeInstanceOf(InputError);
  expect(error.code).toBe("input");
  expect(error.operation).toBe(operation);
  expect(error.attempts).toBe(0);
  expect(error.issues.map((issue) => issue.path)).toContain(path);
  expect(error.message).toContain(operation);
  if (path !== "") expect(error.message).toContain(path);
  expect(server.requests).toEqual([]);
  return error;
}

describe("bad bodies are refused before any request", () => {
  const table: [what: string, field: string, operation: string, work: () => PromiseLike<unknown>][] = [
    ["a missing required field", "name", "accounts.create", () => main.accounts.create(odd({ email: "a@b.example" }))],
    ["no body at all", "", "accounts.create", () => main.accounts.create(odd(undefined))],
    ["null for a body", "", "accounts.create", () => main.accounts.create(odd(null))],
    ["a list for a body", "", "accounts.create", () => main.accounts.create(odd([]))],
    ["a wrong type", "name", "accounts.create", () => main.accounts.create(odd({ name: 7 }))],
    ["null where it is not allowed", "name", "accounts.create", () => main.accounts.create(odd({ name: null }))],
    [
      "a wrong type deep inside",
      "address_attributes.country",
      "accounts.create",
      () => main.accounts.create(odd({ name: "A", address_attributes: { country: 31 } })),
    ],
    [
      "a wrong element of a list",
      "label_ids[1]",
      "accounts.create",
      () => main.accounts.create(odd({ name: "A", label_ids: [1, "2"] })),
    ],
    [
      "a field that does not exist",
      "naem",
      "accounts.create",
      () => main.accounts.create(odd({ name: "A", naem: "B" })),
    ],
    [
      "an unknown enumeration value",
      "cost_scheme",
      "courses.update",
      () => main.courses.update(5, odd({ cost_scheme: "gratis" })),
    ],
    [
      "a number for an amount",
      "cost",
      "courses.update",
      () => main.courses.update(5, odd({ cost_scheme: "student", cost: 12.5 })),
    ],
    [
      "a custom field with an object",
      "custom.size",
      "accounts.create",
      () => main.accounts.create(odd({ name: "A", custom: { size: { x: 1 } } })),
    ],
    [
      "a custom field with the name of the prototype",
      "custom.__proto__",
      "accounts.create",
      () => main.accounts.create({ name: "A", custom: JSON.parse('{ "__proto__": "B" }') }),
    ],
  ];
  for (const [what, field, operation, work] of table) {
    it(`refuses ${what}, naming ${field || "the body"}`, () => expectInputError(work, operation, field));
  }

  it("reports a missing body if the body is left out, null or not an object", async () => {
    for (const [body, words] of [
      [undefined, "the body is missing"],
      [null, "the body must not be null"],
      ["A", "the body must be an object"],
    ] as const) {
      const error = await failure<InputError>(async () => main.accounts.create(body as never));
      expect(error.message).toBe(`accounts.create: ${words}. Nothing was sent.`);
      expect(error.issues).toEqual([{ path: "", message: words }]);
    }
  });

  it("names every field that is wrong, not only the first", async () => {
    const error = await expectInputError(
      () => main.accounts.create(odd({ email: 1, phone: 2, label_ids: "x" })),
      "accounts.create",
      "name",
    );
    expect(error.issues.map(({ path }) => path).sort()).toEqual(["email", "label_ids", "name", "phone"]);
  });

  for (const scheme of ["student", "order", undefined] as const) {
    it(`refuses a course without cost when cost_scheme is ${scheme ?? "left out"}`, async () => {
      const body = { name: "A", code: "A1", category_id: 3, ...(scheme && { cost_scheme: scheme }) };
      await expectInputError(() => main.courses.create(odd(body)), "courses.create", "cost");
      await expectInputError(() => admin.courses.create(odd(body)), "courses.create", "cost");
    });
  }

  it("sends a course without cost if the course is free or its cost is undecided", async () => {
    for (const cost_scheme of ["free", "tbd"] as const) {
      await main.courses.create(odd({ name: "A", code: "A1", category_id: 3, cost_scheme }), { validation: "off" });
    }
    expect(server.requests.map(({ body }) => JSON.parse(body).cost_scheme)).toEqual(["free", "tbd"]);
  });

  it("refuses a body that cannot be serialized as JSON", async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const error = await failure(async () => main.accounts.create(odd({ name: "A", custom: circle })));
    expect(error).toBeInstanceOf(InputError);
    expect(server.requests).toEqual([]);
  });
});

describe("bad queries are refused before any request", () => {
  for (const per_page of [0, 101, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "10", null]) {
    it(`refuses per_page ${String(per_page)} of type ${typeof per_page}`, () =>
      expectInputError(() => main.accounts.list(odd({ per_page })), "accounts.list", "per_page"));
  }

  it("refuses an invalid per_page in toArray, take, byPage and for await as well", async () => {
    const pages = () => main.accounts.list({ per_page: 101 });
    await expectInputError(() => pages().toArray(), "accounts.list", "per_page");
    await expectInputError(() => pages().take(3)[Symbol.asyncIterator]().next(), "accounts.list", "per_page");
    await expectInputError(() => pages().byPage().next(), "accounts.list", "per_page");
  });

  it("refuses unknown values, unknown filters and wrong types, naming them", async () => {
    await expectInputError(() => main.accounts.list(odd({ account_type: "privat" })), "accounts.list", "account_type");
    await expectInputError(() => main.accounts.list(odd({ account_typ: "business" })), "accounts.list", "account_typ");
    await expectInputError(() => main.invoices.list(odd({ status: ["open", "shut"] })), "invoices.list", "status[1]");
    await expectInputError(() => main.invoices.list(odd({ status: "shut" })), "invoices.list", "status");
    await expectInputError(() => main.accounts.list(odd({ user_id: "7" })), "accounts.list", "user_id");
    await expectInputError(() => main.accounts.list({ cursor: "" }), "accounts.list", "cursor");
    await expectInputError(() => main.accounts.list({ page: 0 }), "accounts.list", "page");
    await expectInputError(
      () => main.organization.contacts.list(odd({ page: 1 })),
      "organization.contacts.list",
      "page",
    );
  });

  it("refuses invalid options of lists", async () => {
    await expectInputError(() => main.accounts.list({}, { prefetch: -1 }), "accounts.list", "prefetch");
    await expectInputError(() => main.accounts.list({}, { maxPages: 0 }), "accounts.list", "maxPages");
    await expectInputError(() => main.accounts.list({}, { onInvalid: odd("drop") }), "accounts.list", "onInvalid");
    await expectInputError(() => main.accounts.list().toArray({ max: -1 }), "accounts.list", "max");
    expect(() => main.accounts.list().take(Number.NaN)).toThrow(InputError);
  });
});

describe("path parameters cannot lead to another endpoint", () => {
  const ids = [Number.NaN, 1.5, -1, 0, undefined, null, "", ".", "..", "a/b", "%2e%2e", "?x", "7", 1e21, {}, [7]];
  for (const id of ids) {
    it(`refuses the id ${JSON.stringify(id) ?? "undefined"} (${typeof id})`, async () => {
      await expectInputError(() => main.accounts.get(odd(id)), "accounts.get", "id");
      await expectInputError(() => main.accounts.update(odd(id), { name: "A" }), "accounts.update", "id");
      await expectInputError(() => main.invoices.open(odd(id)), "invoices.open", "id");
      await expectInputError(() => main.affiliations.delete(odd(id)), "affiliations.delete", "id");
    });
  }

  const slugs = [undefined, null, 7, "", ".", "..", "a/b", "a\\b", "%2e%2e", "%2E.", "..%2fadmin", "%5c", "\ud800"];
  for (const slug of slugs) {
    it(`refuses the slug ${JSON.stringify(slug) ?? "undefined"}`, () =>
      expectInputError(() => main.customObjects.get(odd(slug)), "customObjects.get", "object_slug"));
  }

  for (const [slug, wire] of [
    ["vehicles", "vehicles"],
    ["a?b=c#d", "a%3Fb%3Dc%23d"],
    ["ü %", "%C3%BC%20%25"],
    ["...", "..."],
    [".well-known", ".well-known"],
    ["a;b,c:d@e", "a%3Bb%2Cc%3Ad%40e"],
  ]) {
    it(`sends the slug ${JSON.stringify(slug)} as one path segment`, async () => {
      await main.customObjects.get(slug as string, { validation: "off" });
      expect(server.requests.map(({ target }) => target)).toEqual([`/api/v1/custom/objects/${wire}`]);
    });
  }

  it("refuses paths of hand-made requests that leave the base URL", async () => {
    const paths = [
      "../admin",
      "api/../../x",
      "api//x",
      "https://other.example/x",
      "api/%2e%2e/x",
      "a?b",
      "a#b",
      "a\\b",
      "",
      "api/%2Fx",
    ];
    for (const path of paths) {
      await expectInputError(() => main.request({ method: "GET", path }), `GET ${path}`, "path");
    }
  });
});

describe("the options of a call", () => {
  it("are refused with the option's name", async () => {
    const bad: [string, object][] = [
      ["timeout", { timeout: 0 }],
      ["retry.backoffLimit", { retry: { backoffLimit: 0 } }],
      ["headers", { headers: { Authorization: "Bearer other" } }],
      ["retry", { retry: 3 }],
      ["priority", { priority: "urgent" }],
      ["signal", { signal: 1000 }],
    ];
    for (const [path, options] of bad) {
      const error = await failure<InputError>(async () => main.accounts.get(7, options));
      expect(error).toBeInstanceOf(InputError);
      expect(error.issues[0]?.path).toBe(path);
      expect(error.operation).toBe("accounts.get");
      expect(error.message).toMatch(/^accounts\.get: .*Nothing was sent\.$/);
      expect(error.message).not.toContain("Bearer other");
    }
    expect(server.requests).toEqual([]);
  });

  it("stop every write of a readOnly client before it is sent", async () => {
    const reader = mainClient({ baseUrl: server.url, readOnly: true });
    for (const work of [
      () => reader.accounts.create({ name: "A" }),
      () => reader.accounts.update(7, { name: "A" }),
      () => reader.affiliations.delete(7),
      () => reader.request({ method: "POST", path: "api/v1/accounts" }),
    ]) {
      expect(await failure(async () => work())).toBeInstanceOf(InputError);
    }
    expect(server.requests).toEqual([]);
    expect((await reader.accounts.get(7)).id).toBe(7);
  });
});

describe("casts", () => {
  it("let the client send a value that its enumeration does not list, in queries and in bodies", async () => {
    const status = [InvoiceStatus.cast("disputed"), "open" as const];
    await main.invoices
      .list({ status }, { validation: "off" })
      .toArray()
      .catch(() => undefined);
    await main.accounts
      .list({ account_type: AccountType.cast("club") })
      .toArray()
      .catch(() => undefined);
    await main.courses.update(5, { cost_scheme: CostScheme.cast("per_seat") }, { validation: "off" });
    expect(server.requests[0]?.query.getAll("status")).toEqual(["disputed", "open"]);
    expect(server.requests[1]?.query.get("account_type")).toBe("club");
    expect(JSON.parse(server.requests[2]?.body ?? "")).toEqual({ cost_scheme: "per_seat" });
  });
});

describe("a misspelled name", () => {
  it.each([
    [
      "a filter",
      () => main.invoices.list(odd({ stauts: ["open"] })),
      'invoices.list: stauts is not a known field; did you mean "status"? Nothing was sent.',
    ],
    [
      "a field of a body",
      () => main.accounts.create(odd({ nmae: "A" })),
      'nmae is not a known field; did you mean "name"?',
    ],
    [
      "an option among filters",
      () => main.accounts.list(odd({ signal: AbortSignal.abort() })),
      "signal is not a known field; it belongs in the options, the next argument. Nothing was sent.",
    ],
    [
      "a name that is like no other",
      () => main.accounts.list(odd({ zzzzzz: 1 })),
      "accounts.list: zzzzzz is not a known field. Nothing was sent.",
    ],
  ])("of %s is refused with a suggestion", async (_, work, words) => {
    const error = await failure<InputError>(async () => work());
    expect(error.message).toContain(words);
    expect(server.requests).toEqual([]);
  });
});
