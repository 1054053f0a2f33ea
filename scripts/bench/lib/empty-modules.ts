import { pathToFileURL } from "node:url";
import type { Plugin } from "esbuild";

/**
 * Replaces the exports of some modules with empty classes, to measure a bundle without these modules. The resulting
 * bundle cannot run.
 */
export function emptyModules(isEmpty: (path: string) => boolean): Plugin {
  return {
    name: "empty-modules",
    setup({ onLoad }) {
      onLoad({ filter: /\.js$/ }, async ({ path }) => (isEmpty(path) ? { contents: await emptyExports(path) } : null));
    },
  };
}

// Loads the module to learn its names, because `export *` does not list them.
async function emptyExports(path: string): Promise<string> {
  const names = Object.keys((await import(pathToFileURL(path).href)) as object);
  return names.map((name, index) => `class Empty${index} {}\nexport { Empty${index} as ${name} };`).join("\n");
}
