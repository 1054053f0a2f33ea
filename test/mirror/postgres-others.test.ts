import pg from "pg";
import { describe, expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import {
  changes,
  consume,
  type MirrorOptions,
  mirror,
  type PostgresOptions,
  postgres,
  prune,
} from "../../src/mirror/index.js";
import { plansOf, selectPlans } from "../../src/mirror/plan.js";
import { ddlOf } from "../../src/mirror/schema.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { postgresDialect } from "../../src/sql/postgres-dialect.js";
import { webhookInbox } from "../../src/stores/postgres/index.js";
import { needs } from "../support/tools.ts";
import { recordsOf } from "./support/copies.js";
import { onePostgres, overridden } from "./support/postgres.js";

describe("a Postgres that others use too", needs("postgres"), () => {
  const it = onePostgres();
  const { poolOf, rows } = it;
  function start(pool: pg.Pool, names: PostgresOptions = {}, options: MirrorOptions<"accounts"> = {}) {
    const sandbox = createSandbox({ size: 30, skipWaits: true });
    const client = new MainClient({ ...sandbox, retry: false });
    const database = postgres(pool, names);
    const copy = mirror(client, database, { resources: ["accounts"], clock: sandbox.clock, share: 1, ...options });
    return { sandbox, client, database, copy, sync: () => sandbox.clock.during(() => copy.sync()) };
  }
  const extra = (sandbox: ReturnType<typeof start>["sandbox"]) =>
    sandbox.faults.next({ operation: "accounts.list", drift: "extra" });

  test("a new field does not change grants, options and views on the mirror's view", async () => {
    const { sandbox, sync } = start(poolOf());
    await sync();
    await it.admin.query(`DROP ROLE IF EXISTS analyst; CREATE ROLE analyst; GRANT SELECT ON current_accounts TO analyst;
      ALTER VIEW current_accounts SET (security_barrier = true);
      CREATE VIEW report AS SELECT id, name FROM current_accounts`);
    extra(sandbox);
    expect((await sync()).complete).toBe(true);
    expect(await rows("SELECT added_by_the_service AS added FROM current_accounts LIMIT 1")).toEqual([{ added: true }]);
    expect(await rows("SELECT has_table_privilege('analyst', 'current_accounts', 'SELECT') AS may")).toEqual([
      { may: true },
    ]);
    expect(await rows("SELECT reloptions FROM pg_class WHERE relname = 'current_accounts'")).toEqual([
      { reloptions: ["security_barrier=true"] },
    ]);
    expect(await rows("SELECT count(*)::int AS rows FROM report")).toEqual([{ rows: 30 }]);
    await it.admin.query("DROP OWNED BY analyst; DROP ROLE analyst");
  });

  test("a user's table of the same name is refused, and a schema or prefix avoids the conflict", async () => {
    await it.admin.query("CREATE TABLE accounts (mine text)");
    await expect(start(poolOf()).sync()).rejects.toThrow(
      '"accounts" that the mirror did not create; give the mirror a schema',
    );
    for (const names of [{ schema: "school" }, { prefix: "school_" }, { schema: "school", prefix: "b_" }]) {
      const { sandbox, sync, copy } = start(poolOf(), names);
      await sync();
      sandbox.store.accounts.delete(7);
      extra(sandbox);
      expect((await sync()).complete).toBe(true);
      const table = `${names.schema ?? "public"}.${names.prefix ?? ""}current_accounts`;
      const found = await rows(`SELECT id::int, added_by_the_service AS added FROM ${table} ORDER BY id`);
      expect(found.map(({ id }) => id)).toEqual([...recordsOf(sandbox.store.accounts).keys()]);
      const kinds: string[] = [];
      for await (const { kind } of copy.changes({ after: 30 })) kinds.push(kind);
      expect(kinds.sort()).toEqual([...new Array(29).fill("changed"), "gone"]);
    }
    expect(
      await rows(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'accounts'",
      ),
    ).toEqual([{ name: "mine" }]);
  });

  test("a role that may not create tables keeps a copy in tables made by hand; a new field stays in the record", async () => {
    const owner = start(poolOf(), { schema: "school" });
    const plans = selectPlans(plansOf(owner.client), ["accounts"]);
    await it.admin.query(ddlOf(postgresDialect({ schema: "school" }), plans).join("\n"));
    await it.admin.query(`DROP ROLE IF EXISTS worker; CREATE ROLE worker LOGIN; GRANT USAGE ON SCHEMA school TO worker;
      GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA school TO worker`);
    const pool = poolOf({ user: "worker" });
    const { sandbox, sync, database } = start(pool, { schema: "school" });
    expect((await sync()).complete).toBe(true);
    extra(sandbox);
    expect((await sync()).lists).toMatchObject([{ complete: true, changed: 30, error: null }]);
    expect(await rows("SELECT record -> 'added_by_the_service' AS added FROM school.accounts LIMIT 1")).toEqual([
      { added: true },
    ]);
    // Once a role that may create columns has added this one, the column also has values for the rows stored before.
    const more = mirror(new MainClient(sandbox), postgres(it.admin as never, { schema: "school" }), {
      resources: ["accounts"],
      clock: sandbox.clock,
    });
    sandbox.store.accounts.insert();
    extra(sandbox);
    await sandbox.clock.during(() => more.sync());
    expect(await rows("SELECT count(added_by_the_service)::int AS rows FROM school.current_accounts")).toEqual([
      { rows: 31 },
    ]);
    expect(await prune(database, { before: 20 })).toBeGreaterThanOrEqual(0);
    await pool.query("SELECT 1");
    await it.admin.query("DROP OWNED BY worker; DROP ROLE worker");
  });

  test("a read-only role follows the feed", async () => {
    const { sync, copy } = start(poolOf());
    await sync();
    await it.admin.query(
      "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA public TO reader; GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader",
    );
    const found: unknown[] = [];
    for await (const change of changes(postgres(poolOf({ user: "reader" })), { after: 10 })) found.push(change);
    const expected: unknown[] = [];
    for await (const change of copy.changes({ after: 10 })) expected.push(change);
    expect(found).toEqual(expected);
    expect(found).toHaveLength(20);
    await it.admin.query("DROP OWNED BY reader; DROP ROLE reader");
  });

  test.each([BigInt, String, Number])("integers returned as %o make the same copy", async (parse) => {
    const types = {
      getTypeParser: (oid: number, format: "text") => (oid === 20 ? parse : pg.types.getTypeParser(oid, format)),
    };
    const { sandbox, sync, copy } = start(poolOf({ types: types as never }));
    await sync();
    sandbox.store.accounts.delete(7);
    expect((await sync()).lists).toMatchObject([{ complete: true, gone: 1, error: null }]);
    const found: unknown[] = [];
    for await (const { seq, kind, id } of copy.changes({ after: 30 })) found.push([seq, kind, id]);
    expect(found).toEqual([[31, "gone", "7"]]);
  });

  test("an aborted run does not wait for a process that hangs while it holds the lock", async () => {
    const { sandbox, copy, sync } = start(poolOf());
    await sync();
    const holder = await it.admin.connect();
    await holder.query("BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('public mirror', 0))");
    const works = [
      (signal: AbortSignal) => copy.sync({ signal }),
      (signal: AbortSignal) => copy.apply({ event: "account.updated", event_data: { id: 7 } }, { signal }),
      (signal: AbortSignal) => copy.tail({ signal }),
      (signal: AbortSignal) => copy.repair({ signal }),
      (signal: AbortSignal) => copy.run({ signal }),
    ];
    for (const work of works) {
      const stop = new AbortController();
      const running = sandbox.clock
        .during(() => work(stop.signal) as Promise<unknown>)
        .catch((error: unknown) => error);
      await expect
        .poll(
          async () =>
            (await rows("SELECT count(*)::int AS waiting FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"))[0]
              ?.waiting,
        )
        .toBeGreaterThan(0);
      stop.abort(new Error("enough"));
      expect(await running).toEqual(new Error("enough"));
    }
    await holder.query("ROLLBACK");
    holder.release();
    expect((await sync()).complete).toBe(true);
  });

  test("a long-running report on a table does not block the mirror", async () => {
    const { sandbox, sync } = start(poolOf());
    await sync();
    const report = await it.admin.connect();
    await report.query("BEGIN; SELECT count(*) FROM accounts");
    extra(sandbox);
    expect((await sync()).lists).toMatchObject([{ complete: true, changed: 30 }]);
    await report.query("COMMIT");
    report.release();
    extra(sandbox);
    sandbox.store.accounts.insert();
    expect((await sync()).complete).toBe(true);
    expect(await rows("SELECT count(added_by_the_service)::int AS rows FROM current_accounts")).toEqual([{ rows: 31 }]);
  });

  test.each(["read committed", "repeatable read", "serializable"])(
    "several processes write if the default is %s",
    async (level) => {
      const options = `-c default_transaction_isolation=${level.replace(" ", "\\ ")}`;
      const pools = [1, 2, 3].map(() => poolOf({ options, max: 3 }));
      const sandbox = createSandbox({ size: 30, skipWaits: true, rateLimit: false });
      const client = new MainClient({ ...sandbox, retry: false });
      const [first, ...others] = pools.map((pool) =>
        mirror(client, postgres(pool), { resources: ["accounts"], share: 1 }),
      );
      await Promise.all([first?.sync(), ...others.map((copy) => copy.sync())]);
      for (let id = 1; id <= 30; id++) sandbox.store.accounts.update(id, { name: `Renamed ${id}` });
      const numbers = Array.from({ length: 30 }, (_, at) => at + 1);
      const written = others.flatMap((copy) =>
        numbers.map((id) => copy.apply({ event: "account.updated", event_data: { id } })),
      );
      const [report] = (await first?.sync({ resources: ["accounts"] }))?.lists ?? [];
      await Promise.all(written);
      expect(report).toMatchObject({ complete: true, error: null });
      const inboxes = pools.map((pool) => webhookInbox(pool));
      const ids = Array.from({ length: 40 }, (_, at) => `d${at}`);
      const delivery = { event: "account.updated", payload: "{}", sentAt: null, foldKey: null };
      for (const [at, id] of ids.entries())
        await inboxes[0]?.put({ ...delivery, id, receivedAt: at, record: `r${at % 9}` });
      const taken: string[] = [];
      const drain = async (inbox: (typeof inboxes)[number]) => {
        for (let turn = 0; turn < 40; turn++) {
          const request = { limit: 2, now: Date.now(), leaseUntil: Date.now() + 60_000, onePerRecord: true };
          for (const { id } of await inbox.take(request)) {
            taken.push(id);
            await inbox.done(id, { record: "one", updatedAt: taken.length });
          }
        }
      };
      await Promise.all(inboxes.map(drain));
      expect(taken.sort()).toEqual(ids.sort());
    },
  );

  test("each change goes to one of several consumers of the same name, together with its writes", async () => {
    const { sandbox, sync } = start(poolOf());
    await sync();
    await it.admin.query("CREATE TABLE mine (seq bigint, id text)");
    const follow = async (dies: boolean) => {
      let left = dies ? 7 : Number.POSITIVE_INFINITY;
      return consume(postgres(poolOf()), "mine", async ({ seq, id }, tx) => {
        await tx.query("INSERT INTO mine VALUES ($1, $2)", [seq, id]);
        if (left-- === 0) throw new Error("killed");
      });
    };
    const ends = await Promise.allSettled([follow(false), follow(true), follow(false)]);
    for (let id = 1; id <= 9; id++) sandbox.store.accounts.update(id, { name: `Renamed ${id}` });
    await sync();
    const handled = ends
      .map((end) => (end.status === "fulfilled" ? end.value : 0))
      .reduce((sum, many) => sum + many, 0);
    expect((await follow(false)) + handled).toBeGreaterThan(30);
    const seqs = (await rows("SELECT seq::int AS seq FROM mine ORDER BY seq")).map(({ seq }) => seq);
    expect(seqs).toEqual(Array.from({ length: 39 }, (_, at) => at + 1));
    await it.admin.query("DELETE FROM mirror_changes WHERE seq > 35; UPDATE accounts SET mirror_change = NULL");
    sandbox.store.accounts.update(1, { name: "Another" });
    for (let id = 2; id <= 9; id++) sandbox.store.accounts.update(id, { name: `Another ${id}` });
    await sync();
    await expect(follow(false)).rejects.toThrow("restored to an earlier state");
  });

  test("committed data is on disk, whatever the database's setting", async () => {
    const seen = new Set<unknown>();
    const pool = poolOf({ options: "-c synchronous_commit=off" });
    const watchedClient = (client: pg.PoolClient) =>
      overridden(client, "query", async (sql: string, values?: unknown[]) => {
        if (sql === "COMMIT") seen.add((await client.query("SHOW synchronous_commit")).rows[0]?.synchronous_commit);
        return client.query(sql, values);
      });
    await start(overridden(pool, "connect", async () => watchedClient(await pool.connect()))).sync();
    expect([...seen]).toEqual(["on"]);
  });
});
