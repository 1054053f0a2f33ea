import { statfsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { internalImports } from "./scripts/lib/internal-imports.ts";
import { changedNames, draw, drawNumber, earlierDraws } from "./test/support/draw.ts";

// Without this, tests whose files are synced would wait for the disk.
if (hasRoomInMemory()) process.env.TMPDIR ??= "/dev/shm";

// Computed once for all workers and for the programs that tests start.
process.env.DRAW = draw();
process.env.TOUCHED = changedNames();

// `npm run test:full` tries all expensive cases; `npm test` tries the fewest.
const isFull = process.argv.some((argument) => argument.includes("full"));
const TEST_SHARE = process.env.TEST_SHARE ?? (isFull ? "1" : "0");

// A compile cache that Vitest's workers and the programs started by tests share.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL(".artefacts/compile-cache", import.meta.url));

// `npm test` runs these after the unit tests: they guard a promise, but need dist, start programs or compilers, or take
// seconds.
const SLOW = [
  "test/borders/made.test.ts",
  "test/bulk/interrupted.test.ts",
  "test/bulk/short-run.test.ts",
  "test/bulk/world/while-running.test.ts",
  "test/cli/interrupted.test.ts",
  "test/contract/{documents,types}.test.ts",
  "test/docs/code-blocks.test.ts",
  "test/docs/demo.test.ts",
  "test/docs/readme.test.ts",
  "test/export/interrupted.test.ts",
  "test/mirror/histories.test.ts",
  "test/resources/dates.test.ts",
  "test/sandbox/{made-records,present}.test.ts",
  "test/size/files.test.ts",
  "test/types/declarations.test.ts",
  "test/webhooks/recover-day.test.ts",
];
// Tests of FULL that take about a minute each, in three groups of similar duration. `.ci/run` takes the group of its
// draw, and every group that none of the last twenty commits drew.
const DEAR = [
  ["test/campaign/campaigns.test.ts", "test/docs/killed-programs.test.ts", "test/lookups/ten-thousand.test.ts"],
  [
    "test/bulk/nightly.test.ts",
    "test/cli/screens.test.ts",
    "test/frameworks/builds.test.ts",
    "test/mirror/postgres-consume.test.ts",
    "test/sandbox/recipes-served.test.ts",
    "test/twin/killed.test.ts",
    "test/work/soak.test.ts",
  ],
  [
    "test/bulk/{world/lying-services,year}.test.ts",
    "test/core/clients-come-and-go.test.ts",
    "test/docs/{guide-programs,react-page}.test.ts",
    "test/generators/generators.test.ts",
    "test/mirror/postgres.test.ts",
    "test/stores/databases-in-trouble.test.ts",
  ],
];
// Only `npm run test:full` runs these: kills, campaigns, browsers, shells, servers of databases, large amounts, the
// hints of editors, bundlers, and the programs of documents, which `npm test` compiles.
const FULL = [
  "test/acts/killed.test.ts",
  "test/assistant/{fuzz,hiding,protocol,told}.test.ts",
  "test/build/api.test.ts",
  "test/bulk/{containers,disk-full,durable,explored-at-random,explored-twice,frozen,killed,memory,nightly,page-chromium,year}.test.ts",
  "test/bulk/world/{frozen-undo,killed-services,lying-services,odd-services,thousand-changes,undo}.test.ts",
  "test/campaign/**",
  "test/core/{clients-come-and-go,hostile-answers,large-bodies,long-lived-signal,one-call,without-key-on-the-wire}.test.ts",
  "test/cli/{completion,console-chromium,sandbox,screens,tasks-terminal,waits,webhooks}.test.ts",
  "test/docs/examples/**",
  "test/erase/{killed,postgres}.test.ts",
  "test/docs/{examples,exports,guide-programs,killed-programs,runs,tasks,unkind-programs}.test.ts",
  "test/docs/react-page.test.ts",
  "test/frameworks/**",
  "test/generators/**",
  "test/export/killed.test.ts",
  // These run more tests with a server, which may be missing for `npm test`.
  "test/{mirror,stores}/postgres*.test.ts",
  "test/mirror/bugs.test.ts",
  "test/lookups/{own-values,ten-thousand}.test.ts",
  "test/sandbox/{memory,recipes,recipes-served,shared}.test.ts",
  "test/school/{editor,joins}.test.ts",
  "test/schools/page.test.ts",
  "test/size/{bundles,instantiations}.test.ts",
  "test/stores/{borders,bullmq,databases-in-trouble,down,redis,workers}.test.ts",
  "test/twin/{command,killed}.test.ts",
  "test/types/{class-names,completions,copies,hover,methods}.test.ts",
  "test/webhooks/{guide,sqlite-example}.test.ts",
  "test/work/{soak,writers-stopped}.test.ts",
  "test/workbook/{memory,saved}.test.ts",
];
const NEVER = ["test/package/**", "test/browser/**", "**/node_modules/**"];

/** The files of the unit tests. */
export const UNIT = { include: ["test/**/*.test.ts"], exclude: [...NEVER, ...SLOW, ...FULL] };

/** The options that all tests share. */
export const COMMON = {
  // Tests run the sources, so package.json's `imports` must resolve to a source as well.
  resolve: {
    alias: Object.fromEntries(
      Object.entries(internalImports("node")).map(([name, file]) => [
        name,
        fileURLToPath(new URL(file, import.meta.url)),
      ]),
    ),
  },
  test: {
    // Leaves time for a machine that is busy with other programs.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 60_000 } },
    restoreMocks: true,
  },
} satisfies TestProjectInlineConfiguration;

export default defineConfig({
  ...COMMON,
  test: {
    ...COMMON.test,
    reporters: ["default", "./test/support/left-out.ts"],
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          ...UNIT,
          env: { TEST_SHARE },
          // Loading the sources and their packages again for each file would take as long as the tests themselves.
          isolate: false,
          setupFiles: "test/support/shared-process.ts",
          // One more than the number of cores, because some tests wait, and Vitest itself has little to do while they
          // run.
          maxWorkers: availableParallelism() + 1,
        },
      },
      afterTheBuild("slow", SLOW),
      // Campaigns judge the work of processes in seconds, and another lane of .ci/run runs beside them.
      afterTheBuild("full", FULL, {
        maxWorkers: availableParallelism(),
        sequence: { groupOrder: 1 },
        exclude: [...NEVER, ...ofOtherDraws()],
      }),
    ],
  },
});

