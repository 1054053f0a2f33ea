import type { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { afterAll, beforeAll, describe, test, vi } from "vitest";
import { postgresTokens, rateLimitStore, webhookInbox } from "../../src/stores/postgres/index.js";
import { startPglite } from "../support/pglite.ts";
import { needs } from "../support/tools.ts";
import { rateLimitStoreTests, tokenStoreTests, webhookInboxTests } from "./suite/index.ts";
import { CLOCK_FIRST, databaseClock } from "./support/database-clock.ts";
import { durableInboxTests } from "./support/durable-inbox.ts";
import { type Server, startPostgres } from "./support/servers.js";

const KEY = new Uint8Array(32);
let stores = 0;

type Advance = (ms: number) => Promise<void>;

// Stores use `performance` to measure how long a step waited for its turn.
beforeAll(() => void vi.useFakeTimers({ toFake: ["Date", "performance"] }));
afterAll(() => void vi.useRealTimers());

describe("PGlite", () => {
  let database: PGlite;
  let advance: Advance;
  beforeAll(async () => {
    database = await startPglite();
    advance = await databaseClock((sql) => database.exec(sql));
    await database.exec(`SET search_path = ${CLOCK_FIRST}`);
    // Long enough for the first start, which compiles all of Postgres.
  }, 240_000);
  afterAll(() => database.close());
  rateLimitStoreTests({ test, create: () => rateLimitStore(database), advance: (ms) => advance(ms) });
  tokenStoreTests({
    test,
    create: () => postgresTokens(database, { prefix: `tokens_${++stores}_`, encryptionKey: KEY }),
  });
  let inboxes = 0;
  webhookInboxTests({
    test,
    create: () => webhookInbox(database, { prefix: `inbox_${++inboxes}_` }),
    advance: (ms) => advance(ms),
  });
  durableInboxTests({
    create: async (options) => webhookInbox(database, { prefix: `inbox_${++inboxes}_`, ...options }),
    advance: (ms) => advance(ms),
  });
});

describe("Postgres through pg", needs("postgres"), () => {
  let server: Server;
  let pool: pg.Pool;
  let advance: Advance;
  beforeAll(async () => {
    server = await startPostgres();
    pool = new pg.Pool({ connectionString: server.url, options: `-c search_path=${CLOCK_FIRST}` });
    pool.on("error", () => undefined);
    advance = await databaseClock((sql) => pool.query(sql));
  });
  afterAll(async () => {
    await pool.end();
    await server.remove();
  });
  rateLimitStoreTests({ test, create: () => rateLimitStore(pool), advance: (ms) => advance(ms) });
  tokenStoreTests({ test, create: () => postgresTokens(pool, { prefix: `tokens_${++stores}_`, encryptionKey: KEY }) });
  let inboxes = 0;
  webhookInboxTests({
    test,
    create: () => webhookInbox(pool, { prefix: `inbox_${++inboxes}_` }),
    advance: (ms) => advance(ms),
  });
});
