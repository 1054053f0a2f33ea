import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import * as z from "zod";
import document from "../../openapi/sandbox-control.json" with { type: "json" };
import { MainClient } from "../../src/index.js";
import { CONTROL_PREFIX, CONTROL_ROUTES } from "../../src/sandbox/control.js";
import { createSandbox, type Sandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { type ListenOptions, listen, type SandboxServer } from "../../src/sandbox/node.js";

const servers: SandboxServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

interface Told {
  readonly status: number;
  readonly body: unknown;
}

/** Serves a sandbox and calls its control interface like a program in any language. */
async function serveSandbox(
  options: SandboxOptions = {},
  listening: ListenOptions = { control: true },
): Promise<{
  sandbox: Sandbox;
  client: MainClient;
  url: string;
  ask(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Told>;
}> {
  const sandbox = createSandbox({ size: 10, ...options });
  const server = await listen(sandbox, listening);
  servers.push(server);
  const client = new MainClient({ baseUrl: server.url, apiKey: sandbox.apiKey, retry: false });
  return {
    sandbox,
    client,
    url: server.url,
    ask: async (method, path, body, headers = {}) => {
      const text = body === undefined || typeof body === "string" ? (body ?? null) : JSON.stringify(body);
      const response = await fetch(`${server.url}/__sandbox${path}`, { method, headers, body: text });
      const answer = await response.text();
      if (answer !== "") expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
      return { status: response.status, body: answer === "" ? null : JSON.parse(answer) };
    },
  };
}

describe("the control interface", () => {
  test("reports the state and restores the initial one", async () => {
    const { client, ask } = await serveSandbox({ now: "2030-01-01T09:00:00.000Z" });
    await client.accounts.create({ name: "Example Ltd" });
    await ask("POST", "/faults", { status: 503 });
    const state = { manners: {}, now: "2030-01-01T09:00:00.000Z", waiting: 0, nextInMs: null };
    expect(await ask("GET", "")).toEqual({
      status: 200,
      body: { ...state, requests: 1, faults: 1, deliveries: 0 },
    });
    expect(await ask("POST", "/reset")).toEqual({ status: 204, body: null });
    expect((await ask("GET", "/")).body).toEqual({ ...state, requests: 0, faults: 0, deliveries: 0 });
    expect((await client.accounts.create({ name: "Example Ltd" })).id).toBe(11);
  });

  test("adds faults one by one or as a sequence, lists and removes them", async () => {
    const { client, ask } = await serveSandbox();
    const one = { operation: "accounts.create", errors: { email: ["is taken"] }, times: 2 };
    expect(await ask("POST", "/faults", one)).toEqual({ status: 201, body: [one] });
    await expect(client.accounts.create({ name: "A" })).rejects.toMatchObject({ errors: { email: ["is taken"] } });
    const rest = [{ operation: "users.get" }, { operation: "users.get", status: 410, times: "Infinity" }];
    expect((await ask("POST", "/faults", rest)).body).toEqual([one, ...rest]);
    expect((await client.users.get(1)).id).toBe(1);
    for (let at = 0; at < 3; at++) await expect(client.users.get(1)).rejects.toMatchObject({ status: 410 });
    expect((await ask("GET", "/faults")).body).toEqual([one, rest[1]]);
    expect(await ask("DELETE", "/faults")).toEqual({ status: 204, body: null });
    expect((await ask("GET", "/faults")).body).toEqual([]);
    expect((await client.users.get(1)).id).toBe(1);
  });

  test("omits the predicate of a fault added by the program", async () => {
    const { sandbox, ask } = await serveSandbox();
    sandbox.faults.next({ operation: "users.get", when: () => false, delayMs: Number.POSITIVE_INFINITY });
    expect((await ask("GET", "/faults")).body).toEqual([{ operation: "users.get", delayMs: "Infinity" }]);
  });

  test("advances the clock, which sends waiting deliveries", async () => {
    const { client, ask } = await serveSandbox({ now: "2030-01-01T09:00:00.000Z" });
    await ask("POST", "/faults", { delayMs: 600_000 });
    const waiting = client.users.get(1, { timeout: 900_000 });
    void waiting.then(() => undefined);
    await expect.poll(async () => (await ask("GET", "/clock")).body).toMatchObject({ waiting: 1, nextInMs: 600_000 });
    const advanced = await ask("POST", "/clock", { advanceMs: 600_000 });
    expect(advanced).toEqual({ status: 200, body: { now: "2030-01-01T09:10:00.000Z", waiting: 0, nextInMs: null } });
    expect((await waiting).id).toBe(1);
  });

  test("counts, adds and lists records", async () => {
    const { client, ask } = await serveSandbox({ empty: true });
    expect((await ask("GET", "/data")).body).toMatchObject({ accounts: 0, invoices: 0, educators: 1 });
    const added = await ask("POST", "/data", { accounts: [{ name: "A" }, { name: "B" }], leads: [] });
    expect(added).toMatchObject({
      status: 201,
      body: {
        accounts: [
          { id: 1, name: "A" },
          { id: 2, name: "B" },
        ],
        leads: [],
      },
    });
    expect((await client.accounts.get(2)).name).toBe("B");
    expect((await ask("GET", "/data/accounts?from=1")).body).toMatchObject([{ id: 2, name: "B" }]);
    expect((await ask("GET", "/data/accounts?from=9")).body).toEqual([]);
  });

  test("creates keys with scopes, and revokes them", async () => {
    const { ask, url } = await serveSandbox();
    const { body, status } = await ask("POST", "/keys", { scopes: ["relations:read"] });
    expect(status).toBe(201);
    const { apiKey } = body as { apiKey: string };
    const reader = new MainClient({ baseUrl: url, apiKey, retry: false });
    expect((await reader.accounts.get(1)).id).toBe(1);
    await expect(reader.accounts.create({ name: "Example Ltd" })).rejects.toMatchObject({ status: 403 });
    expect((await ask("POST", "/keys")).status).toBe(201);
    expect(await ask("DELETE", `/keys/${apiKey}`)).toEqual({ status: 204, body: null });
    await expect(reader.accounts.get(1)).rejects.toMatchObject({ status: 403 });
    expect(await ask("DELETE", `/keys/${apiKey}`)).toMatchObject({ status: 404 });
  });

  test("lists calls with input and response, of all operations or one", async () => {
    const { client, ask } = await serveSandbox();
    const account = await client.accounts.create({ name: "Example Ltd" });
    await client.users.get(99).catch(() => undefined);
    const calls = (await ask("GET", "/calls")).body as { operation: string }[];
    expect(calls.map(({ operation }) => operation)).toEqual(["accounts.create", "users.get"]);
    expect((await ask("GET", "/calls?operation=accounts.create")).body).toMatchObject([
      { body: { name: "Example Ltd" }, status: 201, data: account, error: null },
    ]);
    expect((await ask("GET", "/calls?operation=users.get")).body).toMatchObject([{ data: null, error: { code: 404 } }]);
  });

  test("lists deliveries, after the queued ones have ended if the caller wants that", async () => {
    const receiver = createServer((_, response) => setTimeout(() => response.writeHead(204).end(), 60));
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const { sandbox, client, ask } = await serveSandbox();
    const to = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
    sandbox.webhooks.subscribe({ to, events: ["account.created"] });
    await client.accounts.create({ name: "Example Ltd" });
    expect((await ask("GET", "/deliveries")).body).toEqual([]);
    expect((await ask("GET", "/deliveries?settled=true")).body).toMatchObject([
      { event: "account.created", outcome: "answered", status: 204, body: { event_data: { id: 11 } } },
    ]);
    receiver.close();
  });

  test.each([
    ["POST", "/faults", { operation: "invoice.list" }, 422, 'did you mean "invoices.list"?'],
    ["POST", "/faults", [{ status: 500 }, { statsu: 5 }], 422, "a fault's statsu is unknown"],
    ["POST", "/faults", [], 422, "must be a fault, or a list of faults"],
    ["POST", "/faults", "{", 400, "The body is not JSON"],
    ["POST", "/faults", undefined, 422, "must be a fault, or a list of faults"],
    ["POST", "/clock", { advanceMs: -1 }, 422, "advanceMs"],
    ["POST", "/clock", { advanceMs: 1e300 }, 422, "advanceMs"],
    ["POST", "/clock", { advance: 1 }, 422, "advanceMs"],
    ["POST", "/data", { acounts: [] }, 422, 'did you mean "accounts"?'],
    ["POST", "/data", { accounts: {} }, 422, "data.accounts must be a list of records"],
    ["POST", "/data", { accounts: [{ naem: "A" }] }, 422, "data.accounts[0]"],
    ["POST", "/data", [], 422, "data must be records by collection name"],
    ["GET", "/data/acounts", undefined, 404, 'did you mean "accounts"?'],
    ["GET", "/data/constructor", undefined, 404, 'there is no collection "constructor"'],
    ["GET", "/data/accounts?from=-1", undefined, 400, "from must be 0 or a positive whole number"],
    ["GET", "/calls?operation=invoice.open", undefined, 422, 'did you mean "invoices.open"?'],
    ["GET", "/deliveries?settled=maybe", undefined, 400, "settled must be true or false"],
    ["POST", "/keys", { scopes: ["relation:read"] }, 422, "relation:read"],
    ["POST", "/keys", { scope: [] }, 422, 'did you mean "createKey.scopes"?'],
    ["POST", "/keys", ["relations:read"], 422, "must be the options for the key"],
    ["PUT", "/faults", {}, 405, "/__sandbox/faults accepts GET, POST, DELETE"],
    ["GET", "/fault", undefined, 404, "There is no /__sandbox/fault. The paths are: /__sandbox, /__sandbox/reset"],
  ])("%s %s with %j is refused with %i and a reason", async (method, path, body, status, reason) => {
    const { ask, sandbox } = await serveSandbox();
    const refused = await ask(method, path, body);
    expect(refused).toMatchObject({ status, body: { errors: {}, code: status } });
    expect((refused.body as { message: string }).message).toContain(reason);
    expect([sandbox.faults.pending, sandbox.store.accounts.count]).toEqual([[], 10]);
  });
});

describe("the control interface is unreachable", () => {
  test("unless the caller enables it", async () => {
    const { ask, sandbox, client } = await serveSandbox({}, {});
    await client.accounts.create({ name: "Example Ltd" });
    expect(await ask("POST", "/reset")).toMatchObject({
      status: 403,
      body: { message: expect.stringContaining("access token") },
    });
    const headers = { authorization: `Bearer ${sandbox.apiKey}` };
    expect(await ask("POST", "/reset", undefined, headers)).toMatchObject({ status: 404 });
    expect(sandbox.store.accounts.count).toBe(11);
  });

  test("for web pages that may not call the sandbox at all", async () => {
    const page = { origin: "https://page.example" };
    const { ask, sandbox } = await serveSandbox();
    sandbox.store.accounts.insert({ name: "Example Ltd" });
    expect(await ask("POST", "/reset", undefined, page)).toMatchObject({ status: 403, body: { code: 403 } });
    expect(sandbox.store.accounts.count).toBe(11);
    const open = await serveSandbox({}, { control: true, cors: true });
    expect((await open.ask("POST", "/reset", undefined, page)).status).toBe(204);
  });

  test.each(["evil.example:80", "sandbox.local"])("by the name %s, which may belong to someone else", async (host) => {
    const { url } = await serveSandbox();
    const status = await new Promise((resolve, reject) => {
      const asked = request(`${url}/__sandbox/calls`, { headers: { host } }, ({ statusCode }) => resolve(statusCode));
      asked.on("error", reject).end();
    });
    expect(status).toBe(403);
  });

  test("below a path that only begins like its own", async () => {
    const { url, sandbox } = await serveSandbox();
    expect((await fetch(`${url}/__sandboxes`)).status).toBe(403);
    expect(sandbox.requests.map(({ path }) => path)).toEqual(["/__sandboxes"]);
  });

  test("without a sandbox", async () => {
    const { fetch: answer } = createSandbox({ size: 1 });
    // @ts-expect-error -- only a sandbox can be controlled.
    await expect(listen({ fetch: answer }, { control: true })).rejects.toThrow("control needs the sandbox itself");
  });
});

describe("openapi/sandbox-control.json", () => {
  const { paths, components } = document;
  const documented = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
  );

  test("has every operation of the interface and no others", () => {
    const routes = CONTROL_ROUTES.map(({ method, path }) => `${method} ${CONTROL_PREFIX}${path}`);
    expect(documented.sort()).toEqual(routes.sort());
  });

  test("gives the status of each success", () => {
    for (const { method, path, status = 200 } of CONTROL_ROUTES) {
      const operations = paths[`${CONTROL_PREFIX}${path}` as keyof typeof paths] as Record<
        string,
        { responses: object }
      >;
      expect(Object.keys(operations[method.toLowerCase()]?.responses ?? {}), path).toEqual([String(status), "4XX"]);
    }
  });

  test("describes the responses of the interface", async () => {
    const { client, ask, sandbox } = await serveSandbox({ size: 3 });
    sandbox.webhooks.subscribe({ to: () => new Response(null, { status: 204 }) });
    await client.accounts.create({ name: "Example Ltd" });
    await client.accounts.get(99).catch(() => undefined);
    await ask("POST", "/faults", EVERY_FIELD);
    const answers: [name: string, path: string][] = [
      ["State", ""],
      ["Clock", "/clock"],
      ["Fault", "/faults"],
      ["StoredRecord", "/data/accounts"],
      ["Call", "/calls"],
      ["Delivery", "/deliveries?settled=true"],
      ["Error", "/nothing"],
    ];
    expect(schemaOf("Key").safeParse((await ask("POST", "/keys")).body)).toMatchObject({ success: true });
    for (const [name, path] of answers) {
      const { body } = await ask("GET", path);
      const values = Array.isArray(body) ? body : [body];
      expect(values.length, path).toBeGreaterThan(0);
      for (const value of values) expect(schemaOf(name).safeParse(value).error?.message, path).toBeUndefined();
    }
  });

  test("has every field of a fault, and refuses the same values as the sandbox", async () => {
    const { sandbox } = await serveSandbox();
    const fields = Object.keys(components.schemas.Fault.properties);
    const unknown = fields.filter((field) => !Object.hasOwn(Object.assign({}, ...EVERY_FIELD), field));
    expect(unknown).toEqual(["count"]);
    const fault = schemaOf("Fault");
    for (const wrong of [
      { status: 99 },
      { times: 0 },
      { probability: 2 },
      { cut: 1 },
      { drift: "nul" },
      { statsu: 1 },
    ]) {
      expect(fault.safeParse(wrong).success, JSON.stringify(wrong)).toBe(false);
      expect(() => sandbox.faults.next(wrong as never)).toThrow(RangeError);
    }
  });

  // Together these records have every field, each with a valid value.
  const EVERY_FIELD = [
    {
      operation: "users.get",
      times: "Infinity",
      probability: 0.5,
      status: 422,
      errors: { email: ["is taken"] },
      message: "No",
    },
    { body: { id: 1 }, headers: { "x-a": "b" }, delayMs: 5, cut: 0.5, drift: "null", applied: true },
    { retryAfter: 3, delayMs: "Infinity" },
    { reset: true, html: false },
    { delayMs: "Infinity", appliedAfterMs: 5_000 },
  ];

  function schemaOf(name: string): z.ZodType {
    const definitions = JSON.parse(
      JSON.stringify(components.schemas).replaceAll("#/components/schemas/", "#/definitions/"),
    );
    return z.fromJSONSchema({ definitions, $ref: `#/definitions/${name}` }, { defaultTarget: "openapi-3.0" });
  }
});
