import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { type MirrorDatabase, mirror, postgres, type SqliteDatabase, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Server, startPostgres } from "../stores/support/servers.js";
import { needs } from "../support/tools.ts";

/**
 * Copies that b56bcd7 made of four invoices: one with a date and a time, one without, one with texts that are neither, and
 * one that is gone. Dates and times of invoices were text, and what was seen was noted in the rows.
 */
const earlier = (database: "sqlite" | "postgres") =>
  readFileSync(new URL(`./support/earlier-copies/${database}.sql`, import.meta.url), "utf8");

/** A service that has the invoices of the earlier copy, by default as they were. */
function start(database: MirrorDatabase) {
  const sandbox = createSandbox({
    size: 4,
    skipWaits: true,
    baseUrl: "https://school.example",
    now: "2030-02-01T00:00:00Z",
  });
  sandbox.store.invoices.delete(4);
  const client = new MainClient({ ...sandbox, retry: false });
  const copy = mirror(client, database, { resources: ["invoices"], clock: sandbox.clock, share: 1 });
  return { sandbox, copy, sync: () => sandbox.clock.during(() => copy.sync({ accept: ["invoices"] })) };
}

async function feedOf(copy: ReturnType<typeof start>["copy"], after: number) {
  const kinds: string[] = [];
  for await (const { kind, id } of copy.changes({ after })) kinds.push(`${kind} ${id}`);
  return kinds;
}

const GONE = ["added 1", "added 2", "added 3", "added 4", "gone 4"];

describe("SQLite", () => {
  test("an earlier copy is continued with all it holds", async () => {
    const file = new DatabaseSync(":memory:");
    file.exec(earlier("sqlite"));
    const before = file.prepare("SELECT id, record, gone_at, expiration_date FROM invoices ORDER BY id").all();
    const { copy, sync } = start(sqlite(file));
    expect(await feedOf(copy, 0)).toEqual(GONE);
    expect(file.prepare("SELECT id, record, gone_at, expiration_date FROM invoices ORDER BY id").all()).toEqual(before);
    expect((await sync()).complete).toBe(true);
    expect(file.prepare("SELECT count(*) AS rows FROM current_invoices").get()).toEqual({ rows: 3 });
    expect(file.prepare("SELECT id FROM invoices WHERE gone_at IS NOT NULL").all()).toEqual([{ id: 4 }]);
  });

  test("an upgrade that is killed at any statement is made by the next start", async () => {
    for (let left = 0; ; left++) {
      const file = new DatabaseSync(":memory:");
      file.exec(earlier("sqlite"));
      let statements = 0;
      const step = () => {
        if (statements++ >= left) throw new Error("killed");
      };
      const mortal: SqliteDatabase = {
        exec: (sql) => {
          step();
          file.exec(sql);
        },
        prepare: (sql) => {
          step();
          return file.prepare(sql);
        },
      };
      const killed = await start(sqlite(mortal))
        .copy.freshness("invoices")
        .then(
          () => false,
          () => true,
        );
      if (file.isTransaction) file.exec("ROLLBACK");
      expect(await feedOf(start(sqlite(file)).copy, 0)).toEqual(GONE);
      expect(file.prepare("SELECT version FROM mirror_version").all()).toEqual([{ version: 3 }]);
      if (!killed) {
        expect(left).toBeGreaterThan(5);
        return;
      }
    }
  });
});

