import { ConfigurationError } from "../core/errors.js";
import type { ColumnType, SqlValue } from "./columns.js";

/**
 * Runs statements. `?` is a placeholder, and `{accounts}` a table or view of the mirror by the name it has without prefix
 * and schema.
 */
export interface Sql {
  /** The rows of a query; integers are numbers or texts, never BigInt. */
  all<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs a statement. @returns how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** Inserts rows, whose values are in the order of the columns; `tail` follows them: `ON CONFLICT …`. */
  insert(into: Target, rows: readonly (readonly SqlValue[])[], tail: string): Promise<void>;
}

/** What runs queries only. */
export type SqlReader = Pick<Sql, "all">;

/** A table and those of its columns that an insert fills. */
export interface Target {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
}

/** A view as the database has it. */
export interface ViewInDatabase {
  /** Its SQL, as the database writes it. */
  readonly definition: string;
  /** Options that were set on it, for `WITH`; null if there are none. */
  readonly options: string | null;
}

/** What the two databases do differently. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** What to do if tables of the application have the mirror's names. */
  readonly apart: string;
  /** Creates the schema of the tables if it is missing; null where there is none to create. */
  readonly schema: string | null;
  /** Whether that schema exists. */
  hasSchema(sql: SqlReader): Promise<boolean>;
  /** Values of a JSON array as rows, for `IN (…)`: takes the array as one placeholder. */
  valuesOf(kind: "integer" | "text"): string;
  /** How a value is written into its column. */
  toColumn(type: ColumnType, value: SqlValue): SqlValue;
  /** A statement with the names of the database in place of `{accounts}`, and numbered placeholders where it needs them. */
  text(sql: string): string;
  /** The columns of a table or view in their order; none where there is nothing of that name. */
  columnsOf(sql: SqlReader, name: string): Promise<readonly string[]>;
  /** Null if there is no view of that name. */
  viewOf(sql: SqlReader, name: string): Promise<ViewInDatabase | null>;
  /** Statements that replace a view without touching what depends on it. */
  replaceView(name: string, query: string, options: string | null): readonly string[];
  /** Does work that may be refused or have to wait for others. @returns null in that case; nothing was done then. */
  attempt<Value>(sql: Sql, work: () => Promise<Value>): Promise<Value | null>;
}

/**
 * Where a copy is kept. Only `sqlite` and `postgres` make one: pass them a connection or a pool. `Tx` is what a transaction of the
 * caller's driver runs statements with: the connection itself in SQLite, what has `query` in Postgres.
 */
export interface MirrorDatabase<Tx = unknown> {
  readonly kind: "sqlite" | "postgres";
  /** @internal */
  readonly dialect: Dialect;
  /**
   * Runs work as one transaction, which no other writer comes between and which is on the disk when this resolves.
   * @throws the signal's reason when it aborts first: then the transaction is rolled back, or its end is unknown.
   * @internal
   */
  write<Value>(work: (sql: Sql) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /** Runs work as one transaction that other writers may come between; `tx` runs the caller's statements in it. @internal */
  transaction<Value>(work: (sql: Sql, tx: Tx) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /** Reads, and sees only what was committed. @internal */
  read<Row>(sql: string, values?: readonly SqlValue[], signal?: AbortSignal): Promise<readonly Row[]>;
}

/** @throws ConfigurationError for what neither `sqlite` nor `postgres` has made: a connection, which has other methods. */
export function checkDatabase(database: MirrorDatabase | null | undefined): void {
  if (database?.dialect && typeof database.write === "function") return;
  throw new ConfigurationError(
    "Mirror: the database must be made by sqlite or postgres from a connection or a pool: mirror(client, sqlite(connection))",
  );
}
