import { cp, rm } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import entries from "./entries.json" with { type: "json" };
import { lazyKy } from "./scripts/build/lazy-ky.ts";
import { wordsAtHand } from "./scripts/build/words-at-hand.ts";

// Not by `clean`: the two builds below run side by side, and one would clean away what the other has written.
await rm("dist", { recursive: true, force: true });

// They need no class of another entry to be the same class: they see a client from outside. In the shared build they would
// split what every other entry loads into twice as many files.
const isAlone = (name: string) => /^\.\/(doctor|export|opentelemetry|school|stores\/.*)$/.test(name);

const shared = Object.entries(entries).filter(([name]) => !isAlone(name));
const alone = Object.entries(entries).filter(([name]) => isAlone(name));
const named = (some: typeof shared) =>
  Object.fromEntries(some.map(([, source]) => [source.replace(/^src\/|\.ts$/g, ""), source]));

/** The build for Node of some entries. */
const forNode = {
  outDir: "dist/node",
  format: ["esm"],
  target: "node22",
  platform: "node",
  bundle: true,
  // Deno asks for the prefix.
  removeNodeProtocol: false,
  // csv-parse is no dependency of the package. ky is left to the plugin, which leaves it in node_modules.
  noExternal: ["csv-parse", "ky"],
  esbuildPlugins: [lazyKy, wordsAtHand],
} satisfies Options;

/** The build of single modules with the packages that they need. */
const withPackages = {
  format: ["esm"],
  target: "es2022",
  platform: "node",
  bundle: true,
  removeNodeProtocol: false,
  noExternal: ["csv-parse", "commander", "string-width"],
  // Not every path that goes up: packages have such paths too.
  external: [/^\.\.\/core\//],
} satisfies Options;

export default defineConfig([
  // One output file per module: a consumer's bundler then drops every resource that is not imported.
  // Declarations come from tsc (tsconfig.build.json), which keeps the same one-to-one layout.
  {
    entry: ["src/**/*.ts", "!src/bulk/node-csv.ts", "!src/cli/{cli-commander,table}.ts"],
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: false,
    dts: false,
  },
  // The module that needs a parser of CSV has it inside, and so have those of the command that parse arguments and measure
  // text: the package depends on none of them.
  { ...withPackages, entry: { "bulk/node-csv": "src/bulk/node-csv.ts" } },
  {
    ...withPackages,
    entry: { "cli/cli-commander": "src/cli/cli-commander.ts", "cli/table": "src/cli/table.ts" },
    splitting: false,
    minify: true,
  },
  // Node reads files one by one: this build puts each entry into a handful of them; see docs/decisions/node-build.md.
  {
    ...forNode,
    entry: named(shared),
    // Entries share their modules, so that a class is the same class wherever it was imported from.
    splitting: true,
    async onSuccess() {
      await cp("node_modules/csv-parse/LICENSE", "dist/node/csv-parse-license.txt");
      await cp("node_modules/commander/LICENSE", "dist/cli/commander-license.txt");
      await cp("node_modules/string-width/license", "dist/cli/string-width-license.txt");
    },
  },
  { ...forNode, entry: named(alone), splitting: false },
]);
