import { isBusy, openSqlite, plainRows, rollBack } from "../../sql/sqlite.js";
import { checkConnection } from "../options.js";
import type { Query, Value } from "../sql-inbox.js";

/** Values of named parameters: `{ id: 7 }` for `:id`. */
export interface SqliteValues {
  [name: string]: string | number | null;
}

/** A prepared statement of `node:sqlite` or better-sqlite3. */
export interface SqliteStatement {
  run(values: SqliteValues): { readonly changes: number | bigint };
  get(values: SqliteValues): unknown;
  all(values: SqliteValues): unknown[];
}

/**
 * A connection to an SQLite file: a `DatabaseSync` of `node:sqlite` or a `Database` of better-sqlite3. Use it for the
 * store only: a ROLLBACK by other code would undo the store's writes.
 */
export interface SqliteConnection {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

export interface SqliteTables {
  readonly part: string;
  readonly prefix: string;
  readonly tables: string;
  /** Durability after a power cut: FULL keeps everything, NORMAL may lose the last moments. */
  readonly synchronous: "FULL" | "NORMAL";
}

// SQLite calls are synchronous, so waiting for a lock blocks the process.
const BUSY_TIMEOUT_MS = 2_000;

// Used after a failed wait, for callers with a fallback. Otherwise twenty calls would block for 40 seconds.
const SHORT_BUSY_TIMEOUT_MS = 100;

/** Converts the BigInts of a row to numbers, because some connections return every integer as a BigInt. */
export function plainRow<Row>(row: unknown): Row {
  return plainRows<Row>([{ ...(row as object) }])[0] as Row;
}

/** A connection that creates its tables before the first statement. */
export class SqliteDatabase {
  readonly #connection: SqliteConnection;
  readonly #tables: SqliteTables;
  readonly #statements = new Map<string, SqliteStatement>();
  #busyTimeoutMs = BUSY_TIMEOUT_MS;
  #failure: { readonly error: unknown; readonly until: number } | null = null;
  #isOpen = false;

  /** @throws ConfigurationError if the connection lacks a method. */
  constructor(what: string, connection: SqliteConnection, tables: SqliteTables) {
    checkConnection(what, connection, ["exec", "prepare"]);
    this.#connection = connection;
    this.#tables = tables;
  }

  /** Prepares an SQL text once and returns its statement. */
  prepare(sql: string): SqliteStatement {
    this.#open();
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** Runs a statement with `?` for its values, and returns its rows. */
  query: Query = async <Row>(sql: string, values: readonly Value[]) => {
    let place = 0;
    const statement = this.prepare(sql.replaceAll("?", () => `:v${place++}`));
    const named = values.map((value, at) => [`v${at}`, typeof value === "boolean" ? Number(value) : value] as const);
    return statement.all(Object.fromEntries(named)).map(plainRow<Row>);
  };

  transaction<Value>(work: () => Value): Value {
    this.#open();
    return this.#transaction(work);
  }

  /**
   * Runs work like `transaction`. After a failed wait for another process, calls fail immediately for 100 ms; then each
   * waits at most 100 ms, until one succeeds.
   */
  briefTransaction<Value>(work: () => Value): Value {
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error;
    try {
      const value = this.transaction(work);
      this.#failure = null;
      this.#wait(BUSY_TIMEOUT_MS);
      return value;
    } catch (error) {
      if (isBusy(error)) {
        this.#failure = { error, until: performance.now() + SHORT_BUSY_TIMEOUT_MS };
        this.#wait(SHORT_BUSY_TIMEOUT_MS);
      }
      throw error;
    }
  }

  #wait(ms: number): void {
    if (this.#busyTimeoutMs === ms) return;
    this.#busyTimeoutMs = ms;
    this.#connection.exec(`PRAGMA busy_timeout = ${ms}`);
  }

  #transaction<Value>(work: () => Value): Value {
    this.#connection.exec("BEGIN IMMEDIATE");
    try {
      const value = work();
      this.#connection.exec("COMMIT");
      return value;
    } catch (error) {
      rollBack(this.#connection);
      throw error;
    }
  }

  #open(): void {
    if (this.#isOpen) return;
    const { part, prefix, tables, synchronous } = this.#tables;
    const connection = this.#connection;
    openSqlite(connection, this.#busyTimeoutMs, synchronous);
    this.#transaction(() => {
      connection.exec(
        `CREATE TABLE IF NOT EXISTS ${prefix}versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`,
      );
      const row = connection.prepare(`SELECT version FROM ${prefix}versions WHERE part = :part`).get({ part });
      const version = Number((row as { version: number | bigint } | undefined)?.version ?? 0);
      if (version > 1) throw new Error(`The tables ${prefix}… were created by a newer version of education-admin-sdk`);
      if (version === 1) return;
      connection.exec(tables);
      connection.prepare(`INSERT INTO ${prefix}versions VALUES (:part, 1)`).run({ part });
    });
    this.#isOpen = true;
  }
}
