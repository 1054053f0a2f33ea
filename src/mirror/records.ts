import type { ColumnType, Sql, SqlValue, Target } from "../sql/dialect.js";
import { addedColumns, type Columns, columnValue } from "./columns.js";
import type { Context } from "./context.js";
import {
  ageOf,
  differingFields,
  isReshaped,
  type MirroredRecord,
  parseRecord,
  type RecordId,
  SET_BACK_MS,
} from "./decide.js";
import type { ListPlan } from "./plan.js";
import { leaveOut, newMark } from "./position.js";
import type { Tables } from "./schema.js";
import { confirmedOf, forgetSeen, noteSeen, type Place } from "./seen.js";
import type { LeftOpen } from "./state.js";

export interface Received {
  readonly records: readonly MirroredRecord[];
  /** The parent whose list was read; empty for lists without a parent. */
  readonly parent: string;
  /** When the request began and ended, by the mirror's clock. */
  readonly begun: number;
  readonly ended: number;
  /** The sweep that counts as having seen these records. */
  readonly seen: number;
  /** True if the records were in their list, false if a list read to its end did not have them, null if unknown. */
  readonly listed: boolean | null;
}

export interface Written extends LeftOpen {
  readonly added: number;
  /** Number of records whose fields changed, or that exist again after they were gone. */
  readonly changed: number;
  /** The added and removed fields of records that differ in nothing else: one entry per record and field. */
  readonly reshaped: readonly string[];
  /** The time, by the mirror's clock, after which to read the `unsure` records again. */
  readonly unsureUntil: number;
}

interface Stored {
  readonly id: RecordId;
  readonly record: unknown;
  readonly gone_at: unknown;
  readonly mirror_confirmed: number | string;
  readonly mirror_change: number | string | null;
  readonly mirror_missed: number | string;
  readonly mirror_unlisted: number | string;
}

interface Write {
  readonly record: MirroredRecord;
  readonly text: string;
  readonly stored: Stored | null;
  readonly kind: "added" | "changed" | "returned";
  readonly fields: readonly string[] | null;
  readonly reshaped?: boolean;
}

/** Writes records into the copy, except those older than the copy's version. */
export async function writeRecords(sql: Sql, context: Context, plan: ListPlan, received: Received): Promise<Written> {
  const { tables } = context;
  const place: Place = { sql, dialect: tables.dialect, plan, parent: received.parent };
  // The service may repeat a record within a page: the version with the latest `updated_at` counts, or the last one if
  // the times are equal or missing.
  const records = new Map<string, MirroredRecord>();
  for (const record of received.records) {
    const other = records.get(String(record.id));
    const isOlder = other && Number(updatedAt(record)) < Number(updatedAt(other));
    if (!isOlder) records.set(String(record.id), record);
  }
  if (records.size === 0)
    return { added: 0, changed: 0, reshaped: [], unsure: [], unsureUntil: 0, older: 0, olderUntil: 0, unfit: [] };
  const stored = await storedOf(place, received.records);
  const writes: Write[] = [];
  const confirmed: RecordId[] = [];
  const unsure: RecordId[] = [];
  let unsureUntil = 0;
  const older: RecordId[] = [];
  let olderUntil = 0;
  for (const [key, record] of records) {
    const text = tables.dialect.toColumn("json", JSON.stringify(record)) as string;
    const known = stored.get(key) ?? null;
    if (!known) {
      writes.push({ record, text, stored: null, kind: "added", fields: null });
      continue;
    }
    const before = known.record === text ? record : (parseRecord(known.record) ?? {});
    const fields = before === record ? [] : differingFields(before, parseRecord(text) ?? {});
    const gone = known.gone_at !== null;
    if (fields.length === 0 && !gone) {
      confirmed.push(known.id);
      continue;
    }
    const age = ageOf(
      { gone, confirmed: Number(known.mirror_confirmed), updatedAt: updatedAt(before) },
      { begun: received.begun, updatedAt: updatedAt(record) },
    );
    if (age === "newer") {
      const reshaped = !gone && isReshaped(before, record, fields);
      writes.push({ record, text, stored: known, kind: gone ? "returned" : "changed", fields, reshaped });
    } else if (!gone && age === "unsure") {
      unsure.push(known.id);
      unsureUntil = Math.max(unsureUntil, Number(known.mirror_confirmed));
    } else if (!gone) {
      older.push(known.id);
      olderUntil = Math.max(olderUntil, Number(known.mirror_confirmed) + SET_BACK_MS + 1);
    }
  }
  const noted = writes.map(({ record, ...rest }) => ({ id: record.id, ...rest }));
  const numbers = await note(place, context, noted);
  const unfit = await upsert(place, tables, received, writes, numbers);
  await see(place, received, stored, writes, { confirmed, unsure, older });
  const added = writes.filter(({ kind }) => kind === "added").length;
  const reshaped = writes.flatMap(({ reshaped, fields }) => (reshaped && fields) || []);
  return {
    added,
    changed: writes.length - added,
    reshaped,
    unsure,
    unsureUntil,
    older: older.length,
    olderUntil,
    unfit,
  };
}

