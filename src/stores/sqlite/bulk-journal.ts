import type { BulkJournal } from "../../bulk/types.js";
import type { SqliteSource } from "../../sql/sqlite.js";
import { SQLITE } from "../dialects.js";
import { type BulkJournalOptions, journalSettings } from "../options.js";
import { journalIn, journalTables } from "../sql-journal.js";
import { SqliteDatabase } from "./connection.js";

/**
 * Keeps a plan of `education-admin-sdk/bulk` in an SQLite file, under a name. Give it its own connection: it sets WAL
 * mode and creates its tables on first use.
 * @throws ConfigurationError if the connection lacks a method, or the name or an option is invalid.
 */
export function bulkJournal(connection: SqliteSource, name: string, options: BulkJournalOptions = {}): BulkJournal {
  const { prefix } = journalSettings(name, options);
  const { query } = new SqliteDatabase("bulkJournal", connection, journalTables(SQLITE, prefix));
  return journalIn(query, SQLITE, prefix, name);
}
