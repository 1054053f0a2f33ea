import type { TestFunction } from "../suite/index.ts";

/** Runs the tests of a suite one after the other. Returns each test's failure message, or null, by the test's name. */
export async function resultsOf(register: (test: TestFunction) => void): Promise<Record<string, string | null>> {
  const tests: [name: string, run: () => Promise<void>][] = [];
  register((name, run) => tests.push([name, run]));
  const results: Record<string, string | null> = {};
  for (const [name, run] of tests) {
    results[name] = await run().then(
      () => null,
      (error: unknown) => (error instanceof Error ? error.message : `threw ${String(error)}`),
    );
  }
  return results;
}

/** The failure message of the test whose name has this prefix; null if it passed. */
export function resultOf(name: string, results: Readonly<Record<string, string | null>>): string {
  const [found] = Object.entries(results).filter(([test]) => test.startsWith(name));
  return found ? (found[1] ?? "it passed") : "there is no such test";
}
