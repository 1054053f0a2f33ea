import { CheckpointError } from "../core/errors.js";
import { asOwner, type Context, type Counter, notingNow, ownerNow, pagesOf } from "./context.js";
import { ascends, type RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";
import { writeRecords } from "./records.js";
import { disown, type ListState, own, readState, TakenOver, writeState } from "./state.js";

/** What reading the end of a list has found. */
export interface TailReport {
  readonly list: string;
  readonly added: number;
  readonly changed: number;
  readonly requests: number;
}

/**
 * Reads what was added to the end of a list, from its last page on.
 * @returns null where the tail is not used: a sweep is under way, or in the last one identifiers did not ascend or the key
 * was another.
 */
export async function readTail(
  shared: Context,
  plan: ListPlan,
  signal: AbortSignal | undefined,
): Promise<TailReport | null> {
  const context = asOwner(shared);
  const { tables, clock } = context;
  const state = await tables.write([plan], async (sql) => {
    const found = await readState(sql, plan);
    // Rows that another key brings would count as seen by the one of the last sweep.
    if (found.sweep || found.tail === null || found.key !== context.key || plan.parent) return null;
    return (await own(sql, plan, ownerNow(context), clock.now())) ? found : null;
  });
  if (!state) return null;
  try {
    return await readPages(context, plan, state, signal);
  } catch (error) {
    // A sweep finds what the tail would have found.
    if (!(error instanceof TakenOver)) throw error;
    return null;
  } finally {
    await tables.write([plan], (sql) => disown(sql, plan, context.owner)).catch(() => undefined);
  }
}

async function readPages(
  context: Context,
  plan: ListPlan,
  state: ListState,
  signal: AbortSignal | undefined,
): Promise<TailReport> {
  const { tables, clock } = context;
  const counter: Counter = { requests: 0 };
  let found: { added: number; changed: number } = { added: 0, changed: 0 };
  let next: ListState = { ...state, tailAt: clock.now() };
  try {
    let last: RecordId | null = null;
    for await (const page of pagesOf(context, plan, null, state.tail || null, counter, signal)) {
      const ids = page.records.map(({ id }) => id);
      const ascending = ascends(last, ids);
      last = ids.at(-1) ?? last;
      next = { ...next, tail: !ascending ? null : page.hasNext ? page.checkpoint : next.tail };
      const stored = next;
      const written = await tables.write([plan], async (sql) => {
        await writeState(sql, plan, stored, ownerNow(context));
        const received = { ...page, parent: "", seen: state.sweeps, listed: true };
        return writeRecords(sql, tables, plan, received, notingNow(context));
      });
      found = { added: found.added + written.added, changed: found.changed + written.changed };
      if (next.tail === null) break;
    }
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    // The cursor has expired: the next sweep brings a new one.
    const without: ListState = { ...next, tail: null };
    await tables.write([plan], (sql) => writeState(sql, plan, without, ownerNow(context)));
  }
  return { list: plan.name, ...found, requests: counter.requests };
}
