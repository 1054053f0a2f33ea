import type { BulkJournal } from "../../bulk/types.js";
import { POSTGRES } from "../dialects.js";
import { type BulkJournalOptions, journalSettings } from "../options.js";
import { journalIn, journalTables } from "../sql-journal.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

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
  const { query } = new PostgresDatabase("bulkJournal", connection, journalTables(POSTGRES, prefix));
  return journalIn(query, POSTGRES, prefix, name);
}
