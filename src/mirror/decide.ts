/** Decisions about the copy, without a clock, a database or a request. */

/** A version of a record as the copy has it. */
export interface StoredVersion {
  /** Whether the record is marked as gone. */
  readonly gone: boolean;
  /** When the request ended that last confirmed this version, by the mirror's clock. */
  readonly confirmed: number;
  /** `updated_at` of the record in milliseconds since the epoch; null if it has none. */
  readonly updatedAt: number | null;
}

/** A version of a record as a request brought it. */
export interface ReceivedVersion {
  /** When the request began, by the mirror's clock. */
  readonly begun: number;
  /** `updated_at` of the record in milliseconds since the epoch; null if it has none. */
  readonly updatedAt: number | null;
}

/**
 * A response that is older than the copy by `updated_at` although it was requested so much later than anybody has seen the
 * copy's version does not come from a slow replica: the service has set the record back.
 */
export const SET_BACK_MS = 600_000;

/**
 * Whether a received version is newer than the stored one. The later `updated_at` decides; where it is the same or
 * missing, a request that began after the stored version was confirmed. `unsure` when both overlapped: read it again.
 * `older`: from a slow replica, or set back; the stored version is not confirmed by it.
 */
export function ageOf(stored: StoredVersion, received: ReceivedVersion): "newer" | "older" | "unsure" {
  const after = received.begun > stored.confirmed;
  if (stored.gone) return after ? "newer" : "older";
  if (stored.updatedAt !== null && received.updatedAt !== null && stored.updatedAt !== received.updatedAt) {
    if (received.updatedAt > stored.updatedAt) return "newer";
    return received.begun - stored.confirmed > SET_BACK_MS ? "newer" : "older";
  }
  return after ? "newer" : "unsure";
}

/** How many rows one run may mark as gone before it stops and asks. */
export interface HoldAbove {
  /** Share of the list's rows, 0 to 1. */
  readonly share: number;
  readonly rows: number;
}

/** Whether so many rows seem to be gone that the run marks none: more than both limits. */
export function isHeld(missing: number, known: number, { share, rows }: HoldAbove): boolean {
  return missing > rows && missing > share * known;
}

/** How many missing rows a run reads one by one, twice each: for as many requests as its list of so many records took, or 200. */
export function mostProven(records: number): number {
  return Math.max(100, Math.floor(records / 200));
}

/** An identifier as records have it. */
export type RecordId = number | string;

/** A record as the service writes it. */
export type MirroredRecord = Readonly<Record<string, unknown>> & { readonly id: RecordId };

/** Whether identifiers ascend, after one that came before them. Texts have no order that the service promises. */
export function ascends(last: RecordId | null, ids: readonly RecordId[]): boolean {
  let before = last;
  for (const id of ids) {
    if (typeof id !== "number" || (before !== null && id <= Number(before))) return false;
    before = id;
  }
  return true;
}

/** Which fields differ between two versions of a record, whatever the order of their keys; sorted. */
export function differingFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSame(before[name], after[name])).sort();
}

function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b) || (a === 0 && b === 0)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [a as Record<string, unknown>, b as Record<string, unknown>];
  const names = Object.keys(left);
  return (
    names.length === Object.keys(right).length &&
    names.every((name) => name in right && isSame(left[name], right[name]))
  );
}

// Clocks of several machines may differ by seconds.
const MOST_AHEAD_MS = 60_000;

/** Whether a time that was written down lies ahead of the clock: it was written by a clock that was wrong. */
export function isAhead(at: number, now: number): boolean {
  return at - now > MOST_AHEAD_MS;
}
