import { cp, rm } from "node:fs/promises";
import { defineConfig, type Options } from "tsup";
import entries from "./entries.json" with { type: "json" };
import { lazyKy } from "./scripts/build/lazy-ky.ts";

// Not by `clean`: the two builds below run side by side, and one would clean away what the other has written.
await rm("dist", { recursive: true, force: true });

// They need no class of another entry to be the same class: they see a client from outside. In the shared build they would
// split what every other entry loads into twice as many files.
const isAlone = (name: string) => /^\.\/(export|opentelemetry|school|stores\/.*)$/.test(name);

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
  sourcemap: true,
  // Deno asks for the prefix.
  removeNodeProtocol: false,
  noExternal: ["ky", "zod"],
  esbuildPlugins: [lazyKy],
  esbuildOptions(options) {
    // Traces name our files and lines; the sources themselves are in the maps of the other build.
    options.sourcesContent = false;
  },
  banner: { js: "/* Contains parts of ky and zod (MIT); see dist/node/ky-license.txt and zod-license.txt. */" },
} satisfies Options;

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
  // build puts each entry with what it needs of ky and zod into a handful of files; see docs/decisions/node-build.md.
  {
    ...forNode,
    entry: named(shared),
    // Entries share their modules, so that a class is the same class wherever it was imported from.
    splitting: true,
    async onSuccess() {
      await cp("node_modules/ky/license", "dist/node/ky-license.txt");
      await cp("node_modules/zod/LICENSE", "dist/node/zod-license.txt");
    },
  },
  { ...forNode, entry: named(alone), splitting: false },
]);
