import { type Clock, wait } from "../core/clock.js";
import { InputError } from "../core/errors.js";
import type { ListPlan } from "./plan.js";
import type { MirroredRecord } from "./records.js";
import type { Tables } from "./schema.js";

/** One change of the copy. */
export interface Change {
  /** Its number; later changes have larger ones, and there are no gaps. Keep it as the bookmark of a consumer. */
  readonly seq: number;
  /** The list, `enrollments`. */
  readonly resource: string;
  /** Identifier of the record, as text. */
  readonly id: string;
  /** Of records that are listed below a parent, its identifier or slug; null for others. */
  readonly parent: string | null;
  /** `returned`: it was marked as gone and is there again. */
  readonly kind: "added" | "changed" | "gone" | "returned";
  /** When the mirror noticed. */
  readonly at: Date;
  /** The record before; null for `added` and `returned`. */
  readonly before: MirroredRecord | null;
  /** The record afterwards; null for `gone`. */
  readonly after: MirroredRecord | null;
  /** The fields that differ, sorted; empty for `added` and `gone`. */
  readonly fields: readonly string[];
}

/** Options of `changes`. */
export interface ChangesOptions<List extends string = string> {
  /** Only changes after this number. Default 0: all. */
  readonly after?: number | undefined;
  /** Only changes of these lists. Default: all. */
  readonly resources?: readonly List[] | undefined;
  /** True: waits for further changes instead of ending. Default false. */
  readonly follow?: boolean | undefined;
  /** Ends the wait, with its reason. */
  readonly signal?: AbortSignal | undefined;
}

interface Row {
  readonly seq: number | string;
  readonly list: string;
  readonly id: string;
  readonly parent: string;
  readonly kind: Change["kind"];
  readonly at: string;
  readonly previous: number | string | null;
  readonly fields: string | null;
  readonly after: string | null;
  readonly before: string | null;
}

const BATCH = 200;
const POLL_MS = 1_000;

/** The changes of a copy, in their order. @throws InputError when an option is wrong. */
export async function* changesOf(
  tables: Tables,
  clock: Clock,
  plans: readonly ListPlan[],
  options: ChangesOptions,
): AsyncGenerator<Change, void, undefined> {
  const { resources, follow = false, signal } = options;
  let { after = 0 } = options;
  if (!(Number.isSafeInteger(after) && after >= 0)) throw wrong("after", "must be a whole number from 0");
  const unknown = resources?.find((name) => !plans.some((plan) => plan.name === name));
  if (unknown !== undefined)
    throw wrong("resources", `has ${JSON.stringify(unknown)}, which this mirror does not copy`);
  const wanted = plans.filter(({ name }) => resources === undefined || resources.includes(name));
  for (;;) {
    signal?.throwIfAborted();
    const rows = await read(tables, plans, wanted, after);
    for (const row of rows) {
      const change = await changeOf(tables, plans, row);
      after = change.seq;
      yield change;
    }
    if (rows.length > 0) continue;
    if (!follow) return;
    await wait(clock, POLL_MS, signal);
  }
}

const COLUMNS = "c.seq, c.list, c.id, c.parent, c.kind, c.at, c.previous, c.fields, c.after, p.after AS before";
const FROM = "FROM mirror_changes c LEFT JOIN mirror_changes p ON p.seq = c.previous";

function read(
  tables: Tables,
  plans: readonly ListPlan[],
  wanted: readonly ListPlan[],
  after: number,
): Promise<readonly Row[]> {
  const places = wanted.map(() => "?").join();
  return tables.read<Row>(
    plans,
    `SELECT ${COLUMNS} ${FROM} WHERE c.seq > ? AND c.list IN (${places}) ORDER BY c.seq LIMIT ${BATCH}`,
    [after, ...wanted.map(({ name }) => name)],
  );
}

async function changeOf(tables: Tables, plans: readonly ListPlan[], row: Row): Promise<Change> {
  const { kind } = row;
  return {
    seq: Number(row.seq),
    resource: row.list,
    id: row.id,
    parent: row.parent === "" ? null : row.parent,
    kind,
    at: new Date(row.at),
    before: kind === "added" || kind === "returned" ? null : parsed(row.before),
    after: kind === "gone" ? null : parsed(row.after ?? (await currentOf(tables, plans, row))),
    fields: row.fields === null ? [] : (JSON.parse(row.fields) as string[]),
  };
}

// The newest version of a record is its row; a change that was superseded meanwhile has its version itself by now.
async function currentOf(tables: Tables, plans: readonly ListPlan[], { seq, list, id, parent }: Row): Promise<unknown> {
  const plan = plans.find(({ name }) => name === list);
  if (!plan) return null;
  const key = plan.hasTextId ? id : Number(id);
  const [row] = await tables.read<{ record: unknown; mirror_change: number | string | null }>(
    plans,
    `SELECT record, mirror_change FROM "${plan.table}" WHERE id = ?${plan.parent ? " AND mirror_parent = ?" : ""}`,
    plan.parent ? [key, parent] : [key],
  );
  if (row && Number(row.mirror_change) === Number(seq)) return row.record;
  const [again] = await tables.read<{ after: string | null }>(plans, "SELECT after FROM mirror_changes WHERE seq = ?", [
    Number(seq),
  ]);
  return again?.after ?? null;
}

function parsed(record: unknown): MirroredRecord | null {
  return (typeof record === "string" ? JSON.parse(record) : record) as MirroredRecord | null;
}

function wrong(path: string, message: string): InputError {
  return new InputError(`changes: ${path} ${message}`, [{ path, message }]);
}
