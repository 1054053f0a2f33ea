import {
  type ColumnType,
  type Dialect,
  type Sql,
  type SqlValue,
  type TableNames,
  type Target,
  type ViewInDatabase,
  withNames,
} from "./dialect.js";
import { numberPlaceholders, type PostgresQueries } from "./postgres.js";
import { plainRows } from "./sqlite.js";

const TYPES: Readonly<Record<ColumnType, string>> = {
  integer: "bigint",
  number: "double precision",
  boolean: "boolean",
  text: "text",
  decimal: "numeric",
  date: "date",
  time: "timestamptz",
  json: "jsonb",
};

/**
 * How long a write waits for another process's lock, in milliseconds. A process that holds a lock for longer is assumed
 * to hang.
 */
export const LOCK_MS = 30_000;
// A change of columns that waits for a long query blocks all new queries on the table, so it waits only this long.
const COLUMNS_LOCK_MS = 1_000;
/** Error codes for refused changes: no permission, lock timeout, a dependent view, an unsupported change. */
const REFUSED = new Set(["42501", "55P03", "2BP01", "0A000"]);

export function postgresDialect(names: TableNames): Dialect {
  const { prefix = "", schema } = names;
  const text = (sql: string) => numberPlaceholders(withNames(sql, names));
  // Names the mirror's schema, because a table of the same name elsewhere in the search path is a different one.
  const relation = `to_regclass(${schema === undefined ? "quote_ident(current_schema())" : `'"${schema}"'`} || '."' || ? || '"')`;
  return {
    types: TYPES,
    apart: 'give the mirror a schema or a prefix of its own: postgres(pool, { schema: "school" })',
    schema: schema === undefined ? null : `CREATE SCHEMA IF NOT EXISTS "${schema}"`,
    async hasSchema(sql) {
      const [found] = await sql.all<{ is: boolean }>("SELECT to_regnamespace(?) IS NOT NULL AS is", [
        schema ?? "public",
      ]);
      return found?.is === true;
    },
    valuesOf: (kind) =>
      kind === "integer"
        ? "SELECT value::bigint FROM jsonb_array_elements_text(?::jsonb)"
        : "SELECT value FROM jsonb_array_elements_text(?::jsonb)",
    toColumn: (type, value) => (typeof value === "string" ? storable(value, type === "json") : value),
    text,
    async columnsOf(sql, name) {
      const query = `SELECT attname AS name FROM pg_attribute
        WHERE attrelid = ${relation} AND attnum > 0 AND NOT attisdropped ORDER BY attnum`;
      return (await sql.all<{ name: string }>(query, [`${prefix}${name}`])).map((column) => column.name);
    },
    async viewOf(sql, name) {
      const query = `SELECT pg_get_viewdef(oid) AS definition, array_to_string(reloptions, ', ') AS options
        FROM pg_class WHERE oid = ${relation} AND relkind = 'v'`;
      return (await sql.all<ViewInDatabase>(query, [`${prefix}${name}`]))[0] ?? null;
    },
    replaceView: (name, query, options) => [
      `CREATE OR REPLACE VIEW {${name}}${options ? ` WITH (${options})` : ""} AS ${query}`,
    ],
    async attempt(sql, work) {
      await sql.all(`SELECT set_config('lock_timeout', '${COLUMNS_LOCK_MS}', true)`);
      await sql.run("SAVEPOINT mirror");
      try {
        return await work();
      } catch (error) {
        if (!REFUSED.has(String((error as { readonly code?: unknown }).code))) throw error;
        await sql.run("ROLLBACK TO SAVEPOINT mirror");
        return null;
      } finally {
        await sql.all(`SELECT set_config('lock_timeout', '${LOCK_MS}', true)`).catch(() => undefined);
      }
    },
  };
}

// Postgres can store neither NUL nor lone surrogates, whether as characters or as JSON escapes. An escape begins with a
// backslash that is not itself escaped.
function storable(text: string, isJson: boolean): string {
  if (!isJson) return text.includes("\0") || !text.isWellFormed() ? text.replaceAll("\0", "").toWellFormed() : text;
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return text;
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/gi, (_, before: string, code: string) =>
    code === "0000" ? before : `${before}\ufffd`,
  );
}

export function sqlOf(queries: PostgresQueries, { text }: Dialect): Sql {
  const query = (sql: string, values: readonly SqlValue[]) => queries.query(text(sql), [...values]);
  return {
    all: async <Row>(sql: string, values: readonly SqlValue[] = []) => plainRows<Row>((await query(sql, values)).rows),
    run: async (sql, values = []) => {
      const { rowCount, affectedRows } = await query(sql, values);
      return rowCount ?? affectedRows ?? 0;
    },
    // Sends all rows as one parameter: with one per value, Postgres would have to parse thousands for each page.
    insert: async ({ table, columns }, rows, tail) => {
      const names = columns.map(([name]) => `"${name}"`).join();
      const fields = columns.map(([, type], at) => `c${at} ${TYPES[type]}`).join();
      const places = columns.map((_, at) => `c${at}`).join();
      await query(
        `INSERT INTO {${table}} AS stored (${names}) SELECT ${places} FROM jsonb_to_recordset(?::jsonb) AS rows (${fields}) ${tail}`,
        [`[${rows.map((row) => objectOf(columns, row)).join()}]`],
      );
    },
  };
}

// The values of JSON columns are already JSON.
function objectOf(columns: Target["columns"], row: readonly SqlValue[]): string {
  const fields: string[] = [];
  for (const [at, [, type]] of columns.entries()) {
    const value = row[at] ?? null;
    if (value !== null) fields.push(`"c${at}":${type === "json" ? String(value) : JSON.stringify(value)}`);
  }
  return `{${fields.join()}}`;
}
