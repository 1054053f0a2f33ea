import type { TokenEntry, TokenFacts, TokenStore } from "../../schools/store.js";
import { type SealedEntries, sealed, type TokenStoreOptions, tokenSettings } from "../sealing.js";
import { type SqliteConnection, SqliteDatabase } from "./connection.js";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in an SQLite file, encrypted; processes of one machine may share it. Give it a
 * connection of its own: it sets WAL and `synchronous = FULL` and creates its table when it is first used.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function sqliteTokens(connection: SqliteConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("sqliteTokens", options);
  return sealed("sqliteTokens", tokenEntries(connection, prefix), keys);
}

/** Whether a file has a table of tokens. */
export function hasTokens(connection: SqliteConnection, prefix: string): boolean {
  const sql = "SELECT 1 AS found FROM sqlite_master WHERE type = 'table' AND name = :name";
  return connection.prepare(sql).get({ name: `${prefix}tokens` }) !== undefined;
}

/** The entries in an SQLite file, whose secrets are encrypted. */
export function tokenEntries(connection: SqliteConnection, prefix: string): SealedEntries {
  const tokens = `${prefix}tokens`;
  const steps = [
    `CREATE TABLE ${tokens} (key TEXT PRIMARY KEY, version TEXT NOT NULL, facts TEXT NOT NULL, secret TEXT NOT NULL) STRICT`,
  ];
  const database = new SqliteDatabase("sqliteTokens", connection, {
    part: "tokens",
    prefix,
    steps,
    synchronous: "FULL",
  });
  const insert = `INSERT INTO ${tokens} VALUES (:key, :version, :facts, :secret) ON CONFLICT (key) DO NOTHING`;
  const update = `UPDATE ${tokens} SET version = :version, facts = :facts, secret = :secret
    WHERE key = :key AND version = :replaces`;
  const isChanged = (sql: string, values: Record<string, string>) =>
    Number(database.prepare(sql).run(values).changes) === 1;
  return {
    get: async (key: string) =>
      (database.prepare(`SELECT key, version, facts, secret FROM ${tokens} WHERE key = :key`).get({ key }) as
        | TokenEntry
        | undefined) ?? null,
    put: async ({ key, version, facts, secret }: TokenEntry, replaces: string | null) => {
      const values = { key, version, facts, secret };
      return replaces === null ? isChanged(insert, values) : isChanged(update, { ...values, replaces });
    },
    delete: async (key: string, version: string) =>
      isChanged(`DELETE FROM ${tokens} WHERE key = :key AND version = :version`, { key, version }),
    list: async (start: string) =>
      database
        .prepare(`SELECT key, version, facts FROM ${tokens} WHERE substr(key, 1, length(:start)) = :start ORDER BY key`)
        .all({ start }) as TokenFacts[],
  };
}
