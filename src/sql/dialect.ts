/** Lets the same SQL run on SQLite and Postgres. */

/** The type of the values in a column. `json` is for nested values and for fields that the library does not know. */
export type ColumnType = "integer" | "number" | "boolean" | "text" | "decimal" | "date" | "time" | "json";

export type SqlValue = string | number | boolean | null;

export interface TableNames {
  readonly prefix?: string | undefined;
  readonly schema?: string | undefined;
}

/** Runs statements. `?` is a placeholder; `{accounts}` names a table or view without its prefix and schema. */
export interface Sql {
  /** Returns the rows of a query. Integers come as numbers or strings, never as BigInt. */
  all<Row>(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** Runs a statement. @returns the number of rows it changed. */
  run(sql: string, values?: readonly SqlValue[]): Promise<number>;
  /** Inserts rows whose values are in the order of the columns. `tail` ends the statement, such as `ON CONFLICT …`. */
  insert(into: Target, rows: readonly (readonly SqlValue[])[], tail: string): Promise<void>;
}

export type SqlReader = Pick<Sql, "all">;

export interface Target {
  readonly table: string;
  readonly columns: readonly (readonly [name: string, type: ColumnType])[];
}

export interface ViewInDatabase {
  /** The view's SQL, as the database prints it. */
  readonly definition: string;
  /** The options set on the view, for `WITH`; null if there are none. */
  readonly options: string | null;
}

export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>;
  /** Advice for error messages: what to do if the application has tables of the same names. */
  readonly apart: string;
  /** SQL that creates the schema of the tables; null if there is none to create. */
  readonly schema: string | null;
  hasSchema(sql: SqlReader): Promise<boolean>;
  /** A subquery for `IN (…)` that turns a JSON array, given as one placeholder, into rows. */
  valuesOf(kind: "integer" | "text"): string;
  /** Converts a value to the form that its column stores. */
  toColumn(type: ColumnType, value: SqlValue): SqlValue;
  /**
   * Replaces names such as `{accounts}` with the database's names, and numbers the placeholders if the database
   * requires it.
   */
  text(sql: string): string;
  /** The columns of a table or view, in order; empty if it does not exist. */
  columnsOf(sql: SqlReader, name: string): Promise<readonly string[]>;
  /** The view of that name; null if there is none. */
  viewOf(sql: SqlReader, name: string): Promise<ViewInDatabase | null>;
  /** Returns statements that replace a view without dropping the objects that depend on it. */
  replaceView(name: string, query: string, options: string | null): readonly string[];
  /** Does work; returns null and changes nothing if the database refuses the work, or a lock delays it. */
  attempt<Value>(sql: Sql, work: () => Promise<Value>): Promise<Value | null>;
}

/** Replaces `{accounts}` with the table's name in the database, and `[accounts_by_name]` with an index's name. */
export function withNames(sql: string, { prefix = "", schema }: TableNames): string {
  const within = schema === undefined ? "" : `"${schema}".`;
  return sql.replace(/\{(\w+)\}/g, `${within}"${prefix}$1"`).replace(/\[(\w+)\]/g, `"${prefix}$1"`);
}
