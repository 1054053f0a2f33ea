import { vi } from "vitest";

/**
 * Gives the sessions of a Postgres a clock of the test: a `clock_timestamp()` that is found before the database's own.
 * @param run runs a statement in a session whose `search_path` was not set yet.
 * @returns moves that clock and `Date`, which the caller fakes.
 */
export async function databaseClock(run: (sql: string) => Promise<unknown>): Promise<(ms: number) => Promise<void>> {
  await run("CREATE SCHEMA test_clock");
  await run("CREATE TABLE test_clock.time (ms float8 NOT NULL)");
  await run(`INSERT INTO test_clock.time VALUES (${Date.now()})`);
  await run(
    "CREATE FUNCTION test_clock.clock_timestamp() RETURNS timestamptz LANGUAGE sql AS 'SELECT to_timestamp(ms / 1000) FROM test_clock.time'",
  );
  return async (ms) => {
    vi.setSystemTime(Date.now() + ms);
    await run(`UPDATE test_clock.time SET ms = ${Date.now()}`);
  };
}

/** The `search_path` in which the clock of the test is found. */
export const CLOCK_FIRST = "test_clock,pg_catalog,public";
