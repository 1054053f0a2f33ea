import { defineConfig } from "vitest/config";
import { COMMON, UNIT } from "../../vitest.config.ts";

const TESTS: Readonly<Record<string, readonly string[]>> = {
  core: ["test/{core,lookups}/**/*.test.ts"],
  around: ["test/{proxy,sandbox,webhooks}/**/*.test.ts"],
};

// The unit tests of the part as one plain project, which is what Stryker's runner takes. Tests of other folders reach
// every line too, and would run for every mutant. Like the unit tests they share a process.
const { MUTATE_PART = "core", MUTATE_TESTS } = process.env;
const include = MUTATE_TESTS ? MUTATE_TESTS.split(",") : [...(TESTS[MUTATE_PART] ?? [])];
export default defineConfig({
  ...COMMON,
  test: { ...COMMON.test, ...UNIT, include, isolate: false, setupFiles: "test/support/shared-process.ts" },
});
