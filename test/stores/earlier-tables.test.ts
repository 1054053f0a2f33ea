import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type PartTables, statementsFrom } from "../../src/sql/tables.js";
import * as postgres from "../../src/stores/postgres/index.js";
import type { DurableInbox } from "../../src/stores/sql-inbox.js";
import * as sqlite from "../../src/stores/sqlite/index.js";
import { startPglite } from "../support/pglite.ts";
import { deliveryOf, takeAt } from "../webhooks/support.js";

// Tables of other builds than this one: tables of earlier builds are upgraded, tables of later builds are refused.

const P = "education_admin_";
const ASK = { requests: 9, batchRequests: 9, priority: "batch", windowMs: 1_000, leaseMs: 2_000 } as const;
const KEY = new Uint8Array(32);

/** Uses each part of the library in a database once. */
interface Opened {
  inbox(): DurableInbox;
  limit(): { reserve(ask: typeof ASK & { key: string; now: number }): unknown };
  tokens(): { list(prefix: string): unknown };
  journal(): { append(lines: readonly string[]): Promise<void> };
}

const uses = (stores: Opened): Record<string, () => Promise<unknown>> => ({
  inbox: () => stores.inbox().count(),
  limit: async () => stores.limit().reserve({ ...ASK, key: "k", now: 0 }),
  tokens: async () => stores.tokens().list("school "),
  bulk: () => stores.journal().append(["{}"]),
});

interface Database {
  run(sql: string): Promise<unknown>;
  /** The columns, indexes and functions of the tables whose names begin with the prefix. */
  shape(): Promise<readonly unknown[]>;
  readonly stores: Opened;
}

