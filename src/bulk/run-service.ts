import * as z from "zod/mini";
import { sensitiveValues } from "../core/call/sensitive-values.js";
import { type ApiError, type EducationAdminError, isEducationAdminError } from "../core/errors.js";
import { fieldsOf } from "../core/schema/traits.js";
import { valueAt } from "../work/fields/path.js";
import { differences, movedIn } from "./compare.js";
import { BulkError } from "./errors.js";
import { bodyOf, flatten, timeOf, type Values } from "./fields.js";
import { keyKinship } from "./kin.js";
import { askFor, keysOf, parentOf, Records } from "./known.js";
import { type Header, isSeen, type ListLine, type PlannedRow } from "./lines.js";
import { problemsOf } from "./problems.js";
import {
  type BulkRecord,
  type Exchanged,
  type Failure,
  glancesFrom,
  type Manners,
  PAGE,
  readingOf,
  readsFor,
  Service,
  type WayToRead,
  type Written,
} from "./service.js";
import type { Look, Shown } from "./sight.js";
import type { Read } from "./step.js";
import { paramsOf, recordSchema, type Target, targetOfRow } from "./target.js";
import { SKEW_MS } from "./whose.js";

type List = Omit<Partial<ListLine>, "list"> & Pick<ListLine, "list" | "seen">;

export interface RunOf extends Pick<Header, "key"> {
  readonly lists: readonly ListLine[];
  /** `created_at` of the newest record that the plan saw. */
  readonly since?: number | undefined;
  readonly name: string;
  readonly budget: number;
  /** Maximum milliseconds for a write, including its wait for the rate limiter. */
  readonly timeoutMs: number;
}

export class RunService extends Service {
  /** Number of records read and then changed at a time. */
  readonly atOnce: number;
  readonly gets: boolean;
  readonly #run: RunOf;
  readonly #lists: Map<string, List>;
  readonly #way: WayToRead;
  readonly #kept: readonly string[];
  /** A record's key, in the form that is compared with the keys of rows. */
  readonly keyOf: (record: Values) => string | null;

  constructor(target: Target, manners: Manners, run: RunOf) {
    super(target, manners);
    const { key, lists, budget } = run;
    this.#run = run;
    this.keyOf = keysOf(target, key);
    this.#lists = new Map(lists.map((line) => [JSON.stringify(line.list), line]));
    this.#way = readingOf(target, lists[0]?.pages);
    const { changes, requests } = this.#way;
    this.atOnce = Math.max(1, Math.min(changes, changes === requests ? Math.floor(budget / 2) : budget - requests));
    this.gets = target.rows.get !== null;
    const written = Object.keys(fieldsOf(target.rows.create?.body)).map((name) => name.replace(/_attributes$/, ""));
    this.#kept = ["id", "created_at", "updated_at", "creation_method", "creator_id", ...written];
  }

