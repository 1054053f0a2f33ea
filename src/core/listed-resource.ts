import { raceAbort } from "./abort.js";
import { bindMethods } from "./bind-members.js";
import { inputError } from "./call/request.js";
import { isPlainObject } from "./json.js";
import { operationOf, type Pages } from "./lists/pages.js";
import type { FieldIndex, IndexLimits } from "./lookups/field-index.js";
import type { ReadPlan } from "./lookups/plan.js";
import type { Identified, RecordReader, RecordSource } from "./lookups/record-reader.js";
import { checkNames, positive, whole } from "./option-checks.js";
import type { ListOptions, RequestOptions } from "./options.js";
import { Resource } from "./resource.js";
import { checkCallOptions } from "./settings.js";

/** The fields of a record that a lookup can be made by: those with texts or numbers. */
export type LookupField<T> = {
  [Field in keyof T & string]-?: NonNullable<T[Field]> extends string | number ? Field : never;
}[keyof T & string];

/** Options of `lookup`. */
export interface LookupOptions<Query> {
  /** Milliseconds for which the list counts once it was read. Default 300 000. */
  maxAge?: number | undefined;
  /** Most records the lookup may hold; a longer list is an error. Default 100 000. */
  maxRecords?: number | undefined;
  /** Filters of the list. Default: none. */
  query?: Query | undefined;
}

const LOOKUP_OPTIONS = { maxAge: 1, maxRecords: 1, query: 1 } as const;

/** Finds records of one list by the values of one field. */
export class Lookup<T, Value> {
  readonly #index: () => Promise<FieldIndex>;

  /** @hidden */
  constructor(open: () => Promise<FieldIndex>) {
    let opened: Promise<FieldIndex> | null = null;
    this.#index = () => {
      opened ??= open();
      return opened;
    };
    bindMethods(this);
  }

  /**
   * The record with this value; null when there is none, the first in the list's order when there are several. The list is
   * read when it is first needed and once `maxAge` has passed; a value it does not hold makes it be read once more, at
   * most once per `maxAge`.
   * @throws InputError when the list has more than `maxRecords` records; ApiError when the service answers a page with an error.
   */
  async get(value: Value, options: Pick<RequestOptions, "signal"> = {}): Promise<T | null> {
    const [record = null] = await this.getMany([value], options);
    return record;
  }

  /**
   * The records with these values, in their order; null where there is none. It costs no more requests than `get`.
   * @throws as `get`.
   */
  async getMany(values: readonly Value[], options: Pick<RequestOptions, "signal"> = {}): Promise<(T | null)[]> {
    const find = async () => (await this.#index()).find(values);
    return raceAbort(find(), options.signal) as Promise<(T | null)[]>;
  }

  /** Forgets the list; the next use reads it again. */
  async refresh(): Promise<void> {
    (await this.#index()).forget();
  }
}

/**
 * Records that will be read by identifier: `await` gives them in the order of the identifiers, null where the service has
 * none. Nothing is sent before it is awaited or `plan` is called.
 */
export class Many<T> implements PromiseLike<(T | null)[]> {
  readonly #reader: () => Promise<RecordReader>;
  readonly #ids: readonly number[];
  readonly #options: RequestOptions;
  #records: Promise<(T | null)[]> | null = null;

  /** @hidden */
  constructor(open: () => Promise<RecordReader>, ids: readonly number[], options: RequestOptions) {
    let opened: Promise<RecordReader> | null = null;
    this.#reader = () => {
      opened ??= open();
      return opened;
    };
    this.#ids = ids;
    this.#options = options;
    bindMethods(this);
  }

  /**
   * How the records would be read, and in how many requests; null where the service does not tell how long the list is.
   * It may send one request, for the first page of the list, which then counts as read.
   */
  async plan(): Promise<ReadPlan> {
    return (await this.#reader()).plan(this.#ids, this.#options);
  }

  then<Fulfilled = (T | null)[], Rejected = never>(
    onFulfilled?: ((records: (T | null)[]) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#records ??= this.#read();
    return this.#records.then(onFulfilled, onRejected);
  }

  async #read(): Promise<(T | null)[]> {
    const found = await (await this.#reader()).read(this.#ids, Number.POSITIVE_INFINITY, this.#options);
    return this.#ids.map((id) => (found.get(id) ?? null) as T | null);
  }
}

/** Base of the resources whose records are listed and have identifiers. */
export abstract class ListedResource<T extends Identified, Query extends object> extends Resource {
  /** @hidden */
  abstract list(query?: Query, options?: ListOptions): Pages<T>;

  /**
   * Finds records by the values of a field, such as a code or an e-mail address, without a request for each: the list is
   * read once and kept for `maxAge` milliseconds.
   * @throws InputError when an option is wrong; nothing was sent.
   * @example
   * const byCode = client.courses.lookup("code", { maxAge: 600_000 });
   * const course = await byCode.get("FA-1");
   */
  lookup<Field extends LookupField<T>>(field: Field, options: LookupOptions<Query> = {}): Lookup<T, T[Field]> {
    const { id } = operationOf(this.list());
    const fail = (path: string, message: string) => inputError(id, [{ path, message }]);
    if (!isPlainObject(options as unknown)) throw fail("", "the options must be a plain object");
    checkNames(options, LOOKUP_OPTIONS, fail);
    const limits: IndexLimits = {
      maxAge: positive("maxAge", options.maxAge ?? 300_000, fail),
      maxRecords: whole("maxRecords", options.maxRecords ?? 100_000, 1, Number.MAX_SAFE_INTEGER, fail),
    };
    const list = () => this.list(options.query);
    return new Lookup(() => this.transport.lookups((code, clock) => new code.FieldIndex(list, field, limits, clock)));
  }

  /**
   * Reads many records by identifier in the fewest requests: one by one, by the list's filter for identifiers where it has
   * one, or with the whole list. `plan()` tells beforehand which, and how many requests it takes.
   * @throws InputError when an identifier or an option is wrong; nothing was sent.
   * @example
   * const accounts = await client.accounts.getMany([7, 8, 9]);
   */
  getMany(ids: readonly number[], options: RequestOptions = {}): Many<T> {
    const row = operationOf(this.list());
    const fail = (path: string, message: string) => inputError(row.id, [{ path, message }]);
    checkCallOptions(options, row, fail);
    if (!Array.isArray(ids)) throw fail("ids", "must be an array of identifiers");
    const wrong = ids.findIndex((id) => !Number.isSafeInteger(id) || id < 1);
    if (wrong >= 0) throw fail(`ids[${wrong}]`, "must be a whole number from 1");
    const { get } = this as { get?: RecordSource["get"] };
    const source: RecordSource = {
      row,
      list: (query, listOptions) => this.list(query as Query, listOptions) as Pages<Identified>,
      get: get ?? null,
    };
    return new Many(
      () => this.transport.lookups((code, clock) => new code.RecordReader(source, clock)),
      [...ids],
      options,
    );
  }
}
