import type { Operation } from "../core/operation.js";
import { allOperations } from "../operations.js";
import { applyEvent } from "./apply.js";
import type { Context, Counter } from "./context.js";
import type { ListPlan } from "./plan.js";

/** What `repair` did. */
export interface RepairReport {
  /** False where the client has no operation for failed notifications. */
  readonly available: boolean;
  /** Notifications that failed since the last time. */
  readonly failed: number;
  /** Rows that were written or marked as gone because of them. */
  readonly repaired: number;
  /** Notifications that do not name a record; the next sweep finds what they were about. */
  readonly unreadable: number;
  readonly requests: number;
}

interface Notification {
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly created_at: string;
}

interface Remembered {
  readonly ids: readonly string[];
}

// A notification fails for good only after several attempts, and is listed by the time of the first one.
const LOOK_BACK_MS = 3 * 86_400_000;
const MOST_REMEMBERED = 10_000;
const NOTE = "repaired";

/** Applies the events of notifications that the service has given up sending. @throws the client's errors. */
export async function repairFrom(
  context: Context,
  plans: readonly ListPlan[],
  signal: AbortSignal | undefined,
): Promise<RepairReport> {
  const counter: Counter = { requests: 0 };
  const webhooks = operation("webhooks.list");
  const failures = operation("webhooks.listFailedNotifications");
  if (!webhooks || !failures) return { available: false, failed: 0, repaired: 0, unreadable: 0, requests: 0 };
  const { tables, clock } = context;
  const [note] = await tables.read<{ value: string }>(plans, "SELECT value FROM mirror_notes WHERE name = ?", [NOTE]);
  const known = new Set((JSON.parse(note?.value ?? '{"ids":[]}') as Remembered).ids);
  const start = new Date(clock.now() - LOOK_BACK_MS).toISOString();
  const failed: Notification[] = [];
  for (const { id } of await listed<{ id: string }>(context, webhooks, {}, counter, signal)) {
    const input = { params: { webhook_id: id }, query: { start } };
    failed.push(...(await listed<Notification>(context, failures, input, counter, signal)));
  }
  const fresh = failed.filter(({ id }) => !known.has(id));
  let repaired = 0;
  let unreadable = 0;
  const done = new Set<string>();
  for (const { data } of fresh) {
    const { event, event_data } = data;
    if (typeof event !== "string" || typeof event_data !== "object" || event_data === null) {
      unreadable++;
      continue;
    }
    const about = event_data as Readonly<Record<string, unknown>>;
    // What is read now shows every event so far; a deletion is one more reason to believe a 404.
    const key = JSON.stringify([event.split(".")[0], event.endsWith(".deleted"), about.id]);
    if (done.has(key)) continue;
    done.add(key);
    const { outcome } = await applyEvent(context, plans, { event, event_data: about }, null, counter, signal);
    if (outcome === "written" || outcome === "gone") repaired++;
  }
  const ids = [...known, ...fresh.map(({ id }) => id)].slice(-MOST_REMEMBERED);
  await tables.write(plans, (sql) =>
    sql.run("INSERT INTO mirror_notes VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", [
      NOTE,
      JSON.stringify({ ids } satisfies Remembered),
    ]),
  );
  return { available: true, failed: fresh.length, repaired, unreadable, requests: counter.requests };
}

function operation(id: string): Operation | undefined {
  return allOperations.find((row) => row.id === id);
}

async function listed<Listed>(
  { transport, pace }: Context,
  row: Operation,
  input: object,
  counter: Counter,
  signal: AbortSignal | undefined,
): Promise<Listed[]> {
  const options = { prefetch: 0, priority: "batch", ...(signal && { signal }) } as const;
  const all: Listed[] = [];
  const pages = transport.pages(row, input as never, options).byPage();
  for (;;) {
    await pace.turn("events", signal);
    counter.requests++;
    const { value: page, done } = await pages.next();
    if (done || !page) return all;
    all.push(...(page.records as readonly Listed[]));
    if (!page.hasNext) return all;
  }
}
