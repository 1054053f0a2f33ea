import type { Clock } from "../clock.js";

const LONG_MS = 5_000;

let hasWarned = false;

/** Warns once in a process, where nobody observes waits, of the first one that looks like a program that hangs. */
export function warnOfWait(operation: string, ms: number, clock: Clock): void {
  if (hasWarned || ms < LONG_MS) return;
  hasWarned = true;
  const end = new Date(clock.now() + ms).toISOString();
  console.warn(
    `education-admin-sdk: ${operation} waits until ${end}, because the rate limit is used up or the service asked for it. ` +
      "Set the client option on.wait to hear of every wait; this warning is not repeated.",
  );
}