/** The tests of `full` that this run leaves out. */
function ofOtherDraws(): string[] {
  if (TEST_SHARE === "1" || draw() === "all") return [];
  // Test files draw their cases by small divisors too; the quotient prevents a group from always meeting the same
  // cases.
  const groupOf = (number: number) => Math.floor(number / 3) % DEAR.length;
  const earlier = earlierDraws(20).map(groupOf);
  return DEAR.filter((_, group) => group !== groupOf(drawNumber()) && earlier.includes(group)).flat();
}

function testsIn(path: string): string {
  return path.replace("**", "**/*.test.ts");
}

/** True if the system keeps in memory a folder that is large enough for the files of tests. */
function hasRoomInMemory(): boolean {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize > 4 * 1024 ** 3;
  } catch {
    return false;
  }
}

/** A project of tests that need dist. */
function afterTheBuild(
  name: string,
  paths: readonly string[],
  more: TestProjectInlineConfiguration["test"] = {},
): TestProjectInlineConfiguration {
  return {
    extends: true,
    test: {
      name,
      env: { TEST_SHARE },
      include: paths.map(testsIn),
      exclude: NEVER,
      globalSetup: "test/support/fresh-build.ts",
      isolate: false,
      setupFiles: "test/support/shared-process.ts",
      // By default Vitest reserves a core for itself, which is half of two cores.
      maxWorkers: availableParallelism() + 1,
      ...more,
    },
  };
}
