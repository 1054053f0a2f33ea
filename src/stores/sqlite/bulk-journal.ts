import type { BulkJournal } from "../../bulk/types.js";
import { type BulkJournalOptions, journalSettings, LONGEST_CLAIM_MS } from "../options.js";
import { type SqliteConnection, SqliteDatabase } from "./connection.js";

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
      database.transaction(() => {
        const insert = database.prepare(`INSERT INTO ${lines} (name, line) VALUES (:name, :line)`);
        for (const line of added) insert.run({ name, line });
      });
    },
    async *lines() {
      const sql = `SELECT seq, line FROM ${lines} WHERE name = :name AND seq > :after ORDER BY seq LIMIT ${LINES_AT_ONCE}`;
      for (let after = 0; ; ) {
        const rows = database.prepare(sql).all({ name, after }) as { seq: number | bigint; line: string }[];
        for (const { line } of rows) yield line;
        if (rows.length < LINES_AT_ONCE) return;
        after = Number(rows.at(-1)?.seq);
      }
    },
    async claim(owner, forMs) {
      const now = Date.now();
      const sql = `INSERT INTO ${owners} VALUES (:name, :owner, :until) ON CONFLICT (name) DO UPDATE
        SET owner = excluded.owner, until = excluded.until WHERE owner = excluded.owner OR until <= :now OR until > :now + ${LONGEST_CLAIM_MS}`;
      return Number(database.prepare(sql).run({ name, owner, until: now + forMs, now }).changes) === 1;
    },
  };
}
