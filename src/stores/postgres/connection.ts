import { ConfigurationError } from "../../core/errors.js";
import {
  hasTransactions,
  inTransaction,
  numberPlaceholders,
  retryOnceIfAborted,
  surviveIdleErrors,
} from "../../sql/postgres.js";
import { currentVersion, laterTables, type PartTables } from "../../sql/tables.js";
import type { Query } from "../dialects.js";
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

const HANGS_AFTER_MS = 5_000;

// The code of errors that `migration` raises.
const RAISED = "P0001";

export interface PostgresTables extends PartTables {
  /** The schema of the tables. Default: the first one in the search path. */
  readonly schema?: string | undefined;
  /** SQL that each process runs when it starts. */
  readonly tidy?: string;
}

/** A connection that creates its tables before the first query. */
export class PostgresDatabase {
  readonly #connection: PostgresConnection;
  readonly #tables: PostgresTables;
  #opened: Promise<unknown> | null = null;
  /** True if the database's default isolation level would abort statements that wait for other transactions. */
  #isolates = false;

  constructor(what: string, connection: PostgresConnection, tables: PostgresTables) {
    checkConnection(what, connection, "query");
    this.#connection = connection;
    this.#tables = tables;
  }

  /** Runs a statement, with `$1` or `?` for its values, and returns its rows. */
  query: Query = async <Row>(sql: string, values: readonly unknown[]) => {
    surviveIdleErrors(this.#connection);
    if (!this.#opened) {
      const opened = this.#open();
      this.#opened = opened;
      const forget = () => {
        if (this.#opened === opened) this.#opened = null;
      };
      // Lets the next query try again if the database was down or did not respond.
      const timer = setTimeout(forget, HANGS_AFTER_MS);
      void opened.catch(forget).finally(() => clearTimeout(timer));
    }
    await this.#opened;
    return this.#run<Row>(numberPlaceholders(sql), [...values]);
  };

  async #open(): Promise<void> {
    const isolates = "SELECT current_setting('default_transaction_isolation') <> 'read committed' AS other";
    const { rows } = await this.#connection.query(isolates);
    this.#isolates = (rows[0] as { readonly other?: unknown } | undefined)?.other === true;
    await this.#run(migration(this.#tables)).catch((error: unknown) => {
      const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
      throw code === RAISED ? new ConfigurationError(String(message), { cause: error }) : error;
    });
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

export function schemaPrefix(schema: string | undefined): string {
  return schema === undefined ? "" : `${schema}.`;
}

// One statement, because a pool may run a second one on another connection. The lock serializes processes that start at
// the same time: CREATE TABLE IF NOT EXISTS would fail in all but one. A role without the right to create can use
// existing tables.
export function migration(tables: PostgresTables): string {
  const { part, prefix, schema, create, upgrades = [], tidy = "" } = tables;
  const versions = `${schemaPrefix(schema)}${prefix}versions`;
  const current = currentVersion(tables);
  return `DO $migration$
DECLARE
  known int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('${versions}', 0));
  IF to_regclass('${versions}') IS NULL THEN
    CREATE TABLE ${versions} (part text PRIMARY KEY, version int NOT NULL);
  END IF;
  SELECT coalesce((SELECT version FROM ${versions} WHERE part = '${part}'), 0) INTO known;
  IF known > ${current} THEN
    RAISE EXCEPTION '${laterTables(tables)}';
  END IF;
  IF known = 0 THEN
${create}
  END IF;
${upgrades.map((sql, at) => `  IF known BETWEEN 1 AND ${at + 1} THEN\n${sql}\n  END IF;\n`).join("")}
  IF known < ${current} THEN
    INSERT INTO ${versions} VALUES ('${part}', ${current}) ON CONFLICT (part) DO UPDATE SET version = excluded.version;
  END IF;
${tidy}
END
$migration$`;
}
