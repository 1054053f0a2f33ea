import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import * as postgres from "../../src/stores/postgres/index.js";
import * as redis from "../../src/stores/redis/index.js";
import * as sqlite from "../../src/stores/sqlite/index.js";
import { mainClient } from "../support/clients.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";
import { accountRecord } from "../support/records.js";

describe("an inbox of SQLite whose integers are BigInts", () => {
  test("returns numbers, whatever the driver returns", async () => {
    const inbox = sqlite.webhookInbox(new DatabaseSync(":memory:", { readBigInts: true }));
    await inbox.put({
      id: "a",
      event: "account.updated",
      payload: "{}",
      receivedAt: 5,
      sentAt: 3,
      record: "account 1",
      foldKey: null,
    });
    const now = Date.now();
    const [taken] = await inbox.take({ limit: 5, now, leaseUntil: now + 1_000, onePerRecord: false });
    expect(taken).toMatchObject({ receivedAt: 5, sentAt: 3, attempt: 1 });
    await inbox.dead("a", 1);
    expect(await inbox.listDead()).toMatchObject([{ receivedAt: 5, attempt: 1 }]);
    await inbox.done("a", { record: "account 1", updatedAt: 7 });
    expect(await inbox.newest?.("account 1")).toBe(7);
  });
});

test("an inbox of Postgres returns numbers, whatever the driver returns", async () => {
  const row = {
    id: "a",
    event: "account.updated",
    payload: "{}",
    received_at: "5",
    receivedAt: "5",
    sent_at: "3",
    attempt: 1n,
  };
  const query = async (sql: string) => ({ rows: sql.startsWith("DO ") ? [] : [{ ...row, db_now: "1000" }] });
  const inbox = postgres.webhookInbox({ query });
  const [taken] = await inbox.take({ limit: 5, now: 900, leaseUntil: 1_000, onePerRecord: false });
  expect(taken).toMatchObject({ receivedAt: 5, sentAt: 3, attempt: 1 });
  expect(await inbox.listDead()).toMatchObject([{ receivedAt: 5, attempt: 1 }]);
});

test("a rate limit of Postgres holds although the driver returns numbers as texts", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  // Returns the log with the received entry, stamped with the database's time.
  const query = vi.fn(async (sql: string, [, entry]: readonly unknown[] = []) => ({
    rows: sql.includes("RETURNING base")
      ? [{ base: "1000000", state: null, first: "1000000", entries: [`1000 ${entry}`] }]
      : [{}],
  }));
  const { fetch } = recordingFetch(() => jsonResponse(accountRecord()));
  const client = mainClient({ fetch, rateLimit: { store: postgres.rateLimitStore({ query }) } });
  await client.accounts.get(7);
  expect(warn).not.toHaveBeenCalled();
});

test("a rate limit in a read-only file stops no call, and is reported once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "borders-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "limit.sqlite");
  new DatabaseSync(path).exec("CREATE TABLE other (id)");
  const warn = vi.spyOn(console, "warn").mockReturnValue(undefined);
  const { fetch, calls } = recordingFetch(() => jsonResponse(accountRecord()));
  const store = sqlite.rateLimitStore(new DatabaseSync(path, { readOnly: true }));
  const client = mainClient({ fetch, rateLimit: { store } });
  await Promise.all([1, 2, 3].map(() => client.accounts.get(7)));
  expect([calls.length, warn.mock.calls.length]).toEqual([3, 1]);
});

describe("a connection without an error listener", () => {
  const ask = {
    key: "a",
    now: 0,
    requests: 1,
    batchRequests: 1,
    priority: "batch",
    windowMs: 20,
    leaseMs: 50,
  } as const;

  test.each([
    ["a pool of pg", (connection: EventEmitter) => postgres.rateLimitStore(connection as never).reserve(ask)],
    ["a pool of pg with an inbox", (connection: EventEmitter) => postgres.webhookInbox(connection as never).count()],
    ["node-redis", (connection: EventEmitter) => redis.rateLimitStore(connection as never).reserve(ask)],
  ])("may emit an error while idle: %s", async (_, use) => {
    const away = () => Promise.reject(new Error("away"));
    const connection = Object.assign(new EventEmitter(), { query: away, eval: away });
    await expect(use(connection)).rejects.toThrow("away");
    await expect(use(connection)).rejects.toThrow("away");
    expect(connection.listenerCount("error")).toBe(1);
    expect(connection.emit("error", new Error("terminating connection"))).toBe(true);
  });

  test("gets no second listener if its owner has added one", async () => {
    const away = () => Promise.reject(new Error("away"));
    const connection = Object.assign(new EventEmitter(), { query: away });
    connection.on("error", () => undefined);
    await expect(postgres.rateLimitStore(connection as never).reserve(ask)).rejects.toThrow("away");
    expect(connection.listenerCount("error")).toBe(1);
  });
});
