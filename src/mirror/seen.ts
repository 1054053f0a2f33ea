/**
 * Keeps track of the rows that sweeps have seen. For lists with numeric identifiers, ranges cover all rows from one
 * identifier to another; a row itself is written only when its record changes, so a sweep writes only changes.
 */

import type { Dialect, Sql, Target } from "../sql/dialect.js";
import type { RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";

/** The rows to read and write: those of a list's table or, in a list with parents, those below one parent. */
export interface Place {
  readonly sql: Sql;
  readonly dialect: Dialect;
  readonly plan: ListPlan;
  readonly parent: string;
}

/** The sweep that saw records, and when the request for them ended, by the mirror's clock. */
export interface Sight {
  readonly seen: number;
  readonly confirmed: number;
}

/** Rows from one identifier to another. Ranges with the same list and parent do not overlap. */
export interface Range extends Sight {
  readonly first: number;
  readonly last: number;
}

export const CREATE_RANGES = `CREATE TABLE {mirror_ranges} (
  list TEXT NOT NULL, parent TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, seen BIGINT NOT NULL,
  confirmed BIGINT NOT NULL, PRIMARY KEY (list, parent, first)
)`;

const RANGES: Target = {
  table: "mirror_ranges",
  columns: [
    ["list", "text"],
    ["parent", "text"],
    ["first", "integer"],
    ["last", "integer"],
    ["seen", "integer"],
    ["confirmed", "integer"],
  ],
};

/**
 * A page that lacks more than this many of the rows between its first and last identifiers counts as not sorted by
 * identifier.
 */
const MOST_HOLES = 50;

/**
 * Marks the records of a page as seen.
 * @returns false if the page has no order that ranges can describe; its rows must then be written.
 */
export async function noteSeen(place: Place, ids: readonly RecordId[], sight: Sight): Promise<boolean> {
  const { sql, dialect, plan, parent } = place;
  if (plan.hasTextId) return false;
  const sorted = ids.map(Number).sort((a, b) => a - b);
  const [first = 0, last = 0] = [sorted[0], sorted.at(-1)];
  const holes = await sql.all<{ id: number | string }>(
    `SELECT id FROM {${plan.table}} WHERE id > ? AND id < ? AND gone_at IS NULL${plan.parent ? " AND mirror_parent = ?" : ""}
      AND id NOT IN (${dialect.valuesOf("integer")}) ORDER BY id LIMIT ${MOST_HOLES + 1}`,
    [first, last, ...(plan.parent ? [parent] : []), JSON.stringify(sorted)],
  );
  if (holes.length > MOST_HOLES) return false;
  const between = holes.map(({ id }) => Number(id));
  await replace(place, spansOf(sorted, between), sight);
  return true;
}

/** Removes rows from the ranges that cover them, because the rows now have newer values. */
export async function forgetSeen(place: Place, ids: readonly RecordId[]): Promise<void> {
  if (place.plan.hasTextId) return;
  const spans = ids.map((id) => [Number(id), Number(id)] as const);
  await replace(place, spans, null);
}

type Span = readonly [first: number, last: number];

/** Divides ascending identifiers into spans that contain none of the given holes, which also ascend. */
export function spansOf(ids: readonly number[], holes: readonly number[]): Span[] {
  const spans: Span[] = [];
  let hole = 0;
  let isNew = true;
  for (const id of ids) {
    for (; hole < holes.length && (holes[hole] as number) < id; hole++) isNew = true;
    const before = spans.at(-1);
    if (before && !isNew) spans[spans.length - 1] = [before[0], id];
    else spans.push([id, id]);
    isNew = false;
  }
  return spans;
}

function around(range: Range, [first, last]: Span): Range[] {
  return [
    ...(range.first < first ? [{ ...range, last: first - 1 }] : []),
    ...(range.last > last ? [{ ...range, first: last + 1 }] : []),
  ];
}

async function replace(place: Place, spans: readonly Span[], sight: Sight | null): Promise<void> {
  const { sql, dialect, parent } = place;
  const { name } = place.plan;
  for (const span of spans) {
    const [first, last] = span;
    const here = "list = ? AND parent = ?";
    const found = await sql.all<Record<keyof Range, number | string>>(
      `SELECT first, last, seen, confirmed FROM {mirror_ranges} WHERE ${here} AND last >= ? AND first <= ?
        AND first >= coalesce((SELECT max(first) FROM {mirror_ranges} WHERE ${here} AND first <= ?), ?)`,
      [name, parent, first, last, name, parent, first, first],
    );
    const old = found.map(
      (range): Range => ({
        first: Number(range.first),
        last: Number(range.last),
        seen: Number(range.seen),
        confirmed: Number(range.confirmed),
      }),
    );
    const fresh = [...old.flatMap((range) => around(range, span)), ...(sight ? [{ first, last, ...sight }] : [])];
    const kept = new Set(fresh.map((range) => range.first));
    const removed = old.filter((range) => !kept.has(range.first)).map((range) => range.first);
    if (removed.length > 0) {
      const query = `DELETE FROM {mirror_ranges} WHERE ${here} AND first IN (${dialect.valuesOf("integer")})`;
      await sql.run(query, [name, parent, JSON.stringify(removed)]);
    }
    if (fresh.length === 0) continue;
    await sql.insert(
      RANGES,
      fresh.map((range) => [name, parent, range.first, range.last, range.seen, range.confirmed]),
      "ON CONFLICT (list, parent, first) DO UPDATE SET last = excluded.last, seen = excluded.seen, confirmed = excluded.confirmed",
    );
  }
}

/** SQL for the last sweep that has seen a row of the table, whose alias in the statement is `stored`. */
export function seenOf(plan: ListPlan): string {
  return latest(plan, "seen");
}

/** SQL for when a row was last confirmed; ranges do not apply to a gone row. */
export function confirmedOf(plan: ListPlan): string {
  return `CASE WHEN stored.gone_at IS NULL THEN ${latest(plan, "confirmed")} ELSE stored.mirror_confirmed END`;
}

function latest({ name, hasTextId, parent }: ListPlan, column: "seen" | "confirmed"): string {
  const rowValue = `stored.mirror_${column}`;
  if (hasTextId) return rowValue;
  const noted = `SELECT CASE WHEN r.last >= stored.id AND r.${column} > ${rowValue} THEN r.${column} ELSE ${rowValue} END
    FROM {mirror_ranges} r WHERE r.list = '${name}' AND r.parent = ${parent ? "stored.mirror_parent" : "''"}
    AND r.first <= stored.id ORDER BY r.first DESC LIMIT 1`;
  return `coalesce((${noted}), ${rowValue})`;
}

/**
 * SQL for the rows of a list that are not gone, with the values from the ranges in `mirror_seen` and
 * `mirror_confirmed`.
 */
export function seenRows(plan: ListPlan): string {
  const columns = `id, ${plan.parent ? "mirror_parent, " : ""}mirror_missed, mirror_unlisted`;
  // The limit makes databases compute `mirror_seen` and `mirror_confirmed` only once for each row.
  return `(SELECT ${columns}, ${seenOf(plan)} AS mirror_seen, ${confirmedOf(plan)} AS mirror_confirmed
    FROM {${plan.table}} AS stored WHERE gone_at IS NULL LIMIT ${Number.MAX_SAFE_INTEGER}) AS seen_rows`;
}
