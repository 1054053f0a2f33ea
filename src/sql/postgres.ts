/** What the parts that use a caller's Postgres have in common: transactions, isolation and connections that end. */
import { onAbort, raceAbort } from "../core/abort.js";

/** What runs SQL on Postgres. */
export interface PostgresQueries {
  query(sql: string, values?: unknown[]): PromiseLike<PostgresResult>;
}

/** The result of a statement, as pg and PGlite give it. */
export interface PostgresResult {
  readonly rows: readonly unknown[];
  /** Rows that the statement changed, as pg names them. */
  readonly rowCount?: number | null;
  /** Rows that the statement changed, as PGlite names them. */
  readonly affectedRows?: number;
}

/** What tells of a connection that ended; an emitter without a listener would end the process. */
export interface PostgresEvents {
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** Removes a listener. */
  off?(event: "error", listener: (error: Error) => void): unknown;
  /** How many listeners there are. */
  listenerCount?(event: "error"): number;
}

/** A connection that a pool has lent. */
export interface PostgresPoolClient extends PostgresQueries, PostgresEvents {
  /** Returns it to the pool; after an error the pool closes it. */
  release(error?: Error | boolean): void;
}

/** A `Pool` of pg. */
export interface PostgresPool extends PostgresQueries, PostgresEvents {
  connect(): Promise<PostgresPoolClient>;
}

/** A `PGlite`. */
export interface PostgresInProcess extends PostgresQueries {
  transaction<Value>(work: (queries: PostgresQueries) => Promise<Value>): Promise<Value>;
}

/** Whether a connection can give a transaction. */
export function hasTransactions(connection: object | null | undefined): connection is PostgresPool | PostgresInProcess {
  const { connect, transaction } = Object(connection) as Partial<PostgresPool & PostgresInProcess>;
  return typeof connect === "function" || typeof transaction === "function";
}

/** Repeats work once that the database has ended so that another transaction can go on (40001): it says to begin anew. */
export async function repeated<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    if (Object(error).code !== "40001") throw error;
    return work();
  }
}

/**
 * Runs work in a transaction of its own, which is read committed whatever the database's default: its statements see what others
 * committed while it waited for a lock. Repeated once as {@link repeated} says.
 * @param first runs before the work.
 * @throws the signal's reason when it aborts first: then the transaction is rolled back, or its end is unknown.
 */
export function inTransaction<Value>(
  connection: PostgresPool | PostgresInProcess,
  first: string,
  work: (queries: PostgresQueries) => Promise<Value>,
  signal?: AbortSignal,
): Promise<Value> {
  return repeated(() => {
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
  const client = await lent(pool, signal);
  // A pool listens only to connections that it has not lent. The query in progress rejects with the same error.
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
    // The pool closes the connection, and with it the transaction. It may still emit an error.
    client.release(error instanceof Error ? error : true);
    throw error;
  }
}

// A connection that comes after the signal has aborted goes back.
async function lent(pool: PostgresPool, signal: AbortSignal | undefined): Promise<PostgresPoolClient> {
  const coming = pool.connect();
  const stop = onAbort(signal, () => void coming.then((client) => client.release(), ignore));
  try {
    return await raceAbort(coming, signal);
  } finally {
    stop();
  }
}

/** Listens where nobody does: a pool replaces a connection that ends while idle, and emits an error that would end the process. */
export function surviveIdleErrors(pool: PostgresEvents & Partial<PostgresQueries>): void {
  if (pool.listenerCount?.("error") === 0) pool.on?.("error", ignore);
  if (watched.has(pool)) return;
  watched.add(pool);
  // A connection that the pool lends as soon as it is open may end before its borrower can listen.
  const { on } = pool as unknown as { on?(event: "connect", listener: (client: PostgresEvents) => void): unknown };
  on?.call(pool, "connect", (client) => void client.on?.("error", ignore));
}

const watched = /* @__PURE__ */ new WeakSet<object>();

function ignore(): void {}
