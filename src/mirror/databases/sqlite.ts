import { ConfigurationError } from "../../core/errors.js";
import type { ColumnType, SqlValue } from "../columns.js";
import type { Dialect, MirrorDatabase, Sql } from "../database.js";
import { Turns } from "./turns.js";

/**
 * A prepared statement of `node:sqlite` or better-sqlite3. The mirror passes texts, numbers and null; compilers before
 * TypeScript 6 find the types of better-sqlite3 in these methods only where they take anything.
 */
export interface SqliteStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  all(...values: unknown[]): unknown[];
}

/**
 * A connection to an SQLite file: a `DatabaseSync` of `node:sqlite` or a `Database` of better-sqlite3. It belongs to the
 * mirror alone: what other code writes through it could end up in the mirror's transactions. Open another one to query.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

const TYPES: Readonly<Record<ColumnType, string>> = {
  integer: "INTEGER",
  number: "REAL",
  boolean: "INTEGER",
  text: "TEXT",
  decimal: "TEXT",
  date: "TEXT",
  time: "TEXT",
  json: "TEXT",
};

const dialect: Dialect = {
  name: "sqlite",
  types: TYPES,
  valuesOf: () => "SELECT value FROM json_each(?)",
  toColumn: (_, value) => (typeof value === "boolean" ? Number(value) : value),
  async addColumn(sql, table, name, type) {
    const found = await sql.all<{ name: string }>(`SELECT name FROM pragma_table_info('${table}') WHERE name = ?`, [
      name,
    ]);
    if (found.length === 0) await sql.run(`ALTER TABLE "${table}" ADD COLUMN "${name}" ${TYPES[type]}`);
  },
};

// A statement is synchronous, so the process stands still meanwhile.
const BUSY_TIMEOUT_MS = 5_000;
const MOST_STATEMENTS = 500;

// Shared by all copies of the process: a second connection would wait for the first one's transaction, and as drivers wait
// synchronously, for ever.
const turns = /* @__PURE__ */ new Turns();

/**
 * Keeps a copy in an SQLite file.
 * @throws ConfigurationError when the connection lacks a method.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { mirror, sqlite } from "education-admin-sdk/mirror";
 *
 * const copy = mirror(client, sqlite(new DatabaseSync("school.sqlite")), { resources: ["accounts"] });
 */
export function sqlite(database: SqliteDatabase): MirrorDatabase {
  for (const method of ["exec", "prepare"] as const) {
    if (typeof database?.[method] !== "function") {
      throw new ConfigurationError(
        `Mirror: sqlite needs a connection with the method ${method}, as node:sqlite and better-sqlite3 have it`,
      );
    }
  }
  const statements = new Map<string, SqliteStatement>();
  let isOpen = false;

  function prepare(text: string): SqliteStatement {
    let statement = statements.get(text);
    if (!statement) {
      statement = database.prepare(text);
      if (statements.size >= MOST_STATEMENTS) statements.clear();
      statements.set(text, statement);
    }
    return statement;
  }

  const sql: Sql = {
    all: async <Row>(text: string, values: readonly SqlValue[] = []) => prepare(text).all(...bound(values)) as Row[],
    run: async (text, values = []) => {
      // A changed table makes its statements invalid in some drivers.
      if (/^(ALTER|CREATE|DROP) /.test(text)) {
        statements.clear();
        database.exec(text);
        return 0;
      }
      return Number(prepare(text).run(...bound(values)).changes);
    },
    insert: async ({ table, columns }, rows, tail) => {
      const names = columns.map(([name]) => `"${name}"`).join();
      const places = columns.map(() => "?").join();
      const statement = prepare(`INSERT INTO "${table}" (${names}) VALUES (${places}) ${tail}`);
      for (const row of rows) statement.run(...bound(row));
    },
  };

  function open(): void {
    if (isOpen) return;
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    for (let left = 100; ; left--) {
      try {
        database.exec("PRAGMA journal_mode = WAL");
        break;
      } catch (error) {
        // SQLite does not wait for other processes here; a write that changes nothing does.
        if (left === 0 || !/locked|busy/i.test(String(error))) throw error;
        database.exec("BEGIN IMMEDIATE; ROLLBACK");
      }
    }
    // A power cut may take the last pages; their checkpoints go with them.
    database.exec("PRAGMA synchronous = NORMAL");
    isOpen = true;
  }

  return {
    dialect,
    // The connection has one transaction at a time, and the work in it awaits.
    write: (work) =>
      turns.take(async () => {
        open();
        database.exec("BEGIN IMMEDIATE");
        try {
          const value = await work(sql);
          database.exec("COMMIT");
          return value;
        } catch (error) {
          statements.clear();
          try {
            database.exec("ROLLBACK");
          } catch {
            // Some failures have ended the transaction already.
          }
          throw error;
        }
      }),
    read: (text, values) =>
      turns.take(async () => {
        open();
        return sql.all(text, values);
      }),
  };
}

function bound(values: readonly SqlValue[]): (string | number | null)[] {
  return values as (string | number | null)[];
}
