import type { Clock } from "../clock.js";
import { loadWords } from "./words.js";

const LONG_MS = 5_000;

let hasWarned = false;

/**
 * Warns of the first wait that is long enough to look like a hang: once per process, and only for clients without an
 * observer of waits.
 */
export function warnOfWait(operation: string, ms: number, clock: Clock): void {
  if (hasWarned || ms < LONG_MS) return;
  hasWarned = true;
  const end = clock.now() + ms;
  void loadWords().then((words) => words?.warnOfWait(operation, end));
}
