import type { PGlite } from "@electric-sql/pglite";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, type PostgresInProcess, type PostgresPool, postgres } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { startPglite } from "../support/pglite.ts";
import { needs } from "../support/tools.ts";
import { recordsOf } from "./support/copies.js";
import { hiding } from "./support/keys.js";
import { onePostgres } from "./support/postgres.js";

type Connection = (PostgresPool | PostgresInProcess) & { query(sql: string): PromiseLike<{ rows: unknown[] }> };

function copies(connect: () => Connection): void {
  const resources = ["accounts", "users", "authentications", "invoices", "credits"] as const;

  async function start() {
    const connection = connect();
    const sandbox = createSandbox({ size: 12, skipWaits: true });
    const client = new MainClient({ ...sandbox, pageSize: 6, retry: false });
    const make = (by = client) => mirror(by, postgres(connection), { resources, clock: sandbox.clock, share: 1 });
    const rows = async (sql: string) => (await connection.query(sql)).rows as Record<string, unknown>[];
    const records = async (table: string) => {
      const found = await rows(`SELECT id, record FROM current_${table} ORDER BY id`);
      return new Map(found.map(({ id, record }) => [Number(id), record]));
    };
    return { sandbox, make, copy: make(), rows, records };
  }

  test("a copy is correct and stays correct", async () => {
    const { sandbox, copy, records, rows } = await start();
    expect((await sandbox.clock.during(() => copy.sync())).lists.filter(({ complete }) => !complete)).toEqual([]);
    sandbox.store.accounts.delete(7);
    sandbox.store.credits.delete(3);
    sandbox.store.accounts.update(8, { name: "It’s \u0000 “Example” \\u0000 \ud800 Ltd" });
    sandbox.store.users.delete(9);
    for (const { id } of sandbox.store.authentications.filter(({ user_id }) => user_id === 9))
      sandbox.store.authentications.delete(id);
    const { lists } = await sandbox.clock.during(() => copy.sync());
    expect(lists.filter(({ complete }) => !complete)).toEqual([]);
    for (const table of ["users", "authentications", "credits", "invoices"] as const) {
      expect(await records(table)).toEqual(recordsOf(sandbox.store[table]));
    }
    const accounts = await records("accounts");
    expect([...accounts.keys()]).toEqual([...recordsOf(sandbox.store.accounts).keys()]);
    // Postgres cannot store some characters, which are left out or replaced; text that only looks like them is kept.
    expect((accounts.get(8) as { name: string }).name).toBe("It’s  “Example” \\u0000 \ufffd Ltd");
    const [gone] = await rows("SELECT count(*) AS rows, min(gone_at) AS at FROM accounts WHERE gone_at IS NOT NULL");
    expect(Number(gone?.rows)).toBe(1);
  });

  test("amounts are exact and columns are typed", async () => {
    const { sandbox, copy, rows } = await start();
    sandbox.store.invoices.update(1, { total_incl: "12345678901234567890.12" } as object);
    await sandbox.clock.during(() => copy.sync());
    const types = await rows(
      "SELECT column_name AS name, data_type AS type FROM information_schema.columns WHERE table_name = 'invoices'",
    );
    const typed = Object.fromEntries(types.map(({ name, type }) => [name, type]));
    expect(typed).toMatchObject({ id: "bigint", updated_at: "timestamp with time zone", record: "jsonb" });
    const numeric = types.filter(({ type }) => type === "numeric").map(({ name }) => name);
    expect(numeric).toContain("total_incl");
    const [exact] = await rows("SELECT total_incl::text AS total FROM invoices WHERE id = 1");
    expect(exact?.total).toBe("12345678901234567890.12");
  });

  test("a new field becomes a column, and the feed can be replayed", async () => {
    const { sandbox, copy, rows, records } = await start();
    await sandbox.clock.during(() => copy.sync());
    sandbox.faults.next({ operation: "accounts.list", drift: "extra" });
    await sandbox.clock.during(() => copy.sync());
    expect(await rows("SELECT added_by_the_service AS added FROM current_accounts WHERE id = 1")).toEqual([
      { added: true },
    ]);
    await sandbox.clock.during(() => copy.sync());
    const replayed = new Map<number, unknown>();
    for await (const { id, before, after } of copy.changes({ resources: ["accounts"] })) {
      if (before) expect(replayed.get(Number(id))).toEqual(before);
      if (after) replayed.set(Number(id), after);
      else replayed.delete(Number(id));
    }
    expect(new Map([...replayed].sort(([a], [b]) => a - b))).toEqual(await records("accounts"));
  });

  test("a key that sees half of the records resumes a sweep, and nothing is marked as gone", async () => {
    const { sandbox, make, records, rows } = await start();
    await sandbox.clock.during(() => make().sync());
    const stop = new AbortController();
    const begun = make().sync({ signal: stop.signal, onProgress: () => stop.abort(new Error("killed")) });
    await expect(sandbox.clock.during(() => begun)).rejects.toThrow("killed");
    const half = sandbox.createKey();
    const fetch = hiding(sandbox.fetch, (apiKey, id) => apiKey === half && id % 2 === 1);
    const other = make(new MainClient({ ...sandbox, fetch, apiKey: half, pageSize: 20, retry: false }));
    for (let run = 1; run <= 2; run++) {
      const { lists } = await sandbox.clock.during(() => other.sync());
      expect(lists.map(({ held }) => held?.reason)).toEqual(lists.map(() => "key"));
    }
    for (const table of resources) {
      expect(await rows(`SELECT id FROM ${table} WHERE gone_at IS NOT NULL`)).toEqual([]);
      expect(await records(table)).toEqual(recordsOf(sandbox.store[table]));
    }
    expect((await sandbox.clock.during(() => make().sync())).complete).toBe(true);
  });

  test("several mirrors write at once without losing a change", async () => {
    const { sandbox, make, records, rows } = await start();
    await sandbox.clock.during(() => make().sync());
    const others = [make(), make(), make()];
    await sandbox.clock.during(async () => {
      for (let round = 0; round < 3; round++) {
        for (let id = 1; id <= 10; id++) sandbox.store.accounts.update(id, { name: `round ${round}` });
        const event = (id: number) => ({ event: "account.updated", event_data: { id } });
        await Promise.all(others.flatMap((copy) => Array.from({ length: 10 }, (_, at) => copy.apply(event(at + 1)))));
      }
    });
    expect(await records("accounts")).toEqual(recordsOf(sandbox.store.accounts));
    const [count] = await rows("SELECT count(*) AS changes, max(seq) AS last FROM mirror_changes");
    expect(Number(count?.changes)).toBe(Number(count?.last));
  });
}

