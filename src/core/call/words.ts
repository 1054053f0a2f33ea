import type * as Words from "./failure-words.js";

export type FailureWords = typeof Words;

export const NO_WORDS = "failed. The code that explains errors could not be loaded.";

/**
 * Loads the code that only failures, drift and deprecations need; null if it cannot be loaded, as in a page that has
 * gone offline. The build for Node includes it: scripts/build/words-at-hand.ts.
 */
export const loadWords = (): Promise<FailureWords | null> => import("./failure-words.js").catch(() => null);

export async function explain(write: (words: FailureWords) => string): Promise<string> {
  const words = await loadWords();
  return words ? write(words) : NO_WORDS;
}
