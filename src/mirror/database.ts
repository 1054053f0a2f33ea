import type { ColumnType, SqlValue } from "./columns.js";

/** Runs statements; placeholders are `?`. */
export interface Sql {
  /** The rows of a query. */
  all<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs a statement. @returns how many rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** Inserts rows, whose values are in the order of the columns; `tail` follows them: `ON CONFLICT …`. */
  insert(into: Target, rows: readonly (readonly SqlValue[])[], tail: string): Promise<void>;
}

/** A table and those of its columns that an insert fills. */
export interface Target {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
}

/** What SQL of the two databases writes differently. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Values of a JSON array as rows, for `IN (…)`: takes the array as one placeholder. */
  valuesOf(kind: "integer" | "text"): string;
  /** How a value is written into its column. */
  toColumn(type: ColumnType, value: SqlValue): SqlValue;
  /** Adds a column unless it exists. */
  addColumn(sql: Sql, table: string, name: string, type: ColumnType): Promise<void>;
}

/** Where a copy is kept. Made by `sqlite` or `postgres`. */
export interface MirrorDatabase {
  /** @internal */
  readonly dialect: Dialect;
  /** Runs work as one transaction, which no other writer comes between. @internal */
  write<Value>(work: (sql: Sql) => Promise<Value>): Promise<Value>;
  /** Reads, and sees only what was committed. @internal */
  read<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
}
