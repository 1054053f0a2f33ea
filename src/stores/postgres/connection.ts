import { hasTransactions, inTransaction, retryOnceIfAborted, surviveIdleErrors } from "../../sql/postgres.js";
import { checkConnection } from "../options.js";

/**
 * Runs SQL on Postgres: pg's `Pool`, or a `PGlite`. Each call must be its own transaction, so do not pass a client that
 * is inside a transaction.
 */
export interface PostgresConnection {
  query(sql: string, values?: unknown[]): PromiseLike<{ readonly rows: readonly unknown[] }>;
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** The number of listeners. */
  listenerCount?(event: "error"): number;
}

/** SQL for the database's current time: milliseconds since the epoch, with fractions. */
export const NOW = "(extract(epoch FROM clock_timestamp()) * 1000)::float8";

// By then, the callers of a store no longer wait.
const HANGS_AFTER_MS = 5_000;

export interface PostgresTables {
  readonly part: string;
  readonly prefix: string;
  /** The schema of the tables. Default: the first one in the search path. */
  readonly schema?: string | undefined;
  readonly tables: string;
  /** SQL that each process runs when it starts. */
  readonly tidy: string;
}

/** A connection that creates its tables before the first query. */
export class PostgresDatabase {
  readonly #connection: PostgresConnection;
  readonly #tables: PostgresTables;
  #opened: Promise<unknown> | null = null;
  /** True if the database's default isolation level would abort statements that wait for other transactions. */
  #isolates = false;

  constructor(what: string, connection: PostgresConnection, tables: PostgresTables) {
    checkConnection(what, connection, ["query"]);
    this.#connection = connection;
    this.#tables = tables;
  }

  /** Runs a statement, with `$1` or `?` for its values, and returns its rows. */
  async query<Row>(sql: string, values: readonly unknown[]): Promise<readonly Row[]> {
    surviveIdleErrors(this.#connection);
    if (!this.#opened) {
      const opened = this.#open();
      this.#opened = opened;
      const forget = () => {
        if (this.#opened === opened) this.#opened = null;
      };
      // Open again if the database was down or has not responded.
      const timer = setTimeout(forget, HANGS_AFTER_MS);
      void opened.catch(forget).finally(() => clearTimeout(timer));
    }
    await this.#opened;
    let place = 0;
    return this.#run<Row>(
      sql.replaceAll("?", () => `$${++place}`),
      [...values],
    );
  }

  async #open(): Promise<void> {
    const isolates = "SELECT current_setting('default_transaction_isolation') <> 'read committed' AS other";
    const { rows } = await this.#connection.query(isolates);
    this.#isolates = (rows[0] as { readonly other?: unknown } | undefined)?.other === true;
    await this.#run(migration(this.#tables));
  }

  async #run<Row>(sql: string, values?: unknown[]): Promise<readonly Row[]> {
    const connection = this.#connection;
    const { rows } =
      this.#isolates && hasTransactions(connection)
        ? await inTransaction(connection, "", async (queries) => queries.query(sql, values))
        : await retryOnceIfAborted(async () => connection.query(sql, values));
    return rows as readonly Row[];
  }
}

/** The schema as a prefix of names; empty if there is none. */
export function schemaPrefix(schema: string | undefined): string {
  return schema === undefined ? "" : `${schema}.`;
}

// One statement, because a pool may run a second one on another connection. The lock serializes processes that start at
// the same time: CREATE TABLE IF NOT EXISTS would fail in all but one. A role without the right to create can use
// existing tables.
export function migration({ part, prefix, schema, tables, tidy }: PostgresTables): string {
  const versions = `${schemaPrefix(schema)}${prefix}versions`;
  return `DO $migration$
DECLARE
  known int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('${versions}', 0));
  IF to_regclass('${versions}') IS NULL THEN
    CREATE TABLE ${versions} (part text PRIMARY KEY, version int NOT NULL);
  END IF;
  SELECT coalesce((SELECT version FROM ${versions} WHERE part = '${part}'), 0) INTO known;
  IF known > 1 THEN
    RAISE EXCEPTION 'The tables ${prefix}… were created by a newer version of education-admin-sdk';
  END IF;
  IF known = 0 THEN
${tables}
    INSERT INTO ${versions} VALUES ('${part}', 1);
  END IF;
${tidy}
END
$migration$`;
}
