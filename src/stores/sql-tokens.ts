import type { PartTables } from "../sql/tables.js";
import type { Query, StoreDialect } from "./dialects.js";
import type { SealedEntries } from "./sealing.js";
import type { TokenEntry, TokenFacts } from "./token-store.js";

export function tokenTables({ end }: StoreDialect, prefix: string): PartTables {
  const create = `CREATE TABLE ${prefix}tokens
    (key TEXT PRIMARY KEY, version TEXT NOT NULL, facts TEXT NOT NULL, secret TEXT NOT NULL)${end};`;
  return { part: "tokens", prefix, create };
}

export function tokensIn(query: Query, { durable }: StoreDialect, prefix: string): SealedEntries {
  const tokens = `${prefix}tokens`;
  const isChanged = async (sql: string, values: readonly string[]) => (await query(sql, values)).length === 1;
  const text = "CAST(? AS TEXT)";
  const insert = `WITH durable AS (${durable}) INSERT INTO ${tokens} SELECT ${text}, ${text}, ${text}, ${text} FROM durable
    WHERE true ON CONFLICT (key) DO NOTHING RETURNING 1`;
  const update = `WITH durable AS (${durable}) UPDATE ${tokens} SET version = ?, facts = ?, secret = ? FROM durable
    WHERE key = ? AND version = ? RETURNING 1`;
  const list = `SELECT key, version, facts FROM ${tokens} WHERE substr(key, 1, length(${text})) = ?`;
  return {
    get: async (key) =>
      (await query<TokenEntry>(`SELECT key, version, facts, secret FROM ${tokens} WHERE key = ?`, [key]))[0] ?? null,
    put: ({ key, version, facts, secret }, replaces) =>
      replaces === null
        ? isChanged(insert, [key, version, facts, secret])
        : isChanged(update, [version, facts, secret, key, replaces]),
    delete: (key, version) =>
      isChanged(`DELETE FROM ${tokens} WHERE key = ? AND version = ? RETURNING 1`, [key, version]),
    // Sorted here, because databases sort by different rules.
    list: async (start) =>
      [...(await query<TokenFacts>(list, [start, start]))].sort((one, other) => (one.key < other.key ? -1 : 1)),
  };
}
