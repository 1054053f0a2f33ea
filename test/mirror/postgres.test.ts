import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { mirror, type PostgresInProcess, type PostgresPool, postgres } from "../../src/mirror/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { type Server, startPostgres } from "../stores/support/servers.js";
import { needs } from "../support/tools.ts";
import { recordsOf } from "./support/copies.js";
import { hiding } from "./support/keys.js";

type Connection = (PostgresPool | PostgresInProcess) & { query(sql: string): PromiseLike<{ rows: unknown[] }> };

function copies(connect: () => Connection): void {
  const resources = ["accounts", "users", "authentications", "invoices", "credits"] as const;

  async function start() {
    const connection = connect();
    await connection.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const sandbox = createSandbox({ size: 40, skipWaits: true });
    const client = new MainClient({ ...sandbox, pageSize: 20, retry: false });
    const make = (by = client) => mirror(by, postgres(connection), { resources, clock: sandbox.clock, share: 1 });
    const rows = async (sql: string) => (await connection.query(sql)).rows as Record<string, unknown>[];
    const records = async (table: string) => {
      const found = await rows(`SELECT id, record FROM current_${table} ORDER BY id`);
      return new Map(found.map(({ id, record }) => [Number(id), record]));
    };
    return { sandbox, make, copy: make(), rows, records };
  }

  test("a copy is right, and stays so", async () => {
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
    // What Postgres cannot hold is left out or replaced; what only looks like it stays.
    expect((accounts.get(8) as { name: string }).name).toBe("It’s  “Example” \\u0000 \ufffd Ltd");
    const [gone] = await rows("SELECT count(*) AS rows, min(gone_at) AS at FROM accounts WHERE gone_at IS NOT NULL");
    expect(Number(gone?.rows)).toBe(1);
  });

  test("amounts are exact, and columns typed", async () => {
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

  test("a new field becomes a column, and the feed replays", async () => {
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

  test("a key that sees half takes up a sweep, and nothing is gone", async () => {
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
      for (let round = 0; round < 5; round++) {
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
    database = await PGlite.create();
    // It compiles a whole Postgres.
  }, 120_000);
  afterAll(() => database.close());
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
  copies(() => pool as unknown as Connection);

  test.each(["BEGIN", "SELECT", "INSERT", "COMMIT"])(
    "a connection that ends before %s ends neither the process nor the next run",
    async (before) => {
      await pool.query("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
      const own = new pg.Pool({ connectionString: server.url });
      onTestFinished(() => own.end());
      let left = 3;
      const connect = async () => {
        const client = (await own.connect()) as pg.PoolClient & { readonly processID: number };
        const query = async (sql: string, values?: unknown[]) => {
          if (sql.trimStart().startsWith(before) && left-- === 0) {
            // It may end before the answer to what ends it.
            const ended = new Promise((resolve) => client.once("end", resolve));
            await pool.query("SELECT pg_terminate_backend($1)", [client.processID]);
            await ended;
          }
          return client.query(sql, values);
        };
        return new Proxy(client, { get: (_, name) => (name === "query" ? query : bound(client, name)) });
      };
      const sandbox = createSandbox({ size: 40, skipWaits: true });
      const client = new MainClient({ ...sandbox, pageSize: 10 });
      const database = postgres(
        new Proxy(own, {
          get: (_, name) => (name === "connect" ? connect : bound(own, name)),
        }) as unknown as PostgresPool,
      );
      const copy = mirror(client, database, { resources: ["accounts"], clock: sandbox.clock, share: 1 });
      await sandbox.clock.during(() => copy.sync().catch(() => null));
      expect(left).toBeLessThan(0);
      expect((await sandbox.clock.during(() => copy.sync())).complete).toBe(true);
      const { rows } = await pool.query("SELECT count(*)::int AS rows FROM current_accounts");
      expect(rows).toEqual([{ rows: 40 }]);
      // Nobody listens to `own`: the mirror does.
      const [idle] = (
        await pool.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE state = 'idle' AND pid <> pg_backend_pid()",
        )
      ).rows;
      expect(idle).toBeDefined();
    },
  );
});

function bound(target: object, name: string | symbol): unknown {
  const value = Reflect.get(target, name) as unknown;
  return typeof value === "function" ? value.bind(target) : value;
}
