import type { KnipConfig } from "knip";

// Finds files, exports and dependencies that nothing uses. Part of `npm run lint`.
const config: KnipConfig = {
  // package.json lists the package's entries, and vitest.config.ts the tests.
  entry: [
    // The command, which tsup.config.ts bundles.
    "src/cli/cli.ts",
    "scripts/*/*.{ts,mjs}",
    "scripts/*.ts",
    "examples/**/*.ts",
    "test/campaign/*.ts",
    "test/campaign/support/*-worker.ts",
    "test/{acts,bulk,bulk/world,export}/support/*-worker.ts",
    "test/bulk/world/support/odd-service.ts",
    "test/resources/support/send-dates.ts",
    "test/webhooks/servers/*.ts",
    "test/work/support/{full-disk-writers.ts,stop-at-write.mjs}",
    "test/**/*.test-d.ts",
  ],
  project: ["src/**", "scripts/**", "test/**", "examples/**"],
  // Consumers with their own package.json.
  ignore: ["test/package/**", "test/borders/made.mjs", "test/frameworks/*.mjs", "scripts/bench/consumers/**"],
  // A type that a signature of the same file mentions is exported so that it has a name.
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreDependencies: [
    // Started by path, or loaded by name.
    "axe-core",
    "@redocly/cli",
    "publint",
    // Recipes of the guides import these.
    "msw-2",
    // A schema for editors, in a package that @changesets/cli includes.
    "@changesets/config",
    // A code block of the webhooks guide imports it.
    "fastify",
    // The bench installs it in its own folder.
    "@hey-api/openapi-ts",
    "openapi-typescript",
    "orval",
  ],
  // A program of Debian, which tests start if it is installed.
  ignoreBinaries: ["mkfifo"],
  // Two numbers that are equal today still deserve two names.
  exclude: ["duplicates"],
};

export default config;
