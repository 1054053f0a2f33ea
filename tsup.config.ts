import { defineConfig, type Options } from "tsup";
import entries from "./entries.json" with { type: "json" };
import { lazyKy } from "./scripts/build/lazy-ky.ts";
import { licenses } from "./scripts/build/licenses.ts";
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
    entry: ["src/**/*.ts", "!src/cli/**", "!src/schools/protocol.ts"],
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: false,
    dts: false,
    plugins: [withoutDocs],
  },
  // The command, with all packages inside: nobody imports it, and it starts twice as fast from a few files as from 320.
  {
    entry: { "cli/cli": "src/cli/cli.ts" },
    format: ["esm"],
    target: "node22",
    platform: "node",
    bundle: true,
    splitting: true,
    minify: true,
    removeNodeProtocol: false,
    noExternal: [/./],
    esbuildPlugins: [lazyKy("bundle"), wordsAtHand, oneCopy, withoutAjv, licenses("dist/cli/licenses.txt")],
    // src/cli/version.ts finds package.json from there.
    esbuildOptions: (options) => {
      options.chunkNames = "cli/[name]-[hash]";
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
    esbuildPlugins: [licenses("dist/schools/licenses.txt")],
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
      esbuildPlugins: [lazyKy("node_modules"), wordsAtHand, oneCopy],
      plugins: [withoutDocs],
    }),
  ),
]);