export interface Missing {
  readonly id: RecordId;
  readonly parent: string;
}

/**
 * Marks rows as gone, unless they were confirmed after the evidence was requested.
 * @param evidence the time of that request, by the mirror's clock.
 * @returns the number of rows marked.
 */
export async function markGone(
  sql: Sql,
  context: Context,
  plan: ListPlan,
  missing: readonly Missing[],
  evidence: { readonly begun: number; readonly ended: number },
): Promise<number> {
  const { tables, clock } = context;
  const at = new Date(clock.now()).toISOString();
  let marked = 0;
  for (const [parent, rows] of Map.groupBy(missing, (row) => row.parent)) {
    const place: Place = { sql, dialect: tables.dialect, plan, parent };
    const ids = rows.map(({ id }) => id);
    const { where, values } = rowsWithIds(place, ids);
    const found = await sql.all<Pick<Stored, "id" | "record" | "mirror_change">>(
      `SELECT id, record, mirror_change FROM {${plan.table}} AS stored
        WHERE ${where} AND gone_at IS NULL AND ${confirmedOf(plan)} < ?`,
      [...values, evidence.begun],
    );
    if (found.length === 0) continue;
    const noted = found.map((stored) => ({ id: stored.id, stored, kind: "gone" as const, fields: null }));
    const numbers = await note(place, context, noted);
    for (const [place, { id }] of found.entries()) {
      await sql.run(
        `UPDATE {${plan.table}} SET gone_at = ?, mirror_confirmed = ?, mirror_change = ? WHERE id = ?${underParent(plan)}`,
        [at, evidence.ended, numbers[place] ?? null, id, ...(plan.parent ? [parent] : [])],
      );
    }
    marked += found.length;
  }
  return marked;
}

async function storedOf(place: Place, records: readonly MirroredRecord[]): Promise<Map<string, Stored>> {
  const { plan } = place;
  const ids = records.map(({ id }) => id);
  const { where, values } = rowsWithIds(place, ids);
  const rows = await place.sql.all<Stored>(
    `SELECT id, record, gone_at, ${confirmedOf(plan)} AS mirror_confirmed, mirror_change, mirror_missed, mirror_unlisted
      FROM {${plan.table}} AS stored WHERE ${where}`,
    values,
  );
  return new Map(rows.map((row) => [String(row.id), { ...row, id: plan.hasTextId ? String(row.id) : Number(row.id) }]));
}

async function upsert(
  { sql, plan, parent }: Place,
  tables: Tables,
  { ended, seen, listed }: Received,
  writes: readonly Write[],
  numbers: readonly (number | null)[],
): Promise<readonly string[]> {
  if (writes.length === 0) return [];
  const added = addedColumns(
    writes.map(({ record }) => record),
    tables.columns(plan),
  );
  const columns: Columns = Object.keys(added).length > 0 ? await tables.add(sql, plan, added) : tables.columns(plan);
  const fields = Object.entries(columns).filter(([name]) => name !== "id");
  const mirrorColumns: Target["columns"] = [
    ["record", "json"],
    ["gone_at", "time"],
    ...(plan.parent ? [["mirror_parent", "text"] as const] : []),
    ["mirror_seen", "integer"],
    ["mirror_confirmed", "integer"],
    ["mirror_missed", "integer"],
    ["mirror_unlisted", "integer"],
    ["mirror_change", "integer"],
  ];
  const { toColumn } = tables.dialect;
  const unfit = new Set<string>();
  const sqlValue = (name: string, type: ColumnType, given: unknown): SqlValue => {
    const value = columnValue(type, given);
    if (value === null && given !== null && given !== undefined) unfit.add(name);
    return toColumn(type, value);
  };
  const rows = writes.map(({ record, text }, place): SqlValue[] => [
    plan.hasTextId ? String(record.id) : record.id,
    ...fields.map(([name, type]) => sqlValue(name, type, record[name])),
    text,
    null,
    ...(plan.parent ? [parent] : []),
    seen,
    ended,
    0,
    listed === false ? 1 : 0,
    numbers[place] ?? null,
  ]);
  const key = plan.parent ? "mirror_parent, id" : "id";
  const keeps = new Set(listed === null ? ["id", "mirror_parent", "mirror_unlisted"] : ["id", "mirror_parent"]);
  const filled: Target["columns"] = [["id", plan.hasTextId ? "text" : "integer"], ...fields, ...mirrorColumns];
  const set = filled
    .filter(([name]) => !keeps.has(name))
    .map(([name]) => `"${name}" = ${name === "mirror_seen" ? LATEST : `excluded."${name}"`}`);
  await sql.insert(
    { table: plan.table, columns: filled },
    rows,
    `ON CONFLICT (${key}) DO UPDATE SET ${set.join(", ")}`,
  );
  return [...unfit];
}

// If another process or key writes the row, keep the latest sweep that saw it.
const LATEST =
  "CASE WHEN stored.mirror_seen > excluded.mirror_seen THEN stored.mirror_seen ELSE excluded.mirror_seen END";

