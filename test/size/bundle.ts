import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin as EsbuildPlugin } from "esbuild";
import { rolldown } from "rolldown";
import { type Plugin, rollup } from "rollup";
import { internalImports } from "../../scripts/lib/internal-imports.ts";

const INTERNAL = internalImports("default");

/** The package's folder; bundlers find the package in it by its own name, as consumers do. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

// What a dynamic import loads when it is first used is in a file of its own.
const LOADED_LATER: EsbuildPlugin = {
  name: "loaded-later",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind }) => (kind === "dynamic-import" ? { external: true } : null));
  },
};

/**
 * Bundles a program, by default for browsers, all dependencies in, minified. Counted is what is loaded at once: what the
 * library imports when it is first used is in files of its own.
 */
export async function bundle(
  contents: string,
  platform: "browser" | "node" = "browser",
): Promise<{ code: string; gzip: number }> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    minify: true,
    format: "esm",
    platform,
    plugins: [LOADED_LATER],
    write: false,
    logLevel: "error",
    tsconfigRaw: {},
  });
  const { text, contents: bytes } = outputFiles[0] as (typeof outputFiles)[number];
  return { code: text, gzip: gzipSync(bytes, { level: 9 }).length };
}

const OWN_BUNDLERS: Readonly<Record<string, (contents: string) => Promise<string>>> = {
  async esbuild(contents) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: ROOT },
      bundle: true,
      format: "esm",
      platform: "browser",
      external: ["ky", "zod"],
      write: false,
      logLevel: "error",
      tsconfigRaw: {},
    });
    return (outputFiles[0] as (typeof outputFiles)[number]).text;
  },
  async Rollup(contents) {
    const built = await rollup({ input: "program", plugins: [resolution(contents)] });
    return (await built.generate({ format: "esm" })).output[0].code;
  },
  async Rolldown(contents) {
    const built = await rolldown({ input: "program", plugins: [resolution(contents) as never], logLevel: "silent" });
    return (await built.generate({ format: "esm" })).output[0].code;
  },
};

/** Bundlers by name: each takes a program, leaves ky and zod out, and gives what it keeps of the package; once for each program. */
export const BUNDLERS: Readonly<Record<string, (contents: string) => Promise<string>>> = Object.fromEntries(
  Object.entries(OWN_BUNDLERS).map(([name, keep]) => {
    const kept = new Map<string, Promise<string>>();
    const keepOnce = (contents: string) => {
      const known = kept.get(contents) ?? keep(contents);
      kept.set(contents, known);
      return known;
    };
    return [name, keepOnce];
  }),
);

// Rollup brings no resolution of its own. The package's modules are all said to have side effects, although its
// package.json says they have none: what then falls away does so in every setup.
function resolution(contents: string): Plugin {
  return {
    name: "resolution",
    // What is loaded later is in files of its own.
    resolveDynamicImport: (source) => ({ id: String(source), external: true }),
    resolveId(source, importer) {
      if (source === "program") return source;
      if (source === "ky" || source === "zod/mini") return { id: source, external: true, moduleSideEffects: false };
      const internal = INTERNAL[source];
      if (internal) return `${ROOT}${internal.replace(/^src/, "dist").replace(/\.ts$/, ".js")}`;
      if (source === "education-admin-sdk") return `${ROOT}dist/index.js`;
      if (source === "education-admin-sdk/schemas") return `${ROOT}dist/schemas.js`;
      if (source === "education-admin-sdk/operations") return `${ROOT}dist/operations.js`;
      return fileURLToPath(new URL(source, `file://${importer}`));
    },
    load: (id) => (id === "program" ? contents : null),
  };
}
