import type { Tool } from "../../test/support/tools.ts";

/** A part of the sources to mutate. */
export interface Part {
  /** Stryker's globs. */
  readonly mutate: readonly string[];
  /**
   * The unit tests that must notice a mutant. Tests of other folders are left out: they also run most lines, so each
   * mutant would run them all.
   */
  readonly tests: readonly string[];
  /** Slow tests that must also notice a mutant. */
  readonly slow?: readonly string[];
  /** The tool that these tests need. */
  readonly needs?: Tool;
  /** The lowest percentage of mutants that the tests must notice. */
  readonly kill: number;
}

// Stores in databases are separate parts: unit tests run SQLite and the code that all stores share, but no server. The
// tests of Postgres and of the journals run on PGlite; those of Redis need a Redis server.
export const PARTS: Readonly<Record<string, Part>> = {
  core: {
    mutate: ["src/core/**/*.ts", "src/clients/{raw-request,routes,standard-schema}.ts"],
    tests: ["test/{core,lookups}/**/*.test.ts", "test/resources/json-schema.test.ts"],
    kill: 92,
  },
  webhooks: {
    mutate: ["src/webhooks/**/*.ts"],
    tests: ["test/webhooks/**/*.test.ts", "test/borders/webhooks.test.ts"],
    kill: 80,
  },
  sandbox: {
    mutate: ["src/sandbox/**/*.ts", "!src/sandbox/**/seed*.ts"],
    tests: ["test/sandbox/**/*.test.ts"],
    kill: 80,
  },
  lookups: { mutate: ["src/lookups/**/*.ts"], tests: ["test/lookups/**/*.test.ts"], kill: 80 },
  mirror: {
    mutate: ["src/mirror/**/*.ts"],
    tests: ["test/mirror/**/*.test.ts", "test/borders/mirror.test.ts"],
    kill: 80,
  },
  export: {
    mutate: ["src/export/**/*.ts"],
    tests: ["test/export/**/*.test.ts", "test/borders/export.test.ts"],
    slow: ["test/export/interrupted.test.ts"],
    kill: 80,
  },
  stores: {
    mutate: ["src/stores/**/*.ts", "!src/stores/{postgres,redis}/**", "!src/stores/sqlite/bulk-journal.ts"],
    tests: ["test/stores/**/*.test.ts", "test/borders/stores.test.ts"],
    kill: 80,
  },
  postgres: {
    mutate: ["src/stores/postgres/**/*.ts", "src/stores/sqlite/bulk-journal.ts"],
    tests: ["test/stores/{broken,options}.test.ts", "test/borders/stores.test.ts"],
    slow: ["test/stores/postgres.test.ts", "test/bulk/journals.test.ts"],
    kill: 80,
  },
  redis: {
    mutate: ["src/stores/redis/**/*.ts"],
    tests: ["test/stores/{broken,options}.test.ts", "test/borders/stores.test.ts"],
    slow: ["test/stores/{redis,bullmq}.test.ts"],
    needs: "redis",
    kill: 80,
  },
  school: {
    mutate: ["src/school/**/*.ts"],
    tests: ["test/school/**/*.test.ts", "test/cli/{school-file,types,types-check}.test.ts"],
    kill: 80,
  },
  bulk: { mutate: ["src/bulk/**/*.ts"], tests: ["test/bulk/**/*.test.ts"], kill: 88 },
  schools: {
    mutate: [
      "src/schools/**/*.ts",
      "src/stores/sealing.ts",
      "src/stores/sqlite/tokens.ts",
      "src/sandbox/engine/oauth*.ts",
    ],
    tests: ["test/schools/**/*.test.ts", "test/cli/schools.test.ts"],
    kill: 85,
  },
  assistant: { mutate: ["src/assistant/**/*.ts"], tests: ["test/assistant/**/*.test.ts"], kill: 80 },
  proxy: { mutate: ["src/proxy/**/*.ts"], tests: ["test/proxy/**/*.test.ts"], kill: 80 },
};