describe("PGlite", () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await startPglite();
    // The first start compiles all of Postgres.
  }, 120_000);
  afterAll(() => database.close());
  beforeEach(() => database.exec("DROP SCHEMA public CASCADE; CREATE SCHEMA public"));
  copies(() => {
    const { query, transaction, exec } = database;
    return {
      query: (sql: string, values?: unknown[]) =>
        values
          ? query.call(database, sql, values)
          : exec.call(database, sql).then((results) => results.at(-1) ?? { rows: [] }),
      transaction: (work) => transaction.call(database, work as never) as never,
    } as Connection;
  });
});

describe("Postgres through pg", needs("postgres"), () => {
  const it = onePostgres();
  copies(() => it.admin as unknown as Connection);

  test.each(["BEGIN", "SELECT", "INSERT", "COMMIT"])(
    "a connection that ends before %s ends neither the process nor the next run",
    async (before) => {
      let left = 3;
      const pool = it.endingBefore((sql) => sql.trimStart().startsWith(before) && left-- === 0);
      const sandbox = createSandbox({ size: 40, skipWaits: true });
      const client = new MainClient({ ...sandbox, pageSize: 10 });
      const options = { resources: ["accounts"], clock: sandbox.clock, share: 1 } as const;
      const copy = mirror(client, postgres(pool), options);
      await sandbox.clock.during(() => copy.sync().catch(() => null));
      expect(left).toBeLessThan(0);
      expect((await sandbox.clock.during(() => copy.sync())).complete).toBe(true);
      expect(await it.rows("SELECT count(*)::int AS rows FROM current_accounts")).toEqual([{ rows: 40 }]);
      // The test adds no error listener to `pool`, because the mirror does.
      const [idle] = await it.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()",
      );
      expect(idle).toBeDefined();
    },
  );
});
