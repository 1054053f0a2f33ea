import { cp } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import entries from "./entries.json" with { type: "json" };
import { lazyKy } from "./scripts/build/lazy-ky.ts";
import { oneCopy } from "./scripts/build/one-copy.ts";
import { withoutAjv } from "./scripts/build/without-ajv.ts";
import { withoutDocs } from "./scripts/build/without-docs.ts";
import { wordsAtHand } from "./scripts/build/words-at-hand.ts";

// They need no class of another entry to be the same class: they see a client from outside. In the shared build they would
// split what every other entry loads into twice as many files. Those of a group have much in common.
const GROUPS = [/^\.\/(doctor|export)$/, /^\.\/stores\//, /^\.\/(opentelemetry|school)$/];
// -1 for the entries of the shared build.
const groupOf = (name: string) => GROUPS.findIndex((group) => group.test(name));
const entriesOf = (group: number) =>
  Object.fromEntries(
    Object.entries(entries)
      .filter(([name]) => groupOf(name) === group)
      .map(([, source]) => [source.replace(/^src\/|\.ts$/g, ""), source]),
  );

export default defineConfig([
  // One output file per module: a consumer's bundler then drops every resource that is not imported.
  // Declarations come from tsc (tsconfig.build.json), which keeps the same one-to-one layout.
  {
    entry: ["src/**/*.ts", "!src/cli/{cli-commander,cli-mcp-protocol,table}.ts", "!src/schools/protocol.ts"],
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: false,
    dts: false,
    plugins: [withoutDocs],
  },
  // The modules that parse arguments and measure text have packages inside: the library depends on none of them.
  {
    entry: {
      "cli/cli-commander": "src/cli/cli-commander.ts",
      "cli/cli-mcp-protocol": "src/cli/cli-mcp-protocol.ts",
      "cli/table": "src/cli/table.ts",
    },
    format: ["esm"],
    target: "es2022",
    platform: "node",
    bundle: true,
    removeNodeProtocol: false,
    noExternal: ["commander", "string-width", /^@modelcontextprotocol\//],
    esbuildPlugins: [withoutAjv],
    // Not every path that goes up: packages have such paths too.
    external: [/^\.\.\/core\//],
    splitting: false,
    minify: true,
    async onSuccess() {
      await cp("node_modules/commander/LICENSE", "dist/cli/commander-license.txt");
      await cp("node_modules/string-width/license", "dist/cli/string-width-license.txt");
      await cp("node_modules/@modelcontextprotocol/server/LICENSE", "dist/cli/mcp-license.txt");
    },
  },
  // The module that speaks OAuth, with the library that it uses inside.
  {
    entry: { "schools/protocol": "src/schools/protocol.ts" },
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: true,
    noExternal: ["oauth4webapi"],
    splitting: false,
    minify: true,
    async onSuccess() {
      await cp("node_modules/oauth4webapi/LICENSE.md", "dist/schools/oauth4webapi-license.txt");
    },
  },
  // Node reads files one by one: this build puts each entry into a handful of them; see docs/decisions/node-build.md.
  ...[-1, ...GROUPS.keys()].map(
    (group): Options => ({
      entry: entriesOf(group),
      outDir: "dist/node",
      format: ["esm"],
      target: "node22",
      platform: "node",
      bundle: true,
      // Entries share their modules, so that a class is the same class wherever it was imported from.
      splitting: true,
      // Deno asks for the prefix.
      removeNodeProtocol: false,
      // The plugin leaves ky in node_modules.
      noExternal: ["ky", "oauth4webapi"],
      esbuildPlugins: [lazyKy, wordsAtHand, oneCopy],
      plugins: [withoutDocs],
    }),
  ),
]);
