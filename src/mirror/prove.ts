import type { Operation } from "../core/operation.js";
import { isHeld } from "../work/hold.js";
import { ownerNow, type Work } from "./context.js";
import { type MirroredRecord, mostProven, type RecordId } from "./decide.js";
import { paramsOf, type ReadRecord, readRecord } from "./http.js";
import { writeState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { type Missing, markGone, writeRecords } from "./records.js";
import type { Held } from "./report.js";
import { seenOf, seenRows } from "./seen.js";
import { firstReading, type Sweeping } from "./state.js";

export interface Findings {
  readonly gone: number;
  readonly pending: number;
  readonly held: Held | null;
}

/** How many rows are read one by one before the results are stored. */
const PROVEN_TOGETHER = 100;
const SAMPLE = 5;
/**
 * Maximum number of readings of a list whose missing records cannot be read one by one. With only two, both may be cut
 * off; most of these lists are short, so more readings cost little.
 */
const READINGS = 4;
const BATCH = 500;

interface Counts {
  readonly known: number;
  readonly missing: number;
  /** Missing rows whose records are known to exist although the list does not contain them. */
  readonly unlisted: number;
  /** Missing rows that only another key has seen: this key may lack the right to see them. */
  readonly unseen: number;
}

/**
 * Decides whether missing rows that the list's key has seen before are gone. If records can be read one by one, each
 * missing row is read twice, with listed rows read before and after as a check; otherwise the list is read again.
 * Unless the caller has accepted the missing rows, this sends at most as many requests as reading the list took, or 200
 * if that is more; the next run reads the remaining rows.
 * @param accepted true if the caller accepts more missing rows than `holdAbove`, an empty list, and rows that only
 * another key has seen.
 * @returns null if the list must be read again.
 */
export async function prove(work: Work, plan: ListPlan, state: Sweeping, accepted: boolean): Promise<Findings | null> {
  const swept: Swept = { work, plan, state, since: accepted ? Number.MIN_SAFE_INTEGER : state.keySince, accepted };
  const findings = await decide(swept);
  if (findings === null || findings.held) return findings;
  const { unseen } = await countsOf(swept, state.sweeps);
  if (unseen === 0) return findings;
  return { ...findings, held: { reason: "key", missing: unseen, sampled: 0, stillThere: 0 } };
}

interface Swept {
  readonly work: Work;
  readonly plan: ListPlan;
  readonly state: Sweeping;
  /** The first sweep whose rows count as seen by this key. */
  readonly since: number;
  readonly accepted: boolean;
}

async function decide(swept: Swept): Promise<Findings | null> {
  const { work, plan, state, accepted } = swept;
  const fromParents = await markBelowGone(work, plan, state);
  const { sweeps, sweep } = state;
  const first = firstReading(state);
  const { known, missing, unlisted } = await countsOf(swept, first);
  const found = { gone: fromParents, pending: missing, held: null };
  if (missing === 0) return found;
  const holdBack = (reason: Held["reason"], more: Partial<Held> = {}): Findings => ({
    ...found,
    held: { reason, missing, sampled: 0, stillThere: 0, ...more },
  });
  const isEmpty = sweep.records === 0;
  const tooMany = isHeld(missing - unlisted, known, work.holdAbove) && !accepted;
  if (!plan.get) {
    if (isEmpty && !accepted) return holdBack("empty");
    if (tooMany) return holdBack("many");
    if (sweep.reading < READINGS) return null;
    const gone = fromParents + (await markMissing(swept, first, "any"));
    return { ...found, gone, pending: 0 };
  }
  const most = tooMany || (isEmpty && !accepted) ? SAMPLE : PROVEN_TOGETHER;
  let proof = await readMissing(swept, plan.get, most, MISSING);
  if (proof === null) return holdBack("unproven");
  const seen = { sampled: proof.absent.length + proof.stillThere, stillThere: proof.stillThere };
  if (isEmpty && !accepted) {
    // The list is empty, so no listed record can show whether the key causes the 404s. Rows that could be read were
    // marked as unlisted.
    if (proof.absent.length > 0 || missing > seen.sampled) return holdBack("empty", seen);
    return proof.doubts > 0 ? holdBack("half", seen) : { ...found, pending: 0 };
  }
  if (tooMany) return holdBack("many", seen);
  const allowed = accepted ? Number.POSITIVE_INFINITY : mostProven(sweep.records);
  let gone = fromParents;
  let doubts = 0;
  for (;;) {
    const { absent, begun, ended } = proof;
    doubts += proof.doubts;
    gone += await work.tables.write([plan], async (sql) => {
      await writeState(sql, plan, state, ownerNow(work));
      return markGone(sql, work, plan, absent, { begun, ended });
    });
    const isLast = absent.length + proof.stillThere < PROVEN_TOGETHER;
    // If every record of this batch exists, the list was cut off, and the remaining records presumably exist too.
    if (isLast || absent.length === 0 || seen.sampled >= allowed) break;
    proof = await readMissing(swept, plan.get, most, NOT_SEEN);
    if (proof === null) return { ...holdBack("unproven", seen), gone };
    seen.sampled += proof.absent.length + proof.stillThere;
    seen.stillThere += proof.stillThere;
  }
  if (doubts === 0 && !plan.hasTextId) {
    gone += await markMissing(swept, sweeps, accepted ? "any" : "before", UNREADABLE);
  }
  const left = await countsOf(swept, sweeps);
  const pending = Math.max(0, left.missing - left.unlisted);
  return { gone, pending, held: doubts > 0 ? { reason: "half", missing, ...seen } : null };
}

async function countsOf({ work, plan, since }: Swept, sweeps: number): Promise<Counts> {
  const [row] = await work.tables.read<Record<keyof Counts, number | string | null>>(
    [plan],
    `SELECT count(*) AS known, sum(CASE WHEN ${MISSING} THEN 1 ELSE 0 END) AS missing,
      sum(CASE WHEN mirror_seen < ? AND mirror_unlisted = 1 THEN 1 ELSE 0 END) AS unlisted,
      sum(CASE WHEN mirror_seen < ? THEN 1 ELSE 0 END) AS unseen
      FROM ${seenRows(plan)}`,
    [sweeps, since, sweeps, since],
  );
  const numberOf = (name: keyof Counts) => Number(row?.[name] ?? 0);
  return {
    known: numberOf("known"),
    missing: numberOf("missing"),
    unlisted: numberOf("unlisted"),
    unseen: numberOf("unseen"),
  };
}

// Rows that a sweep missed, if they are unlisted or its key saw them before: only reading shows if they exist.
const MISSING = "mirror_seen < ? AND (mirror_seen >= ? OR mirror_unlisted = 1)";
const NOT_SEEN = "mirror_seen < ? AND mirror_seen >= ? AND mirror_unlisted = 0";
// Records that cannot be read one by one, because the client refuses identifiers below 1.
const UNREADABLE = " AND id <= 0";

interface Proof {
  /** Rows whose records got a 404 twice. */
  readonly absent: readonly Missing[];
  /** Number of rows whose records exist; `doubts` counts only those not yet marked as unlisted. */
  readonly stillThere: number;
  readonly doubts: number;
  /** When the first request for the evidence began and the last one ended, by the mirror's clock. */
  readonly begun: number;
  readonly ended: number;
}

interface MissingRow {
  readonly id: RecordId;
  readonly mirror_parent?: string;
  readonly mirror_seen: number | string;
  readonly mirror_unlisted: number | string;
}

export function isReadable({ hasTextId }: ListPlan, id: RecordId): boolean {
  return hasTextId || Number(id) > 0;
}

/**
 * True if a record that an event reports as deleted is gone: two reads do not find it, while another record can be read
 * in between.
 */
export async function isGone(work: Work, plan: ListPlan, get: Operation, row: Missing): Promise<boolean> {
  const isThere = async (one: Missing) =>
    (await readRecord(work, plan, get, paramsOf(plan, get, one), "events")).record !== null;
  const others = await work.tables.read<MissingRow>(
    [plan],
    `SELECT ${columnsOf(plan)} FROM ${seenRows(plan)} WHERE mirror_unlisted = 0 AND id <> ? LIMIT 3`,
    [row.id],
  );
  for (const other of others) if (await isThere(missingOf(other))) return !(await isThere(row));
  return false;
}

// Returns null if no listed record can be read, because the key may then cause the 404s. For an empty list, which has
// no record to read, this check is skipped.
async function readMissing(
  { work, plan, state: { sweeps, sweep }, since }: Swept,
  get: Operation,
  most: number,
  which: string,
): Promise<Proof | null> {
  const { tables, ticks } = work;
  const readable = plan.hasTextId ? "" : " AND id > 0";
  const rowsWhere = (where: string, values: readonly number[], limit: number) =>
    tables.read<MissingRow>(
      [plan],
      `SELECT ${columnsOf(plan)} FROM ${seenRows(plan)} WHERE ${where}${readable} ORDER BY mirror_unlisted, random() LIMIT ${limit}`,
      values,
    );
  const read = (row: Missing) => readRecord(work, plan, get, paramsOf(plan, get, row), "sweep");
  const keep = ({ parent }: Missing, record: MirroredRecord, times: Pick<ReadRecord, "begun" | "ended">) =>
    tables.write([plan], (sql) =>
      writeRecords(sql, work, plan, { records: [record], parent, ...times, seen: sweeps, listed: false }),
    );
  const keyWorks = async () => {
    if (sweep.records === 0) return true;
    for (const row of await rowsWhere("mirror_seen >= ? AND mirror_unlisted = 0", [sweeps], 3)) {
      if ((await read(missingOf(row))).record) return true;
    }
    return false;
  };
  const missing = await rowsWhere(`(${which})`, [sweeps, since], most);
  const begun = ticks.next();
  if (!(await keyWorks())) return null;
  let stillThere = 0;
  let doubts = 0;
  const once: Missing[] = [];
  for (const row of missing) {
    const { record, ...times } = await read(missingOf(row));
    if (!record) {
      if (Number(row.mirror_seen) >= since) once.push(missingOf(row));
      continue;
    }
    stillThere++;
    if (Number(row.mirror_unlisted) === 0) doubts++;
    await keep(missingOf(row), record, times);
  }
  const absent: Missing[] = [];
  for (const row of once) {
    const { record, ...times } = await read(row);
    if (record) await keep(row, record, times);
    else absent.push(row);
  }
  if (absent.length > 0 && !(await keyWorks())) return null;
  return { absent, stillThere: stillThere + once.length - absent.length, doubts, begun, ended: ticks.next() };
}

function columnsOf({ parent }: ListPlan): string {
  return `id, mirror_seen, mirror_unlisted${parent ? ", mirror_parent" : ""}`;
}

function missingOf({ id, mirror_parent = "" }: MissingRow): Missing {
  return { id, parent: mirror_parent };
}

// Marks missing rows as gone, in batches. With `before`, only those also missing in an earlier sweep.
async function markMissing(swept: Swept, sweeps: number, which: "before" | "any", and = ""): Promise<number> {
  const { work, plan, state, since } = swept;
  const { tables, ticks } = work;
  const before = which === "before" ? " AND mirror_missed > 0" : "";
  const where = `${NOT_SEEN}${and} AND mirror_confirmed < ?${before}`;
  const evidence = { begun: state.sweep.begun, ended: ticks.next() };
  for (let marked = 0; ; ) {
    const some = await tables.write([plan], async (sql) => {
      await writeState(sql, plan, state, ownerNow(work));
      const rows = await sql.all<MissingRow>(
        `SELECT ${columnsOf(plan)} FROM ${seenRows(plan)} WHERE ${where} LIMIT ${BATCH}`,
        [sweeps, since, evidence.begun],
      );
      return markGone(sql, work, plan, rows.map(missingOf), evidence);
    });
    marked += some;
    if (some < BATCH) {
      await tables.write([plan], (sql) =>
        sql.run(
          `UPDATE {${plan.table}} AS stored SET mirror_missed = mirror_missed + 1
            WHERE gone_at IS NULL AND ${seenOf(plan)} < ? AND ${seenOf(plan)} >= ?${and}`,
          [sweeps, since],
        ),
      );
      return marked;
    }
  }
}

// Marks unseen rows as gone if their parent is gone.
async function markBelowGone(work: Work, plan: ListPlan, { sweeps }: Sweeping): Promise<number> {
  const { parent } = plan;
  if (!parent) return 0;
  const { tables, ticks } = work;
  return tables.write([parent.list, plan], async (sql) => {
    const begun = ticks.next();
    const rows = await sql.all<MissingRow>(
      `SELECT ${columnsOf(plan)} FROM ${seenRows(plan)} WHERE mirror_seen < ?
        AND mirror_parent IN (SELECT CAST(${parent.field} AS TEXT) FROM {${parent.list.table}} WHERE gone_at IS NOT NULL)`,
      [sweeps],
    );
    return markGone(sql, work, plan, rows.map(missingOf), { begun, ended: begun });
  });
}
