import { ConfigurationError } from "../../core/errors.js";
import type { ColumnType, SqlValue } from "../columns.js";
import type { Dialect, MirrorDatabase, Sql, Target } from "../database.js";
import { Turns } from "./turns.js";

/** What runs SQL on Postgres. */
export interface PostgresQueries {
  query(sql: string, values?: unknown[]): PromiseLike<PostgresResult>;
}

/** The result of a statement, as pg and PGlite give it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  /** Rows that the statement changed, as pg names them. */
  readonly rowCount?: number | null;
  /** Rows that the statement changed, as PGlite names them. */
  readonly affectedRows?: number;
}

/** A connection that a pool has lent. */
export interface PostgresPoolClient extends PostgresQueries {
  /** Returns it to the pool; after an error the pool closes it. */
  release(error?: Error | boolean): void;
}

/** A `Pool` of pg. */
export interface PostgresPool extends PostgresQueries {
  connect(): Promise<PostgresPoolClient>;
}

/** A `PGlite`. */
export interface PostgresInProcess extends PostgresQueries {
  transaction<Value>(work: (queries: PostgresQueries) => Promise<Value>): Promise<Value>;
}

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

const dialect: Dialect = {
  name: "postgres",
  types: TYPES,
  valuesOf: (kind) =>
    kind === "integer"
      ? "SELECT value::bigint FROM jsonb_array_elements_text(?::jsonb)"
      : "SELECT value FROM jsonb_array_elements_text(?::jsonb)",
  toColumn: (type, value) => (typeof value === "string" ? storable(value, type === "json") : value),
  async addColumn(sql, table, name, type) {
    await sql.run(`ALTER TABLE "${table}" ADD COLUMN IF NOT EXISTS "${name}" ${TYPES[type]}`);
  },
};

// Postgres holds neither NUL nor halves of surrogate pairs, as characters or as escapes of JSON. An escape begins with a
// backslash that is not itself escaped.
function storable(text: string, isJson: boolean): string {
  if (!isJson) return text.includes("\0") || !text.isWellFormed() ? text.replaceAll("\0", "").toWellFormed() : text;
  if (!/\\u(?:0000|d[89a-f])/i.test(text)) return text;
  return text.replace(/(?<!\\)((?:\\\\)*)\\u(0000|d[89a-f][0-9a-f]{2})/gi, (_, before: string, code: string) =>
    code === "0000" ? before : `${before}\ufffd`,
  );
}

// One writer at a time, so that numbers of changes are committed in their order. A power cut may take the last pages;
// their checkpoints go with them.
const LOCK = `SELECT set_config('synchronous_commit', 'off', true),
  pg_advisory_xact_lock(hashtextextended(current_schema() || ' mirror', 0))`;

/**
 * Keeps a copy in Postgres. Several processes may use one copy: an advisory lock orders their writes, and one of them
 * sweeps each list.
 * @param connection a `Pool` of pg or a `PGlite`.
 * @throws ConfigurationError when the connection is neither.
 * @example
 * import { mirror, postgres } from "education-admin-sdk/mirror";
 * import pg from "pg";
 *
 * const copy = mirror(client, postgres(new pg.Pool()), { resources: ["accounts"] });
 */
export function postgres(connection: PostgresPool | PostgresInProcess): MirrorDatabase {
  const { connect } = connection as Partial<PostgresPool>;
  const { transaction } = connection as Partial<PostgresInProcess>;
  if (typeof connection?.query !== "function" || (typeof connect !== "function" && typeof transaction !== "function")) {
    throw new ConfigurationError(
      "Mirror: postgres needs a Pool of pg or a PGlite: an object with query, and connect or transaction",
    );
  }
  const turns = new Turns();

  async function inPool<Value>(pool: PostgresPool, work: (sql: Sql) => Promise<Value>): Promise<Value> {
    const client = await pool.connect();
    try {
      await client.query(`BEGIN; ${LOCK}`);
      const value = await work(sqlOf(client));
      await client.query("COMMIT");
      client.release();
      return value;
    } catch (error) {
      // The pool closes the connection, and with it the transaction.
      client.release(error instanceof Error ? error : true);
      throw error;
    }
  }

  return {
    dialect,
    write: (work) =>
      turns.take(() =>
        transaction
          ? (connection as PostgresInProcess).transaction(async (queries) => {
              await queries.query(LOCK);
              return work(sqlOf(queries));
            })
          : inPool(connection as PostgresPool, work),
      ),
    read: async (sql, values) => sqlOf(connection).all(sql, values),
  };
}

function sqlOf(queries: PostgresQueries): Sql {
  const query = (sql: string, values: readonly SqlValue[]) => queries.query(numbered(sql), [...values]);
  return {
    all: async <Row>(sql: string, values: readonly SqlValue[] = []) =>
      (await query(sql, values)).rows as readonly Row[],
    run: async (sql, values = []) => {
      const { rowCount, affectedRows } = await query(sql, values);
      return rowCount ?? affectedRows ?? 0;
    },
    // All rows in one parameter: with one for each value, Postgres would read thousands of them for a page.
    insert: async ({ table, columns }, rows, tail) => {
      const names = columns.map(([name]) => `"${name}"`).join();
      const fields = columns.map(([, type], at) => `c${at} ${TYPES[type]}`).join();
      const places = columns.map((_, at) => `c${at}`).join();
      await queries.query(
        `INSERT INTO "${table}" (${names}) SELECT ${places} FROM jsonb_to_recordset($1::jsonb) AS rows (${fields}) ${tail}`,
        [`[${rows.map((row) => objectOf(columns, row)).join()}]`],
      );
    },
  };
}

// The values of JSON columns are JSON already.
function objectOf(columns: Target["columns"], row: readonly SqlValue[]): string {
  const fields: string[] = [];
  for (const [at, [, type]] of columns.entries()) {
    const value = row[at] ?? null;
    if (value !== null) fields.push(`"c${at}":${type === "json" ? String(value) : JSON.stringify(value)}`);
  }
  return `{${fields.join()}}`;
}

function numbered(sql: string): string {
  let number = 0;
  return sql.replaceAll("?", () => `$${++number}`);
}
