import { sealed, type TokenStoreOptions, tokenSettings, tokensIn } from "../sealing.js";
import type { Query } from "../sql-inbox.js";
import type { TokenStore } from "../token-store.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in Postgres, encrypted; any number of processes may share them. Its table is
 * created when it is first used.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function postgresTokens(connection: PostgresConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("postgresTokens", options);
  const tables = `CREATE TABLE ${prefix}tokens
    (key text COLLATE "C" PRIMARY KEY, version text NOT NULL, facts text NOT NULL, secret text NOT NULL);`;
  const database = new PostgresDatabase("postgresTokens", connection, { part: "tokens", prefix, tables, tidy: "" });
  const query: Query = (sql, values) => database.query(sql, values);
  // A database may be set to answer before a row is on its disk.
  const durable = "SELECT set_config('synchronous_commit', 'on', true)";
  return sealed("postgresTokens", tokensIn(query, `${prefix}tokens`, durable), keys);
}
