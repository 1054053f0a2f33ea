import { defineConfig } from "tsup";

// One output file per module: a consumer's bundler then drops every resource that is not imported.
// Declarations come from tsc (tsconfig.build.json), which keeps the same one-to-one layout.
export default defineConfig({
  entry: ["src/**/*.ts"],
  format: ["esm"],
  target: "es2022",
  platform: "neutral",
  bundle: false,
  sourcemap: true,
  clean: true,
  dts: false,
});
