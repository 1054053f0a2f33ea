/** Why a run did not mark some missing rows of a list as gone. */
export interface Held {
  /**
   * `many`: more were missing than `holdAbove` allows. `empty`: the list had no record. `half`: records that the list did
   * not have could be read. `unproven`: a listed record could not be read, so that a 404 proves nothing. `key`: only
   * another key has ever seen them; the rows that this key has seen were decided.
   */
  readonly reason: "many" | "empty" | "half" | "unproven" | "key";
  /** Rows that the list did not have. */
  readonly missing: number;
  /** How many of them were read individually, and how many of those exist. */
  readonly sampled: number;
  readonly stillThere: number;
}

/** What one run did with one list. */
export interface ListReport {
  /** Its resource, `plannedCourses`. */
  readonly list: string;
  /** Records that were read, and rows that were added, changed and marked as gone. */
  readonly read: number;
  readonly added: number;
  readonly changed: number;
  readonly gone: number;
  /** Requests that were sent, retries included. */
  readonly requests: number;
  /**
   * True: the list was read to its end, every missing row was decided and no record held back, so the copy holds everything that the service
   * had at `asOf`, but for what has changed since.
   */
  readonly complete: boolean;
  /** When the last complete sweep of the list began; null before the first. */
  readonly asOf: Date | null;
  /** Missing rows that wait for the next sweep. */
  readonly pending: number;
  /** Why no row was marked; null if that was not withheld. */
  readonly held: Held | null;
  /**
   * Records that the service shows with an earlier `updated_at` than the copy has. A reading takes them over once nobody has seen
   * the copy's version for 10 minutes; `run` sweeps the list again then, whatever its interval.
   */
  readonly older: number;
  /** Fields of which a value did not fit its column, sorted: the column is null there, and `record` has the value. */
  readonly unfit: readonly string[];
  /**
   * Why the run ended before the list did, or which lists below a parent the key may not read; null if nothing
   * failed.
   */
  readonly error: Error | null;
  /**
   * Another process sweeps the list, and `run` leaves it alone until then at most, or until that gives it back; told once.
   * Null otherwise.
   */
  readonly busyUntil: Date | null;
}

/** What one run did. */
export interface MirrorReport {
  readonly lists: readonly ListReport[];
  /** True when every list is complete. */
  readonly complete: boolean;
  readonly requests: number;
}

/** Converts what was thrown to an error for a report. */
export function errorOf(problem: unknown): Error {
  return problem instanceof Error ? problem : new Error(String(problem));
}
