import type { Evidence } from "./evidence.js";
import type { AnyRecord, Reading } from "./reader.js";

/**
 * Whether the service behaves as the library assumes. `new`: it also does something unknown to the library that breaks
 * nothing. `not_seen`: the check was impossible with this key or the school's records, or because the service failed.
 */
export type DoctorStatus = "as_assumed" | "differs" | "new" | "not_seen";

export interface Verdict {
  readonly status: DoctorStatus;
  /** Field names, counts and statuses; never a value from a record. */
  readonly seen: string;
  /** Replaces the check's `todo`, or adds one if nothing differs. */
  readonly todo?: string;
}

export interface Check {
  readonly id: string;
  readonly question: string;
  readonly guide: string;
  readonly promise: string;
  /** The action to take if the service differs or does something new. */
  readonly todo: string;
  judge(evidence: Evidence): Verdict;
}

export const asAssumed = (seen: string): Verdict => ({ status: "as_assumed", seen });
export const differs = (seen: string): Verdict => ({ status: "differs", seen });
export const isNew = (seen: string): Verdict => ({ status: "new", seen });
export const notSeen = (seen: string): Verdict => ({ status: "not_seen", seen });

export const failureVerdict = ({ resource, failure }: Reading): Verdict => notSeen(`${resource}: ${failure}`);

export function inWords(names: Iterable<string>): string {
  return [...new Set(names)].join(", ") || "none";
}

const MOST_NAMES = 30;

export function some(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  return inWords(names.slice(0, MOST_NAMES)) + (more > 0 ? ` and ${more} more` : "");
}

/** Returns a name from the service if it looks like a name; anything else may be personal data. */
export function safeName(name: string): string {
  return /^[a-z][a-z0-9_-]{0,39}$/i.test(name) ? name : "(a name in another form)";
}

export function idsOf(records: readonly AnyRecord[]): unknown[] {
  return records.map(({ id }) => id);
}

export function areEqual(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((one, index) => one === others[index]);
}