describe("Postgres", needs("postgres"), () => {
  let server: Server;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url });
    pool.on("error", () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });
  beforeEach(async () => {
    await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    await pool.query(earlier("postgres"));
  });
  const rows = async (sql: string) => (await pool.query(sql)).rows as Record<string, unknown>[];
  const DATES =
    "SELECT id::int, expiration_date::text AS date, (opened_at::timestamptz AT TIME ZONE 'UTC')::text AS time FROM current_invoices WHERE id <> 3 ORDER BY id";
  const types = async () => {
    const columns = await rows(
      "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = 'current_invoices'",
    );
    return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
  };

  test("dates and times get their types and keep what they hold, and rights and options stay", async () => {
    await pool.query(`DROP ROLE IF EXISTS analyst; CREATE ROLE analyst; GRANT SELECT ON current_invoices TO analyst;
      ALTER VIEW current_invoices SET (security_barrier = true)`);
    const before = await rows(DATES);
    const records = await rows("SELECT id, record, gone_at FROM invoices ORDER BY id");
    const { copy, sync } = start(postgres(pool as never));
    expect(await feedOf(copy, 0)).toEqual(GONE);
    expect(await types()).toMatchObject({ expiration_date: "date", opened_at: "timestamp with time zone" });
    expect(await rows(DATES)).toEqual(before);
    expect(before[0]).toEqual({ id: 1, date: "2030-02-14", time: "2030-01-02 03:04:05.678" });
    expect(await rows("SELECT expiration_date, opened_at FROM invoices WHERE id = 3")).toEqual([
      { expiration_date: null, opened_at: null },
    ]);
    expect(await rows("SELECT id, record, gone_at FROM invoices ORDER BY id")).toEqual(records);
    expect(await rows("SELECT has_table_privilege('analyst', 'current_invoices', 'SELECT') AS may")).toEqual([
      { may: true },
    ]);
    expect(await rows("SELECT reloptions FROM pg_class WHERE relname = 'current_invoices'")).toEqual([
      { reloptions: ["security_barrier=true"] },
    ]);
    await pool.query("DROP OWNED BY analyst; DROP ROLE analyst");
    expect((await sync()).complete).toBe(true);
  });

  test("columns on which a view of yours depends stay text, and the copy goes on", async () => {
    await pool.query("CREATE VIEW due AS SELECT id, expiration_date FROM current_invoices");
    const { sandbox, sync } = start(postgres(pool as never));
    sandbox.store.invoices.update(1, { expiration_date: "2031-05-06" });
    expect((await sync()).complete).toBe(true);
    expect(await types()).toMatchObject({ expiration_date: "text", opened_at: "text" });
    expect(await rows("SELECT expiration_date FROM due WHERE id = 1")).toEqual([{ expiration_date: "2031-05-06" }]);
    await pool.query("DROP VIEW due");
    expect((await start(postgres(pool as never)).sync()).complete).toBe(true);
    expect(await types()).toMatchObject({ expiration_date: "date" });
  });

  test("an upgrade whose connection ends in the middle is made by the next start", async () => {
    for (const before of ["CREATE TABLE", "DROP VIEW", "ALTER TABLE", "CREATE OR REPLACE VIEW", "COMMIT"]) {
      await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      await pool.query(earlier("postgres"));
      const own = new pg.Pool({ connectionString: server.url });
      onTestFinished(() => own.end());
      own.on("error", () => undefined);
      let wasKilled = false;
      const mortal = {
        query: (sql: string, values?: unknown[]) => own.query(sql, values),
        on: own.on.bind(own),
        connect: async () => {
          const client = (await own.connect()) as pg.PoolClient & { readonly processID: number };
          const query = async (sql: string, values?: unknown[]) => {
            if (sql.startsWith(before) && !wasKilled) {
              wasKilled = true;
              const ended = new Promise((resolve) => client.once("end", resolve));
              await pool.query("SELECT pg_terminate_backend($1)", [client.processID]);
              await ended;
            }
            return client.query(sql, values);
          };
          return {
            query,
            release: client.release.bind(client),
            on: client.on.bind(client),
            off: client.off.bind(client),
          };
        },
      };
      await expect(start(postgres(mortal as never)).copy.freshness("invoices")).rejects.toThrow();
      expect(wasKilled).toBe(true);
      expect(await types()).toMatchObject({ expiration_date: "text" });
      expect(await feedOf(start(postgres(pool as never)).copy, 0)).toEqual(GONE);
      expect(await types()).toMatchObject({ expiration_date: "date" });
    }
  });
});
