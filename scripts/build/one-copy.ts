import type { Plugin } from "esbuild";

/** Large modules that import nothing from the library, and the paths by which the build for Node imports them. */
const SHARED = {
  "./generated/input-descriptions.js": "../generated/input-descriptions.js",
};

/**
 * Makes the build for Node import these modules from the build of single modules, so that the package contains them
 * only once. `build.ts` fails if a path does not exist.
 */
export const oneCopy: Plugin = {
  name: "one-copy",
  setup({ onResolve }) {
    onResolve({ filter: /\/input-descriptions\.js$/ }, ({ path }) => {
      if (path in SHARED) return { path: SHARED[path as keyof typeof SHARED], external: true };
      throw new Error(`${path} is imported from another folder than one-copy.ts expects`);
    });
  },
};
