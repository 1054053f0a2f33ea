import { CheckpointError } from "../core/errors.js";
import { type Context, type Counter, notingNow, ownerNow, pagesOf } from "./context.js";
import { ascends, type RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";
import { writeRecords } from "./records.js";
import { disown, type ListState, own, readState, writeState } from "./state.js";

/** What reading the end of a list has found. */
export interface TailReport {
  readonly list: string;
  readonly added: number;
  readonly changed: number;
  readonly requests: number;
}

/**
 * Reads what was added to the end of a list, from its last page on.
 * @returns null where the tail is not used: a sweep is under way, or identifiers did not ascend in the last one.
 */
export async function readTail(
  context: Context,
  plan: ListPlan,
  signal: AbortSignal | undefined,
): Promise<TailReport | null> {
  const { tables, clock } = context;
  const state = await tables.write([plan], async (sql) => {
    if (!(await own(sql, plan, ownerNow(context), clock.now()))) return null;
    return readState(sql, plan);
  });
  if (!state || state.sweep || state.tail === null || plan.parent) return null;
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
    next = { ...next, tail: null };
  }
  const ended = next;
  await tables.write([plan], async (sql) => {
    await writeState(sql, plan, ended, ownerNow(context));
    await disown(sql, plan, context.session);
  });
  return { list: plan.name, ...found, requests: counter.requests };
}
