import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Redis } from "ioredis";
import pg from "pg";
import { describe } from "vitest";
import type { RateLimitStore } from "../../../src/index.js";
import type { RateLimitStoreOptions } from "../../../src/stores/options.js";
import * as postgres from "../../../src/stores/postgres/index.js";
import * as redis from "../../../src/stores/redis/index.js";
import * as sqlite from "../../../src/stores/sqlite/index.js";
import { needs, type Tool } from "../../support/tools.ts";
import { startPostgres, startRedis } from "./servers.js";

/** A database on which a test can open rate limit stores. The test can also take it down. */
export interface Database {
  open(options?: RateLimitStoreOptions): RateLimitStore;
  down(): Promise<unknown>;
  up(): Promise<unknown>;
  remove(): Promise<unknown>;
}

const DATABASES: readonly { name: string; tools: readonly Tool[]; start: () => Promise<Database> }[] = [
  { name: "SQLite", tools: [], start: startSqlite },
  { name: "Postgres", tools: ["postgres"], start: openPostgres },
  { name: "Redis", tools: ["redis"], start: openRedis },
];

/** Declares a suite for each kind of database, whose name replaces `%s` in the title. */
export function describeDatabases(title: string, suite: (start: () => Promise<Database>) => void): void {
  for (const { name, tools, start } of DATABASES) {
    describe(title.replace("%s", name), needs(...tools), () => suite(start));
  }
}

async function startSqlite(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), "stores-"));
  const path = join(folder, "budget.sqlite");
  const blocker = new DatabaseSync(path);
  return {
    open: (options) => sqlite.rateLimitStore(new DatabaseSync(path), options),
    // An SQLite file is down while another program locks it.
    down: async () => blocker.exec("BEGIN EXCLUSIVE"),
    up: async () => blocker.exec("ROLLBACK"),
    remove: async () => {
      blocker.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function openPostgres(): Promise<Database> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url, connectionTimeoutMillis: 1_000 });
  pool.on("error", () => undefined);
  return {
    open: (options) => postgres.rateLimitStore(pool, options),
    down: server.kill,
    up: server.start,
    remove: async () => {
      await pool.end();
      await server.remove();
    },
  };
}

async function openRedis(): Promise<Database> {
  const server = await startRedis();
  const connection = new Redis(server.url, { maxRetriesPerRequest: 1, retryStrategy: () => 100 });
  connection.on("error", () => undefined);
  return {
    open: (options) => redis.rateLimitStore(connection, options),
    down: server.kill,
    up: server.start,
    remove: async () => {
      connection.disconnect();
      await server.remove();
    },
  };
}
