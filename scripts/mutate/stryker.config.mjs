// Mutation testing: `npm run mutate` (core) and `npm run mutate -- around` (webhooks and the sandbox's behaviours).
// One file: `npm run mutate -- core src/core/lists/link-header.ts`. See CONTRIBUTING.md.

const PARTS = {
  core: { mutate: ["src/core/**/*.ts"], break: 90 },
  around: { mutate: ["src/webhooks/**/*.ts", "src/sandbox/**/*.ts", "!src/sandbox/seed/**", "!src/sandbox/cli.ts"], break: 80 },
};

const part = process.env.MUTATE_PART ?? "core";

/** @type {import("@stryker-mutator/api/core").PartialStrykerOptions} */
const config = {
  mutate: PARTS[part].mutate,
  thresholds: { high: 95, low: PARTS[part].break, break: PARTS[part].break },
  testRunner: "vitest",
  plugins: ["@stryker-mutator/vitest-runner"],
  vitest: { configFile: "scripts/mutate/vitest.config.ts", related: true },
  coverageAnalysis: "perTest",
  concurrency: 2,
  incremental: true,
  incrementalFile: `.artefacts/stryker-${part}.json`,
  tempDirName: ".artefacts/stryker-tmp",
  reporters: ["clear-text", "progress", "html"],
  htmlReporter: { fileName: `.artefacts/mutation-${part}.html` },
  ignorePatterns: ["dist", "docs", "examples", "test/package", "test/browser", ".artefacts"],
  mutator: {
    excludedMutations: [
      // Empties texts: the wording of messages is not held by tests, and which message appears is decided elsewhere.
      "StringLiteral",
    ],
  },
  packageManager: "npm",
};

// biome-ignore lint/style/noDefaultExport: Stryker reads the default export.
export default config;
