import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const LOADED_LATER = 'import("./failure-words.js")';

/**
 * Puts the texts of errors into what Node loads at once: one file less to read, and a process that fails may have no file left
 * to open. Browsers load them with the first failure; see docs/decisions/lookups.md.
 */
export const wordsAtHand: Plugin = {
  name: "words-at-hand",
  setup({ onLoad }) {
    onLoad({ filter: /core[\\/]call[\\/]words\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (!source.includes(LOADED_LATER)) throw new Error(`${path} does not contain ${LOADED_LATER}`);
      const contents = source.replace(LOADED_LATER, "Promise.resolve(failureWords)");
      return { contents: `import * as failureWords from "./failure-words.js";\n${contents}`, loader: "ts" };
    });
  },
};
