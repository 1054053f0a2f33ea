import type { FailureWords } from "./failure.js";

/** Stands for the text of an error. */
export const NO_WORDS = "failed. The code that explains errors could not be loaded.";

/**
 * Loads what only failures, differences and announcements of the service need. In a page that is offline it cannot be loaded: null.
 * The build for Node has it at hand: scripts/build/words-at-hand.ts.
 */
export const loadWords = (): Promise<FailureWords | null> => import("./failure-words.js").catch(() => null);

/** Writes a text by code that is loaded when it is needed. */
export async function explain(write: (words: FailureWords) => string): Promise<string> {
  const words = await loadWords();
  return words ? write(words) : NO_WORDS;
}
