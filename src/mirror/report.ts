/** Why a run did not mark some missing rows of a list as gone. */
export interface Held {
  /**
   * `many`: more rows were missing than `holdAbove` allows. `empty`: the list had no records. `half`: records missing
   * from the list could still be read. `unproven`: a listed record could not be read, so a 404 proves nothing. `key`:
   * only another key has ever seen these rows; rows that this key has seen were checked as usual.
   */
  readonly reason: "many" | "empty" | "half" | "unproven" | "key";
  /** Number of rows missing from the list. */
  readonly missing: number;
  /** How many of the missing rows were read one by one, and how many of those exist. */
  readonly sampled: number;
  readonly stillThere: number;
}

/** The report of one run on one list. */
export interface ListReport {
  /** The list's resource, such as `plannedCourses`. */
  readonly list: string;
  /** Number of records read. `added`, `changed` and `gone` count rows. */
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  /** The fields that were added or removed, and how many of the `changed` records differ in nothing else. */
  readonly reshaped: readonly { readonly field: string; readonly records: number }[];
  readonly gone: number;
  /** Requests sent, including retries. */
  readonly requests: number;
  /**
   * True if the list was read to its end and no missing row, older version or error remains. The copy then has what the
   * service had at `asOf`, and possibly later changes.
   */
  readonly complete: boolean;
  /** When the last complete sweep of the list began; null before the first. */
  readonly asOf: Date | null;
  /** Missing rows left for the next sweep. */
  readonly pending: number;
  /** Why missing rows were not marked as gone; null if none were held back. */
  readonly held: Held | null;
  /**
   * Number of records that the service returns with an earlier `updated_at` than the copy's. A sweep adopts them once
   * the copy's version has not been seen for 10 minutes; `run` therefore sweeps the list again before its interval
   * ends.
   */
  readonly older: number;
  /**
   * Sorted names of fields with a value that did not fit its column: the column is null, and `record` has the value.
   */
  readonly unfit: readonly string[];
  /**
   * The error that ended the run on this list, or one that counts the parents whose lists the key may not read; null if
   * nothing failed.
   */
  readonly error: Error | null;
  /**
   * The time until which `run` leaves the list to another process that sweeps it, unless that process gives it back
   * earlier. Reported once per wait; otherwise null.
   */
  readonly busyUntil: Date | null;
}

/** The report of one run on all its lists. */
export interface MirrorReport {
  readonly lists: readonly ListReport[];
  /** True if every list is complete. */
  readonly complete: boolean;
  readonly requests: number;
}

export function errorOf(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}
