import { CheckpointError, NotFoundError } from "../core/errors.js";
import {
  asOwner,
  type Context,
  type Counter,
  notingNow,
  ownerNow,
  pagesOf,
  type ReadPage,
  readRecord,
} from "./context.js";
import { ascends, type RecordId } from "./decide.js";
import type { ListPlan, ParentPlan } from "./plan.js";
import { paramsOf, prove } from "./prove.js";
import { writeRecords } from "./records.js";
import type { ListReport } from "./report.js";
import { disown, type ListState, own, readState, type SweepState, writeState } from "./state.js";

/** What one sweep is asked to do. */
export interface SweepRequest {
  readonly signal?: AbortSignal | undefined;
  /** The caller has agreed to more missing rows than `holdAbove`. */
  readonly accepted: boolean;
  /** Leaves a list alone that another process sweeps. */
  readonly polite: boolean;
  /** Called after every page. */
  readonly onPage?: ((progress: { readonly read: number; readonly requests: number }) => void) | undefined;
}

interface Tally extends Counter {
  read: number;
  added: number;
  changed: number;
}

type Sweeping = ListState & { readonly sweep: SweepState };

// A list with more records in doubt than this is read again anyway.
const MOST_UNSURE = 1_000;
const PARENTS = 500;

/** Reads a list to its end into the copy and decides about the rows it did not have; resumes where a sweep was left. */
export async function sweepList(shared: Context, plan: ListPlan, request: SweepRequest): Promise<ListReport | null> {
  const context = asOwner(shared);
  const tally: Tally = { requests: 0, read: 0, added: 0, changed: 0 };
  let state = await begin(context, plan, request.polite);
  if (!state) return null;
  try {
    for (;;) {
      state = await readAll(context, plan, state, tally, request);
      state = await reread(context, plan, state, tally, request.signal);
      const findings = await prove(context, plan, state, request.accepted, tally, request.signal);
      if (findings) {
        const { gone, pending, held } = findings;
        const complete = held === null && pending === 0 && state.sweep.unsure.length === 0;
        const { asOf } = await finish(context, plan, state, complete);
        return { ...reportOf(plan, tally, asOf), gone, pending, held, complete };
      }
      state = await newReading(context, plan, state, 2);
    }
  } catch (error) {
    const problem = error instanceof Error ? error : new Error(String(error));
    // The sweep stays where it is; another run may resume it.
    const { asOf } = await context.tables
      .write([plan], async (sql) => {
        await disown(sql, plan, context.owner);
        return readState(sql, plan);
      })
      .catch(() => ({ asOf: null }));
    return { ...reportOf(plan, tally, asOf), error: problem };
  }
}

/** A report of a list of which nothing is known yet. */
export function reportOf({ name }: ListPlan, tally: Tally, asOf: number | null): ListReport {
  return {
    list: name,
    read: tally.read,
    added: tally.added,
    changed: tally.changed,
    gone: 0,
    requests: tally.requests,
    complete: false,
    asOf: asOf === null ? null : new Date(asOf),
    pending: 0,
    held: null,
    error: null,
  };
}

// Takes the list over and begins a sweep, unless one with the same filters is under way.
async function begin(context: Context, plan: ListPlan, polite: boolean): Promise<Sweeping | null> {
  const { tables, clock } = context;
  const plans = plan.parent ? [plan.parent.list, plan] : [plan];
  return tables.write(plans, async (sql) => {
    if (!(await own(sql, plan, ownerNow(context), polite ? clock.now() : null))) return null;
    const state = await readState(sql, plan);
    const { sweep } = state;
    const [latest] = await sql.all<{ at: number | string | null }>(
      `SELECT max(mirror_confirmed) AS at FROM "${plan.table}"`,
    );
    // The clock of this machine may be behind that of another, or may have been set back.
    context.ticks.pass(Math.max(Number(latest?.at ?? 0), sweep?.begun ?? 0));
    if (sweep && sweep.filters === filtersOf(plan) && isOwnWord(context, plan, sweep)) return { ...state, sweep };
    const fresh = freshSweep(context, plan, state, 1);
    await writeState(sql, plan, fresh, ownerNow(context));
    return fresh;
  });
}

// A second reading only counts if one instance has seen all of it: another may have another key.
function isOwnWord({ session }: Context, { get }: ListPlan, sweep: SweepState): boolean {
  return get !== null || sweep.reading === 1 || sweep.session === session;
}

