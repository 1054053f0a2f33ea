import type { Plugin } from "esbuild";

// What core/call/send.ts uses of ky, loaded with the first call. `require` makes esbuild wrap ky's modules in functions; nothing
// of it is left in the output.
const LAZY_KY = `
export default {
  create(options) {
    let instance;
    return (...call) => (instance ??= require("ky").default.create(options))(...call);
  },
};`;

/**
 * Makes the build for Node load ky with the first call instead of when the package is imported: ky touches the platform's
 * `Request`, which takes Node as long as everything else together. See docs/decisions/node-build.md.
 */
export const lazyKy: Plugin = {
  name: "lazy-ky",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^ky$/ }, ({ kind, importer }) =>
      kind === "import-statement" && /[\\/]src[\\/]/.test(importer) ? { path: "ky", namespace: "lazy-ky" } : null,
    );
    onLoad({ filter: /./, namespace: "lazy-ky" }, () => ({ contents: LAZY_KY, resolveDir: process.cwd() }));
  },
};
