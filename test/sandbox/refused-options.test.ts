import { describe, expect, test } from "vitest";
import { MainClient, PermissionDeniedError } from "../../src/index.js";
import { createSandbox, type SandboxOptions, type Store } from "../../src/sandbox/index.js";
import { eventsOf, small } from "./support.js";

const refusal = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    expect(error).toBeInstanceOf(RangeError);
    return (error as Error).message;
  }
};

describe("createSandbox refuses", () => {
  test.each<[unknown, string]>([
    [{ api: "x" }, "the option api must be one of main, admin"],
    [{ rateLimit: true }, "the option rateLimit must be a plain object or false"],
    [{ rateLimit: { request: 5 } }, 'rateLimit.request is unknown; did you mean "rateLimit.requests"?'],
    [{ webhooks: { secret: "s" } }, 'webhooks.secret is unknown; did you mean "webhooks.secrets"?'],
    [{ webhooks: { secrets: "" } }, "webhooks.secrets must be one secret or a list of secrets, each non-empty text"],
    [{ webhooks: { secrets: [] } }, "webhooks.secrets must be one secret or a list of secrets, each non-empty text"],
    [
      { webhooks: { secrets: ["s", " "] } },
      "webhooks.secrets must be one secret or a list of secrets, each non-empty text",
    ],
    [{ webhooks: { data: "full" } }, "webhooks.data must be one of thin, record"],
    [{ webhooks: { retryAfterMs: 5 } }, "webhooks.retryAfterMs must be a list"],
    [{ webhooks: { fetch: 5 } }, "webhooks.fetch must be a function"],
    [{ webhooks: true }, "webhooks must be a plain object"],
    [{ onRequest: 5 }, "the option onRequest must be a function"],
    [{ onDelivery: "x" }, "the option onDelivery must be a function"],
    [{ apiKey: "" }, "the option apiKey must consist of letters, digits and punctuation"],
    [{ apiKey: "a b" }, "the option apiKey must consist of letters, digits and punctuation"],
    [{ baseUrl: "nope" }, "the option baseUrl must be a URL"],
    [{ baseUrl: "ftp://school.example" }, "the option baseUrl must be a URL"],
    [{ oauth: { redirectUri: "nope" } }, "oauth.redirectUri must be a URL"],
    [{ empty: "no" }, "the option empty must be true or false"],
    [{ skipWaits: 1 }, "the option skipWaits must be true or false"],
    [{ now: "2030-02-31" }, "the option now must be a time that exists"],
    [{ now: "2030-02-31T10:00:00Z" }, "the option now must be a time that exists"],
    [{ now: "garbage" }, "the option now must be a time that exists"],
    [{ school: { customFields: [] } }, "the option school must be the value exported by the file"],
    [{ data: [] }, "the option data must map names of collections"],
    [{ data: { accounts: [{ id: 0 }] } }, "data.accounts[0].id must be a positive whole number"],
    [{ data: { accounts: [{ id: -1 }] } }, "data.accounts[0].id must be a positive whole number"],
  ])("%j", (options, message) => {
    expect(refusal(() => createSandbox(options as SandboxOptions))).toContain(message);
  });

  test("no valid options", () => {
    for (const options of [
      { api: "main", rateLimit: false, empty: true, skipWaits: true, apiKey: "key" },
      { now: "2028-02-29T09:00", baseUrl: "http://localhost:4010/school/" },
      {
        now: new Date(0),
        rateLimit: { requests: 5, windowMs: 1_000 },
        webhooks: { secrets: ["a", "b"], data: "record" },
      },
      { api: undefined, now: undefined, webhooks: undefined, data: undefined, empty: undefined, onRequest: undefined },
    ] as const satisfies SandboxOptions[]) {
      expect(createSandbox({ size: 1, ...options }).baseUrl).toMatch(/^http/);
    }
  });
});

describe("the scopes of a key", () => {
  const sandbox = createSandbox({ size: 20 });
  const clientOf = (...scopes: string[]) =>
    new MainClient({ ...sandbox, retry: false, apiKey: sandbox.createKey({ scopes: scopes as never[] }) });

  test("*:read allows all reads and no write", async () => {
    const reader = clientOf("*:read");
    expect((await reader.accounts.get(1)).id).toBe(1);
    expect((await reader.invoices.list()).records).not.toHaveLength(0);
    expect((await reader.leads.list()).records).not.toHaveLength(0);
    await expect(reader.accounts.create({ name: "x" })).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(reader.invoices.open(1)).rejects.toBeInstanceOf(PermissionDeniedError);
  });

  test("invoices:* allows everything on invoices, and * everything", async () => {
    const clerk = clientOf("invoices:*");
    const { id } = sandbox.store.invoices.insert({ status: "concept" });
    expect((await clerk.invoices.open(id)).status).toBe("open");
    await expect(clerk.accounts.get(1)).rejects.toBeInstanceOf(PermissionDeniedError);
    for (const scope of ["*", "*:*"]) expect((await clientOf(scope).accounts.create({ name: "x" })).name).toBe("x");
  });

  test.each<[unknown, string]>([
    [{ scopes: ["invoices:reed"] }, 'there is no scope "invoices:reed"; did you mean "invoices:read"?'],
    [{ scopes: ["invoices:read", "a:b:c"] }, 'there is no scope "a:b:c"'],
    [{ scopes: ["*:reed"] }, 'there is no scope "*:reed"'],
    [{ scopes: ["invoices"] }, 'there is no scope "invoices"; did you mean "invoices:'],
    [{ scopes: ["nope:read"] }, 'there is no scope "nope:read"'],
    [{ scopes: "invoices:read" }, "createKey.scopes must be a list"],
    [{ scope: ["invoices:read"] }, 'createKey.scope is unknown; did you mean "createKey.scopes"?'],
    [{ api: "organization" }, "createKey.api must be one of main, admin"],
  ])("%j is refused", (options, message) => {
    expect(refusal(() => sandbox.createKey(options as never))).toContain(message);
  });
});

