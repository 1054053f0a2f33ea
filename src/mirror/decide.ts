/** Decisions about the copy, as pure functions: no clock, no database, no request. */

export interface StoredVersion {
  readonly gone: boolean;
  /** When the last request that confirmed this version ended, by the mirror's clock. */
  readonly confirmed: number;
  /** `updated_at` of the record in milliseconds since the epoch; null if it has none. */
  readonly updatedAt: number | null;
}

export interface ReceivedVersion {
  /** When the request began, by the mirror's clock. */
  readonly begun: number;
  /** `updated_at` of the record in milliseconds since the epoch; null if it has none. */
  readonly updatedAt: number | null;
}

/**
 * An older `updated_at` is trusted only in a response that was requested more than this many milliseconds after the
 * copy's version was last seen. A slow replica can then no longer be the reason: the service has reverted the record.
 */
export const SET_BACK_MS = 600_000;

/**
 * Compares a received version with the stored one. The later `updated_at` decides. If the times are equal or missing,
 * the received version is newer if its request began after the stored version was confirmed; otherwise it is `unsure`,
 * and the record must be read again. An `older` version comes from a slow replica, or from a record that was reverted;
 * it does not confirm the stored version.
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

/**
 * Maximum number of missing rows that a run reads one by one. At two requests per row, they cost as many requests as
 * reading `records` records in pages of 100, or 200 if that is more.
 */
export function mostProven(records: number): number {
  return Math.max(100, Math.floor(records / 200));
}

/** An identifier of a record. */
export type RecordId = number | string;

/** A record as the service returns it. */
export type MirroredRecord = Readonly<Record<string, unknown>> & { readonly id: RecordId };

/** Parses a record that a database returned, unless its driver has done so. */
export function parseRecord(record: unknown): MirroredRecord | null {
  return (typeof record === "string" ? JSON.parse(record) : record) as MirroredRecord | null;
}

/** True if the identifiers ascend from `last`; false for text, whose order the service does not promise. */
export function ascends(last: RecordId | null, ids: readonly RecordId[]): boolean {
  let before = last;
  for (const id of ids) {
    if (typeof id !== "number" || (before !== null && id <= Number(before))) return false;
    before = id;
  }
  return true;
}

/** The fields that differ between two versions of a record, sorted. The order of keys within values does not count. */
export function differingFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => !isSame(before[name], after[name])).sort();
}

/** True if fields were only added or removed, and the record was not edited: an edit also changes `updated_at`. */
export function isReshaped(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
  fields: readonly string[],
): boolean {
  return fields.length > 0 && fields.every((name) => name in before !== name in after);
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
