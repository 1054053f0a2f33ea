import { NotFoundError, PermissionDeniedError } from "../core/errors.js";
import { type Context, ownerNow, pagesOf } from "./context.js";
import type { RecordId } from "./decide.js";
import type { ListPlan, ParentPlan } from "./plan.js";
import { type Sweeping, type SweepRequest, store, type Tally } from "./reading.js";
import { firstReading, type ListState, writeState } from "./state.js";

const PARENTS = 500;
// So many refusals, and no list before them that could be read: the key lacks the scope.
const MOST_REFUSED = 20;

/** A sweep that has used its time, and goes on later. */
export class Paused extends Error {}

/**
 * Reads the lists below all parents, the newest first, because what is new changes most.
 * @throws Paused at the time that the request names, once it has read at least one list.
 */
export async function readBelow(
  context: Context,
  plan: ListPlan,
  parent: ParentPlan,
  from: Sweeping,
  tally: Tally,
  request: SweepRequest,
): Promise<Sweeping> {
  const { tables, clock } = context;
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
    // Further readings ask only for lists that lack something.
    const lacking =
      sweep.reading > 1
        ? ` AND CAST(${parent.field} AS TEXT) IN (SELECT mirror_parent FROM "${plan.table}" WHERE gone_at IS NULL AND mirror_seen < ?)`
        : "";
    const parents = await tables.read<{ id: RecordId; key: RecordId }>(
      [parent.list, plan],
      `SELECT id, ${parent.field} AS key FROM "${parent.list.table}" WHERE gone_at IS NULL${below}${lacking} ORDER BY id DESC LIMIT ${PARENTS}`,
      [...(sweep.parent === null ? [] : [sweep.parent]), ...(lacking ? [firstReading(state)] : [])],
    );
    for (const { id, key } of parents) {
      // Drivers of Postgres give large integers as text.
      const [own, named] = [asId(parent.list, id), parent.field === "id" ? asId(parent.list, key) : key];
      state = await readChildren(context, plan, state, own, named, tally, request);
      if (clock.now() >= (request.pauseAt ?? Number.POSITIVE_INFINITY)) throw new Paused();
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
    const isRefused = error instanceof PermissionDeniedError;
    if (!(error instanceof NotFoundError || isRefused)) throw error;
    state = await skip(context, plan, state, id, key, isRefused, request);
    if (isRefused && state.sweep.pages === 0 && state.sweep.refused >= MOST_REFUSED) throw error;
  }
  return state;
}

// The parent is gone, lacks the feature, or may not be read with this key: what lay below it waits until the parent's own
// list, or another key, has decided.
async function skip(
  context: Context,
  plan: ListPlan,
  state: Sweeping,
  id: RecordId,
  key: RecordId,
  isRefused: boolean,
  { accepted }: SweepRequest,
): Promise<Sweeping> {
  const { sweep, sweeps, keySince } = state;
  const next: Sweeping = { ...state, sweep: { ...sweep, parent: id, refused: sweep.refused + Number(isRefused) } };
  await context.tables.write([plan], async (sql) => {
    await sql.run(
      `UPDATE "${plan.table}" SET mirror_seen = ? WHERE mirror_parent = ? AND gone_at IS NULL AND mirror_seen >= ?`,
      [sweeps, String(key), accepted ? Number.MIN_SAFE_INTEGER : keySince],
    );
    await writeState(sql, plan, next, ownerNow(context));
  });
  return next;
}
