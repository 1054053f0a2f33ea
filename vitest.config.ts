import { defineConfig } from "vitest/config";

export default defineConfig({
  // Tests run the sources, so what package.json's `imports` chooses must be a source as well.
  ssr: { resolve: { conditions: ["education-admin-sdk-source", "node", "import", "default"] } },
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/package/**", "test/browser/**", "**/node_modules/**"],
    testTimeout: 20_000,
    restoreMocks: true,
  },
});