let pglite: PGlite;
beforeAll(async () => {
  pglite = await startPglite();
}, 240_000);
afterAll(() => pglite.close());
beforeEach(() => pglite.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"));

const oneSpace = (sql: string) => sql.replace(/\s+/g, " ").toLowerCase();

function sqliteDatabase(): Database {
  const database = new DatabaseSync(":memory:");
  return {
    run: async (sql) => database.exec(sql),
    shape: async () => {
      const all = (sql: string) => database.prepare(sql).all() as Record<string, string>[];
      const indexes = all("SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name");
      const columns = all(
        `SELECT m.name AS part, t.name, lower(t.type) AS type, t."notnull", t.pk FROM sqlite_master m, pragma_table_info(m.name) t
          WHERE m.type = 'table' AND m.name LIKE '${P}%' AND m.name <> '${P}versions' ORDER BY m.name, t.cid`,
      );
      const sameType = (type: string) => (type === "integer" ? "int" : type);
      return [
        ...indexes.map(({ sql }) => oneSpace(String(sql))),
        ...columns.map((column) => ({ ...column, type: sameType(String(column.type)) })),
      ];
    },
    stores: {
      inbox: () => sqlite.webhookInbox(database),
      limit: () => sqlite.rateLimitStore(database),
      tokens: () => sqlite.sqliteTokens(database, { encryptionKey: KEY }),
      journal: () => sqlite.bulkJournal(database, "plan"),
    },
  };
}

function postgresDatabase(): Database {
  return {
    run: (sql) => pglite.exec(sql),
    shape: async () => {
      const all = async (sql: string) => (await pglite.query(sql)).rows;
      return [
        ...(await all("SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname")),
        ...(await all(
          "SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = 'public' ORDER BY table_name, ordinal_position",
        )),
        ...(await all(
          "SELECT proname, md5(prosrc) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname NOT LIKE '%take_1' ORDER BY proname",
        )),
      ];
    },
    stores: {
      inbox: () => postgres.webhookInbox(pglite),
      limit: () => postgres.rateLimitStore(pglite),
      tokens: () => postgres.postgresTokens(pglite, { encryptionKey: KEY }),
      journal: () => postgres.bulkJournal(pglite, "plan"),
    },
  };
}

const versions = (part: string, version: number) =>
  `CREATE TABLE ${P}versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL); INSERT INTO ${P}versions VALUES ('${part}', ${version});`;

/** The tables of an inbox as the first builds created them: a unique index refused a change back to an earlier state. */
const firstInbox = (place: string, time: string, flag: string, end: string, leased: string) => `
  CREATE TABLE ${P}deliveries (place ${place}, id TEXT NOT NULL UNIQUE, event TEXT NOT NULL, payload TEXT NOT NULL,
    received_at ${time} NOT NULL, sent_at ${time}, record TEXT, fold_key TEXT,
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead')),
    attempt INTEGER NOT NULL DEFAULT 0, leased ${flag}, available_at ${time} NOT NULL DEFAULT 0, ended_at ${time})${end};
  CREATE INDEX ${P}deliveries_available ON ${P}deliveries (available_at) WHERE state = 'waiting';
  CREATE INDEX ${P}deliveries_leased ON ${P}deliveries (record) WHERE state = 'waiting' AND ${leased};
  CREATE UNIQUE INDEX ${P}deliveries_fold ON ${P}deliveries (fold_key) WHERE state = 'waiting' AND attempt = 0;
  CREATE INDEX ${P}deliveries_ended ON ${P}deliveries (ended_at) WHERE state <> 'waiting';
  CREATE TABLE ${P}records (record TEXT PRIMARY KEY, updated_at ${time} NOT NULL, handled_at ${time} NOT NULL)${end};`;

/** The rest of an inbox of version 1 of a later build. */
const SECOND_INBOX = `DROP INDEX ${P}deliveries_fold;
  CREATE INDEX ${P}deliveries_fold ON ${P}deliveries (fold_key) WHERE fold_key IS NOT NULL;
  CREATE INDEX ${P}deliveries_record ON ${P}deliveries (record, place);`;
const TAKE_1 = `CREATE FUNCTION ${P}take_1(most int, lease_ms float8, one_per_record boolean, keep_ms float8)
  RETURNS TABLE (id text) LANGUAGE sql AS $f$ SELECT NULL::text WHERE false $f$;`;
const SQLITE_INBOX = firstInbox(
  "INTEGER PRIMARY KEY AUTOINCREMENT",
  "INTEGER",
  "INTEGER NOT NULL DEFAULT 0",
  " STRICT",
  "leased = 1",
);
const POSTGRES_INBOX =
  firstInbox("bigserial PRIMARY KEY", "float8", "boolean NOT NULL DEFAULT false", "", "leased") + TAKE_1;

const EARLIER: readonly (readonly [name: string, create: () => Database, part: string, use: string, sql: string])[] = [
  ["the first inbox in SQLite", sqliteDatabase, "inbox", "inbox", SQLITE_INBOX],
  ["the second inbox in SQLite", sqliteDatabase, "inbox", "inbox", SQLITE_INBOX + SECOND_INBOX],
  ["the first inbox in Postgres", postgresDatabase, "inbox", "inbox", POSTGRES_INBOX],
  ["the second inbox in Postgres", postgresDatabase, "inbox", "inbox", POSTGRES_INBOX + SECOND_INBOX],
  [
    "the first rate limit in SQLite",
    sqliteDatabase,
    "rate_limit",
    "limit",
    `CREATE TABLE ${P}windows (id TEXT PRIMARY KEY, shift INTEGER NOT NULL DEFAULT 0, seen INTEGER NOT NULL DEFAULT 0,
      blocked_until INTEGER NOT NULL DEFAULT 0, spaced_until REAL NOT NULL DEFAULT 0) STRICT;`,
  ],
  [
    "a rate limit in SQLite whose windows have another form",
    sqliteDatabase,
    "rate_limit",
    "limit",
    `CREATE TABLE ${P}windows (id TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL, ends_at REAL NOT NULL) STRICT;
      INSERT INTO ${P}windows VALUES ('key k', 1, '{"taken":[]}', 9e15);`,
  ],
];

describe("tables of an earlier build become identical to new ones", () => {
  test.each(EARLIER)("%s", async (_, create, part, use, sql) => {
    const fresh = create();
    await uses(fresh.stores)[use]?.();
    const wanted = await fresh.shape();
    await pglite.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const old = create();
    await old.run(versions(part, 1) + sql);
    await uses(old.stores)[use]?.();
    expect(await old.shape()).toEqual(wanted);
    // A second process finds them current.
    await uses(old.stores)[use]?.();
  });

  test.each([
    ["SQLite", sqliteDatabase, SQLITE_INBOX],
    ["Postgres", postgresDatabase, POSTGRES_INBOX],
  ] as const)(
    "an inbox in %s keeps its deliveries and stores a change back to an earlier state",
    async (_, create, sql) => {
      const { run, stores } = create();
      const old = `INSERT INTO ${P}deliveries (id, event, payload, received_at) VALUES ('old', 'a.b', '{}', 1);`;
      await run(versions("inbox", 1) + sql + old);
      const inbox = stores.inbox();
      const put = (id: string, foldKey: string, receivedAt: number) =>
        inbox.put({ ...deliveryOf("a.b", {}, id), record: "r", foldKey, receivedAt, sentAt: receivedAt });
      const now = Date.now();
      expect([await put("1", "A", now), await put("2", "B", now + 10), await put("3", "A", now + 20)]).toEqual(
        Array(3).fill("stored"),
      );
      expect((await inbox.take(takeAt(Date.now()))).map(({ id }) => id)).toEqual(["old", "1", "2", "3"]);
    },
  );
});

test.each([
  ["SQLite", sqliteDatabase, "0b2702d6c94a59e2"],
  ["Postgres", postgresDatabase, "acb992f2c9434a89"],
] as const)("tables in %s change only with their version", async (_, create, digest) => {
  const { run, shape, stores } = create();
  for (const use of Object.values(uses(stores))) await use();
  const found = createHash("sha256")
    .update(JSON.stringify(await shape()))
    .digest("hex")
    .slice(0, 16);
  // If tables changed, add a text to their `upgrades` and the previous tables to EARLIER; then write the digest here.
  expect(found).toBe(digest);
  await run(`DROP TABLE ${P}versions`);
  await expect(uses(stores).inbox?.(), "tables without a version are another program's").rejects.toThrow();
});

describe.each([
  ["SQLite", sqliteDatabase],
  ["Postgres", postgresDatabase],
] as const)("tables of a later build in %s are refused", (_, create) => {
  test.each(["inbox", "limit", "tokens", "bulk"])("%s", async (use) => {
    const { run, stores } = create();
    await uses(stores)[use]?.();
    await run(`UPDATE ${P}versions SET version = version + 1`);
    await expect(uses(stores)[use]?.()).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(
        /^The tables education_admin_… \(\w+\) were created by a later version of education-admin-sdk: update this program/,
      ),
    });
    await run(`UPDATE ${P}versions SET version = version - 1`);
    await uses(stores)[use]?.();
  });
});

test("each version is upgraded by all later steps, in order", () => {
  const tables: PartTables = { part: "p", prefix: P, create: "all", upgrades: ["to 2", "to 3"] };
  expect([0, 1, 2, 3].map((version) => statementsFrom(version, tables))).toEqual([
    ["all"],
    ["to 2", "to 3"],
    ["to 3"],
    [],
  ]);
  expect(() => statementsFrom(4, tables)).toThrow("later version");
});
