import type { Operation } from "../core/operation.js";
import { type Context, type Counter, notingNow, ownerNow, readRecord } from "./context.js";
import { isGone, isHeld, type RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";
import { type MirroredRecord, type Missing, markGone, writeRecords } from "./records.js";
import type { Held } from "./report.js";
import { firstReading, type ListState, type SweepState, writeState } from "./state.js";

/** What was found out about rows that a list, read to its end, did not have. */
export interface Findings {
  readonly gone: number;
  /** Rows that are still undecided. */
  readonly pending: number;
  readonly held: Held | null;
}

/** Rows that are read one by one in a run; beyond them a second reading of the list decides. */
const MOST_PROVEN = 100;
/** Rows that are read one by one when a run is held. */
const SAMPLE = 5;
/**
 * How often a list is read that lacks rows whose records cannot be read one by one: one list of many may well be cut off
 * twice, and most of these are short.
 */
const READINGS = 4;
const BATCH = 500;

interface Counts {
  readonly known: number;
  readonly missing: number;
  /** Of these, rows that exist although their list does not have them. */
  readonly unlisted: number;
  /** Rows that are missing as well, but that only another key has seen: this one may not. */
  readonly unseen: number;
}

/** A sweep whose list was read to its end. */
type Swept = ListState & { readonly sweep: SweepState };

/**
 * Decides about the rows that a list did not have and that its key has seen before. Where single records can be read, it
 * reads the missing ones twice, and listed ones before and after them; elsewhere the list is read again.
 * @param accepted whether the caller has agreed to more missing rows than `holdAbove`, to an empty list, and to those that
 * only another key has seen.
 * @returns null when the list has to be read again.
 */
export async function prove(
  context: Context,
  plan: ListPlan,
  state: Swept,
  accepted: boolean,
  counter: Counter,
  signal: AbortSignal | undefined,
): Promise<Findings | null> {
  const since = accepted ? Number.MIN_SAFE_INTEGER : state.keySince;
  const findings = await decide(context, plan, state, since, accepted, counter, signal);
  if (findings === null || findings.held) return findings;
  const { unseen } = await countsOf(context, plan, state.sweeps, since);
  if (unseen === 0) return findings;
  return { ...findings, held: { reason: "key", missing: unseen, sampled: 0, stillThere: 0 } };
}

async function decide(
  context: Context,
  plan: ListPlan,
  state: Swept,
  since: number,
  accepted: boolean,
  counter: Counter,
  signal: AbortSignal | undefined,
): Promise<Findings | null> {
  const fromParents = await markBelowGone(context, plan, state);
  const { sweeps, sweep } = state;
  const first = firstReading(state);
  const counts = await countsOf(context, plan, first, since);
  const { known, missing, unlisted } = counts;
  const found = { gone: fromParents, pending: missing, held: null };
  if (missing === 0) return found;
  const held = (reason: Held["reason"], more: Partial<Held> = {}): Findings => ({
    ...found,
    held: { reason, missing, sampled: 0, stillThere: 0, ...more },
  });
  const isEmpty = state.sweep.records === 0;
  if (isEmpty && !accepted) return held("empty");
  const tooMany = isHeld(missing - unlisted, known, context.holdAbove) && !accepted;
  if (!plan.get) {
    if (tooMany) return held("many");
    if (sweep.reading < READINGS) return null;
    return {
      ...found,
      gone: fromParents + (await markMissing(context, plan, state, first, since, "any")),
      pending: 0,
    };
  }
  const proof = await readMissing(
    context,
    plan,
    plan.get,
    sweeps,
    since,
    tooMany ? SAMPLE : MOST_PROVEN,
    isEmpty,
    counter,
    signal,
  );
  if (proof === null) return held("unproven");
  const { absent, stillThere, begun, ended } = proof;
  const sampled = absent.length + stillThere;
  if (tooMany) return held("many", { sampled, stillThere });
  const doubted = proof.doubts > 0;
  const marked = await context.tables.write([plan], (sql) =>
    markGone(sql, context.tables, plan, absent, { begun, ended }, notingNow(context)),
  );
  let gone = fromParents + marked;
  if (isGone({ proven: false, missedBefore: 1, listDoubted: doubted })) {
    gone += await markMissing(context, plan, state, sweeps, since, accepted ? "any" : "before");
  }
  const left = await countsOf(context, plan, sweeps, since);
  const pending = Math.max(0, left.missing - left.unlisted);
  if (doubted) return { gone, pending, held: { reason: "half", missing, sampled, stillThere } };
  return { gone, pending, held: null };
}

async function countsOf({ tables }: Context, plan: ListPlan, sweeps: number, since: number): Promise<Counts> {
  const [row] = await tables.read<Record<keyof Counts, number | string | null>>(
    [plan],
    `SELECT count(*) AS known, sum(CASE WHEN ${MISSING} THEN 1 ELSE 0 END) AS missing,
      sum(CASE WHEN mirror_seen < ? AND mirror_unlisted = 1 THEN 1 ELSE 0 END) AS unlisted,
      sum(CASE WHEN mirror_seen < ? THEN 1 ELSE 0 END) AS unseen
      FROM "${plan.table}" WHERE gone_at IS NULL`,
    [sweeps, since, sweeps, since],
  );
  const counted = (name: keyof Counts) => Number(row?.[name] ?? 0);
  return {
    known: counted("known"),
    missing: counted("missing"),
    unlisted: counted("unlisted"),
    unseen: counted("unseen"),
  };
}

// Not seen by the sweep, but by its key before; or not in the list for any key, so that only reading the record tells.
const MISSING = "mirror_seen < ? AND (mirror_seen >= ? OR mirror_unlisted = 1)";

interface Proof {
  /** Rows whose records were answered with 404 twice. */
  readonly absent: readonly Missing[];
  /** Rows whose records exist, and how many of these were not known to be missing in the list. */
  readonly stillThere: number;
  readonly doubts: number;
  readonly begun: number;
  readonly ended: number;
}

interface MissingRow {
  readonly id: RecordId;
  readonly mirror_parent?: string;
  readonly mirror_seen: number | string;
  readonly mirror_unlisted: number | string;
}

// Null when a listed record cannot be read: then a 404 may be the key's. In an empty list there is none to read: whoever
// has accepted it vouches for the key.
async function readMissing(
  context: Context,
  plan: ListPlan,
  get: Operation,
  sweeps: number,
  since: number,
  most: number,
  isVouched: boolean,
  counter: Counter,
  signal: AbortSignal | undefined,
): Promise<Proof | null> {
  const { tables, ticks } = context;
  const rowsWhere = (where: string, values: readonly number[], limit: number) =>
    tables.read<MissingRow>(
      [plan],
      `SELECT ${columnsOf(plan)} FROM "${plan.table}" WHERE gone_at IS NULL AND ${where} ORDER BY mirror_unlisted, random() LIMIT ${limit}`,
      values,
    );
  const read = (row: Missing) => readRecord(context, plan, get, paramsOf(plan, get, row), "sweep", counter, signal);
  const keyWorks = async () => {
    if (isVouched) return true;
    for (const row of await rowsWhere("mirror_seen >= ? AND mirror_unlisted = 0", [sweeps], 3)) {
      if ((await read(missingOf(row))).record) return true;
    }
    return false;
  };
  const missing = await rowsWhere(MISSING, [sweeps, since], most);
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
    await keep(context, plan, missingOf(row), record, times, sweeps);
  }
  const absent: Missing[] = [];
  for (const row of once) {
    const { record, ...times } = await read(row);
    if (record) await keep(context, plan, row, record, times, sweeps);
    else absent.push(row);
  }
  if (absent.length > 0 && !(await keyWorks())) return null;
  return { absent, stillThere: stillThere + once.length - absent.length, doubts, begun, ended: ticks.next() };
}

