import { DatabaseSync } from "node:sqlite";
import type { RateLimitStore } from "education-admin-sdk";
import * as postgres from "education-admin-sdk/stores/postgres";
import * as redis from "education-admin-sdk/stores/redis";
import * as sqlite from "education-admin-sdk/stores/sqlite";
import { Redis } from "ioredis";
import pg from "pg";
import { createClient } from "redis";

/** The kinds of stores that the campaigns use. */
export type StoreKind = "redis" | "node-redis" | "postgres" | "sqlite";

/** A store, and a function that closes its connection. */
export interface OpenStore {
  readonly store: RateLimitStore;
  close(): Promise<unknown>;
}

/** Opens a store as an application would. Its connection fails quickly while the database is down. */
export function openStore(kind: StoreKind, url: string, application?: string): OpenStore {
  const options = application === undefined ? {} : { application };
  if (kind === "redis") {
    const connection = new Redis(url, { maxRetriesPerRequest: 1, retryStrategy: () => 100 });
    connection.on("error", () => undefined);
    return { store: redis.rateLimitStore(connection, options), close: async () => connection.disconnect() };
  }
  if (kind === "node-redis") {
    const connection = createClient({ url });
    connection.on("error", () => undefined);
    void connection.connect();
    return { store: redis.rateLimitStore(connection, options), close: async () => connection.destroy() };
  }
  if (kind === "postgres") {
    // Keeps the connections that were opened during the warm-up.
    const idle = { idleTimeoutMillis: 0 };
    const pool = new pg.Pool({ connectionString: url, connectionTimeoutMillis: 3_000, max: 4, ...idle });
    pool.on("error", () => undefined);
    return { store: postgres.rateLimitStore(pool, options), close: () => pool.end() };
  }
  const connection = new DatabaseSync(url);
  return { store: sqlite.rateLimitStore(connection, options), close: async () => connection.close() };
}
