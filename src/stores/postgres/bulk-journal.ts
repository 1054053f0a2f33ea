import type { BulkJournal } from "../../bulk/types.js";
import { type BulkJournalOptions, journalSettings, LONGEST_CLAIM_MS } from "../options.js";
import { NOW, type PostgresConnection, PostgresDatabase } from "./connection.js";

const LINES_AT_ONCE = 1_000;

/**
 * Keeps a plan of `education-admin-sdk/bulk` in Postgres, under a name. Creates its tables on first use.
 * @throws ConfigurationError if the connection lacks a method, or the name or an option is invalid.
 */
export function bulkJournal(
  connection: PostgresConnection,
  name: string,
  options: BulkJournalOptions = {},
): BulkJournal {
  const { prefix } = journalSettings(name, options);
  const [lines, owners] = [`${prefix}bulk_lines`, `${prefix}bulk_owners`];
  const tables = `CREATE TABLE ${lines} (seq bigserial PRIMARY KEY, name text NOT NULL, line text NOT NULL);
     CREATE INDEX ON ${lines} (name, seq);
     CREATE TABLE ${owners} (name text PRIMARY KEY, owner text NOT NULL, until float8 NOT NULL);`;
  const database = new PostgresDatabase("bulkJournal", connection, { part: "bulk", prefix, tables, tidy: "" });
  // The database may be configured to commit before a line is on disk.
  const append = `WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))
    INSERT INTO ${lines} (name, line)
    SELECT $1, line FROM durable, unnest($2::text[]) WITH ORDINALITY AS given (line, at) ORDER BY at`;
  const read = `SELECT seq, line FROM ${lines} WHERE name = $1 AND seq > $2 ORDER BY seq LIMIT ${LINES_AT_ONCE}`;
  const claim = `INSERT INTO ${owners} VALUES ($1, $2, ${NOW} + $3) ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, until = excluded.until
    WHERE ${owners}.owner = excluded.owner OR ${owners}.until <= ${NOW}
      OR ${owners}.until > ${NOW} + ${LONGEST_CLAIM_MS} RETURNING 1`;
  return {
    async append(added) {
      if (added.length > 0) await database.query(append, [name, added]);
    },
    async *lines() {
      for (let after = "0"; ; ) {
        const rows = await database.query<{ seq: unknown; line: string }>(read, [name, after]);
        for (const { line } of rows) yield line;
        if (rows.length < LINES_AT_ONCE) return;
        after = String(rows.at(-1)?.seq);
      }
    },
    claim: async (owner, forMs) => (await database.query(claim, [name, owner, forMs])).length === 1,
  };
}
