import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { internalImports } from "./scripts/lib/internal-imports.ts";

// Tests that need dist, start programs or compilers, run or wait for seconds, or measure. All others are unit tests: they
// run the sources, and need no build.
const SLOW = [
  "test/build/api.test.ts",
  "test/campaign/**",
  "test/cli/{sandbox,waits,webhooks}.test.ts",
  "test/contract/{documents,types}.test.ts",
  "test/core/long-lived-signal.test.ts",
  "test/docs/code-blocks.test.ts",
  "test/docs/examples.test.ts",
  "test/docs/examples/**",
  "test/docs/{exports,readme}.test.ts",
  "test/export/{interrupted,killed}.test.ts",
  "test/lookups/ten-thousand.test.ts",
  "test/mirror/{bugs,histories,postgres}.test.ts",
  "test/resources/dates.test.ts",
  "test/sandbox/{made-records,memory,shared}.test.ts",
  "test/sandbox/recipes.test.ts",
  "test/sandbox/recipes-served.test.ts",
  "test/school/{editor,joins}.test.ts",
  "test/size/**",
  "test/stores/{down,postgres,redis,sqlite,turns,workers}.test.ts",
  "test/types/**",
  "test/webhooks/busy-record.test.ts",
  "test/webhooks/guide.test.ts",
  "test/webhooks/load.test.ts",
  "test/webhooks/recover-day.test.ts",
  "test/webhooks/{shutdown,sqlite-example}.test.ts",
];
const NEVER = ["test/package/**", "test/browser/**", "**/node_modules/**"];

/** Which tests are unit tests. */
export const UNIT = { include: ["test/**/*.test.ts"], exclude: [...NEVER, ...SLOW] };

/** What all tests share. */
export const COMMON = {
  // Tests run the sources, so what package.json's `imports` chooses must be a source as well.
  resolve: {
    alias: Object.fromEntries(
      Object.entries(internalImports("node")).map(([name, file]) => [
        name,
        fileURLToPath(new URL(file, import.meta.url)),
      ]),
    ),
  },
  test: {
    // Time for a machine that is busy with other programs.
    testTimeout: 20_000,
    expect: { poll: { timeout: 10_000 } },
    // In CI a test that met the limit of a busy machine runs once more; a fault shows twice.
    retry: process.env.CI ? 1 : 0,
    restoreMocks: true,
  },
} satisfies TestProjectInlineConfiguration;

export default defineConfig({
  ...COMMON,
  test: {
    ...COMMON.test,
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          ...UNIT,
          // To load the sources and their packages anew for each file would take as long as the tests themselves.
          isolate: false,
          setupFiles: "test/support/shared-process.ts",
          // One more than there are cores, as some tests wait; Vitest itself has little to do while they run.
          maxWorkers: availableParallelism() + 1,
        },
      },
      {
        extends: true,
        test: {
          name: "slow",
          include: SLOW.map((path) => path.replace("**", "**/*.test.ts")),
          exclude: NEVER,
          globalSetup: "test/support/fresh-build.ts",
          // After the unit tests, as some of these measure.
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
