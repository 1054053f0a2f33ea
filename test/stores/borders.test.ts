import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { webhookInbox, webhookInboxSql } from "../../src/stores/postgres/index.js";
import { createWebhookWorker } from "../../src/webhooks/index.js";
import { needs } from "../support/tools.js";
import { deliveryOf, sleep, takeAt } from "../webhooks/support.js";
import { type Server, startPostgres } from "./support/servers.js";

describe("an inbox on a Postgres that others set up", needs("postgres"), () => {
  let server: Server;
  let owner: pg.Pool;
  const poolOf = (options: pg.PoolConfig = {}) => new pg.Pool({ connectionString: server.url, max: 4, ...options });
  beforeAll(async () => {
    server = await startPostgres();
    owner = poolOf();
    owner.on("error", () => undefined);
  });
  afterAll(async () => {
    await owner.end();
    await server.remove();
  });

  it("works with a role that may create nothing after its SQL has created the tables", async () => {
    await owner.query(webhookInboxSql({ prefix: "least_" }));
    await owner.query(webhookInboxSql({ prefix: "least_" }));
    await owner.query(`
      CREATE ROLE receiver LOGIN;
      REVOKE CREATE ON SCHEMA public FROM PUBLIC;
      GRANT SELECT, INSERT, UPDATE, DELETE ON least_versions, least_deliveries, least_records TO receiver;
      GRANT USAGE ON SEQUENCE least_deliveries_place_seq TO receiver;
    `);
    const pool = poolOf({ connectionString: server.url.replace("postgres@", "receiver@") });
    const inbox = webhookInbox(pool, { prefix: "least_" });
    const { id, ...delivery } = deliveryOf("a.b");
    expect(await inbox.put({ id, ...delivery })).toBe("stored");
    expect(await inbox.take(takeAt(Date.now()))).toEqual([expect.objectContaining({ id, attempt: 1 })]);
    await inbox.done(id, { record: "r", updatedAt: 5 });
    expect([await inbox.newest?.("r"), await inbox.count()]).toEqual([5, { waiting: 0, done: 1, dead: 0 }]);
    await pool.end();
  });

  it("keeps its tables in the given schema, separate from tables of the same name", async () => {
    await owner.query("CREATE SCHEMA school");
    const [there, here] = [webhookInbox(owner, { schema: "school" }), webhookInbox(owner)];
    await there.put(deliveryOf("a.b"));
    expect(await there.take(takeAt(Date.now()))).toHaveLength(1);
    expect([(await there.count()).waiting, (await here.count()).waiting]).toEqual([1, 0]);
    expect(() => webhookInbox(owner, { schema: 'school"; --' })).toThrow(/schema must consist of/);
  });

  it("changes no table that it did not create", async () => {
    await owner.query("CREATE TABLE mine_deliveries (note text); INSERT INTO mine_deliveries VALUES ('kept')");
    await expect(webhookInbox(owner, { prefix: "mine_" }).put(deliveryOf("a.b"))).rejects.toThrow(/already exists/);
    expect((await owner.query("SELECT * FROM mine_deliveries")).rows).toEqual([{ note: "kept" }]);
  });

  it("returns numbers if the driver returns BigInts, and survives connections that end without an error listener", async () => {
    const types = { getTypeParser: (id: number) => (id === 20 ? BigInt : pg.types.getTypeParser(id)) };
    const pool = poolOf({ types: types as never, max: 2 });
    const inbox = webhookInbox(pool, { prefix: "bigint_" });
    await inbox.put(deliveryOf("a.b"));
    // When an idle connection ends, the pool emits an error, which would end the process if nothing listened for it.
    await owner.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
    await expect.poll(() => pool.totalCount).toBe(0);
    const [taken] = await inbox.take(takeAt(Date.now()));
    expect([typeof taken?.attempt, typeof taken?.receivedAt, (await inbox.count()).waiting]).toEqual([
      "number",
      "number",
      1,
    ]);
    await pool.end();
  });
});

it("loses nothing and ends no process in 50 terminated connections and 10 sudden restarts", {
  ...needs("postgres"),
  timeout: 180_000,
}, async () => {
  const server = await startPostgres();
  // This application takes as little care as possible: its pool has no error listener, and its database commits
  // asynchronously.
  const pool = new pg.Pool({ connectionString: server.url, max: 4, connectionTimeoutMillis: 1_000 });
  const killer = new pg.Pool({ connectionString: server.url, max: 1, connectionTimeoutMillis: 1_000 });
  killer.on("error", () => undefined);
  const inbox = webhookInbox(pool);
  const handled = new Set<unknown>();
  const worker = createWebhookWorker({
    store: { ...inbox, pollMs: 20 },
    leaseMs: 2_000,
    backoff: { baseMs: 1, maxMs: 20 },
    maxAttempts: 1_000,
    outOfOrder: "drop",
    report: () => undefined,
    onEvent: async ({ event_data }) => {
      await sleep(2);
      handled.add(event_data.id);
    },
  });
  worker.start();
  const stored: number[] = [];
  let sending = true;
  const senders = Array.from({ length: 4 }, async (_, sender) => {
    for (let n = 0; sending; n++) {
      const id = n * 4 + sender;
      await inbox.put(deliveryOf("a.b", { id })).then(
        () => void stored.push(id),
        () => sleep(20),
      );
    }
  });
  await expect.poll(() => handled.size, { timeout: 60_000 }).toBeGreaterThan(0);
  await killer.query("ALTER SYSTEM SET synchronous_commit = off");
  await killer.query("ALTER SYSTEM SET wal_writer_delay = '10s'");
  const figures = { terminated: 0, restarts: 0 };
  while (figures.terminated < 50 || figures.restarts < 10) {
    const { rowCount } = await killer
      .query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() ORDER BY random() LIMIT 1`,
      )
      .catch(() => ({ rowCount: 0 }));
    figures.terminated += rowCount ?? 0;
    if (figures.terminated >= 5 * (figures.restarts + 1)) {
      await server.kill();
      await server.start();
      figures.restarts++;
    }
    await sleep(Math.random() * 40);
  }
  sending = false;
  await Promise.all(senders);
  await expect.poll(() => stored.filter((id) => !handled.has(id)), { timeout: 60_000 }).toEqual([]);
  await worker.close();
  console.log(JSON.stringify({ ...figures, stored: stored.length, handled: handled.size }));
  expect(stored.length).toBeGreaterThan(50);
  await Promise.all([pool.end(), killer.end()]);
  await server.remove();
});
