import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, test } from "vitest";
import { rateLimitStore, webhookInbox } from "../../src/stores/postgres/index.js";
import { rateLimitStoreTests, webhookInboxTests } from "../../src/stores/testing/index.js";
import { noPostgres, type Server, startPostgres } from "./support/servers.js";

describe("PGlite", () => {
  let database: PGlite;
  beforeAll(async () => {
    database = await PGlite.create();
    // It compiles a whole Postgres.
  }, 120_000);
  afterAll(() => database.close());
  rateLimitStoreTests({ test, create: () => rateLimitStore(database) });
  let inboxes = 0;
  webhookInboxTests({ test, create: () => webhookInbox(database, { prefix: `inbox_${++inboxes}_` }) });
});

describe.skipIf(noPostgres() !== null)("Postgres through pg", () => {
  let server: Server;
  let pool: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url });
    pool.on("error", () => undefined);
  }, 60_000);
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });
  rateLimitStoreTests({ test, create: () => rateLimitStore(pool) });
  let inboxes = 0;
  webhookInboxTests({ test, create: () => webhookInbox(pool, { prefix: `inbox_${++inboxes}_` }) });
});
