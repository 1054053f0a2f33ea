import { cp, rm } from "node:fs/promises";
import { defineConfig } from "tsup";

// Not by `clean`: the two builds below run side by side, and one would clean away what the other has written.
await rm("dist", { recursive: true, force: true });

export default defineConfig([
  // One output file per module: a consumer's bundler then drops every resource that is not imported.
  // Declarations come from tsc (tsconfig.build.json), which keeps the same one-to-one layout.
  {
    entry: ["src/**/*.ts"],
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: false,
    sourcemap: true,
    dts: false,
  },
  // Node reads files one by one, and zod/mini alone is a hundred of them, most of them translations nobody loads. This
  // build puts each entry with what it needs of zod into a handful of files; see docs/decisions/node-build.md.
  {
    entry: {
      index: "src/index.ts",
      schemas: "src/schemas.ts",
      "webhooks/index": "src/webhooks/index.ts",
      "proxy/index": "src/proxy/index.ts",
      "sandbox/index": "src/sandbox/index.ts",
      "sandbox/node": "src/sandbox/node.ts",
      "sandbox/msw": "src/sandbox/msw.ts",
    },
    outDir: "dist/node",
    format: ["esm"],
    target: "node22",
    platform: "node",
    bundle: true,
    // Entries share their modules, so that a class is the same class wherever it was imported from.
    splitting: true,
    noExternal: ["zod"],
    banner: { js: "/* Contains parts of zod (MIT); see dist/node/zod-license.txt. */" },
    esbuildOptions(options) {
      options.conditions = ["education-admin-sdk-source"];
    },
    async onSuccess() {
      await cp("node_modules/zod/LICENSE", "dist/node/zod-license.txt");
    },
  },
]);
