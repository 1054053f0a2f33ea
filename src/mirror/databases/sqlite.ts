import { ConfigurationError } from "../../core/errors.js";
import { optionsOf } from "../../core/option-checks.js";
import type { Sql, SqlValue } from "../../sql/dialect.js";
import { Sqlite, type SqliteConnection, type SqliteSource } from "../../sql/sqlite.js";
import { sqliteDialect } from "../../sql/sqlite-dialect.js";
import { type Turn, takeTurn, turnOf } from "../../work/turn.js";
import type { MirrorDatabase } from "../database.js";
import { SQLITE_OPTIONS, type SqliteOptions } from "./names.js";

// Limits waits for a lock: statements are synchronous, so a wait blocks the process.
const BUSY_TIMEOUT_MS = 5_000;

// Connections to one file take turns: a second connection would wait forever for the first one's transaction, because
// drivers wait synchronously.
function turnOfDatabase(database: SqliteConnection): Turn {
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
export function sqlite<Connection extends SqliteConnection>(
  database: SqliteSource<Connection>,
  options: SqliteOptions = {},
): MirrorDatabase<Connection> {
  for (const method of ["exec", "prepare"] as const) {
    if (typeof database !== "function" && typeof database?.[method] !== "function") {
      throw new ConfigurationError(
        `Mirror: sqlite needs a connection with the method ${method}, like those of node:sqlite and better-sqlite3`,
      );
    }
  }
  const dialect = sqliteDialect(optionsOf("Mirror", options, SQLITE_OPTIONS));
  // `FULL`: data that a reader of the feed has seen must survive a power cut.
  const connection = new Sqlite(database, "FULL");
  let turn: Turn | null = null;

  const sql: Sql = {
    all: async <Row>(text: string, values?: readonly SqlValue[]) => connection.all<Row>(dialect.text(text), values),
    run: async (text, values) => {
      if (!/^(ALTER|CREATE|DROP) /.test(text)) return connection.run(dialect.text(text), values);
      connection.change(dialect.text(text));
      return 0;
    },
    insert: async ({ table, columns }, rows, tail) => {
      const names = columns.map(([name]) => `"${name}"`).join();
      const places = columns.map(() => "?").join();
      const into = dialect.text(`INSERT INTO {${table}} AS stored (${names}) VALUES (${places}) ${tail}`);
      for (const row of rows) connection.run(into, row);
    },
  };

  const inTurn = <Value>(work: () => Promise<Value>) =>
    onWholeFile(() => {
      turn ??= turnOfDatabase(connection.connection);
      return takeTurn(turn, work);
    });

  // Takes turns: a connection has only one transaction, and the work in it is asynchronous.
  const transaction = <Value>(work: (sql: Sql, tx: Connection) => Promise<Value>, signal?: AbortSignal) =>
    inTurn(async () => {
      signal?.throwIfAborted();
      connection.waitAtMost(BUSY_TIMEOUT_MS);
      connection.open();
      connection.begin();
      try {
        const value = await work(sql, connection.connection);
        connection.commit();
        return value;
      } catch (error) {
        connection.rollBack();
        throw error;
      }
    });

  return {
    kind: "sqlite",
    dialect,
    write: transaction,
    transaction,
    // Does not call `open`, because a read-only connection cannot set the journal mode.
    read: (text, values, signal) =>
      inTurn(async () => {
        signal?.throwIfAborted();
        connection.waitAtMost(BUSY_TIMEOUT_MS);
        return sql.all(text, values);
      }),
  };
}

// Waiting does not repair a damaged file, so the error names a remedy.
async function onWholeFile<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    const { message } = Object(error) as { readonly message?: unknown };
    if (!/disk image is malformed|file is not a database/.test(String(message))) throw error;
    throw new ConfigurationError(
      `Mirror: the SQLite file is damaged (${message}). Move it away and sync again; programs that follow its changes must then reread the tables`,
      { cause: error },
    );
  }
}
