import type { Operation } from "../core/operation.js";
import { allOperations } from "../operations.js";
import { applyEvent } from "./apply.js";
import { type Context, type Work, workOf } from "./context.js";
import { readList } from "./http.js";
import type { ListPlan } from "./plan.js";
import { writeNote } from "./position.js";
import { errorOf } from "./report.js";

/** The report of `repair`. */
export interface RepairReport {
  /** False if the client has no operation for failed notifications. */
  readonly available: boolean;
  /** Notifications that failed since the last repair or were still pending. */
  readonly failed: number;
  /** Rows written or marked as gone by this repair. */
  readonly repaired: number;
  /** Notifications that do not name a record; the next sweep finds their changes. */
  readonly unreadable: number;
  /** Notifications whose record could not be read; later repairs try again for three days. */
  readonly pending: number;
  readonly requests: number;
  /** Why the first pending record could not be read or, in `run`, why notifications could not be listed; else null. */
  readonly error: Error | null;
}

export const NO_REPAIR: RepairReport = {
  available: false,
  failed: 0,
  repaired: 0,
  unreadable: 0,
  pending: 0,
  requests: 0,
  error: null,
};

interface Notification {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

interface Remembered {
  readonly ids: readonly string[];
  /** Where the next repair begins, in milliseconds since the epoch. */
  readonly since?: number;
}

const DAY_MS = 86_400_000;
// A notification fails only after several attempts but is listed under the time of the first, so each repair also
// covers the day before the previous repair.
const OVERLAP_MS = DAY_MS;
const LOOK_BACK_MS = 3 * DAY_MS;
const MOST_REMEMBERED = 10_000;
const NOTE = "repaired";

export async function repairFrom(
  context: Context,
  plans: readonly ListPlan[],
  signal: AbortSignal | undefined,
): Promise<RepairReport> {
  const webhooks = operation("webhooks.list");
  const failures = operation("webhooks.listFailedNotifications");
  if (!webhooks || !failures) return NO_REPAIR;
  const work = workOf(context, signal);
  const { tables, clock } = work;
  const now = clock.now();
  const [note] = await tables.read<{ value: string }>(plans, "SELECT value FROM {mirror_notes} WHERE name = ?", [NOTE]);
  const { ids, since = 0 } = JSON.parse(note?.value ?? '{"ids":[]}') as Remembered;
  const known = new Set(ids);
  // A time in the future was stored while the clock was wrong; ignore it.
  const start = new Date(Math.max(since > now ? 0 : since, now - LOOK_BACK_MS)).toISOString();
  const fresh: Notification[] = [];
  for (const { id } of await readList<{ id: string }>(work, webhooks, {})) {
    const found = await readList<Notification>(work, failures, { params: { webhook_id: id }, query: { start } });
    fresh.push(...found.filter((notification) => !known.has(notification.id)));
  }
  const done = await applyAll(work, plans, fresh);
  const pending = fresh.filter(({ id }) => !done.ids.has(id));
  const oldest = pending.map(({ created_at }) => Date.parse(created_at)).filter((time) => !Number.isNaN(time));
  const remembered: Remembered = {
    ids: [...known, ...done.ids].slice(-MOST_REMEMBERED),
    since: Math.min(now - OVERLAP_MS, ...oldest),
  };
  await tables.write(plans, (sql) => writeNote(sql, NOTE, JSON.stringify(remembered)));
  const { repaired, unreadable, error } = done;
  const { requests } = work.tally;
  return { available: true, failed: fresh.length, repaired, unreadable, pending: pending.length, requests, error };
}

interface Applied {
  /** The notifications that need no further attempt. */
  readonly ids: ReadonlySet<string>;
  readonly repaired: number;
  readonly unreadable: number;
  readonly error: Error | null;
}

async function applyAll(work: Work, plans: readonly ListPlan[], fresh: readonly Notification[]): Promise<Applied> {
  const ids = new Set<string>();
  let repaired = 0;
  let unreadable = 0;
  let error: Error | null = null;
  // One read covers all events of a record received so far. Reported deletions are handled separately, because they
  // make a 404 more credible.
  const read = new Map<string, boolean>();
  for (const { id, data } of fresh) {
    const { event, event_data } = data;
    if (typeof event !== "string" || typeof event_data !== "object" || event_data === null) {
      unreadable++;
      ids.add(id);
      continue;
    }
    const about = event_data as Readonly<Record<string, unknown>>;
    const key = JSON.stringify([event.split(".")[0], event.endsWith(".deleted"), about.id]);
    if (!read.has(key)) {
      try {
        const { outcome } = await applyEvent(work, plans, { event, event_data: about });
        read.set(key, true);
        if (outcome === "written" || outcome === "gone") repaired++;
      } catch (problem) {
        work.signal?.throwIfAborted();
        read.set(key, false);
        error ??= errorOf(problem);
      }
    }
    if (read.get(key)) ids.add(id);
  }
  return { ids, repaired, unreadable, error };
}

function operation(id: string): Operation | undefined {
  return allOperations.find((row) => row.id === id);
}