describe("webhooks.subscribe refuses", () => {
  const to = () => new Response();

  test.each<[object, string]>([
    [{ events: ["leads.updated"] }, '"leads.updated" matches no known event; did you mean "lead.updated"?'],
    [{ events: ["lead.*", "leads.*"] }, '"leads.*" matches no known event; did you mean "lead.*"?'],
    [{ events: ["*.update"] }, '"*.update" matches no known event; did you mean "*.updated"?'],
    [{ events: [5] }, '"5" matches no known event'],
    [{ secret: "s" }, 'subscribe.secret is unknown; did you mean "subscribe.secrets"?'],
    [{ secrets: "" }, "subscribe.secrets must be one secret or a list of secrets, each non-empty text"],
  ])("%j", (options, message) => {
    const sandbox = small();
    const before = sandbox.store.webhooks.count;
    expect(refusal(() => sandbox.webhooks.subscribe({ to, ...options } as never))).toContain(message);
    expect(sandbox.store.webhooks.count).toBe(before);
  });

  test("no event of send, not even for a subscription to every event", async () => {
    const sandbox = small();
    const events = eventsOf(sandbox, undefined);
    sandbox.webhooks.send("school.painted", { id: 7 });
    await sandbox.webhooks.settled();
    expect(events).toEqual(["school.painted 7"]);
  });
});

describe("the store refuses", () => {
  test.each<[unknown, string]>([
    [{ nme: "x" }, "store.accounts.nme is not a known field; the fields are id, "],
    [{ name: 5 }, "store.accounts.name must be text"],
    [{ address: { street: "x" } }, "store.accounts.address.street is not a known field"],
    [{ created_at: "yesterday" }, "store.accounts.created_at must be a time"],
    [null, "store.accounts: the fields must be an object"],
  ])("%j in update and insert", (fields, message) => {
    const { accounts } = small().store;
    const [record, count] = [accounts.get(1), accounts.count];
    expect(refusal(() => accounts.update(1, fields as never))).toContain(message);
    expect(refusal(() => accounts.insert(fields as never))).toContain(message);
    expect([accounts.get(1), accounts.count]).toEqual([record, count]);
  });

  test("no value outside an enumeration, which imitates a newer service", () => {
    const { accounts } = small().store;
    expect(accounts.update(1, { account_type: "newer" })?.account_type).toBe("newer");
    expect(accounts.insert({ account_type: "newer" }).account_type).toBe("newer");
  });

  test("an identifier of 0, and the short name of a field in update", () => {
    const { accounts, invoices } = small().store;
    expect(refusal(() => accounts.insert({ id: 0 }))).toBe("store.accounts.id must be a positive whole number");
    expect(refusal(() => invoices.update(1, { items: [] } as never))).toBe(
      "store.invoices.items cannot be updated; pass invoice_items",
    );
  });

  test("no write after a refusal, and no undefined fields", () => {
    const { accounts } = small().store;
    refusal(() => accounts.update(1, { nme: "x" } as never));
    refusal(() => accounts.insert({ id: 1 }));
    expect(refusal(() => accounts.update(1, { nme: "x" } as never))).toContain("nme is not a known field");
    expect(accounts.insert({ name: "x", email: undefined }).name).toBe("x");
  });
});

test.each([Number.POSITIVE_INFINITY, Number.NaN, -1, "5"])("clock.advance(%s) is refused", async (ms) => {
  const { clock } = small();
  const before = clock.now();
  await expect(clock.advance(ms as number)).rejects.toThrow(
    "advance needs a finite, non-negative number of milliseconds",
  );
  expect(clock.now()).toBe(before);
});

describe("the store refuses references to missing records", () => {
  test.each<[string, (store: Store) => unknown]>([
    ["store.invoices.account_id: there is no record 99", ({ invoices }) => invoices.insert({ account_id: 99 })],
    ["store.invoices.account_id: there is no record 99", ({ invoices }) => invoices.update(1, { account_id: 99 })],
    [
      "store.invoices.items[0].invoice_vat_id: there is no record 9",
      ({ invoices }) => invoices.insert({ items: [{ invoice_vat_id: 9 }] }),
    ],
    ["store.users.label_ids: there is no record 99", ({ users }) => users.update(1, { label_ids: [1, 99] })],
    [
      "store.grades.gradeable_id: there is no record 999",
      ({ grades }) => grades.insert({ gradeable_type: "Enrollment", gradeable_id: 999 }),
    ],
  ])("%s", (message, write) => {
    const { store } = small();
    const before = JSON.stringify([...store.invoices, ...store.users, ...store.grades]);
    expect(refusal(() => write(store))).toBe(message);
    expect(JSON.stringify([...store.invoices, ...store.users, ...store.grades])).toBe(before);
  });

  test("but no reference to the record itself, in its own parts", () => {
    const { store } = small();
    const { id } = store.invoices.insert({ id: 900, status: "paid", payments: [{ invoice_id: 900, amount: "5.00" }] });
    expect(store.payments.filter(({ invoice_id }) => invoice_id === id)).toHaveLength(1);
  });
});
