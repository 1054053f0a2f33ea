import type * as Words from "./failure-words.js";
import { inputError, WrongInput } from "./request.js";

/** What failures, drift and deprecations need. */
export type FailureWords = typeof Words;

/** Placeholder for the text of an error. */
export const NO_WORDS = "failed. The code that explains errors could not be loaded.";

/**
 * Loads the code that only failures, drift and deprecations need; null if it cannot be loaded, as in a page that is offline.
 * The build for Node includes it: scripts/build/words-at-hand.ts.
 */
export const loadWords = (): Promise<FailureWords | null> => import("./failure-words.js").catch(() => null);

/** Writes a text with code that is loaded when first needed. */
export async function explain(write: (words: FailureWords) => string): Promise<string> {
  const words = await loadWords();
  return words ? write(words) : NO_WORDS;
}

/**
 * Prepares a request.
 * @throws InputError for WrongInput: naming every field that is wrong, unless the code for that cannot be loaded.
 */
export async function explained<T>(prepare: () => T): Promise<T> {
  try {
    return prepare();
  } catch (error) {
    if (!(error instanceof WrongInput)) throw error;
    const words = await loadWords();
    throw inputError(error.operation, words ? error.issues(words) : [{ path: "", message: NO_WORDS.slice(0, -1) }]);
  }
}
