import { CheckpointError } from "../core/errors.js";
import { Paused, readBelow } from "./below.js";
import { asOwner, type Context, notingNow, ownerNow, pagesOf, readRecord } from "./context.js";
import { ascends } from "./decide.js";
import type { ListPlan } from "./plan.js";
import { paramsOf, prove } from "./prove.js";
import {
  filtersOf,
  freshSweep,
  MOST_UNSURE,
  newReading,
  newTally,
  type Sweeping,
  type SweepRequest,
  store,
  type Tally,
} from "./reading.js";
import { writeRecords } from "./records.js";
import type { ListReport } from "./report.js";
import { disown, type ListState, own, readState, type SweepState, stateFor, writeState } from "./state.js";

/**
 * Reads a list to its end into the copy and decides about the rows it did not have; resumes where a sweep was left.
 * @returns "busy" where it left the list to another process, "paused" when it has used its time.
 */
export async function sweepList(
  shared: Context,
  plan: ListPlan,
  request: SweepRequest,
): Promise<ListReport | "busy" | "paused"> {
  const context = asOwner(shared);
  const { tally = newTally() } = request;
  let state = await begin(context, plan, request.polite);
  if (!state) return "busy";
  try {
    for (;;) {
      state = await readAll(context, plan, state, tally, request);
      state = await reread(context, plan, state, tally, request.signal);
      const findings = await prove(context, plan, state, request.accepted, tally, request.signal);
      if (findings) {
        const { gone, pending, held } = findings;
        const error = refusalOf(plan, state.sweep);
        const complete = held === null && pending === 0 && error === null && state.sweep.unsure.length === 0;
        const { asOf } = await finish(context, plan, state, complete);
        return { ...reportOf(plan, tally, asOf), gone, pending, held, complete, error };
      }
      state = await newReading(context, plan, state, state.sweep.reading + 1);
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
    if (error instanceof Paused) return "paused";
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

function refusalOf({ name, parent }: ListPlan, { refused }: SweepState): Error | null {
  return refused > 0 && parent
    ? new Error(`Mirror: the key may not read ${name} of ${refused} of the ${parent.list.name}`)
    : null;
}

// Takes the list over and begins a sweep, unless one with the same filters and the same key is under way.
async function begin(context: Context, plan: ListPlan, polite: boolean): Promise<Sweeping | null> {
  const { tables, clock, key } = context;
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
    if (sweep && sweep.filters === filtersOf(plan) && state.key === key) return { ...state, sweep };
    const fresh = freshSweep(context, plan, stateFor(state, key), 1);
    // Below records that were added since the list above was read, nothing is read.
    const above = plan.parent && (await readState(sql, plan.parent.list));
    const since = Math.min(fresh.sweep.since, above?.asOf ?? fresh.sweep.since);
    const begun: Sweeping = { ...fresh, sweep: { ...fresh.sweep, since } };
    await writeState(sql, plan, begun, ownerNow(context));
    return begun;
  });
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
