import { CheckpointError } from "../core/errors.js";
import { Paused, readBelow } from "./below.js";
import { type Context, giveBack, ownerNow, type Tally, type Work, workOf } from "./context.js";
import { pagesOf, paramsOf, type ReadPage, readRecord } from "./http.js";
import { claimList, disown, readState, writeState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { NO_PROGRESS, SweepMeter } from "./progress.js";
import { isReadable, prove } from "./prove.js";
import { filtersOf, newReading, type SweepRequest, save, store } from "./reading.js";
import { writeRecords } from "./records.js";
import { errorOf, type ListReport } from "./report.js";
import {
  addDoubts,
  advanceSweep,
  clearDoubts,
  endSweep,
  noteEmptyEnd,
  type Sweeping,
  type SweepState,
  startSweep,
} from "./state.js";

/**
 * Reads a whole list into the copy, and decides which rows that the list lacks are gone. Resumes an unfinished sweep.
 * @returns "paused" if the sweep has used up its time.
 */
export async function sweepList(
  context: Context,
  plan: ListPlan,
  request: SweepRequest,
): Promise<ListReport | "paused"> {
  const begun = workOf(context, request.signal, request.tally);
  const meter = new SweepMeter(context.clock, context.budget);
  let progress = NO_PROGRESS;
  const work: Work = {
    ...begun,
    onWait: (until) => request.onProgress?.(progress, begun.tally, until),
    onPage: (page, sweep) => {
      progress = meter.page(page, sweep);
      request.onProgress?.(progress, begun.tally, null);
    },
  };
  const claim = await begin(work, plan, request.polite);
  if (typeof claim === "number") return { ...reportOf(plan, work.tally, null), busyUntil: new Date(claim) };
  const end = context.claims.begin(plan);
  try {
    let state: Sweeping = claim;
    for (;;) {
      state = await readAll(work, plan, state, request);
      state = await reread(work, plan, state);
      const findings = await prove(work, plan, state, request.accepted);
      if (findings) {
        const { gone, pending, held } = findings;
        const error = refusalOf(plan, state.sweep);
        const { unsure, older, unfit } = state.sweep;
        const isSettled = held === null && pending === 0 && unsure.length === 0 && older === 0;
        const complete = isSettled && error === null;
        const { asOf } = await finish(work, plan, state, complete);
        return { ...reportOf(plan, work.tally, asOf), gone, pending, held, older, unfit, complete, error };
      }
      state = await newReading(work, plan, state, state.sweep.reading + 1);
    }
  } catch (error) {
    // The state of the sweep stays, so that another run may resume it.
    await giveBack(work, plan);
    if (error instanceof Paused) return "paused";
    return { ...reportOf(plan, work.tally, claim.asOf), error: errorOf(error) };
  } finally {
    end();
  }
}

/** A report on a list, with the counts of a tally and no findings. */
export function reportOf({ name }: ListPlan, tally: Tally, asOf: number | null): ListReport {
  return {
    list: name,
    read: tally.read,
    added: tally.added,
    changed: tally.changed,
    reshaped: [...tally.reshaped].map(([field, records]) => ({ field, records })),
    gone: 0,
    requests: tally.requests,
    complete: false,
    asOf: asOf === null ? null : new Date(asOf),
    pending: 0,
    held: null,
    older: 0,
    unfit: [],
    error: null,
    busyUntil: null,
  };
}

function refusalOf({ name, parent }: ListPlan, { refused }: SweepState): Error | null {
  return refused > 0 && parent
    ? new Error(`Mirror: the key may not read ${name} for ${refused} of the ${parent.list.name}`)
    : null;
}

// Takes the list over and begins a sweep, or resumes one with the same filters and key. If another process owns the
// list, returns the time until which that process owns it.
async function begin(work: Work, plan: ListPlan, polite: boolean): Promise<Sweeping | number> {
  const { tables, clock, key, ticks, claims } = work;
  tables.retryColumns(plan);
  const plans = plan.parent ? [plan.parent.list, plan] : [plan];
  return tables.write(plans, async (sql) => {
    const until = await claimList(sql, plan, ownerNow(work), polite ? clock.now() : null, claims.sessionPrefixOf(plan));
    if (until !== null) return until;
    const state = await readState(sql, plan);
    const { sweep } = state;
    const [latest] = await sql.all<{ at: number | string | null }>(
      `SELECT max(at) AS at FROM (SELECT max(mirror_confirmed) AS at FROM {${plan.table}}
        UNION ALL SELECT max(confirmed) FROM {mirror_ranges} WHERE list = ?) AS times`,
      [plan.name],
    );
    const last = Math.max(Number(latest?.at ?? 0), sweep?.begun ?? 0);
    const now = clock.now();
    // If the clock is behind the latest stored time, it was set back or another machine's is ahead. Adding the
    // stored lead over the clock makes ticks advance by the time since the last sweep.
    ticks.pass(last > now ? Math.max(last, now + state.ticksAhead) : last);
    if (sweep && sweep.filters === filtersOf(plan) && state.key === key) return { ...state, sweep };
    const begun = ticks.next();
    // The sweep misses records whose parent was added after the parent list was read, so `asOf` is at most the time of
    // that reading.
    const above = plan.parent && (await readState(sql, plan.parent.list));
    const fresh = startSweep(
      state,
      key,
      filtersOf(plan),
      begun,
      Math.min(now, above?.asOf ?? Number.POSITIVE_INFINITY),
    );
    await writeState(sql, plan, fresh, ownerNow(work));
    return fresh;
  });
}

class EmptyEnd extends Error {
  readonly state: Sweeping;

  constructor(list: string, state: Sweeping) {
    super(`Mirror: ${list} ended with an empty page`);
    this.state = noteEmptyEnd(state);
  }
}

async function readAll(work: Work, plan: ListPlan, state: Sweeping, request: SweepRequest): Promise<Sweeping> {
  if (state.sweep.ended) return state;
  if (plan.parent) return readBelow(work, plan, plan.parent, state, request);
  try {
    return await readFlat(work, plan, state);
  } catch (error) {
    // The cursor has expired, or now leads past the end: stored rows stay, but the list is read from its start.
    if (!(error instanceof CheckpointError || error instanceof EmptyEnd)) throw error;
    const from = error instanceof EmptyEnd ? error.state : state;
    return readFlat(work, plan, await newReading(work, plan, from, 1));
  }
}

async function readFlat(work: Work, plan: ListPlan, from: Sweeping): Promise<Sweeping> {
  let state = from;
  for await (const page of pagesOf(work, plan, null, from.sweep.checkpoint)) {
    if (!page.hasNext && page.ids.length === 0 && !isEnd(state.sweep, page.total)) throw new EmptyEnd(plan.name, state);
    const read = state.sweep.records + page.ids.length;
    if (isCutOff(work, page, read))
      throw new Error(`Mirror: ${plan.name} ended after ${read} of ${page.total} records`);
    state = await store(work, plan, advanceSweep(state, page), page, "");
  }
  return state;
}

// A list that ends with an empty page was cut off, lost records to deletions while it was read, or has a full page
// before the empty one. It counts as complete if the service's count matches or a second reading ends after the same
// number of records.
function isEnd({ records, emptyAfter }: SweepState, total: number | null): boolean {
  return records === 0 || total === records || (emptyAfter === records && (total ?? 0) <= records);
}

// True for a full last page when, by the service's count, more than a tenth of a page is missing: the `Link` header was
// lost in transit. A smaller gap proves nothing, because the count may include records that the list does not show.
function isCutOff({ transport }: Work, { ids, hasNext, total }: ReadPage, read: number): boolean {
  const { pageSize } = transport.settings;
  return !hasNext && ids.length >= pageSize && (total ?? 0) - read > pageSize / 10;
}

// Reads the `unsure` records again: other work stored them during this sweep, perhaps in a newer version.
async function reread(work: Work, plan: ListPlan, state: Sweeping): Promise<Sweeping> {
  const { get, parent } = plan;
  const { unsure } = state.sweep;
  if (unsure.length === 0 || !get || parent) return state;
  let next = clearDoubts(state);
  for (const id of unsure) {
    if (!isReadable(plan, id)) continue;
    const { record, ...times } = await readRecord(work, plan, get, paramsOf(plan, get, { id, parent: "" }), "sweep");
    // The record was in the list but now gets a 404: the next sweep decides whether it is gone.
    if (!record) continue;
    const received = { records: [record], parent: "", ...times, seen: state.sweeps, listed: true };
    next = addDoubts(next, {
      ...(await work.tables.write([plan], (sql) => writeRecords(sql, work, plan, received))),
      unsure: [],
    });
  }
  await save(work, plan, next);
  return next;
}

async function finish(work: Work, plan: ListPlan, state: Sweeping, complete: boolean): ReturnType<typeof readState> {
  const done = endSweep(state, complete, { now: work.clock.now(), ticksAhead: work.ticks.ahead });
  await work.tables.write([plan], async (sql) => {
    await writeState(sql, plan, done, ownerNow(work));
    await disown(sql, plan, work.name);
  });
  return done;
}
