import { encryptSecrets, type TokenStoreOptions, tokenSettings, tokensIn } from "../sealing.js";
import type { Query } from "../sql-inbox.js";
import type { TokenStore } from "../token-store.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in Postgres, encrypted. Any number of processes may share them.
 * Creates its table on first use.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function postgresTokens(connection: PostgresConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("postgresTokens", options);
  const tables = `CREATE TABLE ${prefix}tokens
    (key text COLLATE "C" PRIMARY KEY, version text NOT NULL, facts text NOT NULL, secret text NOT NULL);`;
  const database = new PostgresDatabase("postgresTokens", connection, { part: "tokens", prefix, tables, tidy: "" });
  const query: Query = (sql, values) => database.query(sql, values);
  // The database may be configured to commit before a row is on disk.
  const durable = "SELECT set_config('synchronous_commit', 'on', true)";
  return encryptSecrets("postgresTokens", tokensIn(query, `${prefix}tokens`, durable), keys);
}
