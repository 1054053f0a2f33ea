import type { SqliteConnection, SqliteSource } from "../../sql/sqlite.js";
import { SQLITE } from "../dialects.js";
import { encryptSecrets, type SealedEntries, type TokenStoreOptions, tokenSettings } from "../sealing.js";
import { tokensIn, tokenTables } from "../sql-tokens.js";
import type { TokenStore } from "../token-store.js";
import { SqliteDatabase } from "./connection.js";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in an SQLite file, encrypted. Several processes on one machine may
 * share it. Give it its own connection: it sets WAL mode and `synchronous = FULL`, and creates its table on first use.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function sqliteTokens(connection: SqliteSource, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("sqliteTokens", options);
  return encryptSecrets("sqliteTokens", tokenEntries(connection, prefix), keys);
}

export function hasTokens(connection: SqliteConnection, prefix: string): boolean {
  const sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = ?";
  return connection.prepare(sql).all(`${prefix}tokens`).length > 0;
}

export function tokenEntries(connection: SqliteSource, prefix: string): SealedEntries {
  const { query } = new SqliteDatabase("sqliteTokens", connection, tokenTables(SQLITE, prefix));
  return tokensIn(query, SQLITE, prefix);
}
