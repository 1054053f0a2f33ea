import { POSTGRES } from "../dialects.js";
import { encryptSecrets, type TokenStoreOptions, tokenSettings } from "../sealing.js";
import { tokensIn, tokenTables } from "../sql-tokens.js";
import type { TokenStore } from "../token-store.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in Postgres, encrypted. Any number of processes may share them.
 * Creates its table on first use.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function postgresTokens(connection: PostgresConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("postgresTokens", options);
  const { query } = new PostgresDatabase("postgresTokens", connection, tokenTables(POSTGRES, prefix));
  return encryptSecrets("postgresTokens", tokensIn(query, POSTGRES, prefix), keys);
}
