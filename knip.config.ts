import type { KnipConfig } from "knip";

// Finds files, exports and dependencies that nothing uses. Part of `npm run lint`.
const config: KnipConfig = {
  // The package's own entries come from package.json, the tests from vitest.config.ts.
  entry: [
    // The command, bundled by tsup.config.ts.
    "src/cli/cli.ts",
    "scripts/*/*.{ts,mjs}",
    "scripts/*.ts",
    "examples/**/*.ts",
    "test/campaign/*.ts",
    "test/campaign/support/*-worker.ts",
    "test/{bulk,bulk/world,export}/support/*-worker.ts",
    "test/bulk/world/support/odd-service.ts",
    "test/resources/support/send-dates.ts",
    "test/webhooks/servers/*.ts",
    "test/**/*.test-d.ts",
  ],
  project: ["src/**", "scripts/**", "test/**", "examples/**"],
  // Consumers with a package.json of their own.
  ignore: ["test/package/**", "test/frameworks/hand-out.mjs", "scripts/bench/consumers/**"],
  // A type that a signature of the same file mentions is exported so that it can be named.
  ignoreExportsUsedInFile: { interface: true, type: true },
  ignoreDependencies: [
    // Started by their paths, or loaded by name.
    "axe-core",
    "@redocly/cli",
    "publint",
    // What recipes of the guides import.
    "msw-2",
    // A schema for editors, in a package that @changesets/cli brings along.
    "@changesets/config",
    // For a code block of the guide to webhooks.
    "fastify",
    // Installed by the bench in its own folder.
    "@hey-api/openapi-ts",
    "orval",
  ],
  // Debian's, started by tests where it is installed.
  ignoreBinaries: ["mkfifo"],
  // Two numbers that are equal today are two names all the same.
  exclude: ["duplicates"],
};

export default config;
