import { ConfigurationError } from "../core/errors.js";
import type { Dialect, Sql, SqlValue } from "../sql/dialect.js";

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
