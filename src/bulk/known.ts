import * as z from "zod/mini";
import { isEducationAdminError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import { placeholders } from "../core/operation.js";
import { fieldsOf, type Schema } from "../core/schema/traits.js";
import { valueAt } from "../work/fields/path.js";
import { namesOf, type Values } from "./fields.js";
import { alikeForm, keyOf } from "./keys.js";
import type { BulkRecord, Service } from "./service.js";
import { anyField, type Target } from "./target.js";

export interface Known {
  readonly ids: readonly number[];
  readonly record: BulkRecord;
}

interface Alike {
  readonly key: string;
  readonly ids: readonly number[];
}

/** Returns a function that reads a record's key, in the form in which rows are matched; null without a key. */
export function keysOf(target: Target, paths: readonly string[]): (record: Values) => string | null {
  const reads = paths.map((path) => anyField(target, path)?.read ?? namesOf(path));
  return (record) =>
    keyOf(
      paths,
      reads.map((path) => valueAt(record, path)),
    );
}

export class Records {
  readonly keyOf: (record: Values) => string | null;
  readonly #byKey = new Map<string, Known>();
  #alike: Map<string, readonly Alike[]> | null = null;
  readonly ids = new Set<number>();
  #highest = 0;
  ascending = true;

  constructor(target: Target, paths: readonly string[]) {
    this.keyOf = keysOf(target, paths);
  }

  note(record: BulkRecord): void {
    if (record.id <= this.#highest) this.ascending = false;
    this.#highest = Math.max(this.#highest, record.id);
    this.ids.add(record.id);
  }

  add(record: BulkRecord, kept: readonly string[] | null): void {
    this.note(record);
    const key = this.keyOf(record);
    if (key === null) return;
    const before = this.#byKey.get(key)?.ids ?? [];
    if (before.includes(record.id)) return;
    const fields = kept && Object.fromEntries(["id", ...kept].map((name) => [name, record[name]]));
    this.#byKey.set(key, { ids: [...before, record.id], record: (fields ?? record) as BulkRecord });
  }

  get(key: string): Known | undefined {
    return this.#byKey.get(key);
  }

  /** The records with nearly the same key, for a key that no record has exactly. */
  alikeTo(key: string): readonly Alike[] {
    if (this.#alike === null) {
      this.#alike = new Map();
      for (const [known, { ids }] of this.#byKey) {
        const form = alikeForm(known);
        this.#alike.set(form, [...(this.#alike.get(form) ?? []), { key: known, ids }]);
      }
    }
    return this.#alike.get(alikeForm(key)) ?? [];
  }

  /** The last key, for testing a filter: if the service ignores the filter, the first records are returned instead. */
  sample(filter: Schema, path: string): string | undefined {
    const values = [...this.#byKey.values()].map(({ record }) => record[path]);
    return values.findLast(
      (value) => typeof value === "string" && /[a-z]/i.test(value) && z.safeParse(filter, value).success,
    ) as string | undefined;
  }
}

export interface KeyedList {
  readonly service: Service;
  readonly params: Values;
  readonly paths: readonly string[];
}

export function recordsIn({ service, paths }: KeyedList, some: readonly BulkRecord[]): Records {
  const records = new Records(service.target, paths);
  for (const record of some) records.add(record, null);
  return records;
}

export interface Reading {
  readonly records: Records;
  readonly tail: string | null;
  /** The filter by which each key is looked up; null if the whole list was read. */
  readonly filter: string | null;
  readonly pages: number;
  /** Both counts if the service counts more records than the list showed; otherwise null. */
  readonly short: { readonly total: number; readonly read: number } | null;
}

export interface KnownOptions {
  readonly kept: readonly string[];
  readonly rows: number | null;
  onPage(page: Page<BulkRecord>, read: number): void;
}

/**
 * Reads the records of a list by key. Looks up keys one by one if there are few rows, the list has a filter for the
 * key, and reading the rest of the list would take more requests. Reads a list twice if it shows fewer records than the
 * service counts.
 */
export async function readKnown(keyed: KeyedList, options: KnownOptions): Promise<Reading> {
  const { service, paths } = keyed;
  if (!service.target.rows.list) {
    return { records: recordsIn(keyed, []), tail: null, filter: paths[0] ?? null, pages: 0, short: null };
  }
  const first = await readOnce(keyed, options);
  // Records created or deleted during the reading can cause a gap, so a second reading is needed to prove that records
  // are hidden.
  return first.short === null ? first : readOnce(keyed, { ...options, rows: null });
}

async function readOnce(keyed: KeyedList, { kept, rows, onPage }: KnownOptions): Promise<Reading> {
  const { service, params, paths } = keyed;
  const records = new Records(service.target, paths);
  const checkpoints: string[] = [];
  let pages = 0;
  let counted: number | null = null;
  for await (const page of service.listed({}, params)) {
    pages++;
    counted = page.total ?? counted;
    for (const record of page.records) records.add(record, kept);
    onPage(page, records.ids.size);
    checkpoints.push(page.checkpoint);
    if (checkpoints.length > 3) checkpoints.shift();
    // From here on, one request per row may cost less than the remaining pages.
    if (rows === null || pages !== Math.max(1, rows) || !page.hasNext) continue;
    const filter = await filterOf(keyed, records);
    if (filter) return { records: recordsIn(keyed, []), tail: null, filter, pages, short: null };
  }
  const before = checkpoints.length === 3 && records.ascending ? checkpoints[0] : undefined;
  const read = records.ids.size;
  const short = counted !== null && counted > read ? { total: counted, read } : null;
  return { records, tail: before ?? null, filter: null, pages, short };
}

async function firstPage(keyed: KeyedList, value: unknown): Promise<readonly BulkRecord[]> {
  // Reads only one page, because a filter that the service ignores would return the whole list.
  for await (const { records } of pagesOf(keyed, value)) return records;
  return [];
}

function pagesOf({ service, params, paths: [path = ""] }: KeyedList, value: unknown) {
  return service.listed({ [path]: value }, params);
}

// Finds the filter for looking up keys. The service may compare e-mail addresses case-sensitively, so the filter is
// tested with an address in the opposite case.
async function filterOf(keyed: KeyedList, records: Records): Promise<string | null> {
  const { service, paths } = keyed;
  const { list } = service.target.rows;
  const [path = ""] = paths;
  if (paths.length !== 1 || !list) return null;
  if (path === "id") return service.target.rows.get ? path : null;
  const filter = fieldsOf(list.query)[path];
  const sample = filter && records.sample(filter, path);
  if (!filter || sample === undefined) return null;
  const isAnyCase = keyOf(paths, [sample.toUpperCase()]) === keyOf(paths, [sample.toLowerCase()]);
  const other = sample === sample.toLowerCase() ? sample.toUpperCase() : sample.toLowerCase();
  const found = recordsIn(keyed, await firstPage(keyed, isAnyCase ? other : sample));
  if (!found.get(keyOf(paths, [sample]) ?? "")) return null;
  // A filter that the service ignores returns records for any value. A filter whose schema rejects this value cannot be
  // tested, so it is not used.
  const nobodys = `nobody-has-${sample}`;
  if (!z.safeParse(filter, nobodys).success) return null;
  const none = await firstPage(keyed, nobodys).catch((error: unknown) => {
    if (isEducationAdminError(error, "api")) return null;
    throw error;
  });
  return none?.length === 0 ? path : null;
}

/** Looks up one key by the list's filter, which may also return records whose key merely contains this one. */
export async function askFor(keyed: KeyedList, value: unknown): Promise<readonly BulkRecord[]> {
  const found: BulkRecord[] = [];
  for await (const { records } of pagesOf(keyed, value)) found.push(...records);
  return found;
}

/** The path parameters of the list that contains a row's record; the row provides those that the plan does not. */
export function parentOf({ rows: { list }, params }: Target, values: Values): Values {
  if (!list) return params;
  return Object.fromEntries(placeholders(list).map((name) => [name, params[name] ?? values[name]]));
}
