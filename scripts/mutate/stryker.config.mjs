// Run by mutate.ts, which names the part.
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
  // An endless loop is noticed after this and 1.25 times what its tests take unchanged.
  timeoutMS: 3_000,
  timeoutFactor: 1.25,
  // Minutes for the tests to pass once, also on a machine that is busy.
  dryRunTimeoutMinutes: 30,
  // The texts of messages: see sentences.mjs. Nothing else is left out; what only types are for is never mutated.
  ignorers: ["sentences"],
  // Stryker would count what it kept of other functions among those of a share.
  incremental: !process.env.MUTATE_SHARE,
  incrementalFile: `.artefacts/mutation-${part}.json`,
  tempDirName: ".artefacts/mutation",
  ignorePatterns: ["/dist", "/docs/site", "/.artefacts", "/test/package"],
  reporters: ["clear-text", "progress", "html"],
  htmlReporter: { fileName: `.artefacts/mutation-${part}.html` },
  // Prints survivors, not every mutant's tests.
  clearTextReporter: { allowColor: true, logTests: false, reportTests: false },
};

// biome-ignore lint/style/noDefaultExport: Stryker reads the default export.
export default config;
