import type { Operation } from "../core/operation.js";
import type { WebhookEvent } from "../webhooks/events.js";
import { RESOURCES } from "../webhooks/service/refetch.js";
import { argumentError } from "./changes.js";
import type { Work } from "./context.js";
import type { RecordId } from "./decide.js";
import { paramsOf, readRecord } from "./http.js";
import { readOrClaimState } from "./owner.js";
import type { ListPlan } from "./plan.js";
import { isGone, isReadable } from "./prove.js";
import { type Missing, markGone, writeRecords } from "./records.js";

/**
 * The effect of an event on the copy. `written`: the copy got a new or changed record. `unchanged`: the copy already
 * has this version or a newer one. `gone`: the event reports a deletion, and two requests for the record got 404, with
 * a successful request for another record in between. `missing`: the service responded 404, which proves nothing by
 * itself; the next sweep decides whether the record is gone. `ignored`: the copy has no such list, or its records
 * cannot be read one by one.
 */
export interface Applied {
  readonly outcome: "written" | "unchanged" | "gone" | "missing" | "ignored";
  /** Null for `ignored`. */
  readonly list: string | null;
}

const IGNORED: Applied = { outcome: "ignored", list: null };

export async function applyEvent(
  work: Work,
  plans: readonly ListPlan[],
  event: Pick<WebhookEvent<string>, "event" | "event_data">,
): Promise<Applied> {
  if (typeof event?.event !== "string" || typeof event.event_data !== "object" || event.event_data === null) {
    throw argumentError("apply", "event", "must be a webhook event with the fields `event` and `event_data`");
  }
  const [kind = ""] = event.event.split(".");
  const list = Object.hasOwn(RESOURCES, kind) ? RESOURCES[kind as keyof typeof RESOURCES] : null;
  const plan = plans.find(({ name }) => name === list);
  const id = plan && idOf(plan, event.event_data.id);
  if (!plan || id === undefined) return IGNORED;
  const isDeletion = event.event.split(".").at(-1) === "deleted";
  const row = await rowOf(work, plan, id, event.event_data);
  if (!row) return IGNORED;
  if (!plan.get || !isReadable(plan, id)) return IGNORED;
  for (;;) {
    const outcome = await refresh(work, plan, plan.get, row, isDeletion);
    if (outcome) return { outcome, list: plan.name };
  }
}

// Returns null if another process wrote the record at the same time; the caller then tries again.
async function refresh(
  work: Work,
  plan: ListPlan,
  get: Operation,
  row: Missing,
  isDeletion: boolean,
): Promise<Applied["outcome"] | null> {
  const { tables, ticks, key } = work;
  const { record, ...times } = await readRecord(work, plan, get, paramsOf(plan, get, row), "events");
  const written = await tables.write([plan], async (sql) => {
    if (!record) return null;
    const { sweeps, sweep, ...state } = await readOrClaimState(sql, plan, key);
    // A record read before the current sweep began may have been deleted since, so it counts as seen by the previous
    // sweep.
    const lastSweep = sweep && times.begun <= sweep.begun ? sweeps - 1 : sweeps;
    const seen = state.key === key ? lastSweep : state.keySince - 1;
    const received = { records: [record], parent: row.parent, ...times, seen, listed: null };
    return writeRecords(sql, work, plan, received);
  });
  if (written === null) {
    if (!isDeletion || !(await isGone(work, plan, get, row))) return "missing";
    const evidence = { begun: times.begun, ended: ticks.next() };
    const marked = await tables.write([plan], (sql) => markGone(sql, work, plan, [row], evidence));
    return marked > 0 ? "gone" : "unchanged";
  }
  ticks.pass(written.unsureUntil);
  if (written.unsure.length > 0) return null;
  return written.added + written.changed > 0 ? "written" : "unchanged";
}

function idOf({ hasTextId }: ListPlan, id: unknown): RecordId | undefined {
  if (hasTextId) return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
  const number = typeof id === "number" || typeof id === "string" ? Number(id) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

async function rowOf(
  { tables }: Work,
  plan: ListPlan,
  id: RecordId,
  data: Readonly<Record<string, unknown>>,
): Promise<Missing | null> {
  if (!plan.parent) return { id, parent: "" };
  const named = data[plan.parent.parameter];
  if (typeof named === "string" || typeof named === "number") return { id, parent: String(named) };
  const rows = await tables.read<{ mirror_parent: string }>(
    [plan],
    `SELECT mirror_parent FROM {${plan.table}} WHERE id = ?`,
    [id],
  );
  return rows.length === 1 && rows[0] ? { id, parent: rows[0].mirror_parent } : null;
}
