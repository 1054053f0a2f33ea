import { inspect } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { transportIn } from "../../src/core/inside-client.js";
import { Accounts, AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { methodNames } from "../contract/support/calls.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

const KEY = "secret-key-1234567890";

function setUp() {
  const { fetch, calls } = recordingFetch((call) => jsonResponse(call.init.method === "PUT" ? { id: 7 } : []));
  const client = new MainClient({ baseUrl: "https://school.example", apiKey: KEY, fetch, validation: "off" });
  return { client, paths: () => calls.map(({ url }) => url.pathname) };
}

/** A proxy like those of reactive stores: every value read from it is a proxy too. */
function reactive<T extends object>(target: T): T {
  return new Proxy(target, {
    get(of, key, receiver) {
      const value: unknown = Reflect.get(of, key, receiver);
      return typeof value === "object" && value !== null ? reactive(value) : value;
    },
  });
}

describe("a patched method of a class", () => {
  const { get } = Accounts.prototype;
  afterEach(() => {
    Accounts.prototype.get = get;
  });

  test("is called by clients created after the patch, even if the class was used before", async () => {
    setUp();
    Accounts.prototype.get = function patched(id, options) {
      return get.call(this, id + 1, options);
    };
    const { client, paths } = setUp();
    await client.accounts.get(7).catch(() => null);
    expect(paths()).toEqual(["/api/v1/accounts/8"]);
  });

  test("is the original in clients created after the patch was undone", async () => {
    Accounts.prototype.get = function patched(id, options) {
      return get.call(this, id + 1, options);
    };
    setUp();
    Accounts.prototype.get = get;
    const { client, paths } = setUp();
    await client.accounts.get(7).catch(() => null);
    expect(paths()).toEqual(["/api/v1/accounts/7"]);
  });
});

describe("behind a proxy", () => {
  test("a client's members work", async () => {
    const { client, paths } = setUp();
    const proxied = new Proxy(client, {});
    expect(proxied.baseUrl).toBe("https://school.example");
    expect(proxied.rateLimit.limit).toBe(500);
    await proxied.request({ method: "GET", path: "api/v1/courses" });
    expect(paths()).toEqual(["/api/v1/courses"]);
    expect(JSON.stringify(proxied)).toBe('{"client":"MainClient","baseUrl":"https://school.example"}');
  });

  test("resources read from it work, including nested ones and those that extend others", async () => {
    const { client, paths } = setUp();
    const proxied = reactive(client);
    await proxied.labels.update(7, { name: "x" });
    await proxied.organization.contacts.list();
    const { fetch, calls } = recordingFetch(() => jsonResponse({ id: 7 }));
    const admin = reactive(
      new AdminClient({ baseUrl: "https://school.example", apiKey: KEY, fetch, validation: "off" }),
    );
    // `update` calls the method of its base class through super.
    await admin.affiliations.update(7, { key_contact: true });
    expect(paths()).toEqual(["/api/v1/labels/7", "/api/organization/contacts"]);
    expect(calls.map(({ url }) => url.pathname)).toEqual(["/api/v1/affiliations/7"]);
  });
});

describe("detached", () => {
  test("methods of resources and clients work", async () => {
    const { client, paths } = setUp();
    const { update } = client.labels;
    await update(7, { name: "x" });
    const { request } = client;
    await request({ method: "GET", path: "api/v1/courses" });
    const lists = [client.accounts.list, client.organization.contacts.list];
    for (const list of lists) await list();
    expect(paths()).toEqual(["/api/v1/labels/7", "/api/v1/courses", "/api/v1/accounts", "/api/organization/contacts"]);
  });

  test("every method of every resource is bound to its own resource", () => {
    const { client } = setUp();
    const names = methodNames(client);
    expect(names.length).toBeGreaterThan(50);
    for (const name of names) {
      const [resource = "", method = ""] = name.split(".");
      const owner = (client as unknown as Record<string, Record<string, unknown>>)[resource] ?? {};
      expect(Object.hasOwn(owner, method), name).toBe(true);
    }
  });

  test("a method can still be replaced, for example by a test double", async () => {
    const { client } = setUp();
    client.labels.update = (() => Promise.resolve("replaced")) as never;
    expect(await client.labels.update(7, {})).toBe("replaced");
  });
});

describe("printing a client", () => {
  const { client } = setUp();

  test.each([
    ["JSON", () => JSON.stringify(client)],
    ["inspect", () => inspect(client)],
    ["inspect of a proxy", () => inspect(reactive(client))],
    ["inspect with hidden members", () => inspect(client, { showHidden: true, depth: 10, getters: true })],
    ["inspect without its own form", () => inspect(client, { customInspect: false, showHidden: true, depth: 10 })],
    ["inspect of a resource", () => inspect(client.accounts, { showHidden: true, depth: 10, getters: true })],
    ["a spread copy", () => inspect({ ...client }, { depth: 10 })],
  ])("shows no key: %s", (_, print) => {
    expect(print()).not.toContain(KEY);
  });

  test("shows its class and address, but not its resources", () => {
    expect(inspect(client)).toBe('MainClient { baseUrl: "https://school.example" }');
    expect(inspect(client.organization)).toContain("OrganizationClient {");
  });
});

test("an Organization client takes the transport of another copy of the library", async () => {
  const { fetch, calls } = recordingFetch(() => jsonResponse([]));
  const options = { baseUrl: "https://school.example", apiKey: KEY, fetch };
  const transport = transportIn(new MainClient(options));
  // A transport from another copy of the package has the same methods but another class.
  const copy = { call: transport.call.bind(transport), pages: transport.pages.bind(transport), baseUrl: "copied" };
  await new OrganizationClient(transport).contacts.list();
  const copied = new OrganizationClient(copy as never);
  await copied.contacts.list();
  expect(copied.baseUrl).toBe("copied");
  expect(calls.map(({ url }) => url.pathname)).toEqual(["/api/organization/contacts", "/api/organization/contacts"]);
});
