import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/package/**", "test/browser/**", "**/node_modules/**"],
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
