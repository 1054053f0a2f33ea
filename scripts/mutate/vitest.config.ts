import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { COMMON, UNIT } from "../../vitest.config.ts";
import { PARTS } from "./parts.ts";

// The tests of the part as one plain project, which is what Stryker's runner takes. Like the unit tests they share a process.
const { MUTATE_PART = "core", MUTATE_TESTS } = process.env;
const { tests = [], slow = [] } = PARTS[MUTATE_PART] ?? {};
const include = MUTATE_TESTS ? MUTATE_TESTS.split(",") : [...globSync([...tests], { exclude: UNIT.exclude }), ...slow];
export default defineConfig({
  ...COMMON,
  test: { ...COMMON.test, include, isolate: false, setupFiles: "test/support/shared-process.ts" },
});
