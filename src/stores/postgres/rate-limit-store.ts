import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import { NOW } from "../dialects.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows, throughLogs } from "../shared-windows.js";
import type { Append, LogPart } from "../window-log.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

// Does not wait for the database's disk, which would add milliseconds to each request. A crash of the database may
// therefore lose the most recently counted requests.
const NO_DISK = "WITH no_disk AS (SELECT set_config('synchronous_commit', 'off', true))";

// Evaluated under the row's lock, so that entries are in the order of their times.
const STAMPED = `trunc(${NOW})::int8::text || ' ' || $2::text`;

/**
 * Shares a rate limit between processes through Postgres, with one round trip for all requests made at the same time.
 * Creates and migrates its table on first use. Windows follow the database's clock. `client.rateLimit` shows the state
 * in the database's last reply.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function rateLimitStore(connection: PostgresConnection, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const logs = `${prefix}window_logs`;
  const create = `CREATE TABLE ${logs} (id text PRIMARY KEY, base int8 NOT NULL, state text, entries text[] NOT NULL, ends_at float8 NOT NULL);`;
  // Removes unused windows, because every replaced token would otherwise leave a row behind.
  const tidy = `DELETE FROM ${logs} WHERE ends_at < ${NOW} - 86400000;`;
  const database = new PostgresDatabase("rateLimitStore", connection, { part: "window_logs", prefix, create, tidy });
  const cuts = "$4::int8 > w.base AND $4::int8 <= w.base + cardinality(w.entries)";
  const added = `CASE WHEN $2::text IS NULL THEN '{}'::text[] ELSE array[${STAMPED}] END`;
  const append = `${NO_DISK} INSERT INTO ${logs} AS w
    SELECT $1::text, (trunc(${NOW}) * 1000)::int8, NULL, ${added}, ${NOW} + $6::float8 FROM no_disk
    ON CONFLICT (id) DO UPDATE SET
      base = CASE WHEN ${cuts} THEN $4::int8 ELSE w.base END,
      state = CASE WHEN ${cuts} THEN $5::text ELSE w.state END,
      entries = CASE WHEN ${cuts} THEN w.entries[($4::int8 - w.base + 1)::int :] ELSE w.entries END || ${added},
      ends_at = greatest(w.ends_at, ${NOW} + $6::float8)
    RETURNING base, CASE WHEN base > $3::int8 THEN state END AS state, greatest(base, $3::int8 - 1) AS first,
      entries[(greatest(base, $3::int8 - 1) - base + 1)::int :] AS entries`;
  const run = async (window: string, { entry, known, snapshot, keepMs }: Append): Promise<LogPart> => {
    const values = [window, entry, known, snapshot?.version ?? 0, snapshot?.state ?? null, keepMs];
    const [row] = await database.query<{ base: unknown; state: string | null; first: unknown; entries: string[] }>(
      append,
      values,
    );
    if (!row) throw new Error("Postgres returned no row");
    return { base: Number(row.base), state: row.state, first: Number(row.first), entries: row.entries };
  };
  return new SharedWindows(throughLogs(run, { isPooled: true }), settings);
}
