import type { Clock } from "../core/clock.js";
import { NotFoundError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { Transport } from "../core/transport.js";
import type { HoldAbove, RecordId } from "./decide.js";
import type { Lane, Pace } from "./pace.js";
import type { ListPlan } from "./plan.js";
import type { MirroredRecord, Noting } from "./records.js";
import type { Tables } from "./schema.js";
import type { Owner } from "./state.js";
import type { Ticks } from "./ticks.js";

/** What all parts of a mirror share. */
export interface Context {
  readonly transport: Transport;
  readonly tables: Tables;
  readonly clock: Clock;
  readonly ticks: Ticks;
  readonly pace: Pace;
  /** The client's key, as `keyOf` writes it. */
  readonly key: string;
  /** Names what owns a list: one sweep or one reading of a tail. */
  readonly owner: string;
  readonly history: boolean;
  readonly holdAbove: HoldAbove;
}

/** A page as it was asked for and received. */
export interface ReadPage {
  readonly records: readonly MirroredRecord[];
  readonly hasNext: boolean;
  readonly checkpoint: string;
  readonly begun: number;
  readonly ended: number;
}

/** Counts requests. */
export interface Counter {
  requests: number;
}

// Longer than a process waits for its share of the budget between two pages.
const OWNED_MS = 900_000;

/** The same context for work that owns a list. */
export function asOwner(context: Context): Context {
  return { ...context, owner: crypto.randomUUID() };
}

/** Makes this work the owner for a while. */
export function ownerNow({ owner, clock }: Context): Owner {
  return { name: owner, until: clock.now() + OWNED_MS };
}

/** What is written beside records. */
export function notingNow({ history, clock }: Context): Noting {
  return { history, now: clock.now() };
}

/** The pages of a list, each asked for when the one before was stored. */
export async function* pagesOf(
  context: Context,
  plan: ListPlan,
  parent: RecordId | null,
  resume: string | null,
  counter: Counter,
  signal: AbortSignal | undefined,
): AsyncGenerator<ReadPage, void, undefined> {
  const { transport, pace, ticks } = context;
  const { row, query } = plan;
  const params = plan.parent ? { params: { [plan.parent.parameter]: parent } } : {};
  const options = { prefetch: 0, priority: "batch", ...(signal && { signal }), ...(resume && { resume }) } as const;
  const pages = transport
    .pages(row as Operation & { paged: "cursor" }, { ...params, query: { ...query } } as never, options)
    .byPage();
  try {
    for (;;) {
      await pace.turn("sweep", signal);
      const begun = ticks.next();
      counter.requests++;
      const { value: page, done } = (await counted(pages.next(), context, counter)) as IteratorResult<
        Page<MirroredRecord>,
        undefined
      >;
      if (done || !page) return;
      spent(page.response.attempts, context, counter);
      yield {
        records: identified(plan, page.records),
        hasNext: page.hasNext,
        checkpoint: page.checkpoint,
        begun,
        ended: ticks.next(),
      };
      if (!page.hasNext) return;
    }
  } finally {
    await pages.return();
  }
}

/** A record as one request read it; null when the service answered 404. */
export interface ReadRecord {
  readonly record: MirroredRecord | null;
  readonly begun: number;
  readonly ended: number;
}

/** Reads one record. @param params the path parameters. @throws the client's errors, but for a 404. */
export async function readRecord(
  context: Context,
  plan: ListPlan,
  get: Operation,
  params: Readonly<Record<string, RecordId>>,
  lane: Lane,
  counter: Counter,
  signal: AbortSignal | undefined,
): Promise<ReadRecord> {
  const { transport, pace, ticks } = context;
  await pace.turn(lane, signal);
  const begun = ticks.next();
  counter.requests++;
  try {
    const call = transport.call(get, { params } as never, { priority: "batch", ...(signal && { signal }) });
    const { data, response } = await counted(call.withResponse(), context, counter);
    spent(response.attempts, context, counter);
    const [record = null] = identified(plan, [data as unknown as MirroredRecord]);
    if (String(record?.id) !== String(Object.values(params).at(-1))) {
      throw new Error(`Mirror: ${get.id} answered with another record than it was asked for`);
    }
    return { record, begun, ended: ticks.next() };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { record: null, begun, ended: ticks.next() };
  }
}

// A call that fails may have taken several requests as well.
async function counted<Value>(call: Promise<Value>, context: Context, counter: Counter): Promise<Value> {
  try {
    return await call;
  } catch (error) {
    const { attempts } = error as { readonly attempts?: unknown };
    if (typeof attempts === "number") spent(attempts, context, counter);
    throw error;
  }
}

function spent(attempts: number, { pace }: Context, counter: Counter): void {
  pace.retried(attempts);
  counter.requests += Math.max(0, attempts - 1);
}

// A record that cannot be told from others would leave a hole in the copy that looks like a deletion.
function identified({ name, hasTextId }: ListPlan, records: readonly MirroredRecord[]): readonly MirroredRecord[] {
  for (const record of records) {
    const id = record?.id as unknown;
    const valid = hasTextId ? typeof id === "string" || typeof id === "number" : Number.isSafeInteger(id);
    if (!valid) throw new Error(`Mirror: ${name} has a record without an identifier`);
  }
  return records;
}
