import { ConfigurationError } from "../../core/errors.js";
import type { Sql, SqlValue } from "../../sql/dialect.js";
import { openSqlite, plainRows, rollBack } from "../../sql/sqlite.js";
import { sqliteDialect } from "../../sql/sqlite-dialect.js";
import { type Turn, takeTurn, turnOf } from "../../work/turn.js";
import type { MirrorDatabase } from "../database.js";
import { checkedNames, type SqliteOptions } from "./names.js";

/**
 * A prepared statement of `node:sqlite` or better-sqlite3. The mirror passes strings, numbers and null. The parameters
 * are `unknown` because TypeScript before version 6 rejects the types of better-sqlite3 otherwise.
 */
export interface SqliteStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  all(...values: unknown[]): unknown[];
}

/**
 * A connection to an SQLite file: a `DatabaseSync` of `node:sqlite` or a `Database` of better-sqlite3. Use it only for
 * the mirror: its transactions could include other writes through this connection. Open another connection for queries.
 */
export interface SqliteDatabase {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

// Statements are synchronous, so a wait blocks the process.
const BUSY_TIMEOUT_MS = 5_000;
const MOST_STATEMENTS = 500;

// Connections to one file take turns: drivers wait synchronously, so a second one would block the first one's
// transaction forever.
function turnOfDatabase(database: SqliteDatabase): Turn {
  const list = database.prepare("PRAGMA database_list").all() as { readonly name: string; readonly file: unknown }[];
  const file = list.find(({ name }) => name === "main")?.file;
  return file ? turnOf(String(file), `the SQLite file ${file}`) : turnOf(database, "the SQLite database in memory");
}

/**
 * Keeps a copy in an SQLite file.
 * @throws ConfigurationError if the connection lacks a method, or an option is invalid.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { mirror, sqlite } from "education-admin-sdk/mirror";
 *
 * const copy = mirror(client, sqlite(new DatabaseSync("school.sqlite")), { resources: ["accounts"] });
 */
export function sqlite<Connection extends SqliteDatabase>(
  database: Connection,
  options: SqliteOptions = {},
): MirrorDatabase<Connection> {
  for (const method of ["exec", "prepare"] as const) {
    if (typeof database?.[method] !== "function") {
      throw new ConfigurationError(
        `Mirror: sqlite needs a connection with the method ${method}, like those of node:sqlite and better-sqlite3`,
      );
    }
  }
  const dialect = sqliteDialect(checkedNames(options, { prefix: 1 }));
  let turn: Turn | null = null;
  const statements = new Map<string, SqliteStatement>();
  let isOpen = false;
  let waits = false;

  function prepare(sql: string): SqliteStatement {
    const text = dialect.text(sql);
    let statement = statements.get(text);
    if (!statement) {
      statement = database.prepare(text);
      if (statements.size >= MOST_STATEMENTS) statements.clear();
      statements.set(text, statement);
    }
    return statement;
  }

  const sql: Sql = {
    all: async <Row>(text: string, values: readonly SqlValue[] = []) => plainRows<Row>(prepare(text).all(...values)),
    run: async (text, values = []) => {
      // Some drivers invalidate their statements when a table changes.
      if (/^(ALTER|CREATE|DROP) /.test(text)) {
        statements.clear();
        database.exec(dialect.text(text));
        return 0;
      }
      return Number(prepare(text).run(...values).changes);
    },
    insert: async ({ table, columns }, rows, tail) => {
      const names = columns.map(([name]) => `"${name}"`).join();
      const places = columns.map(() => "?").join();
      const statement = prepare(`INSERT INTO {${table}} AS stored (${names}) VALUES (${places}) ${tail}`);
      for (const row of rows) statement.run(...row);
    },
  };

  const inTurn = <Value>(work: () => Promise<Value>) =>
    onWholeFile(() => {
      turn ??= turnOfDatabase(database);
      return takeTurn(turn, work);
    });

  function open(): void {
    if (isOpen) return;
    // Data that a reader of the feed has seen must survive a power cut.
    openSqlite(database, BUSY_TIMEOUT_MS, "FULL");
    waits = true;
    isOpen = true;
  }

  function waitForOthers(): void {
    if (waits) return;
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    waits = true;
  }

  // The connection has one transaction at a time, and the work in it is asynchronous.
  const transaction = <Value>(work: (sql: Sql, tx: Connection) => Promise<Value>, signal?: AbortSignal) =>
    inTurn(async () => {
      signal?.throwIfAborted();
      open();
      database.exec("BEGIN IMMEDIATE");
      try {
        const value = await work(sql, database);
        database.exec("COMMIT");
        return value;
      } catch (error) {
        statements.clear();
        rollBack(database);
        throw error;
      }
    });

  return {
    kind: "sqlite",
    dialect,
    write: transaction,
    transaction,
    // A read-only connection cannot change how the file is written.
    read: (text, values, signal) =>
      inTurn(async () => {
        signal?.throwIfAborted();
        waitForOthers();
        return sql.all(text, values);
      }),
  };
}

// Waiting does not repair a damaged file, so the error says what to do.
async function onWholeFile<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { message } = Object(error) as { readonly message?: unknown };
    if (!/disk image is malformed|file is not a database/.test(String(message))) throw error;
    throw new ConfigurationError(
      `Mirror: the SQLite file is damaged (${message}). Move it away and sync again; readers of its changes must then start again from the tables`,
      { cause: error },
    );
  }
}
