import type { TokenEntry, TokenFacts, TokenStore } from "../../schools/store.js";
import { sealed, type TokenStoreOptions, tokenSettings } from "../sealing.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";

// A database may be set to answer before a row is on its disk.
const DURABLE = "WITH durable AS (SELECT set_config('synchronous_commit', 'on', true))";

/**
 * Keeps the tokens of `education-admin-sdk/schools` in Postgres, encrypted; any number of processes may share them. Its table is
 * created when it is first used.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function postgresTokens(connection: PostgresConnection, options: TokenStoreOptions): TokenStore {
  const { prefix, keys } = tokenSettings("postgresTokens", options);
  const tokens = `${prefix}tokens`;
  const steps = [
    `CREATE TABLE ${tokens} (key text COLLATE "C" PRIMARY KEY, version text NOT NULL, facts text NOT NULL, secret text NOT NULL);`,
  ];
  const database = new PostgresDatabase("postgresTokens", connection, { part: "tokens", prefix, steps, tidy: "" });
  const insert = `${DURABLE} INSERT INTO ${tokens} SELECT $1::text, $2::text, $3::text, $4::text FROM durable
    ON CONFLICT (key) DO NOTHING RETURNING 1`;
  const update = `${DURABLE} UPDATE ${tokens} SET version = $2, facts = $3, secret = $4 FROM durable
    WHERE key = $1 AND version = $5 RETURNING 1`;
  const remove = `DELETE FROM ${tokens} WHERE key = $1 AND version = $2 RETURNING 1`;
  const isChanged = async (sql: string, values: unknown[]) => (await database.query(sql, values)).length === 1;
  const entries = {
    get: async (key: string) => {
      const sql = `SELECT key, version, facts, secret FROM ${tokens} WHERE key = $1`;
      return (await database.query<TokenEntry>(sql, [key]))[0] ?? null;
    },
    put: ({ key, version, facts, secret }: TokenEntry, replaces: string | null) => {
      const values = [key, version, facts, secret];
      return replaces === null ? isChanged(insert, values) : isChanged(update, [...values, replaces]);
    },
    delete: (key: string, version: string) => isChanged(remove, [key, version]),
    list: (start: string) =>
      database.query<TokenFacts>(`SELECT key, version, facts FROM ${tokens} WHERE starts_with(key, $1) ORDER BY key`, [
        start,
      ]),
  };
  return sealed("postgresTokens", entries, keys);
}
