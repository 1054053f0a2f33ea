import type { Evidence } from "./evidence.js";
import type { AnyRecord, Reading } from "./reader.js";

/**
 * Whether the service does what the library relies on; `new` where it does more than that, which breaks nothing; `not_seen` where
 * the key, the school's records or a failing service did not show it.
 */
export type DoctorStatus = "as_assumed" | "differs" | "new" | "not_seen";

/** What one check found. */
export interface Verdict {
  readonly status: DoctorStatus;
  /** Names of fields, counts and statuses; never a value of a record. */
  readonly seen: string;
  /** In place of the row's, or where nothing differs but something is worth doing. */
  readonly todo?: string;
}

/** One row of the table of checks. */
export interface Check {
  readonly id: string;
  readonly question: string;
  /** The guide whose promise rests on it, by its file name. */
  readonly guide: string;
  /** What that guide promises. */
  readonly promise: string;
  /** What to do where the service differs, or does more. */
  readonly todo: string;
  judge(evidence: Evidence): Verdict;
}

export const asAssumed = (seen: string): Verdict => ({ status: "as_assumed", seen });
export const differs = (seen: string): Verdict => ({ status: "differs", seen });
export const isNew = (seen: string): Verdict => ({ status: "new", seen });
export const notSeen = (seen: string): Verdict => ({ status: "not_seen", seen });

/** Says why a request gave nothing to judge. */
export const failed = ({ resource, failure }: Reading): Verdict => notSeen(`${resource}: ${failure}`);

/** Joins names for people; "none" without any. */
export function inWords(names: Iterable<string>): string {
  return [...new Set(names)].join(", ") || "none";
}

const MOST_NAMES = 30;

/** The first names for people, and how many more there are. */
export function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return inWords(names.slice(0, MOST_NAMES)) + (more > 0 ? ` and ${more} more` : "");
}

/** Writes a number of things: "1 list", "3 lists". */
export function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

/** A name that the service chose, if it has the form of one. Anything else may be personal data. */
export function named(name: string): string {
  return /^[a-z][a-z0-9_-]{0,39}$/i.test(name) ? name : "(a name of another form)";
}

export function idsOf(records: readonly AnyRecord[]): unknown[] {
  return records.map(({ id }) => id);
}

export function areEqual(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
