import type { Clock } from "../clock.js";
import { loadWords } from "./words.js";

const LONG_MS = 5_000;

let hasWarned = false;

/** Warns once in a process, where nobody observes waits, of the first one that looks like a program that hangs. */
export function warnOfWait(operation: string, ms: number, clock: Clock): void {
  if (hasWarned || ms < LONG_MS) return;
  hasWarned = true;
  const end = clock.now() + ms;
  void loadWords().then((words) => words?.warnOfWait(operation, end));
}