async function keep(
  context: Context,
  plan: ListPlan,
  { parent }: Missing,
  record: MirroredRecord,
  times: { readonly begun: number; readonly ended: number },
  sweeps: number,
): Promise<void> {
  await context.tables.write([plan], (sql) =>
    writeRecords(
      sql,
      context.tables,
      plan,
      { records: [record], parent, ...times, seen: sweeps, listed: false },
      notingNow(context),
    ),
  );
}

function columnsOf({ parent }: ListPlan): string {
  return `id, mirror_seen, mirror_unlisted${parent ? ", mirror_parent" : ""}`;
}

function missingOf({ id, mirror_parent = "" }: MissingRow): Missing {
  return { id, parent: mirror_parent };
}

/** The path parameters that read one record. */
export function paramsOf(plan: ListPlan, { path }: Operation, { id, parent }: Missing): Record<string, RecordId> {
  const names = path.match(/(?<=\{)\w+(?=\})/g) ?? [];
  const own = names.at(-1) ?? "id";
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === own ? numeric(plan.hasTextId, id) : numeric(plan.parent?.field !== "id", parent),
    ]),
  );
}

function numeric(isText: boolean, id: RecordId): RecordId {
  return isText ? String(id) : Number(id);
}

// Rows that were also missing before ("before"), or all that are missing, a batch at a time.
async function markMissing(
  context: Context,
  plan: ListPlan,
  state: Swept,
  sweeps: number,
  since: number,
  which: "before" | "any",
): Promise<number> {
  const { tables, ticks } = context;
  const before = which === "before" ? " AND mirror_missed > 0" : "";
  const where = `gone_at IS NULL AND mirror_seen < ? AND mirror_seen >= ? AND mirror_unlisted = 0 AND mirror_confirmed < ?${before}`;
  const evidence = { begun: state.sweep.begun, ended: ticks.next() };
  for (let marked = 0; ; ) {
    const some = await tables.write([plan], async (sql) => {
      await writeState(sql, plan, state, ownerNow(context));
      const rows = await sql.all<MissingRow>(
        `SELECT ${columnsOf(plan)} FROM "${plan.table}" WHERE ${where} LIMIT ${BATCH}`,
        [sweeps, since, evidence.begun],
      );
      return markGone(sql, tables, plan, rows.map(missingOf), evidence, notingNow(context));
    });
    marked += some;
    if (some < BATCH) {
      await tables.write([plan], (sql) =>
        sql.run(
          `UPDATE "${plan.table}" SET mirror_missed = mirror_missed + 1 WHERE gone_at IS NULL AND mirror_seen < ? AND mirror_seen >= ?`,
          [sweeps, since],
        ),
      );
      return marked;
    }
  }
}

// What lay below a record that is gone is gone with it.
async function markBelowGone(context: Context, plan: ListPlan, { sweeps }: ListState): Promise<number> {
  const { parent } = plan;
  if (!parent) return 0;
  const { tables, ticks } = context;
  return tables.write([parent.list, plan], async (sql) => {
    const begun = ticks.next();
    const rows = await sql.all<MissingRow>(
      `SELECT ${columnsOf(plan)} FROM "${plan.table}" WHERE gone_at IS NULL AND mirror_seen < ?
        AND mirror_parent IN (SELECT CAST(${parent.field} AS TEXT) FROM "${parent.list.table}" WHERE gone_at IS NOT NULL)`,
      [sweeps],
    );
    return markGone(sql, tables, plan, rows.map(missingOf), { begun, ended: begun }, notingNow(context));
  });
}
