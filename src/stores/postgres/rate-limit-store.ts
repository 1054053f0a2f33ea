import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows } from "../shared-windows.js";
import { NOW, type PostgresConnection, PostgresDatabase } from "./connection.js";

// The last places before a crash of the database may be lost: waiting for its disk would cost each request some milliseconds.
const NO_DISK = "WITH no_disk AS (SELECT set_config('synchronous_commit', 'off', true))";

/**
 * Shares a rate limit between processes through Postgres: two round trips for a place. Its table is created and migrated
 * when it is first used. It goes by the database's clock; the `now` of requests is only used to answer in the clock of the
 * caller. `client.rateLimit` shows what the database said last.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function rateLimitStore(connection: PostgresConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const windows = `${prefix}windows`;
  const steps = [
    `CREATE TABLE ${windows} (id text PRIMARY KEY, version int8 NOT NULL, state text NOT NULL, ends_at float8 NOT NULL);`,
  ];
  // Windows that nobody asks for any more: tokens that rotate would otherwise leave a row each.
  const tidy = `DELETE FROM ${windows} WHERE ends_at < ${NOW} - 86400000;`;
  const database = new PostgresDatabase("rateLimitStore", connection, { part: "rate_limit", prefix, steps, tidy });
  const read = `SELECT ${NOW} AS now, w.version, w.state FROM (SELECT 1) AS one LEFT JOIN ${windows} w ON w.id = $1`;
  const insert = `${NO_DISK} INSERT INTO ${windows}
    SELECT $1::text, $2::int8, $3::text, ${NOW} + $4::float8 FROM no_disk ON CONFLICT (id) DO NOTHING RETURNING 1`;
  const update = `${NO_DISK} UPDATE ${windows} SET version = $2, state = $3, ends_at = ${NOW} + $4 FROM no_disk
    WHERE id = $1 AND version = $5 RETURNING 1`;
  return new SharedWindows(
    {
      async read(id) {
        const [row] = await database.query<{ now: unknown; version: unknown; state: string | null }>(read, [id]);
        if (!row) throw new Error("Postgres returned no row");
        return { state: row.state, version: Number(row.version), now: Number(row.now) };
      },
      async swap(id, version, { version: next, state }, keepMs) {
        const values = [id, next, state, keepMs];
        const changed = await (version === 0
          ? database.query(insert, values)
          : database.query(update, [...values, version]));
        return changed.length === 1;
      },
    },
    settings,
  );
}
