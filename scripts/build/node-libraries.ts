import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

const NAME = "#workbook-libraries";

/** Leaves the import of the libraries for workbooks to package.json, so that the package contains them only once. */
export const libraries: Plugin = {
  name: "libraries",
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${NAME}$`) }, ({ path }) => ({ path, external: true }));
  },
};

/** Turns `require("fs")` inside a CommonJS package into an import of `node:fs`, because a module has no `require`. */
export const nodeModules: Plugin = {
  name: "node-modules",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(node:)?\w+$/ }, ({ path, kind }) => {
      if (kind !== "require-call" || !isBuiltin(path)) return undefined;
      return { path: path.replace(/^node:/, ""), namespace: "node-module" };
    });
    onLoad({ filter: /./, namespace: "node-module" }, ({ path }) => ({
      contents: `export * from "node:${path}"; export { default } from "node:${path}";`,
      loader: "js",
    }));
  },
};
