import type { ApiError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import { fieldsOf } from "../core/schema/traits.js";
import { listProgress } from "../work/list-progress.js";
import { fieldAt, namesOf, type Values } from "./fields.js";
import { alikeForm, spellKey, whyNoNewKey } from "./keys.js";
import { askFor, type Known, type Reading as ListReading, parentOf, readKnown, recordsIn } from "./known.js";
import type { Header } from "./lines.js";
import type { Memory } from "./node-memory.js";
import type { UnsettledRow } from "./node-memory-lines.js";
import type { PlanSettings } from "./node-plan-settings.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import type { Reading, ReadRow } from "./row.js";
import { newest } from "./same-school.js";
import type { BulkRecord, Service } from "./service.js";
import { madeAs, recordSchema, stateOf } from "./target.js";

const MOST_UNREAD = 10;

type ListRead = ListReading & {
  /** The day on which an earlier run created records in the list, if the list is empty now. */
  readonly createdOn: string | null;
};

/** Called with the records of a page, the percentage of the list read so far, and the expected end of the reading. */
type OnPage = (records: readonly BulkRecord[], percent: number | null, endsAt: Date | null) => void;

function unsettledText({ row, plan, id }: UnsettledRow): ProblemText {
  const settle = "Call settle (or run bulk settle), then run again";
  return id === undefined
    ? problemText`the record may have been created by row ${rowValue(row)} of ${plan}, under another key or where the list does not show it. ${settle}`
    : problemText`record ${rowValue(id)} was created by row ${rowValue(row)} of ${plan}, and the service may store its key in another form: write the key as the service stores it`;
}

/** The service's records that rows may name, read list by list. */
export class PlannedLists {
  readonly lists = new Map<string, ListRead>();
  /** A record that the lists showed, by which the school is recognized later. */
  shown: Header["shown"];
  readonly #settings: PlanSettings;
  readonly #service: Service;
  readonly #memory: Memory;
  readonly #onPage: OnPage;
  /** Number of consecutive records that could not be read. */
  #unread = 0;

  constructor(settings: PlanSettings, service: Service, memory: Memory, onPage: OnPage) {
    this.#settings = settings;
    this.#service = service;
    this.#memory = memory;
    this.#onPage = onPage;
  }

  /** Reads a list on first use. @param count number of rows; null until it is known. */
  async read(parent: Values, count: number | null): Promise<ListRead> {
    const name = JSON.stringify(parent);
    const known = this.lists.get(name);
    if (known) return known;
    const { clock, rateLimit: limit } = this.#settings.target.transport.settings;
    const [began, sent] = [clock.now(), this.#service.requests];
    const onPage = ({ records, total, hasNext }: Page<BulkRecord>, done: number) => {
      this.shown = newest(this.shown, records);
      const now = clock.now();
      const requests = this.#service.requests - sent;
      const { percent, leftMs } = listProgress({ done, total, hasNext, elapsedMs: now - began, requests, limit });
      this.#onPage(records, percent, leftMs === null ? null : new Date(now + leftMs));
    };
    const read = await readKnown(this.#keyed(parent), {
      kept: keptFields(this.#settings),
      // Records that no row names may be on any page, so the whole list is read.
      rows: this.#settings.missing ? null : count,
      onPage,
    });
    const isEmpty = read.filter === null && read.records.ids.size === 0;
    const list = { ...read, createdOn: isEmpty ? this.#memory.createdIn(parent) : null };
    this.lists.set(name, list);
    return list;
  }

  #keyed(params: Values) {
    return { service: this.#service, params, paths: this.#settings.keys };
  }

  /** The record with the key of a row; the error if it could not be read. */
  async find(row: ReadRow, count: number | null): Promise<Known | ApiError | undefined> {
    const parent = parentOf(this.#settings.target, row.values);
    const { records, filter } = await this.read(parent, count);
    if (filter === null) return records.get(row.key ?? "");
    if (filter !== "id") {
      const keyed = this.#keyed(parent);
      return recordsIn(keyed, await askFor(keyed, row.values[filter])).get(row.key ?? "");
    }
    const id = Number(row.values.id);
    const record = await this.#service.oneOr(id);
    this.#unread = record instanceof Error ? this.#unread + 1 : 0;
    // Planning ends after this many consecutive failures: the API key probably has no access to any record.
    if (record instanceof Error) return this.#unread < MOST_UNREAD ? record : Promise.reject(record);
    return record ? { ids: [id], record } : undefined;
  }

  /** Explains why a row must not create a record: its record may be hidden, or have another spelling of the key. */
  async whyNoCreate({ key, values }: ReadRow, count: number | null): Promise<ProblemText | null> {
    const { target, allowAlike, keys, words } = this.#settings;
    const parent = parentOf(target, values);
    const list = await this.read(parent, count);
    if (list.short) {
      const { total, read } = list.short;
      return problemText`the service counts ${rowValue(total)} records, but its list shows ${rowValue(read)}: the record may be among those not shown. Use an API key that can read all of them`;
    }
    if (list.createdOn !== null && !this.#settings.allowed.has("empty_list")) {
      return problemText`the list of ${target.name} is empty, although a run of ${list.createdOn} created records in it. Use an API key that can read these records; if they have all been deleted, pass ${words.option("allow")} empty_list`;
    }
    if (key === null) return null;
    const unsettled = this.#memory.unsettledOf(this.#memory.keyIn(keys, parent, key));
    if (unsettled) return unsettledText(unsettled);
    return allowAlike ? null : this.#whyAlike(key, parent, list);
  }

  async #whyAlike(key: string, params: Values, { records, filter }: ListRead): Promise<ProblemText | null> {
    const option = this.#settings.words.option("allowAlike");
    const unless = `Correct the row; if both are right, pass ${option}`;
    const why = whyNoNewKey(key);
    if (why !== null) return problemText`the key ${why}. ${unless}`;
    const { keys, target } = this.#settings;
    const form = alikeForm(key);
    const keyed = this.#keyed(params);
    const asked = filter !== null && form !== key ? recordsIn(keyed, await askFor(keyed, form)) : records;
    const [alike] = asked.alikeTo(key);
    if (alike)
      return problemText`record ${rowValue(alike.ids.join(", "))} has the key ${rowValue(spellKey(alike.key))}, the row ${rowValue(spellKey(key))}. ${unless}`;
    const id = this.#memory.idOf(this.#memory.keyIn(keys, params, key));
    if (id === undefined) return null;
    if (!records.ids.has(id) && (!target.rows.get || !(await this.#service.one(id)))) return null;
    return problemText`record ${rowValue(id)} had the key ${rowValue(spellKey(key))} or nearly the same in an earlier run, but has another key now. ${unless}`;
  }
}

/** The fields of the records that are kept in memory while the rows are compared. */
export function keptFields({ target, keys }: Pick<Reading, "target" | "keys">): string[] {
  const { create, update } = target.rows;
  const schema = recordSchema(target.rows);
  const written = [create?.body, update?.body].flatMap((body) =>
    Object.keys(fieldsOf(body)).map((name) => fieldAt(body, schema, name)?.read?.[0]),
  );
  const told = [...keys.map((path) => namesOf(path)[0]), ...Object.keys(madeAs(target))];
  const all = [...written, ...told, stateOf((target.missing ?? target).rows)?.field, "created_at"];
  return [...new Set(all.filter((name) => name !== undefined))];
}
