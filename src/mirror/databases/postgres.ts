import { raceAbort } from "../../core/abort.js";
import { systemClock } from "../../core/clock.js";
import { ConfigurationError } from "../../core/errors.js";
import { optionsOf } from "../../core/option-checks.js";
import { TimeLimit } from "../../core/time.js";
import {
  hasTransactions,
  inTransaction,
  type PostgresInProcess,
  type PostgresPool,
  type PostgresQueries,
  retryOnceIfAborted,
  surviveIdleErrors,
} from "../../sql/postgres.js";
import { LOCK_MS, postgresDialect, sqlOf } from "../../sql/postgres-dialect.js";
import { newTurn, takeTurn } from "../../work/turn.js";
import type { MirrorDatabase } from "../database.js";
import { POSTGRES_OPTIONS, type PostgresOptions } from "./names.js";

/**
 * Keeps a copy in Postgres. Several processes may use one copy: an advisory lock orders their writes, and only one of
 * them sweeps a list at a time. If a connection has not replied for 10 minutes, its statement fails and the connection
 * is abandoned.
 * @param connection a `Pool` of pg or a `PGlite`.
 * @throws ConfigurationError if the connection is neither, or an option is invalid.
 * @example
 * import { mirror, postgres } from "education-admin-sdk/mirror";
 * import pg from "pg";
 *
 * const copy = mirror(client, postgres(new pg.Pool(), { schema: "school" }), { resources: ["accounts"] });
 */
export function postgres(
  connection: PostgresPool | PostgresInProcess,
  options: PostgresOptions = {},
): MirrorDatabase<PostgresQueries> {
  if (typeof connection?.query !== "function" || !hasTransactions(connection)) {
    throw new ConfigurationError(
      "Mirror: postgres needs a pg Pool or a PGlite: an object with a `query` method and a `connect` or `transaction` method",
    );
  }
  const { prefix = "", schema } = optionsOf("Mirror", options, POSTGRES_OPTIONS);
  const dialect = postgresDialect({ prefix, schema });
  const turn = newTurn("the copy");
  // Only one writer holds the lock at a time, so changes are committed in the order of their numbers.
  // `synchronous_commit` puts them on disk before a reader of the feed sees them, even if the database has it turned
  // off.
  const lock = `SELECT set_config('lock_timeout', '${LOCK_MS}', true),
    set_config('synchronous_commit', CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' ELSE current_setting('synchronous_commit') END, true),
    pg_advisory_xact_lock(hashtextextended(${schema === undefined ? "current_schema()" : `'${schema}'`} || ' mirror${prefix}', 0))`;

  return {
    kind: "postgres",
    dialect,
    write: (work, signal) =>
      raceAbort(
        takeTurn(turn, async () => {
          signal?.throwIfAborted();
          return answeredInTime(signal, (until) =>
            inTransaction(connection, lock, (queries) => work(sqlOf(queries, dialect)), until),
          );
        }),
        signal,
      ),
    transaction: (work, signal) =>
      raceAbort(
        inTransaction(connection, "", (queries) => work(sqlOf(queries, dialect), queries), signal),
        signal,
      ),
    read: (sql, values, signal) => {
      surviveIdleErrors(connection);
      return answeredInTime(signal, () => retryOnceIfAborted(() => sqlOf(connection, dialect).all(sql, values)));
    },
  };
}

// Even adding a column to a large table takes less time than this. Without a limit, a connection that never replies
// would block all writes.
const HANGS_MS = 600_000;

async function answeredInTime<Value>(
  signal: AbortSignal | undefined,
  work: (until: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const limit = new TimeLimit(systemClock, HANGS_MS, signal);
  try {
    return await raceAbort(work(limit.signal), limit.signal);
  } catch (error) {
    if (!limit.expired) throw error;
    throw new Error(
      `Mirror: the database has not responded for ${HANGS_MS / 60_000} minutes; the connection was abandoned`,
    );
  } finally {
    limit.end();
  }
}