async function newReading(context: Context, plan: ListPlan, state: Sweeping, reading: 1 | 2): Promise<Sweeping> {
  const fresh = freshSweep(context, plan, state, reading);
  await context.tables.write([plan], (sql) => writeState(sql, plan, fresh, ownerNow(context)));
  return fresh;
}

function freshSweep({ ticks, session }: Context, plan: ListPlan, state: ListState, reading: 1 | 2): Sweeping {
  const begun = ticks.next();
  const sweep: SweepState = {
    begun,
    since: reading === 2 ? (state.sweep?.since ?? begun) : begun,
    session,
    filters: filtersOf(plan),
    reading,
    checkpoint: null,
    before: null,
    ended: false,
    records: 0,
    pages: 0,
    ascending: true,
    last: null,
    parent: null,
    unsure: reading === 2 ? (state.sweep?.unsure ?? []) : [],
  };
  return { ...state, sweeps: state.sweeps + 1, sweep };
}

function filtersOf({ row, query }: ListPlan): string {
  return JSON.stringify([row.id, row.apis, query]);
}

class EmptyEnd extends Error {}

async function readAll(
  context: Context,
  plan: ListPlan,
  state: Sweeping,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  if (state.sweep.ended) return state;
  if (plan.parent) return readBelow(context, plan, plan.parent, state, tally, request);
  try {
    return await readFlat(context, plan, state, tally, request);
  } catch (error) {
    // The cursor has expired, or leads past the end by now: what was read stays, but the list is read from its start.
    if (!(error instanceof CheckpointError || error instanceof EmptyEnd)) throw error;
    return readFlat(context, plan, await newReading(context, plan, state, 1), tally, request);
  }
}

async function readFlat(
  context: Context,
  plan: ListPlan,
  from: Sweeping,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  let state = from;
  for await (const page of pagesOf(context, plan, null, from.sweep.checkpoint, tally, request.signal)) {
    const { sweep } = state;
    const ids = page.records.map(({ id }) => id);
    const next: SweepState = {
      ...sweep,
      checkpoint: page.checkpoint,
      before: page.hasNext ? page.checkpoint : sweep.before,
      ended: !page.hasNext,
      records: sweep.records + ids.length,
      pages: sweep.pages + 1,
      ascending: sweep.ascending && ascends(sweep.last, ids),
      last: ids.at(-1) ?? sweep.last,
    };
    // A list that ends with an empty page was cut off, or records were deleted while it was read.
    if (next.ended && ids.length === 0 && sweep.records > 0)
      throw new EmptyEnd(`Mirror: ${plan.name} ended with an empty page`);
    state = await store(context, plan, { ...state, sweep: next }, page, "", tally, request);
  }
  return state;
}

async function store(
  context: Context,
  plan: ListPlan,
  state: Sweeping,
  page: ReadPage,
  parent: string,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  const { tables } = context;
  const [stored, written] = await tables.write([plan], async (sql) => {
    const received = { ...page, parent, seen: state.sweeps, listed: true };
    const done = await writeRecords(sql, tables, plan, received, notingNow(context));
    const unsure = [...state.sweep.unsure, ...done.unsure].slice(0, MOST_UNSURE);
    const with_: Sweeping = { ...state, sweep: { ...state.sweep, unsure } };
    await writeState(sql, plan, with_, ownerNow(context));
    return [with_, done] as const;
  });
  tally.read += page.records.length;
  tally.added += written.added;
  tally.changed += written.changed;
  context.ticks.pass(written.unsureUntil);
  request.onPage?.({ read: tally.read, requests: tally.requests });
  return stored;
}

