import type { Plugin } from "esbuild";

// The parts of ky that core/call/run-call.ts uses, loaded with the first call.
const LAZY_KY = `
let ky;
const load = async () => (ky ??= (await import("ky")).default);
export default (...call) => (ky ? ky(...call) : load().then((loaded) => loaded(...call)));`;

/**
 * Makes the builds for Node load ky on the first call instead of on import: ky accesses the platform's `Request`, which
 * takes Node as long as everything else together. The library imports ky from node_modules; the command bundles it. See
 * docs/decisions/node-build.md.
 */
export const lazyKy = (from: "node_modules" | "bundle"): Plugin => ({
  name: "lazy-ky",
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^ky$/ }, ({ kind }) => {
      if (kind === "import-statement") return { path: "ky", namespace: "lazy-ky" };
      return from === "node_modules" ? { path: "ky", external: true } : undefined;
    });
    onLoad({ filter: /./, namespace: "lazy-ky" }, () => ({ contents: LAZY_KY, resolveDir: process.cwd() }));
  },
});
