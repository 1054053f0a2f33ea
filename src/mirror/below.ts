import { NotFoundError, PermissionDeniedError } from "../core/errors.js";
import { momentNow } from "../work/schedule.js";
import { ownerNow, type Work } from "./context.js";
import type { RecordId } from "./decide.js";
import { pagesOf } from "./http.js";
import { readState, writeState } from "./owner.js";
import type { ListPlan, ParentPlan } from "./plan.js";
import { type SweepRequest, save, store } from "./reading.js";
import { seenOf, seenRows } from "./seen.js";
import { advanceBelow, endBelow, firstReading, type Sweeping, skipParent } from "./state.js";

const PARENTS = 500;
// If the lists of this many parents were refused and none was read, the key probably has no access to any, so the sweep
// fails.
const MOST_REFUSED = 20;

/** Thrown if a sweep has used up its time; the sweep continues later. */
export class Paused extends Error {}

/**
 * Reads the lists below all parents, newest parents first, because new records change most.
 * @throws Paused at the request's `pauseAt`, after at least one list was read.
 */
export async function readBelow(
  work: Work,
  plan: ListPlan,
  parent: ParentPlan,
  from: Sweeping,
  request: SweepRequest,
): Promise<Sweeping> {
  const { tables, clock } = work;
  const lists = [parent.list, plan];
  const above = await readState(tables.readerOf(lists), parent.list);
  if (above.asOf === null) {
    throw new Error(
      `Mirror: cannot read ${plan.name}: its parent list ${parent.list.name} has never been swept completely`,
    );
  }
  let state = from;
  for (;;) {
    const { sweep } = state;
    const below = sweep.parent === null ? "" : " AND id < ?";
    // From its second reading on, a sweep reads only lists with rows that it has not seen.
    const lacking =
      sweep.reading > 1
        ? ` AND CAST(${parent.field} AS TEXT) IN (SELECT mirror_parent FROM ${seenRows(plan)} WHERE mirror_seen < ?)`
        : "";
    const parents = await tables.read<{ id: RecordId; key: RecordId }>(
      lists,
      `SELECT id, ${parent.field} AS key FROM {${parent.list.table}} WHERE gone_at IS NULL${below}${lacking} ORDER BY id DESC LIMIT ${PARENTS}`,
      [...(sweep.parent === null ? [] : [sweep.parent]), ...(lacking ? [firstReading(state)] : [])],
    );
    for (const { id, key } of parents) {
      // Postgres drivers return large integers as strings.
      const [parentId, parentKey] = [asId(parent.list, id), parent.field === "id" ? asId(parent.list, key) : key];
      state = await readChildren(work, plan, state, parentId, parentKey, request);
      if (request.pauseAt !== undefined && momentNow(clock) >= request.pauseAt) throw new Paused();
    }
    if (parents.length < PARENTS) break;
  }
  const done = endBelow(state);
  await save(work, plan, done);
  return done;
}

function asId({ hasTextId }: ListPlan, id: RecordId): RecordId {
  return hasTextId ? String(id) : Number(id);
}

async function readChildren(
  work: Work,
  plan: ListPlan,
  from: Sweeping,
  id: RecordId,
  key: RecordId,
  request: SweepRequest,
): Promise<Sweeping> {
  let state = from;
  try {
    for await (const page of pagesOf(work, plan, key, null)) {
      const next = advanceBelow(state, id, page.ids.length, page.hasNext);
      state = await store(work, plan, next, page, String(key));
    }
  } catch (error) {
    const isRefused = error instanceof PermissionDeniedError;
    if (!(error instanceof NotFoundError || isRefused)) throw error;
    state = await skip(work, plan, state, id, key, isRefused, request);
    if (isRefused && state.sweep.pages === 0 && state.sweep.refused >= MOST_REFUSED) throw error;
  }
  return state;
}

// Skips a parent whose list cannot be read: the parent is gone, lacks the feature or is hidden from this key. The rows
// of its list stay unchanged until a sweep of the parent list, or one with another key, decides about them.
async function skip(
  work: Work,
  plan: ListPlan,
  state: Sweeping,
  id: RecordId,
  key: RecordId,
  isRefused: boolean,
  { accepted }: SweepRequest,
): Promise<Sweeping> {
  const next = skipParent(state, id, isRefused);
  await work.tables.write([plan], async (sql) => {
    await sql.run(
      `UPDATE {${plan.table}} AS stored SET mirror_seen = ? WHERE mirror_parent = ? AND gone_at IS NULL AND ${seenOf(plan)} >= ?`,
      [state.sweeps, String(key), accepted ? Number.MIN_SAFE_INTEGER : state.keySince],
    );
    await writeState(sql, plan, next, ownerNow(work));
  });
  return next;
}
