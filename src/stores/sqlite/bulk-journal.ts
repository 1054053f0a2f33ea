import type { BulkJournal } from "../../bulk/types.js";
import type { SqliteConnection } from "../../sql/sqlite.js";
import { type BulkJournalOptions, journalSettings, LONGEST_CLAIM_MS } from "../options.js";
import { SqliteDatabase } from "./connection.js";

const LINES_AT_ONCE = 1_000;

/**
 * Keeps a plan of `education-admin-sdk/bulk` in an SQLite file, under a name. Give it its own connection: it sets WAL
 * mode and creates its tables on first use.
 * @throws ConfigurationError if the connection lacks a method, or the name or an option is invalid.
 */
export function bulkJournal(connection: SqliteConnection, name: string, options: BulkJournalOptions = {}): BulkJournal {
  const { prefix } = journalSettings(name, options);
  const [lines, owners] = [`${prefix}bulk_lines`, `${prefix}bulk_owners`];
  const tables = `CREATE TABLE ${lines} (seq INTEGER PRIMARY KEY, name TEXT NOT NULL, line TEXT NOT NULL) STRICT;
     CREATE INDEX ${lines}_by_name ON ${lines} (name, seq);
     CREATE TABLE ${owners} (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until REAL NOT NULL) STRICT`;
  const database = new SqliteDatabase("bulkJournal", connection, { part: "bulk", prefix, tables, synchronous: "FULL" });
  return {
    async append(added) {
      database.transaction((sqlite) => {
        for (const line of added) sqlite.run(`INSERT INTO ${lines} (name, line) VALUES (?, ?)`, [name, line]);
      });
    },
    async *lines() {
      const sql = `SELECT seq, line FROM ${lines} WHERE name = ? AND seq > ? ORDER BY seq LIMIT ${LINES_AT_ONCE}`;
      for (let after = 0; ; ) {
        const rows = await database.query<{ seq: number; line: string }>(sql, [name, after]);
        for (const { line } of rows) yield line;
        if (rows.length < LINES_AT_ONCE) return;
        after = rows.at(-1)?.seq as number;
      }
    },
    async claim(owner, forMs) {
      const now = Date.now();
      const sql = `INSERT INTO ${owners} VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
        WHERE owner = excluded.owner OR until <= ? OR until > ? + ${LONGEST_CLAIM_MS} RETURNING 1`;
      return (await database.query(sql, [name, owner, now + forMs, now, now])).length === 1;
    },
  };
}
