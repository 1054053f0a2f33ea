// Started by mutate.ts, which names the part.
import { PARTS } from "./parts.ts";

const part = process.env.MUTATE_PART ?? "core";
const { mutate, kill } = PARTS[part];

const config = {
  mutate,
  thresholds: { high: 95, low: kill, break: kill },
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner", "./scripts/mutate/sentences.mjs"],
  vitest: { configFile: "scripts/mutate/vitest.config.ts", related: true },
  coverageAnalysis: "perTest",
  concurrency: 2,
  // An endless loop is detected after this time plus 1.25 times the tests' normal duration.
  timeoutMS: 3_000,
  timeoutFactor: 1.25,
  // Minutes for the first run of the tests, also on a busy machine.
  dryRunTimeoutMinutes: 30,
  // Skips the texts of messages (sentences.mjs) and nothing else; code that exists only for types is never mutated.
  ignorers: ["sentences"],
  // With a share, Stryker would also count the stored results of other functions.
  incremental: !process.env.MUTATE_SHARE,
  incrementalFile: `.artefacts/mutation-${part}.json`,
  tempDirName: ".artefacts/mutation",
  ignorePatterns: ["/dist", "/docs/site", "/.artefacts", "/test/package"],
  reporters: ["clear-text", "progress", "html"],
  htmlReporter: { fileName: `.artefacts/mutation-${part}.html` },
  // Prints the surviving mutants, but not the tests of every mutant.
  clearTextReporter: { allowColor: true, logTests: false, reportTests: false },
};

// biome-ignore lint/style/noDefaultExport: Stryker reads the default export.
export default config;
