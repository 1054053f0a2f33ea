import { ConfigurationError } from "../core/errors.js";
import type { Dialect, Sql, SqlValue } from "../sql/dialect.js";

/**
 * The database of a copy. Create it with `sqlite` or `postgres`, from a connection or a pool. `Tx` runs the caller's
 * statements in a transaction: the connection itself in SQLite, an object with `query` in Postgres.
 */
export interface MirrorDatabase<Tx = unknown> {
  readonly kind: "sqlite" | "postgres";
  /** @internal */
  readonly dialect: Dialect;
  /**
   * Runs work as one transaction, with no other writer at the same time, and resolves when the result is on disk.
   * @throws the signal's reason if it aborts first; the transaction is then rolled back, or its outcome is unknown.
   * @internal
   */
  write<Value>(work: (sql: Sql) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /**
   * Runs work as one transaction, which does not exclude other writers; `tx` runs the caller's statements in it.
   * @internal
   */
  transaction<Value>(work: (sql: Sql, tx: Tx) => Promise<Value>, signal?: AbortSignal): Promise<Value>;
  /** Runs a query, which sees committed data only. @internal */
  read<Row>(sql: string, values?: readonly SqlValue[], signal?: AbortSignal): Promise<readonly Row[]>;
}

export function checkDatabase(database: MirrorDatabase | null | undefined): void {
  if (database?.dialect && typeof database.write === "function") return;
  throw new ConfigurationError(
    "Mirror: the database must be created by sqlite or postgres from a connection or a pool: mirror(client, sqlite(connection))",
  );
}
