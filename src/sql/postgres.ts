/** Transactions, isolation and lost connections, for all code that uses a caller's Postgres. */
import { onAbort, raceAbort } from "../core/abort.js";

/** Runs SQL on Postgres. */
export interface PostgresQueries {
  query(sql: string, values?: unknown[]): PromiseLike<PostgresResult>;
}

/** The result of a statement, as pg and PGlite return it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  /** Number of rows that the statement changed, in pg. */
  readonly rowCount?: number | null;
  /** Number of rows that the statement changed, in PGlite. */
  readonly affectedRows?: number;
}

/** Emits `error` when a connection is lost. Without a listener, that event ends the process. */
export interface PostgresEvents {
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off?(event: "error", listener: (error: Error) => void): unknown;
  /** The number of listeners. */
  listenerCount?(event: "error"): number;
}

/** A connection borrowed from a pool. */
export interface PostgresPoolClient extends PostgresQueries, PostgresEvents {
  /** Returns the connection to the pool, which closes it if an error is passed. */
  release(error?: Error | boolean): void;
}

/** pg's `Pool`. */
export interface PostgresPool extends PostgresQueries, PostgresEvents {
  connect(): Promise<PostgresPoolClient>;
}

/** A `PGlite`. */
export interface PostgresInProcess extends PostgresQueries {
  transaction<Value>(work: (queries: PostgresQueries) => Promise<Value>): Promise<Value>;
}

export function hasTransactions(connection: object | null | undefined): connection is PostgresPool | PostgresInProcess {
  const { connect, transaction } = Object(connection) as Partial<PostgresPool & PostgresInProcess>;
  return typeof connect === "function" || typeof transaction === "function";
}

/** Replaces each `?` with the numbered placeholder that Postgres requires. */
export function numberPlaceholders(sql: string): string {
  let number = 0;
  return sql.replaceAll("?", () => `$${++number}`);
}

/** Runs the work once more if the database aborted it with a serialization failure (40001). */
export async function retryOnceIfAborted<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (Object(error).code !== "40001") throw error;
    return work();
  }
}

/**
 * Runs work in a transaction of its own, which is always read committed, so that a statement that waited for a lock
 * sees what other transactions have committed. Repeats it once after a serialization failure.
 * @param first a statement that runs before the work.
 * @throws the signal's reason if it aborts first; the transaction is then rolled back, or its outcome is unknown.
 */
export function inTransaction<Value>(
  connection: PostgresPool | PostgresInProcess,
  first: string,
  work: (queries: PostgresQueries) => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  return retryOnceIfAborted(() => {
    if (!("transaction" in connection)) return inPool(connection, first, work, signal);
    return connection.transaction(async (queries) => {
      await queries.query("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      if (first !== "") await queries.query(first);
      return work(queries);
    });
  });
}

async function inPool<Value>(
  pool: PostgresPool,
  first: string,
  work: (queries: PostgresQueries) => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  surviveIdleErrors(pool);
  const client = await borrowClient(pool, signal);
  // A pool does not listen for errors of a connection that it has lent, so an error event would end the process. The
  // query in progress rejects with that error.
  client.on?.("error", ignore);
  try {
    const done = (async () => {
      await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${first}`);
      const value = await work(client);
      await client.query("COMMIT");
      return value;
    })();
    const value = await raceAbort(done, signal);
    client.release();
    client.off?.("error", ignore);
    return value;
  } catch (error) {
    // The pool closes the connection, which rolls the transaction back. The connection may still emit an error, so the
    // listener stays.
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

// If the signal aborts first, the connection goes back to the pool when it arrives.
async function borrowClient(pool: PostgresPool, signal: AbortSignal | undefined): Promise<PostgresPoolClient> {
  const coming = pool.connect();
  const stop = onAbort(signal, () => void coming.then((client) => client.release(), ignore));
  try {
    return await raceAbort(coming, signal);
  } finally {
    stop();
  }
}

/**
 * Adds an error listener if the application has none. A pool replaces a connection that ends while idle, but also emits
 * an error, which would end the process.
 */
export function surviveIdleErrors(pool: PostgresEvents & Partial<PostgresQueries>): void {
  if (pool.listenerCount?.("error") === 0) pool.on?.("error", ignore);
  if (watched.has(pool)) return;
  watched.add(pool);
  // A connection can fail before its borrower listens for errors, which would end the process.
  const { on } = pool as unknown as { on?(event: "connect", listener: (client: PostgresEvents) => void): unknown };
  on?.call(pool, "connect", (client) => void client.on?.("error", ignore));
}

const watched = /* @__PURE__ */ new WeakSet<object>();

function ignore(): void {}
