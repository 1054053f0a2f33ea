import { defineConfig, type Options } from "tsup";
import entries from "./entries.json" with { type: "json" };
import { lazyKy } from "./scripts/build/lazy-ky.ts";
import { licenses } from "./scripts/build/licenses.ts";
import { libraries, nodeModules } from "./scripts/build/node-libraries.ts";
import { oneCopy } from "./scripts/build/one-copy.ts";
import { withoutAjv } from "./scripts/build/without-ajv.ts";
import { withoutDocs } from "./scripts/build/without-docs.ts";
import { wordsAtHand } from "./scripts/build/words-at-hand.ts";

// These entries use a client from outside, so their classes need not be the classes of another entry. In the shared
// build they would split the code that every other entry loads into twice as many files. The entries of a group share
// much of their code.
const GROUPS = [/^\.\/(doctor|export)$/, /^\.\/stores\//, /^\.\/(opentelemetry|school)$/];
// Returns -1 for the entries of the shared build.
const groupOf = (name: string) => GROUPS.findIndex((group) => group.test(name));
const entriesOf = (group: number) =>
  Object.fromEntries(
    Object.entries(entries)
      .filter(([name]) => groupOf(name) === group)
      .map(([, source]) => [source.replace(/^src\/|\.ts$/g, ""), source]),
  );

export default defineConfig([
  // Writes one output file per module, so that a consumer's bundler drops every resource that is not imported.
  // Declarations come from tsc (tsconfig.build.json), which keeps the same one-to-one layout.
  {
    entry: ["src/**/*.ts", "!src/cli/**", "!src/schools/protocol.ts", "!src/workbook/**"],
    format: ["esm"],
    target: "es2022",
    platform: "neutral",
    bundle: false,
    dts: false,
    plugins: [withoutDocs],
  },
  // The command includes all packages: it is never imported, and it starts twice as fast from a few files as from 320.
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
    esbuildPlugins: [lazyKy("bundle"), wordsAtHand, oneCopy, libraries, withoutAjv, licenses("dist/cli/licenses.txt")],
    // src/cli/version.ts finds package.json from this folder.
    esbuildOptions: (options) => {
      options.chunkNames = "cli/[name]-[hash]";
    },
  },
  // The module that implements OAuth, including the library that it uses.
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
  // The libraries that read and write workbooks, in one file for the command and all entries.
  {
    entry: { "workbook/node-libraries": "src/workbook/node-libraries.ts" },
    format: ["esm"],
    target: "node22",
    platform: "node",
    bundle: true,
    noExternal: [/./],
    splitting: false,
    minify: true,
    removeNodeProtocol: false,
    esbuildPlugins: [nodeModules, licenses("dist/workbook/licenses.txt")],
  },
  // Node reads files one by one, so this build puts each entry into a handful of them; see
  // docs/decisions/node-build.md.
  ...[-1, ...GROUPS.keys()].map(
    (group): Options => ({
      entry: entriesOf(group),
      outDir: "dist/node",
      format: ["esm"],
      target: "node22",
      platform: "node",
      bundle: true,
      // Entries share their modules, so that a class is the same, whichever entry exports it.
      splitting: true,
      // Deno needs the prefix.
      removeNodeProtocol: false,
      // The plugin leaves ky in node_modules.
      noExternal: ["ky", "oauth4webapi"],
      esbuildPlugins: [lazyKy("node_modules"), wordsAtHand, oneCopy, libraries],
      plugins: [withoutDocs],
    }),
  ),
]);
