import { type Context, type Counter, notingNow, ownerNow, type ReadPage } from "./context.js";
import type { ListPlan } from "./plan.js";
import { writeRecords } from "./records.js";
import { type ListState, type SweepState, writeState } from "./state.js";

/** What one sweep is asked to do. */
export interface SweepRequest {
  readonly signal?: AbortSignal | undefined;
  /** The caller has agreed to more missing rows than `holdAbove`. */
  readonly accepted: boolean;
  /** Leaves a list alone that another process sweeps. */
  readonly polite: boolean;
  /** Where to count; a sweep that goes on after a pause counts on. */
  readonly tally?: Tally;
  /** When a sweep of a list below a parent pauses; a later one goes on where it was. Default: never. */
  readonly pauseAt?: number;
  /** Called after every page. */
  readonly onPage?: ((progress: { readonly read: number; readonly requests: number }) => void) | undefined;
}

/** What a sweep has done so far. */
export interface Tally extends Counter {
  read: number;
  added: number;
  changed: number;
}

/** A count that begins. */
export function newTally(): Tally {
  return { requests: 0, read: 0, added: 0, changed: 0 };
}

/** The state of a list while it is swept. */
export type Sweeping = ListState & { readonly sweep: SweepState };

/** A list with more records in doubt than this is read again anyway. */
export const MOST_UNSURE = 1_000;

/** Begins to read a list from its start. @param reading above 1 to confirm what the readings before it missed. */
export async function newReading(
  context: Context,
  plan: ListPlan,
  state: Sweeping,
  reading: number,
): Promise<Sweeping> {
  const fresh = freshSweep(context, plan, state, reading);
  await context.tables.write([plan], (sql) => writeState(sql, plan, fresh, ownerNow(context)));
  return fresh;
}

/** The state in which a reading begins. */
export function freshSweep({ ticks }: Context, plan: ListPlan, state: ListState, reading: number): Sweeping {
  const begun = ticks.next();
  // Below parents, further readings ask only for the lists that lacked something.
  const before = reading > 1 && plan.parent ? state.sweep : null;
  const sweep: SweepState = {
    begun,
    since: reading > 1 ? (state.sweep?.since ?? begun) : begun,
    filters: filtersOf(plan),
    reading,
    checkpoint: null,
    before: null,
    ended: false,
    records: before?.records ?? 0,
    pages: before?.pages ?? 0,
    ascending: true,
    last: null,
    parent: null,
    refused: before?.refused ?? 0,
    unsure: reading > 1 ? (state.sweep?.unsure ?? []) : [],
  };
  return { ...state, sweeps: state.sweeps + 1, sweep };
}

/** What was asked for; with other filters the sweep begins again. */
export function filtersOf({ row, query }: ListPlan): string {
  return JSON.stringify([row.id, row.apis, query]);
}

/** Stores a page and how far the sweep has come, as one transaction. */
export async function store(
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
