import { defineConfig } from "vitest/config";
import { COMMON, UNIT } from "../../vitest.config.ts";

// The unit tests as one plain project, which is what Stryker's runner takes.
export default defineConfig({ ...COMMON, test: { ...COMMON.test, ...UNIT } });
