import pg from "pg";
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { type Server, startPostgres } from "../../stores/support/servers.js";

/** A Postgres server for the tests of a `describe`; each test begins with an empty schema. */
export interface OnePostgres {
  readonly server: Server;
  readonly admin: pg.Pool;
  /** Opens another pool and closes it when the test ends. */
  poolOf(config?: pg.PoolConfig): pg.Pool;
  rows(sql: string): Promise<Record<string, unknown>[]>;
  /**
   * Opens a pool in which one connection ends, once, before a statement. @param isTime returns true for that statement.
   */
  endingBefore(isTime: (sql: string) => boolean): pg.Pool;
}

/** Starts a Postgres server before the tests and removes it after them. Its parts can only be used within tests. */
export function onePostgres(): OnePostgres {
  let server: Server;
  let admin: pg.Pool;
  beforeAll(async () => {
    server = await startPostgres();
    admin = new pg.Pool({ connectionString: server.url });
    admin.on("error", () => undefined);
  });
  afterAll(async () => {
    await admin.end();
    await server.remove();
  });
  beforeEach(async () => {
    await admin.query("DROP SCHEMA IF EXISTS school CASCADE; DROP SCHEMA public CASCADE; CREATE SCHEMA public");
  });
  const poolOf = (config: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({ connectionString: server.url, ...config });
    onTestFinished(() => pool.end());
    return pool;
  };
  return {
    get server() {
      return server;
    },
    get admin() {
      return admin;
    },
    poolOf,
    rows: async (sql) => (await admin.query(sql)).rows as Record<string, unknown>[],
    endingBefore(isTime) {
      const pool = poolOf();
      let wasEnded = false;
      return overridden(pool, "connect", async () => {
        const client = (await pool.connect()) as pg.PoolClient & { readonly processID: number };
        return overridden(client, "query", async (sql: string, values?: unknown[]) => {
          if (!wasEnded && isTime(sql)) {
            wasEnded = true;
            // Waits for the end of the connection, which may come after the response to the statement that terminates
            // it.
            const ended = new Promise((resolve) => client.once("end", resolve));
            await admin.query("SELECT pg_terminate_backend($1)", [client.processID]);
            await ended;
          }
          return client.query(sql, values);
        });
      });
    },
  };
}

/** Returns an object that is like `target`, except for one method. */
export function overridden<Value extends object>(target: Value, method: string, by: unknown): Value {
  return new Proxy(target, {
    get(_, name) {
      if (name === method) return by;
      const value = Reflect.get(target, name) as unknown;
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