  get #now(): number {
    return this.clock.now();
  }

  /** Identifies the list in which to look for the record of a create. */
  listOf(row: PlannedRow): string {
    return JSON.stringify(parentOf(this.target, row.send ?? {}));
  }

  async look(rows: readonly PlannedRow[], whole: boolean): Promise<Look> {
    const name = rows[0] ? this.listOf(rows[0]) : "{}";
    const list: List = this.#lists.get(name) ?? { list: JSON.parse(name) as Values, seen: [] };
    const { since } = this.#run;
    const look = { began: this.#now, seen: list.seen, ...(since !== undefined && { since }) };
    const records = new Records(this.target, this.#run.key);
    // By identifier: a record appears twice if records created or deleted during the reading shift the pages.
    const shown = new Map<number, Shown>();
    const older: Values[] = [];
    let known = 0;
    const add = (record: BulkRecord) => {
      records.note(record);
      const names = this.#kept.filter((field) => Object.hasOwn(record, field));
      const kept: Values = Object.fromEntries(names.map((field) => [field, record[field]]));
      if (!isSeen(list.seen, record.id)) {
        shown.set(record.id, { ...this.#summaryOf(record), id: record.id, record: kept });
      } else if (++known <= PAGE) older.push(kept);
    };
    if (list.filter !== undefined && !whole) {
      const keyed = { service: this, params: list.list, paths: this.#run.key };
      for (const row of rows) {
        const value = valueAt(row.send, list.filter.split("."));
        for (const record of await askFor(keyed, value)) add(record);
      }
      const asked = new Set(rows.map(({ row }) => row));
      return { ...look, whole: false, ascending: true, shown: [...shown.values()], older, asked };
    }
    const isTail = !whole && list.tail !== undefined;
    try {
      const pages = this.listed({}, list.list, isTail ? list.tail : undefined);
      for await (const page of pages) page.records.forEach(add);
    } catch (error) {
      if (!isTail || !isEducationAdminError(error, "checkpoint")) throw error;
      // The service no longer accepts the cursor, so the whole list is read.
      const { tail, ...rest } = list;
      this.#lists.set(name, rest);
      return this.look(rows, true);
    }
    const isBlind = known === 0 && list.seen.length > 0;
    if (isBlind && isTail) return this.look(rows, true);
    if (isBlind) throw new BulkError("blind", `${this.#run.name}: ${BLIND}`);
    return { ...look, whole: !isTail, ascending: records.ascending, shown: [...shown.values()], older };
  }

  /** Waits until all requests for the rows, including the reads before changes, can be sent without another wait. */
  room(rows: readonly PlannedRow[]): Promise<void> {
    const changes = rows.filter((row) => row.do !== "create").length;
    return this.reserve(Math.min(this.#run.budget, rows.length + readsFor(this.#way, changes)));
  }

  async read(rows: readonly PlannedRow[]): Promise<ReadonlyMap<number, Read>> {
    const began = this.#now;
    const many = await this.several(rows.map(({ id }) => id ?? 0));
    const reads = new Map<number, Read>();
    const failed: { readonly planned: PlannedRow; readonly error: ApiError }[] = [];
    const read = async (planned: PlannedRow) => {
      const { row, do: what, id = 0 } = planned;
      const found = many?.get(id);
      const from = found || !this.gets ? began : this.#now;
      const record = found ?? (await this.oneOr(id));
      if (record instanceof Error) return void failed.push({ planned, error: record });
      // If the list shows any of the other records, the absence of this one proves that it is deleted.
      const unproven = record === null && what === "delete" && !many?.size && !(await this.#isGone(id));
      reads.set(row, this.#readOf(from, record, { unproven }));
    };
    await Promise.all(rows.map(read));
    for (const { planned, error } of failed) {
      const isProven = [...reads.values()].some(({ record }) => record) || (await this.#readsOther(planned.id));
      reads.set(planned.row, this.#unreadOf(planned, error, isProven));
    }
    return reads;
  }

  #readOf(began: number, record: BulkRecord | null, { unproven, unread }: Pick<Read, "unproven" | "unread">): Read {
    const absent = { record: null, key: null, ...(unproven && { unproven }), ...(unread !== undefined && { unread }) };
    return { began, ended: this.#now, ...(record ? this.#summaryOf(record) : absent) };
  }

  // If another record can be read, only this row fails; otherwise the run stops.
  #unreadOf({ row, id }: PlannedRow, error: ApiError, isProven: boolean): Read {
    if (isProven) return this.#readOf(this.#now, null, { unread: error.status });
    const message = `${this.#run.name}: stopped, because neither record ${id} of row ${row} nor any other can be read; unfinished rows stay planned. ${error.message}`;
    throw new BulkError("stopped", message, error);
  }

  async #readsOther(id: number | undefined): Promise<boolean> {
    try {
      for await (const { records } of this.listed()) return await this.#readsAny(records, id);
    } catch (error) {
      if (!isEducationAdminError(error, "api")) throw error;
    }
    return false;
  }

  async #readsAny(records: readonly BulkRecord[], id: number | undefined): Promise<boolean> {
    for (const other of records.filter((one) => one.id !== id).slice(0, 3)) {
      const record = await this.oneOr(other.id);
      if (record && !(record instanceof Error)) return true;
    }
    return false;
  }

  /** Number of updated records to read again, in a few requests, to detect an automation that changes them. */
  glances(updates: number): number {
    return updates < glancesFrom(this.#way) ? 0 : this.by === "one" ? 3 : PAGE;
  }

  // A 404 or an empty list may be due to the key's permissions, so another record of the list must be read successfully
  // before this record is read again. If the service confirmed the deletion, a whole list without the record suffices.
  async #isGone(id: number, isSaid = false): Promise<boolean> {
    for await (const { records, total, hasNext } of this.listed(isSaid ? this.queryFor([id]) : {})) {
      if (records.some((one) => one.id === id)) return false;
      if (isSaid && !hasNext && (total ?? 0) <= records.length) return true;
      return (await this.#readsAny(records, id)) && !(await this.one(id));
    }
    return false;
  }

  #summaryOf(record: BulkRecord) {
    const [created, version] = [timeOf(record.created_at), timeOf(record.updated_at)];
    return { record, key: this.keyOf(record), created, version };
  }

  /** Reads changed records again after their writes, and passes each to `on`. */
  // Reads 100 records at a time with the list's filter, or the whole list if it has no more pages than there are rows,
  // else one by one.
  async check(rows: readonly PlannedRow[], on: (row: number, read: Read) => void): Promise<void> {
    const { list, get } = this.target.rows;
    const left = new Map(rows.map((row) => [row.id ?? 0, row]));
    let isReading = false;
    const hand = (began: number, id: number, record: BulkRecord | null, unproven = false) => {
      const row = left.get(id);
      left.delete(id);
      isReading ||= record !== null;
      if (row) on(row.row, this.#readOf(began, record, { unproven }));
    };
    const isFilter = this.by === "filter";
    let isOneByOne = get !== null && rows.length === 1;
    const ids = rows.map(({ id }) => id ?? 0);
    for (let from = 0; list && !isOneByOne && from < ids.length; from += isFilter ? PAGE : ids.length) {
      const query = this.queryFor(ids.slice(from, from + PAGE));
      const began = this.#now;
      for await (const { records, total } of this.listed(query)) {
        for (const record of records) hand(began, record.id, record);
        isOneByOne = !isFilter && get !== null && total !== null && total > PAGE * (left.size + 1);
        if (isOneByOne) break;
      }
    }
    // A list may also hide a record that exists, so updated records that it omits are read one by one.
    const isRead = ({ do: what }: PlannedRow) => get !== null && (what !== "delete" || isOneByOne);
    let isProven = !isOneByOne;
    for (const [id, row] of [...left]) {
      const began = this.#now;
      const isGone = row.do === "delete" && !isProven && (await this.#isGone(id, true));
      isProven ||= isGone;
      const record = isRead(row) && !isGone ? await this.oneOr(id) : null;
      if (record instanceof Error) on(row.row, this.#unreadOf(row, record, isReading || (await this.#readsOther(id))));
      else hand(began, id, record, !isProven && row.do === "delete");
    }
  }

  async write(planned: PlannedRow, read: Read | null): Promise<Written> {
    const { do: what, send = {} } = planned;
    const { rows, params } = targetOfRow(this.target, planned);
    const operation = { create: rows.create, delete: rows.delete, update: rows.action ?? rows.update }[
      what as "create"
    ];
    if (!operation) throw new Error(`bulk: no operation for ${what}`);
    const record = (read?.record ?? {}) as BulkRecord;
    const isUpdate = operation === rows.update;
    const isDelete = what === "delete";
    const body =
      what === "create" ? send : isUpdate ? bodyOf(operation.body, send, record, recordSchema(rows)) : undefined;
    const path = what === "create" ? params : paramsOf(this.target, operation, record.id);
    try {
      await this.turn();
      // Reads a body even if none is expected, because it may report that nothing was done.
      const asked = isDelete || operation.response ? operation : { ...operation, response: ANY_RECORD };
      const began = this.#now;
      const { data, response } = await this.exchange(asked, path, body, this.#run.timeoutMs);
      const answer = what === "create" && this.#answerOf(began + response.waitedMs, response);
      const written = this.#successOf(planned, data, record);
      return written.kind === "done" ? { ...written, ...answer } : written;
    } catch (error) {
      if (!isEducationAdminError(error)) throw error;
      if (error.outcome === "done" && "id" in error) return this.#successOf(planned, { id: error.id }, record);
      const failed = this.#failureOf(planned, error);
      if (!isDelete || failed.kind !== "gone" || (await this.#isGone(record.id))) return failed;
      return { kind: "refused", error: failed.error, status: 404, why: [{ message: NOT_GONE }] };
    }
  }

  #answerOf(sent: number, { status, headers }: Exchanged["response"]) {
    const ended = this.#now;
    const date = Date.parse(headers.get("date") ?? "");
    // The `Date` header is rounded down to whole seconds, so the last possible time is a second later.
    const dates = Number.isNaN(date) ? ([sent, ended] as const) : ([date - (ended - sent), date + 1_000] as const);
    return { status, sent, dates };
  }

  // If the response to a create does not name the record, the outcome stays unknown.
  #successOf(planned: PlannedRow, data: Values | undefined, before: Values): Written {
    const { do: what, send = {}, id } = planned;
    const version = timeOf(data?.updated_at);
    if (what === "delete") return { kind: "done", id };
    if (what === "update") {
      // A success without a body is accepted: like every success, it is checked by a later reading.
      if (data && data.id !== id) return { kind: "lost", error: NO_RECORD };
      const side = movedIn(this.target, planned, before, data ?? {});
      const moved = Object.keys(side).length > 0 && { side };
      return {
        kind: "done",
        id,
        version,
        ...differences(targetOfRow(this.target, planned), send, data ?? {}, what),
        ...moved,
      };
    }
    if (!data || !Number.isSafeInteger(data.id)) return { kind: "lost", error: NO_RECORD, answered: true };
    const flat = flatten(send);
    const differs = differences(this.target, flat, data, "create");
    const key = this.keyOf(data);
    const others = Object.keys(differs.differs ?? {}).filter((path) => !this.#run.key.includes(path));
    // If only the key was sent, a different key is enough to show that this is another record.
    const isBare = Object.entries(flat).every(([path, value]) => value === null || this.#run.key.includes(path));
    const isOlder = Number(timeOf(data.created_at)) < (this.#run.since ?? Number.NaN) - SKEW_MS;
    if (isOlder || (keyKinship(key, planned.key) === "other" && (others.length > 0 || isBare))) {
      return { kind: "lost", error: OTHER_RECORD, answered: true };
    }
    const made = data.id as number;
    const wasThere = isSeen(this.#lists.get(this.listOf(planned))?.seen ?? [], made) && { wasThere: true as const };
    return { kind: "done", id: made, version, born: timeOf(data.created_at), ...differs, ...wasThere };
  }

  #failureOf(planned: PlannedRow, error: EducationAdminError): Written {
    const { status } = error as Partial<ApiError>;
    const why = this.#problems(planned, error);
    const failure: Failure = { like: JSON.stringify([error.code, status, why]), cause: error };
    if (isEducationAdminError(error, "rate_limited")) {
      return {
        kind: "none",
        error: { like: error.code, cause: error },
        retryAfterMs: error.retryAfterMs,
        isLimited: true,
      };
    }
    const isAnswered =
      error.outcome === "done" || (isEducationAdminError(error, "response_format") && error.status < 300);
    if (isAnswered) return { kind: "lost", error: failure, answered: true };
    if (error.outcome === "unknown") return { kind: "lost", error: failure };
    if (error.code === "api" || error.code === "input") {
      if (status === 404 && planned.do !== "create") return { kind: "gone", error: failure };
      return { kind: "refused", error: failure, status: status ?? 422, why };
    }
    return { kind: "none", error: failure, retryAfterMs: null, isLimited: false };
  }

  #problems({ do: what, send = {} }: PlannedRow, error: Error) {
    const { rows, params } = this.target;
    const operation = what === "create" ? rows.create : rows.update;
    if (!operation) return problemsOf(error, []);
    const request = { operation, body: send, query: [], params, settings: { headers: {} } };
    return problemsOf(error, sensitiveValues(request, null));
  }
}

const BLIND =
  "the list shows none of the records that it showed when the plan was made, so it cannot show what was created. Nothing more was sent; plan the rows again if those records are gone.";

/** The failure of a create whose success response lacks the record. */
export const NO_RECORD: Failure = { like: "no record", cause: new Error("the response does not contain the record") };
const OTHER_RECORD: Failure = {
  like: "other record",
  cause: new Error("the response contains a different record from the one sent"),
};
const NOT_GONE =
  "the service answered 404, but the record still exists, or may exist: the API key may not be allowed to delete it";
const ANY_RECORD = z.looseObject({});
