import { defineConfig } from "vitest/config";
import { COMMON, UNIT } from "../../vitest.config.ts";

// The unit tests as one plain project, which is what Stryker's runner takes. Without the one that makes 40,000 calls: it
// covers nearly every line, would run for nearly every mutant, and looks for leaks, not for results.
export default defineConfig({
  ...COMMON,
  test: { ...COMMON.test, ...UNIT, exclude: [...UNIT.exclude, "test/core/long-lived-signal.test.ts"] },
});
