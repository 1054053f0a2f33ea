import { NotFoundError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import { type Operation, placeholders } from "../core/operation.js";
import { checkIds, otherRecord } from "../core/other-record.js";
import type { Lane } from "../work/pace.js";
import type { Work } from "./context.js";
import type { MirroredRecord, RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";
import type { ReadUpTo } from "./state.js";

export interface ReadPage extends ReadUpTo {
  readonly records: readonly MirroredRecord[];
  /** Number of records in the list, as the service reports it; null if it does not. */
  readonly total: number | null;
  readonly begun: number;
  readonly ended: number;
}

/** Reads the pages of a list; requests each one only after the previous one was stored. */
export async function* pagesOf(
  work: Work,
  plan: ListPlan,
  parent: RecordId | null,
  resume: string | null,
): AsyncGenerator<ReadPage, void, undefined> {
  const params = plan.parent ? { params: { [plan.parent.parameter]: parent } } : {};
  const input = { ...params, query: { ...plan.query } };
  for await (const { page, begun, ended } of pages<MirroredRecord>(work, plan.row, input, "sweep", resume)) {
    const records = checkIds(plan.row.id, page.records, isIdIn(plan));
    const ids = records.map(({ id }) => id);
    const { hasNext, checkpoint, total } = page;
    yield { records, ids, hasNext, total, checkpoint, begun, ended };
  }
}

export async function readList<Listed>(work: Work, row: Operation, input: object): Promise<Listed[]> {
  const all: Listed[] = [];
  for await (const { page } of pages<Listed>(work, row, input, "events", null)) all.push(...page.records);
  return all;
}

async function* pages<Listed>(
  work: Work,
  row: Operation,
  input: object,
  lane: Lane,
  resume: string | null,
): AsyncGenerator<{ readonly page: Page<Listed>; readonly begun: number; readonly ended: number }, void, undefined> {
  const { transport, pace, ticks, signal, onWait } = work;
  const options = { prefetch: 0, priority: "batch", ...(signal && { signal }), ...(resume && { resume }) } as const;
  const iterator = transport.pages(row as Operation & { paged: "cursor" }, input as never, options).byPage();
  let left = 0;
  let read = 0;
  try {
    for (;;) {
      await pace.turn(lane, signal, onWait, left);
      const begun = ticks.next();
      const { value: page, done } = (await countRequests(iterator.next(), work)) as IteratorResult<
        Page<Listed>,
        undefined
      >;
      if (done || !page) return;
      countRetries(page.response.attempts, work);
      read += page.records.length;
      left = Math.ceil(((page.total ?? Number.POSITIVE_INFINITY) - read) / transport.settings.pageSize);
      yield { page, begun, ended: ticks.next() };
      if (!page.hasNext) return;
    }
  } finally {
    await iterator.return();
  }
}

export interface ReadRecord {
  /** Null if the service responded 404. */
  readonly record: MirroredRecord | null;
  readonly begun: number;
  readonly ended: number;
}

export async function readRecord(
  work: Work,
  plan: ListPlan,
  get: Operation,
  params: Readonly<Record<string, RecordId>>,
  lane: Lane,
): Promise<ReadRecord> {
  const { transport, pace, ticks, signal, onWait } = work;
  await pace.turn(lane, signal, onWait);
  const begun = ticks.next();
  try {
    const call = transport.call(get, { params } as never, { priority: "batch", ...(signal && { signal }) });
    const { data, response } = await countRequests(call.withResponse(), work);
    countRetries(response.attempts, work);
    const [record = null] = checkIds(get.id, [data as unknown as MirroredRecord], isIdIn(plan));
    const id = Object.values(params).at(-1) ?? "";
    if (String(record?.id) !== String(id)) throw otherRecord(get.id, id);
    return { record, begun, ended: ticks.next() };
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    return { record: null, begun, ended: ticks.next() };
  }
}

async function countRequests<Value>(call: Promise<Value>, work: Work): Promise<Value> {
  work.tally.requests++;
  try {
    return await call;
  } catch (error) {
    const { attempts } = error as { readonly attempts?: unknown };
    if (typeof attempts === "number") countRetries(attempts, work);
    throw error;
  }
}

function countRetries(attempts: number, { pace, tally }: Work): void {
  pace.countRetries(attempts);
  tally.requests += Math.max(0, attempts - 1);
}

const isTextId = (id: unknown) => typeof id === "string" || typeof id === "number";
const isIdIn = ({ hasTextId }: ListPlan) => (hasTextId ? isTextId : Number.isSafeInteger);

export function paramsOf(
  plan: ListPlan,
  operation: Operation,
  { id, parent }: { readonly id: RecordId; readonly parent: string },
): Record<string, RecordId> {
  const names = placeholders(operation);
  const last = names.at(-1);
  return Object.fromEntries(
    names.map((name) => [
      name,
      name === last ? numeric(plan.hasTextId, id) : numeric(plan.parent?.field !== "id", parent),
    ]),
  );
}

function numeric(isText: boolean, id: RecordId): RecordId {
  return isText ? String(id) : Number(id);
}
