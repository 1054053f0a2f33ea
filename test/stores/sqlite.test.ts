import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { rateLimitStore, type SqliteConnection, webhookInbox } from "../../src/stores/sqlite/index.js";
import { deliveryOf } from "../webhooks/support.js";
import { rateLimitStoreTests, webhookInboxTests } from "./suite/index.ts";
import { durableInboxTests } from "./support/durable-inbox.ts";

const folder = mkdtempSync(join(tmpdir(), "stores-"));
afterAll(() => rmSync(folder, { recursive: true }));

const DRIVERS: Record<string, (path: string) => SqliteConnection> = {
  "node:sqlite": (path) => new DatabaseSync(path),
  "better-sqlite3": (path) => new Database(path),
};

describe.each(Object.entries(DRIVERS))("SQLite through %s", (name, open) => {
  const path = join(folder, `${name.replace(/\W/g, "-")}.sqlite`);
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());
  const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);
  // Each store has its own connection, as separate processes would.
  rateLimitStoreTests({ test, create: () => rateLimitStore(open(path)), advance });
  let inboxes = 0;
  webhookInboxTests({ test, create: () => webhookInbox(open(path), { prefix: `inbox_${++inboxes}_` }), advance });
});

describe("SQLite whose integers are BigInts", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"] }));
  afterEach(() => vi.useRealTimers());
  const path = join(folder, "big.sqlite");
  const open = () => new Database(path).defaultSafeIntegers();
  const advance = (ms: number) => vi.setSystemTime(Date.now() + ms);
  rateLimitStoreTests({ test, create: () => rateLimitStore(open()), advance });
  let inboxes = 0;
  webhookInboxTests({ test, create: () => webhookInbox(open(), { prefix: `inbox_${++inboxes}_` }), advance });
});

describe("an inbox of SQLite", () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }));
  afterEach(() => vi.useRealTimers());
  durableInboxTests({
    create: async (options) => webhookInbox(new DatabaseSync(":memory:"), options),
    advance: async (ms) => void vi.setSystemTime(Date.now() + ms),
  });

  test("keeps times in whole milliseconds", async () => {
    const inbox = webhookInbox(new DatabaseSync(":memory:"));
    await inbox.put({ ...deliveryOf("a.b", {}, "a"), receivedAt: 5.4 });
    const request = { limit: 1, now: Date.now(), leaseUntil: Date.now() + 1_000, onePerRecord: true };
    expect(await inbox.take(request)).toMatchObject([{ receivedAt: 5 }]);
  });

  test("keeps leases by the machine's clock, even if the caller's clock differs", async () => {
    const inbox = webhookInbox(new DatabaseSync(":memory:"));
    await inbox.put(deliveryOf("a.b", {}, "a"));
    const takeAhead = (leaseMs: number) =>
      inbox.take({
        limit: 1,
        now: Date.now() + 60_000,
        leaseUntil: Date.now() + 60_000 + leaseMs,
        onePerRecord: false,
      });
    expect(await takeAhead(1_000)).toHaveLength(1);
    vi.setSystemTime(Date.now() + 999);
    expect(await takeAhead(1_000)).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect(await takeAhead(1_000)).toMatchObject([{ attempt: 2 }]);
    await inbox.retry("a", Date.now() + 60_000 + 500, 2);
    vi.setSystemTime(Date.now() + 499);
    expect(await takeAhead(1_000)).toEqual([]);
    vi.setSystemTime(Date.now() + 1);
    expect(await takeAhead(1_000)).toMatchObject([{ attempt: 3 }]);
  });
});

