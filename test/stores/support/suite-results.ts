import type { TestFunction } from "../suite/index.ts";

/** Runs tests that a suite registers, one after the other: the name of each, and why it fails or null. */
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

/** Why the test failed whose name begins so. */
export function resultOf(name: string, results: Readonly<Record<string, string | null>>): string {
  const [found] = Object.entries(results).filter(([test]) => test.startsWith(name));
  return found ? (found[1] ?? "it passed") : "there is no such test";
}
