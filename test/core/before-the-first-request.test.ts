import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { createSchools } from "../../src/schools/index.js";
import * as postgres from "../../src/stores/postgres/index.js";
import * as redis from "../../src/stores/redis/index.js";
import * as sqlite from "../../src/stores/sqlite/index.js";
import { jsonResponse } from "../support/fetch.js";

// Next aborts a build that reads the date or a random number before the first request. Workers refuse random values
// while they load modules, and have no date then.
const used: string[] = [];
const refuse = (name: string) => () => {
  used.push(name);
  throw new Error(`${name} before the first request`);
};

function refuseChanceAndDates(): void {
  const RealDate = Date;
  const dates = new Proxy(RealDate, {
    construct: (_, given) => (given.length === 0 ? refuse("new Date")() : Reflect.construct(RealDate, given)),
    get: (_, name) => (name === "now" ? refuse("Date.now") : Reflect.get(RealDate, name)),
  });
  vi.stubGlobal("Date", dates);
  vi.spyOn(Math, "random").mockImplementation(refuse("Math.random"));
  vi.spyOn(crypto, "randomUUID").mockImplementation(refuse("crypto.randomUUID"));
  vi.spyOn(crypto, "getRandomValues").mockImplementation(refuse("crypto.getRandomValues"));
}

function allowAll(): void {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
}

beforeEach(() => {
  used.length = 0;
  refuseChanceAndDates();
});
afterEach(allowAll);

const options = { baseUrl: "https://school.example", apiKey: "key-of-a-test" };

it.each([MainClient, AdminClient, OrganizationClient])(
  "a call of %o reads no date and no random number before fetch",
  async (Client) => {
    const fetch = vi.fn(async () => {
      allowAll();
      return jsonResponse({});
    });
    await new Client({ ...options, fetch }).request({ method: "GET", path: "/api/v1/accounts" });
    expect(fetch).toHaveBeenCalledOnce();
    expect(used).toEqual([]);
  },
);

it.each([
  ["a record", (client: MainClient) => client.accounts.get(1)],
  ["a page", (client: MainClient) => client.accounts.list({ per_page: 3 })],
  ["a list", (client: MainClient) => client.accounts.list({ per_page: 100 }).toArray()],
  ["a write", (client: MainClient) => client.accounts.create({ name: "A" }, { timeout: 1_000, totalTimeout: 2_000 })],
] as const)("a call of a sandbox's client reads none either: %s", async (_, call) => {
  const sandbox = createSandbox();
  const fetch = vi.fn((...request: Parameters<typeof sandbox.fetch>) => {
    allowAll();
    return sandbox.fetch(...request);
  });
  await call(new MainClient({ ...sandbox, fetch }));
  expect(fetch).toHaveBeenCalled();
  expect(used).toEqual([]);
});

it("a sandbox is created without them and has its own address and keys", () => {
  const sandboxes = [
    createSandbox(),
    createSandbox({ freeze: true }),
    createSandbox({ now: "2026-01-05", freeze: false }),
  ];
  expect(used).toEqual([]);
  const texts = sandboxes.flatMap(({ baseUrl, apiKey, main, admin }) => [baseUrl, apiKey, main.apiKey, admin.apiKey]);
  expect(new Set(texts).size).toBe(12);
  allowAll();
  // The sandbox's clock advances, so only the day is certain.
  expect(new Date(sandboxes[2]!.clock.now()).toISOString()).toMatch(/^2026-01-05T/);
});

it("the modules load in Workers without a date, random values, timers or crypto", () => {
  vi.stubGlobal("setTimeout", refuse("setTimeout"));
  for (const name of ["digest", "importKey", "encrypt"] as const)
    vi.spyOn(crypto.subtle, name).mockImplementation(refuse(`crypto.subtle.${name}`));
  const encryptionKey = new Uint8Array(32);
  const method = async () => ({}) as never;
  const queue = { add: method, getJob: method, getJobState: method, getJobCounts: method, getJobs: method };
  const inSqlite = { exec: () => undefined, prepare: () => ({}) as never };
  const inPostgres = { query: async () => ({ rows: [] }) };
  const inRedis = { eval: async () => null };
  const tokens = sqlite.sqliteTokens(inSqlite, { encryptionKey });
  const stores = [
    [sqlite.rateLimitStore(inSqlite), sqlite.webhookInbox(inSqlite)],
    [sqlite.bulkJournal(inSqlite, "plan"), postgres.bulkJournal(inPostgres, "plan")],
    [postgres.rateLimitStore(inPostgres), postgres.webhookInbox(inPostgres)],
    [postgres.postgresTokens(inPostgres, { encryptionKey })],
    [redis.rateLimitStore(inRedis), redis.webhookInbox(inRedis, { queue })],
    [redis.redisTokens(inRedis, { encryptionKey })],
  ];
  expect(stores.flat()).toHaveLength(10);
  createSchools({ clientId: "a", clientSecret: "b", redirectUri: "https://app.example/callback", tokens });
  expect(used).toEqual([]);
});
