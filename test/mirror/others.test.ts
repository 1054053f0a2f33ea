import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { type Account, MainClient } from "../../src/index.js";
import { changes, consume, mirror, prune, type SqliteConnection, sqlite } from "../../src/mirror/index.js";
import { plansOf, selectPlans } from "../../src/mirror/plan.js";
import { ddlOf } from "../../src/mirror/schema.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { sqliteDialect } from "../../src/sql/sqlite-dialect.js";
import { copyOf, recordsOf } from "./support/copies.js";

const database = () => new DatabaseSync(":memory:");
const resources = ["accounts", "users"] as const;

function start(connection: SqliteConnection, prefix?: string) {
  const sandbox = createSandbox({ size: 30, skipWaits: true });
  const client = new MainClient({ ...sandbox, retry: false });
  const copy = mirror(client, sqlite(connection, { prefix }), { resources, clock: sandbox.clock, share: 1 });
  return { sandbox, client, copy };
}

const sqlOf = (connection: DatabaseSync, name: string) =>
  connection.prepare("SELECT sql FROM sqlite_master WHERE name = ?").get(name)?.sql;
const columnsOf = (connection: DatabaseSync, name: string) =>
  connection
    .prepare("SELECT name FROM pragma_table_info(?)")
    .all(name)
    .map((column) => column.name);

describe("objects that others created in the database", () => {
  test.each([
    ["a table", "CREATE TABLE users (id INTEGER, mine TEXT)", "users"],
    ["a view of the mirror's name", "CREATE VIEW current_accounts AS SELECT 1 AS id", "current_accounts"],
    ["a table of the mirror's own name", "CREATE TABLE mirror_lists (mine TEXT)", "mirror_lists"],
  ])("stay unchanged, and the error explains how to avoid the conflict: %s", async (_, statement, name) => {
    const connection = database();
    connection.exec(statement);
    const { sandbox, copy } = start(connection);
    const error = await copy.sync().catch((problem: unknown) => problem);
    expect(error).toMatchObject({ name: "ConfigurationError" });
    expect(String(error)).toContain(`"${name}" that the mirror did not create; give the mirror a prefix`);
    await expect(copy.run({ signal: new AbortController().signal })).rejects.toThrow(`"${name}"`);
    expect(connection.prepare("SELECT sql FROM sqlite_master").all()).toEqual([{ sql: statement }]);
    expect(sandbox.requests).toHaveLength(0);
  });

  test("cause no conflict with a prefix, and two copies fit into one database", async () => {
    const connection = database();
    connection.exec("CREATE TABLE users (mine TEXT); INSERT INTO users VALUES ('mine')");
    for (const prefix of ["north_", "south_"]) {
      const { sandbox, copy } = start(connection, prefix);
      expect((await copy.sync()).complete).toBe(true);
      sandbox.store.accounts.delete(7);
      sandbox.faults.next({ operation: "accounts.list", drift: "extra" });
      expect((await copy.sync()).complete).toBe(true);
      const rows = connection.prepare(`SELECT id, added_by_the_service AS added FROM ${prefix}current_accounts`).all();
      expect(rows.map(({ id }) => id)).toEqual([...recordsOf(sandbox.store.accounts).keys()]);
      let last = 0;
      for await (const { seq } of copy.changes()) last = seq;
      expect(last).toBeGreaterThan(60);
    }
    expect(connection.prepare("SELECT * FROM users").all()).toEqual([{ mine: "mine" }]);
    const names = connection.prepare("SELECT name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").all();
    expect(names.filter(({ name }) => !/^(north|south)_/.test(String(name)))).toEqual([{ name: "users" }]);
  });

  test("a view that selects from the mirror's view keeps its columns when the service adds a field, which comes last", async () => {
    const connection = database();
    const { sandbox, copy } = start(connection);
    await copy.sync();
    connection.exec("CREATE VIEW report AS SELECT id, name FROM current_accounts");
    const before = columnsOf(connection, "current_accounts");
    sandbox.faults.next({ operation: "accounts.list", drift: "extra" });
    expect((await copy.sync()).complete).toBe(true);
    expect(columnsOf(connection, "current_accounts")).toEqual([...before, "added_by_the_service"]);
    expect(connection.prepare("SELECT count(*) AS rows FROM report").get()).toEqual({ rows: 30 });
  });

  test.each([
    "SELECT id, upper(name) AS name FROM accounts WHERE gone_at IS NULL",
    "SELECT id, name FROM accounts WHERE gone_at IS NULL AND id > 5",
    "SELECT id, name FROM accounts WHERE gone_at IS NULL ORDER BY name",
    "SELECT id, name FROM accounts WHERE id > 5 AND gone_at IS NULL",
  ])("a view that a user created in place of the mirror's stays: %s", async (select) => {
    const connection = database();
    const { sandbox, copy } = start(connection);
    await copy.sync();
    const ownView = `CREATE VIEW current_accounts AS ${select}`;
    connection.exec(`DROP VIEW current_accounts; ${ownView}`);
    sandbox.faults.next({ operation: "accounts.list", drift: "extra" });
    expect((await copy.sync()).complete).toBe(true);
    expect(sqlOf(connection, "current_accounts")).toBe(ownView);
    expect(columnsOf(connection, "accounts")).toContain("added_by_the_service");
  });
});

