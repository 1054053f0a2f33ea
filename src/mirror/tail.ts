import { CheckpointError } from "../core/errors.js";
import { type Context, giveBack, ownerNow, type Work, workOf } from "./context.js";
import type { RecordId } from "./decide.js";
import { pagesOf } from "./http.js";
import { claimList, readState, TakenOver, writeState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { save } from "./reading.js";
import { writeRecords } from "./records.js";
import { followTail, type ListState } from "./state.js";

/** The result of reading the end of a list. */
export interface TailReport {
  readonly list: string;
  readonly added: number;
  readonly changed: number;
  readonly requests: number;
}

/**
 * Reads the records added at the end of a list, from its last page on.
 * @returns null if the tail cannot be read: a sweep is under way, or the last sweep saw identifiers that did not ascend
 * or used another key.
 */
export async function readTail(
  context: Context,
  plan: ListPlan,
  signal: AbortSignal | undefined,
): Promise<TailReport | null> {
  const work = workOf(context, signal);
  const { tables, clock, key, tally, claims } = work;
  const state = await tables.write([plan], async (sql) => {
    const found = await readState(sql, plan);
    // With another key, the rows read here would wrongly count as seen by the key of the last sweep.
    if (found.sweep || found.tail === null || found.key !== key || plan.parent) return null;
    return (await claimList(sql, plan, ownerNow(work), clock.now(), claims.sessionPrefixOf(plan))) === null
      ? found
      : null;
  });
  if (!state) return null;
  const end = claims.begin(plan);
  try {
    await readPages(work, plan, state);
    const { added, changed, requests } = tally;
    return { list: plan.name, added, changed, requests };
  } catch (error) {
    // The next sweep finds the same records, so losing the list to other work is not a failure.
    if (!(error instanceof TakenOver)) throw error;
    return null;
  } finally {
    end();
    await giveBack(work, plan);
  }
}

async function readPages(work: Work, plan: ListPlan, from: ListState): Promise<void> {
  const { tables, clock, tally } = work;
  let state = from;
  let last: RecordId | null = null;
  try {
    for await (const page of pagesOf(work, plan, null, from.tail || null)) {
      const next = followTail(state, last, page, clock.now());
      const written = await tables.write([plan], async (sql) => {
        await writeState(sql, plan, next, ownerNow(work));
        return writeRecords(sql, work, plan, { ...page, parent: "", seen: from.sweeps, listed: true });
      });
      tally.added += written.added;
      tally.changed += written.changed;
      state = next;
      last = page.ids.at(-1) ?? last;
      if (state.tail === null) break;
    }
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    // The cursor has expired: the next sweep, which is now due earlier, stores a new one.
    await save(work, plan, { ...state, tail: null, tailAt: clock.now() });
  }
}
