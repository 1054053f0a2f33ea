import { globSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { COMMON, UNIT } from "../../vitest.config.ts";
import { PARTS } from "./parts.ts";

// Runs the tests of the part as one plain project, which Stryker's runner requires. Like the unit tests, they share a
// process.
const { MUTATE_PART = "core", MUTATE_TESTS } = process.env;
const { tests = [], slow = [] } = PARTS[MUTATE_PART] ?? {};
const include = MUTATE_TESTS ? MUTATE_TESTS.split(",") : [...globSync([...tests], { exclude: UNIT.exclude }), ...slow];
// Runs the shortest files first: one of them notices most mutants, and then the others do not run.
class ShortestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).reverse();
  }
}
const sequence = { sequencer: ShortestFirst };
export default defineConfig({
  ...COMMON,
  test: { ...COMMON.test, include, sequence, isolate: false, setupFiles: "test/support/shared-process.ts" },
});