describe("a connection of SQLite", () => {
  const ask = { now: 0, requests: 9, batchRequests: 9, priority: "batch", windowMs: 1_000, leaseMs: 2_000 } as const;

  test("prepares each statement once", async () => {
    const database = new DatabaseSync(":memory:");
    const prepare = vi.spyOn(database, "prepare");
    const store = rateLimitStore(database);
    for (let turn = 0; turn < 2; turn++) await store.reserve({ key: "a", ...ask });
    const prepared = prepare.mock.calls.length;
    for (let turn = 0; turn < 5; turn++) await store.reserve({ key: "a", ...ask });
    expect(prepare).toHaveBeenCalledTimes(prepared);
  });

  test("does not change tables of a newer version of the library", async () => {
    const path = join(folder, "newer.sqlite");
    await rateLimitStore(new DatabaseSync(path)).reserve({ key: "a", ...ask });
    new DatabaseSync(path).exec("UPDATE education_admin_versions SET version = 3");
    const store = rateLimitStore(new DatabaseSync(path));
    await expect(store.reserve({ key: "a", ...ask })).rejects.toThrow(
      "were created by a later version of education-admin-sdk",
    );
    new DatabaseSync(path).exec("UPDATE education_admin_versions SET version = 2");
    expect(await store.reserve({ key: "a", ...ask })).toMatchObject({ granted: true, used: 2 });
  });

  test("waits 2 seconds for others, and syncs acknowledged writes to disk", async () => {
    const settings = async (use: (database: DatabaseSync) => Promise<unknown>) => {
      const database = new DatabaseSync(join(folder, `${Math.random()}.sqlite`));
      await use(database);
      const names = ["busy_timeout", "journal_mode", "synchronous"];
      return names.map((name) => Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0]);
    };
    // In SQLite, 1 means NORMAL and 2 means FULL.
    expect(
      await settings((database) => Promise.resolve(rateLimitStore(database).reserve({ key: "a", ...ask }))),
    ).toEqual([2_000, "wal", 1]);
    expect(await settings((database) => webhookInbox(database).count())).toEqual([2_000, "wal", 2]);
  });

  test("tries again while another process changes the journal mode, and gives up on other errors", async () => {
    const database = new DatabaseSync(":memory:");
    const run = database.exec.bind(database);
    let failures = 100;
    let error = "database is locked";
    const exec = vi.spyOn(database, "exec").mockImplementation((sql) => {
      if (sql.includes("journal_mode") && failures-- > 0) throw new Error(error);
      run(sql);
    });
    const store = rateLimitStore(database);
    const countTries = () => exec.mock.calls.filter(([sql]) => sql.includes("journal_mode")).length;
    expect(await store.reserve({ key: "a", ...ask })).toMatchObject({ granted: true });
    expect(countTries()).toBe(101);
    failures = Infinity;
    await expect(rateLimitStore(database).reserve({ key: "a", ...ask })).rejects.toThrow("database is locked");
    expect(countTries()).toBe(202);
    error = "disk I/O error";
    await expect(rateLimitStore(database).reserve({ key: "a", ...ask })).rejects.toThrow("disk I/O error");
    expect(countTries()).toBe(203);
  });

  test.each([
    { when: "begins to hold the file", before: 1 },
    { when: "holds the file from the start", before: 0 },
  ])("waits once, and only briefly, if another program $when", async ({ before }) => {
    vi.useFakeTimers({ toFake: ["performance"] });
    onTestFinished(() => void vi.useRealTimers());
    const path = join(folder, `${Math.random()}.sqlite`);
    const database = new DatabaseSync(path);
    const run = database.exec.bind(database);
    let timeout = 0;
    const waits: number[] = [];
    vi.spyOn(database, "exec").mockImplementation((sql) => {
      const pragma = /^PRAGMA busy_timeout = (\d+)$/.exec(sql);
      // Records the timeout instead of setting it, so that the test does not have to wait that long.
      if (pragma) timeout = Number(pragma[1]);
      else if (/^BEGIN|journal_mode/.test(sql)) {
        try {
          run(sql);
        } catch (error) {
          waits.push(timeout);
          throw error;
        }
      } else run(sql);
    });
    const store = rateLimitStore(database);
    for (let turn = 0; turn < before; turn++) await store.reserve({ key: "a", ...ask });
    const other = new DatabaseSync(path);
    other.exec(before ? "BEGIN EXCLUSIVE" : "CREATE TABLE another (id); BEGIN EXCLUSIVE");
    const ask20 = () =>
      Promise.allSettled(Array.from({ length: 20 }, (_, at) => store.reserve({ key: `${at}`, ...ask })));
    for (let round = 0; round < 3; round++) {
      expect((await ask20()).map(({ status }) => status)).toEqual(Array(20).fill("rejected"));
      vi.advanceTimersByTime(100);
    }
    // A process that has not opened the file yet waits twice: after it fails to set the journal mode, it tries to begin
    // the transaction.
    expect(waits.filter((_, at) => before || at % 2)).toEqual([2_000, 100, 100]);
    other.exec("ROLLBACK");
    expect(await store.reserve({ key: "a", ...ask })).toMatchObject({ granted: true });
    expect(timeout).toBe(2_000);
  });

  test("ends a failed transaction with the error that made it fail", async () => {
    const database = new DatabaseSync(":memory:");
    const inbox = webhookInbox(database);
    const id = "a".repeat(3);
    await inbox.put(deliveryOf("a.b", {}, id));
    database.exec("DROP TABLE education_admin_records");
    await expect(inbox.done(id, { record: "r", updatedAt: 1 })).rejects.toThrow("no such table");
    expect(database.isTransaction).toBe(false);
    expect(await inbox.count()).toEqual({ waiting: 1, done: 0, dead: 0 });
  });
});

test("the windows of unused tokens are removed", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const database = new DatabaseSync(":memory:");
  const store = rateLimitStore(database);
  const ask = { requests: 1, batchRequests: 1, priority: "batch", windowMs: 1_000, leaseMs: 2_000 } as const;
  const windows = () => database.prepare("SELECT id FROM education_admin_windows").all();
  await store.reserve({ key: "old", now: 0, ...ask });
  vi.setSystemTime(Date.now() + 86_400_000);
  await store.reserve({ key: "new", now: 0, ...ask });
  expect(windows()).toHaveLength(2);
  vi.setSystemTime(Date.now() + 2_001);
  await store.reserve({ key: "newest", now: 0, ...ask });
  expect(windows()).toEqual([{ id: "key new" }, { id: "key newest" }]);
  vi.useRealTimers();
});
