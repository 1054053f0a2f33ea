import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build, type Plugin as EsbuildPlugin } from "esbuild";
import { rolldown } from "rolldown";
import { type Plugin, rollup } from "rollup";
import { internalImports } from "../../scripts/lib/internal-imports.ts";

const INTERNAL = internalImports("default");

/** The package's folder, where bundlers can resolve the package by its own name, as a consumer's bundler does. */
export const ROOT = fileURLToPath(new URL("../../", import.meta.url));

// Keeps the modules of dynamic imports in separate files.
const LOADED_LATER: EsbuildPlugin = {
  name: "loaded-later",
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind }) => (kind === "dynamic-import" ? { external: true } : null));
  },
};

/**
 * Bundles a program with all its dependencies, minified, by default for browsers. Only code that is loaded at once
 * counts: modules imported on first use stay in separate files.
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

/**
 * Bundlers by name. Each bundles a program, without ky and zod, only once, and returns the package's remaining code.
 */
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

// Rollup cannot resolve packages by itself. This plugin marks all modules of the package as having side effects, which
// package.json denies: any setup removes at least the code that Rollup then removes.
function resolution(contents: string): Plugin {
  return {
    name: "resolution",
    // Modules that are loaded later stay in separate files.
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
