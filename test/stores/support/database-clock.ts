import { vi } from "vitest";

/**
 * Gives sessions of a Postgres server the clock of a test: a `clock_timestamp()` that hides the database's own
 * function.
 * @param run runs a statement in a session whose `search_path` has not been set yet.
 * @returns a function that advances this clock and `Date`, which the caller has to fake.
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

/** The `search_path` that puts the clock of the test first. */
export const CLOCK_FIRST = "test_clock,pg_catalog,public";