// Stores which sweep saw the records: as ranges for a page, in the row for a single record. Also in the row if the page
// had an older version, because a range would confirm the copy's version.
async function see(
  place: Place,
  received: Received,
  stored: ReadonlyMap<string, Stored>,
  writes: readonly Write[],
  { confirmed, unsure, older }: Readonly<Record<"confirmed" | "unsure" | "older", readonly RecordId[]>>,
): Promise<void> {
  const { seen, ended } = received;
  await touch(place, received, older, false);
  const known = [...confirmed, ...unsure];
  if (received.listed === true && known.length > 0) {
    const ids = [...known, ...writes.map(({ record }) => record.id)];
    if (await noteSeen(place, ids, { seen, confirmed: ended })) {
      const missed = known.filter((id) => {
        const row = stored.get(String(id));
        return Number(row?.mirror_missed) !== 0 || Number(row?.mirror_unlisted) !== 0;
      });
      return touch(place, received, missed, false);
    }
  }
  if (received.listed !== true) {
    const added = writes.filter(({ kind }) => kind !== "changed").map(({ record }) => record.id);
    await forgetSeen(place, added);
  }
  await touch(place, received, confirmed, true);
  await touch(place, received, unsure, false);
}

// Updates the rows of records for which a response contained the copy's version or an older one.
async function touch(
  place: Place,
  { seen, ended, listed }: Received,
  ids: readonly RecordId[],
  confirmed: boolean,
): Promise<void> {
  if (ids.length === 0) return;
  const confirm = confirmed
    ? ", mirror_confirmed = CASE WHEN mirror_confirmed < ? THEN ? ELSE mirror_confirmed END"
    : "";
  const unlisted = listed === null ? "" : ", mirror_unlisted = ?";
  const { where, values } = rowsWithIds(place, ids);
  await place.sql.run(
    `UPDATE {${place.plan.table}} SET mirror_seen = CASE WHEN mirror_seen < ? THEN ? ELSE mirror_seen END, mirror_missed = 0${unlisted}${confirm}
      WHERE ${where}`,
    [seen, seen, ...(listed === null ? [] : [listed ? 0 : 1]), ...(confirmed ? [ended, ended] : []), ...values],
  );
}

const CHANGES: Target = {
  table: "mirror_changes",
  columns: [
    ["seq", "integer"],
    ["list", "text"],
    ["id", "text"],
    ["parent", "text"],
    ["kind", "text"],
    ["at", "text"],
    ["mark", "text"],
    ["previous", "integer"],
    ["fields", "text"],
  ],
};

interface Noted {
  readonly id: RecordId;
  readonly stored: Pick<Stored, "record" | "mirror_change"> | null;
  readonly kind: "added" | "changed" | "gone" | "returned";
  readonly fields: readonly string[] | null;
}

// Each version is stored once: the newest one only in the record's row. The feed stores that version when the next
// change replaces it.
async function note(
  { sql, plan: { name }, parent }: Place,
  { history, clock }: Context,
  noted: readonly Noted[],
): Promise<readonly (number | null)[]> {
  if (noted.length === 0) return [];
  if (!history) {
    await leaveOut(sql, name);
    return noted.map(({ stored }) => (stored?.mirror_change ? Number(stored.mirror_change) : null));
  }
  const [last] = await sql.all<{ seq: number | string }>("SELECT coalesce(max(seq), 0) AS seq FROM {mirror_changes}");
  const first = Number(last?.seq ?? 0) + 1;
  const at = new Date(clock.now()).toISOString();
  const mark = newMark();
  for (const { stored } of noted) {
    if (!stored?.mirror_change) continue;
    await sql.run("UPDATE {mirror_changes} SET after = ? WHERE seq = ? AND kind <> 'gone'", [
      typeof stored.record === "string" ? stored.record : JSON.stringify(stored.record),
      Number(stored.mirror_change),
    ]);
  }
  await sql.insert(
    CHANGES,
    noted.map(({ id, kind, stored, fields }, place) => [
      first + place,
      name,
      String(id),
      parent,
      kind,
      at,
      mark,
      stored?.mirror_change ? Number(stored.mirror_change) : null,
      fields && JSON.stringify(fields),
    ]),
    "",
  );
  return noted.map((_, place) => first + place);
}

function rowsWithIds({ dialect, plan, parent }: Place, ids: readonly RecordId[]) {
  const where = `id IN (${dialect.valuesOf(plan.hasTextId ? "text" : "integer")})${underParent(plan)}`;
  return { where, values: [JSON.stringify(plan.hasTextId ? ids.map(String) : ids), ...(plan.parent ? [parent] : [])] };
}

function underParent({ parent }: ListPlan): string {
  return parent ? " AND mirror_parent = ?" : "";
}

function updatedAt({ updated_at }: Readonly<Record<string, unknown>>): number | null {
  const time = typeof updated_at === "string" ? Date.parse(updated_at) : Number.NaN;
  return Number.isNaN(time) ? null : time;
}
