export type Value = string | number | boolean | null;

/**
 * Runs a statement with `?` for its values and returns its rows. Some drivers refuse a statement that cannot return
 * rows, so writes end with `RETURNING`.
 */
export type Query = <Row>(sql: string, values: readonly Value[]) => Promise<readonly Row[]>;

/** The parts of tables and statements that SQLite and Postgres write differently. */
export interface StoreDialect {
  /** The type of an auto-incremented number. */
  readonly serial: string;
  /** Added to a primary key whose numbers must never be reused. */
  readonly once: string;
  readonly number: string;
  /** The type of milliseconds since the epoch. */
  readonly time: string;
  readonly flag: string;
  /** Ends the definition of a table. */
  readonly end: string;
  /** The current time of the database's machine in milliseconds, with a `?` for each of `nowValues`. */
  readonly now: string;
  nowValues(): readonly Value[];
  /** The changes of a statement that selects from this query are on disk once they are committed. */
  readonly durable: string;
  /** A table of the strings in a JSON array, given as one placeholder: `value` is the string, `key` its position. */
  readonly items: string;
}

export const SQLITE: StoreDialect = {
  serial: "INTEGER",
  once: " AUTOINCREMENT",
  number: "REAL",
  time: "INTEGER",
  flag: "INTEGER NOT NULL DEFAULT 0",
  end: " STRICT",
  now: "?",
  nowValues: () => [Date.now()],
  // Nothing to set here: the connection already has `synchronous = FULL`.
  durable: "SELECT 1",
  items: "json_each(?)",
};

/** SQL for the current time of Postgres: milliseconds since the epoch, with fractions. */
export const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

export const POSTGRES: StoreDialect = {
  serial: "bigserial",
  once: "",
  number: "float8",
  time: "float8",
  flag: "boolean NOT NULL DEFAULT false",
  end: "",
  now: `floor(${NOW})`,
  nowValues: () => [],
  // Overrides a database setting with which commits do not wait for the disk.
  durable: "SELECT set_config('synchronous_commit', 'on', true)",
  items: "jsonb_array_elements_text(?::jsonb) WITH ORDINALITY AS items (value, key)",
};