test("existing tables made by hand are used unchanged, and nothing is created", async () => {
  const connection = database();
  const refusing: SqliteConnection = {
    exec: (sql) => {
      if (/CREATE|ALTER|DROP/.test(sql)) throw new Error(`refused: ${sql}`);
      return connection.exec(sql);
    },
    prepare: (sql) => connection.prepare(sql),
  };
  const { sandbox, client, copy } = start(refusing, "by_hand_");
  await expect(copy.sync()).rejects.toThrow("refused: CREATE TABLE");
  const plans = selectPlans(plansOf(client), resources);
  for (const statement of ddlOf(sqliteDialect({ prefix: "by_hand_" }), plans)) connection.exec(statement);
  expect((await copy.sync()).complete).toBe(true);
  expect(connection.prepare("SELECT count(*) AS rows FROM by_hand_current_accounts").get()).toEqual({ rows: 30 });
  expect(connection.prepare("SELECT address FROM by_hand_mirror_version").get()).toEqual({ address: sandbox.baseUrl });
});

/** The tables of a copy as builds before the first release created them. */
const FIRST_TABLES = `
  CREATE TABLE mirror_version (version INTEGER NOT NULL, address TEXT NOT NULL);
  INSERT INTO mirror_version VALUES (3, 'https://old.example');
  CREATE TABLE mirror_lists (name TEXT PRIMARY KEY, state TEXT NOT NULL, columns TEXT NOT NULL, owner TEXT NOT NULL, owned_until BIGINT NOT NULL);
  CREATE TABLE mirror_notes (name TEXT PRIMARY KEY, value TEXT NOT NULL);
  CREATE TABLE mirror_changes (seq BIGINT PRIMARY KEY, list TEXT NOT NULL, id TEXT NOT NULL, parent TEXT NOT NULL,
    kind TEXT NOT NULL, at TEXT NOT NULL, previous BIGINT, fields TEXT, after TEXT)`;

describe.each([
  [
    "an earlier build",
    FIRST_TABLES,
    /by an earlier version of education-admin-sdk; drop its tables and sync again, or give the mirror a prefix/,
  ],
  ["a build of the same tables", "UPDATE mirror_version SET version = 1", /by an earlier version/],
  [
    "a later build",
    "UPDATE mirror_version SET version = 99",
    /by a later version of education-admin-sdk; update this program, or give/,
  ],
] as const)("a copy of %s is refused", (_, sql, words) => {
  test.each(["sync", "changes", "consume", "prune"] as const)("by %s", async (reader) => {
    const connection = database();
    const { copy } = start(connection);
    if (sql.startsWith("UPDATE")) await copy.sync();
    connection.exec(sql);
    const other = sqlite(connection);
    const readers = {
      sync: () => start(connection).copy.sync(),
      changes: () => changes(other).next(),
      consume: () => consume(other, "letters", () => {}),
      prune: () => prune(other, { before: 1 }),
    };
    await expect(readers[reader]()).rejects.toMatchObject({
      name: "ConfigurationError",
      message: expect.stringMatching(words),
    });
  });
});

test("invalid names are refused", () => {
  for (const prefix of ["School_", "1_", 'x"', "a".repeat(21), 7 as never]) {
    expect(() => sqlite(database(), { prefix })).toThrow("prefix must consist of at most");
  }
  expect(() => sqlite(database(), { prefx: "a" } as never)).toThrow('prefx is unknown; did you mean "prefix"?');
});

test.each([
  ["a connection", database()],
  ["a connection that has a method of the name", { write() {} }],
  ["nothing", undefined],
  ["null", null],
])("%s in place of a database is refused, with what to write instead", async (_, given) => {
  const client = new MainClient({ ...createSandbox({ size: 1 }) });
  const refused =
    "must be created by sqlite or postgres from a connection or a pool: mirror(client, sqlite(connection))";
  expect(() => mirror(client, given as never)).toThrow(refused);
  expect(() => changes(given as never)).toThrow(refused);
  await expect(prune(given as never, { before: 1 })).rejects.toThrow(refused);
});

test("a record that an event has read while a page with another version was on its way is read again", async () => {
  const sandbox = createSandbox({ size: 10, skipWaits: true });
  const { accounts } = sandbox.store;
  const before = accounts.get(7) as Account;
  let [isNext, isStale] = [false, false];
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const { pathname } = new URL(String(input));
    if (isStale && pathname.endsWith("/accounts/7")) {
      isStale = false;
      return Response.json(before);
    }
    const response = await sandbox.fetch(input, init);
    if (isNext && pathname.endsWith("/accounts")) {
      [isNext, isStale] = [false, true];
      await sandbox.clock.advance(1);
      await copy.apply({ event: "account.updated", event_data: { id: 7 } });
    }
    return response;
  };
  const { copy, records } = copyOf(sandbox, new MainClient({ ...sandbox, fetch }), { resources: ["accounts"] });
  await copy.sync();
  isNext = true;
  accounts.update(7, { name: "New", updated_at: before.updated_at });
  const [report] = (await copy.sync()).lists;
  expect(report).toMatchObject({ complete: true, requests: 2 });
  expect(records("accounts").get(7)).toMatchObject({ name: "New" });
});
