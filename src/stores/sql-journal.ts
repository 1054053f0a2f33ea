import type { BulkJournal } from "../bulk/types.js";
import type { PartTables } from "../sql/tables.js";
import type { Query, StoreDialect } from "./dialects.js";

const LINES_AT_ONCE = 1_000;

/** A claim to a plan is ignored if it ends more than this many milliseconds from now: a wrong clock set it. */
const LONGEST_CLAIM_MS = 600_000;

export function journalTables({ serial, number, end }: StoreDialect, prefix: string): PartTables {
  const [lines, owners] = [`${prefix}bulk_lines`, `${prefix}bulk_owners`];
  const create = `CREATE TABLE ${lines} (seq ${serial} PRIMARY KEY, name TEXT NOT NULL, line TEXT NOT NULL)${end};
    CREATE INDEX ${lines}_by_name ON ${lines} (name, seq);
    CREATE TABLE ${owners} (name TEXT PRIMARY KEY, owner TEXT NOT NULL, until ${number} NOT NULL)${end};`;
  return { part: "bulk", prefix, create };
}

export function journalIn(query: Query, dialect: StoreDialect, prefix: string, name: string): BulkJournal {
  const { durable, items, now, nowValues } = dialect;
  const [lines, owners] = [`${prefix}bulk_lines`, `${prefix}bulk_owners`];
  const append = `WITH durable AS (${durable}) INSERT INTO ${lines} (name, line)
    SELECT CAST(? AS TEXT), value FROM durable, ${items} ORDER BY key RETURNING 1`;
  const read = `SELECT seq, line FROM ${lines} WHERE name = ? AND seq > ? ORDER BY seq LIMIT ${LINES_AT_ONCE}`;
  const claim = `INSERT INTO ${owners} AS held VALUES (?, ?, ${now} + ?) ON CONFLICT (name) DO UPDATE
    SET owner = excluded.owner, until = excluded.until
    WHERE held.owner = excluded.owner OR held.until <= ${now} OR held.until > ${now} + ${LONGEST_CLAIM_MS} RETURNING 1`;
  return {
    async append(added) {
      if (added.length > 0) await query(append, [name, JSON.stringify(added)]);
    },
    async *lines() {
      for (let after = 0; ; ) {
        const rows = await query<{ seq: unknown; line: string }>(read, [name, after]);
        for (const { line } of rows) yield line;
        if (rows.length < LINES_AT_ONCE) return;
        after = Number(rows.at(-1)?.seq);
      }
    },
    async claim(owner, forMs) {
      const at = nowValues();
      return (await query(claim, [name, owner, ...at, forMs, ...at, ...at])).length === 1;
    },
  };
}
