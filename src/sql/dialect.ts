/** One way to write SQL for SQLite and Postgres. */

/** What a column holds. `json` is for nested values and for fields that the library does not know. */
export type ColumnType = "integer" | "number" | "boolean" | "text" | "decimal" | "date" | "time" | "json";

/** The value of a column. */
export type SqlValue = string | number | boolean | null;

/** What the names of tables begin with, and the schema they are in. */
export interface TableNames {
  readonly prefix?: string | undefined;
  readonly schema?: string | undefined;
}

/**
 * Runs statements. `?` is a placeholder, and `{accounts}` a table or view by the name it has without prefix and
 * schema.
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
  /** What to do where tables of the application have these names. */
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

/** Puts the database's names in place of `{accounts}`, and of `[accounts_by_name]` for an index, which has no schema. */
export function withNames(sql: string, { prefix = "", schema }: TableNames): string {
  const within = schema === undefined ? "" : `"${schema}".`;
  return sql.replace(/\{(\w+)\}/g, `${within}"${prefix}$1"`).replace(/\[(\w+)\]/g, `"${prefix}$1"`);
}
