import type { Moment } from "../core/time.js";
import { ownerNow, type Tally, type Work } from "./context.js";
import type { ReadPage } from "./http.js";
import { writeState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import type { SweepProgress } from "./progress.js";
import { writeRecords } from "./records.js";
import { addDoubts, type ListState, restartReading, type Sweeping } from "./state.js";

export interface SweepRequest {
  readonly signal?: AbortSignal | undefined;
  /** True if the caller accepts more missing rows than `holdAbove`. */
  readonly accepted: boolean;
  /** True to leave a list alone while another process sweeps it. */
  readonly polite: boolean;
  /** Receives the counts; pass the same tally again to continue a paused sweep. */
  readonly tally?: Tally;
  /** When a sweep of a list below a parent pauses; a later sweep continues from there. Default: never. */
  readonly pauseAt?: Moment;
  /**
   * Called after every page, and when the sweep begins to wait: `waitingUntil` is then the earliest end of the wait.
   */
  readonly onProgress?: ((progress: SweepProgress, tally: Tally, waitingUntil: Date | null) => void) | undefined;
}

/** Writes only the state of a list. @throws TakenOver if other work owns the list by now. */
export function save(work: Work, plan: ListPlan, state: ListState): Promise<void> {
  return work.tables.write([plan], (sql) => writeState(sql, plan, state, ownerNow(work)));
}

/** Begins to read a list from its start. @param number see `restartReading`. */
export async function newReading(work: Work, plan: ListPlan, state: Sweeping, number: number): Promise<Sweeping> {
  const fresh = restartReading(state, number, plan.parent !== null, work.ticks.next());
  await save(work, plan, fresh);
  return fresh;
}

/** Identifies the request for a list; if the request changes, the sweep begins again. */
export function filtersOf({ row, query }: ListPlan): string {
  return JSON.stringify([row.id, row.apis, query]);
}

export async function store(
  work: Work,
  plan: ListPlan,
  state: Sweeping,
  page: ReadPage,
  parent: string,
): Promise<Sweeping> {
  const { tables, tally, ticks } = work;
  const [stored, written] = await tables.write([plan], async (sql) => {
    const done = await writeRecords(sql, work, plan, { ...page, parent, seen: state.sweeps, listed: true });
    const next = addDoubts(state, done);
    await writeState(sql, plan, next, ownerNow(work));
    return [next, done] as const;
  });
  tally.read += page.records.length;
  tally.added += written.added;
  tally.changed += written.changed;
  for (const field of written.reshaped) tally.reshaped.set(field, (tally.reshaped.get(field) ?? 0) + 1);
  ticks.pass(written.unsureUntil);
  work.onPage?.(page, stored.sweep);
  return stored;
}
