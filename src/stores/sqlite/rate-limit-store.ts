import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows } from "../shared-windows.js";
import { type SqliteConnection, SqliteDatabase } from "./connection.js";

/**
 * Shares a rate limit between the processes of one machine, in an SQLite file. Give it a connection of its own: it sets
 * WAL, waits at most 2 seconds for other processes, and creates and migrates its table when it is first used. It goes by
 * the machine's date, also when that is set back; the `now` of requests is only used to answer in the clock of the caller.
 * `client.rateLimit` shows what the file said last.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: SqliteConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const windows = `${prefix}windows`;
  const steps = [
    `CREATE TABLE ${windows} (id TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL, ends_at REAL NOT NULL) STRICT`,
  ];
  const tables = { part: "rate_limit", prefix, steps, synchronous: "NORMAL" } as const;
  const database = new SqliteDatabase("rateLimitStore", connection, tables);
  return new SharedWindows(
    {
      read(id) {
        const row = database.prepare(`SELECT version, state FROM ${windows} WHERE id = :id`).get({ id });
        const { version, state } = (row ?? { version: 0, state: null }) as { version: number; state: string | null };
        return { state, version: Number(version), now: Date.now() };
      },
      swap(id, version, next, keepMs) {
        const now = Date.now();
        const values = { id, ...next, ends_at: now + keepMs };
        if (version === 0) {
          // Tokens that rotate would otherwise leave a row each.
          database.prepare(`DELETE FROM ${windows} WHERE ends_at < :day_ago`).run({ day_ago: now - 86_400_000 });
          const insert = `INSERT INTO ${windows} VALUES (:id, :version, :state, :ends_at) ON CONFLICT DO NOTHING`;
          return Number(database.prepare(insert).run(values).changes) === 1;
        }
        const update = `UPDATE ${windows} SET version = :version, state = :state, ends_at = :ends_at
          WHERE id = :id AND version = :known`;
        return Number(database.prepare(update).run({ ...values, known: version }).changes) === 1;
      },
    },
    settings,
  );
}
