import type { FailureWords } from "./failure.js";

/**
 * Loads what only failures and announcements of the service need. In a page that is offline it cannot be loaded: null. The build
 * for Node has it at hand: scripts/build/words-at-hand.ts.
 */
export const loadWords = (): Promise<FailureWords | null> => import("./failure-words.js").catch(() => null);
