import { fingerprint } from "../core/fingerprint.js";

/**
 * The identity of a job, such as an export: its parts as the caller wrote them. The meaning of a part such as
 * `created_at>=today` changes every day: on another day, the job is the same but must start again.
 */
export interface Job {
  readonly written: readonly string[];
  /** Hash of today's meanings of the parts; "" if no part depends on the day. */
  readonly today: string;
}

const TODAY = "\u0000today ";

/**
 * Makes a part for `jobOf`. @param written the part as the caller wrote it. @param today the part with today's meaning.
 */
export function joinPart(written: string, today: string): string {
  return written === today ? written : `${written}${TODAY}${today}`;
}

export function jobOf(parts: readonly string[]): Job {
  const split = parts.map((part) => part.split(TODAY));
  const meanings = split.filter(({ length }) => length > 1).map(([, today]) => today);
  return {
    written: split.map(([written = ""]) => written),
    today: meanings.length === 0 ? "" : fingerprint(JSON.stringify(meanings)),
  };
}
