import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { type MirrorDatabase, mirror, postgres, type SqliteDatabase, sqlite } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { needs } from "../support/tools.ts";
import { onePostgres } from "./support/postgres.js";

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
  const it = onePostgres();
  const { rows } = it;
  beforeEach(() => it.admin.query(earlier("postgres")));
  const DATES =
    "SELECT id::int, expiration_date::text AS date, (opened_at::timestamptz AT TIME ZONE 'UTC')::text AS time FROM current_invoices WHERE id <> 3 ORDER BY id";
  const types = async () => {
    const columns = await rows(
      "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = 'current_invoices'",
    );
    return Object.fromEntries(columns.map(({ name, type }) => [name, type]));
  };

  test("dates and times get their types and keep what they hold, and rights and options stay", async () => {
    await it.admin.query(`DROP ROLE IF EXISTS analyst; CREATE ROLE analyst; GRANT SELECT ON current_invoices TO analyst;
      ALTER VIEW current_invoices SET (security_barrier = true)`);
    const before = await rows(DATES);
    const records = await rows("SELECT id, record, gone_at FROM invoices ORDER BY id");
    const { copy, sync } = start(postgres(it.admin as never));
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
    await it.admin.query("DROP OWNED BY analyst; DROP ROLE analyst");
    expect((await sync()).complete).toBe(true);
  });

  test("columns on which a view of yours depends stay text, and the copy goes on", async () => {
    await it.admin.query("CREATE VIEW due AS SELECT id, expiration_date FROM current_invoices");
    const { sandbox, sync } = start(postgres(it.admin as never));
    sandbox.store.invoices.update(1, { expiration_date: "2031-05-06" });
    expect((await sync()).complete).toBe(true);
    expect(await types()).toMatchObject({ expiration_date: "text", opened_at: "text" });
    expect(await rows("SELECT expiration_date FROM due WHERE id = 1")).toEqual([{ expiration_date: "2031-05-06" }]);
    await it.admin.query("DROP VIEW due");
    expect((await start(postgres(it.admin as never)).sync()).complete).toBe(true);
    expect(await types()).toMatchObject({ expiration_date: "date" });
  });

  test.each(["CREATE TABLE", "DROP VIEW", "ALTER TABLE", "CREATE OR REPLACE VIEW", "COMMIT"])(
    "an upgrade whose connection ends before %s is made by the next start",
    async (before) => {
      let wasEnded = false;
      const pool = it.endingBefore((sql) => {
        wasEnded = sql.startsWith(before);
        return wasEnded;
      });
      await expect(start(postgres(pool as never)).copy.freshness("invoices")).rejects.toThrow();
      expect(wasEnded).toBe(true);
      expect(await types()).toMatchObject({ expiration_date: "text" });
      expect(await feedOf(start(postgres(it.admin as never)).copy, 0)).toEqual(GONE);
      expect(await types()).toMatchObject({ expiration_date: "date" });
    },
  );
});
