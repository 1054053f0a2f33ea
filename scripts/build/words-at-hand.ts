import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

// Files in core, and the module that each loads later.
const LOADED_LATER: Readonly<Record<string, string>> = {
  "call/words.ts": "./failure-words.js",
  "lists/cursor.ts": "./read-checkpoint.js",
};

/**
 * Includes error texts and the checkpoint reader in the modules that Node loads first, because fewer files then have to
 * be read and a failing process may be unable to open another file. Browsers load them on demand; see
 * docs/decisions/lookups.md.
 */
export const wordsAtHand: Plugin = {
  name: "words-at-hand",
  setup({ onLoad }) {
    for (const [file, later] of Object.entries(LOADED_LATER)) {
      onLoad(
        { filter: new RegExp(`core/${file}$`.replaceAll("/", "[\\\\/]").replaceAll(".", "[.]")) },
        async ({ path }) => {
          const source = await readFile(path, "utf8");
          const loading = `import("${later}")`;
          if (!source.includes(loading)) throw new Error(`${path} does not contain ${loading}`);
          const contents = source.replace(loading, "Promise.resolve(atHand)");
          return { contents: `import * as atHand from "${later}";\n${contents}`, loader: "ts" };
        },
      );
    }
  },
};