// Newest parents first, because what is new changes most.
async function readBelow(
  context: Context,
  plan: ListPlan,
  parent: ParentPlan,
  from: Sweeping,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  const { tables } = context;
  const [above] = await tables.read<{ state: string }>([parent.list], "SELECT state FROM mirror_lists WHERE name = ?", [
    parent.list.name,
  ]);
  if (!(JSON.parse(above?.state ?? "{}") as Partial<ListState>).asOf) {
    throw new Error(`Mirror: ${plan.name} is read for each of ${parent.list.name}, which was never swept completely`);
  }
  let state = from;
  for (;;) {
    const { sweep } = state;
    const below = sweep.parent === null ? "" : " AND id < ?";
    // The second reading asks only for lists that lacked something.
    const lacking =
      sweep.reading === 2
        ? ` AND CAST(${parent.field} AS TEXT) IN (SELECT mirror_parent FROM "${plan.table}" WHERE gone_at IS NULL AND mirror_seen < ?)`
        : "";
    const parents = await tables.read<{ id: RecordId; key: RecordId }>(
      [parent.list, plan],
      `SELECT id, ${parent.field} AS key FROM "${parent.list.table}" WHERE gone_at IS NULL${below}${lacking} ORDER BY id DESC LIMIT ${PARENTS}`,
      [...(sweep.parent === null ? [] : [sweep.parent]), ...(lacking ? [state.sweeps - 1] : [])],
    );
    for (const { id, key } of parents) {
      // Drivers of Postgres give large integers as text.
      const [own, named] = [asId(parent.list, id), parent.field === "id" ? asId(parent.list, key) : key];
      state = await readChildren(context, plan, state, own, named, tally, request);
    }
    if (parents.length < PARENTS) break;
  }
  const ended: Sweeping = { ...state, sweep: { ...state.sweep, ended: true, ascending: false } };
  await tables.write([plan], (sql) => writeState(sql, plan, ended, ownerNow(context)));
  return ended;
}

function asId({ hasTextId }: ListPlan, id: RecordId): RecordId {
  return hasTextId ? String(id) : Number(id);
}

async function readChildren(
  context: Context,
  plan: ListPlan,
  from: Sweeping,
  id: RecordId,
  key: RecordId,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  let state = from;
  try {
    for await (const page of pagesOf(context, plan, key, null, tally, request.signal)) {
      const { sweep } = state;
      const records = sweep.records + page.records.length;
      const next = { ...sweep, records, pages: sweep.pages + 1, parent: page.hasNext ? sweep.parent : id };
      state = await store(context, plan, { ...state, sweep: next }, page, String(key), tally, request);
    }
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    // The parent is gone, or the key is: what lay below it waits until the parent's own list has decided.
    const next: Sweeping = { ...state, sweep: { ...state.sweep, parent: id } };
    await context.tables.write([plan], async (sql) => {
      await sql.run(`UPDATE "${plan.table}" SET mirror_seen = ? WHERE mirror_parent = ? AND gone_at IS NULL`, [
        state.sweeps,
        String(key),
      ]);
      await writeState(sql, plan, next, ownerNow(context));
    });
    return next;
  }
  return state;
}

// Records of which the copy may have a newer version were read by someone else at the same time.
async function reread(
  context: Context,
  plan: ListPlan,
  state: Sweeping,
  tally: Tally,
  signal: AbortSignal | undefined,
): Promise<Sweeping> {
  const { get, parent } = plan;
  const { unsure } = state.sweep;
  if (unsure.length === 0 || !get || parent) return state;
  for (const id of unsure) {
    const { record, ...times } = await readRecord(
      context,
      plan,
      get,
      paramsOf(plan, get, { id, parent: "" }),
      "sweep",
      tally,
      signal,
    );
    // A record that is gone by now was in the list: the next sweep decides.
    if (!record) continue;
    const received = { records: [record], parent: "", ...times, seen: state.sweeps, listed: true };
    await context.tables.write([plan], (sql) => writeRecords(sql, context.tables, plan, received, notingNow(context)));
  }
  // Beyond the records that are remembered there may have been more in doubt.
  const left = unsure.length < MOST_UNSURE ? [] : unsure.slice(0, 1);
  const settled: Sweeping = { ...state, sweep: { ...state.sweep, unsure: left } };
  await context.tables.write([plan], (sql) => writeState(sql, plan, settled, ownerNow(context)));
  return settled;
}

async function finish(context: Context, plan: ListPlan, state: Sweeping, complete: boolean): Promise<ListState> {
  const { sweep } = state;
  const now = context.clock.now();
  const done: ListState = {
    ...state,
    sweep: null,
    asOf: complete ? sweep.since : state.asOf,
    sweptAt: now,
    tail: sweep.ascending && complete ? (sweep.before ?? "") : null,
    tailAt: now,
  };
  await context.tables.write([plan], async (sql) => {
    await writeState(sql, plan, done, ownerNow(context));
    await disown(sql, plan, context.owner);
  });
  return done;
}
