import type { RequestOptions } from "../core/options.js";
import type { ReadPlan } from "./plan.js";

/** The fields of a record that a lookup can use: those that contain text or numbers. */
export type LookupField<T> = {
  [Field in keyof T & string]-?: NonNullable<T[Field]> extends string | number ? Field : never;
}[keyof T & string];

/** Options of `lookup`. */
export interface LookupOptions<Query> {
  /** Milliseconds for which the list is used after it has been read. Default 300,000. */
  maxAge?: number | undefined;
  /** Maximum number of records in the lookup; a longer list is an error. Default 100,000. */
  maxRecords?: number | undefined;
  /** Filters of the list. Default: none. */
  query?: Query | undefined;
}

/** Finds records of one list by the values of one field. */
export interface Lookup<T, Value> {
  /**
   * The first record in the list with this value; null if there is none. The list is read when it is first needed, and
   * again once `maxAge` has passed. If no record has the value, the list is read once more, at most once per `maxAge`,
   * and again after each of the client's writes to the resource.
   * @throws InputError when an option of the lookup is wrong or the list has more than `maxRecords` records; ApiError
   * when the service responds to a page with an error.
   */
  get(value: Value, options?: Pick<RequestOptions, "signal">): Promise<T | null>;
  /**
   * The records with these values, in the order of the values; null for a value that no record has. Costs no more
   * requests than `get`.
   * @throws the same errors as `get`.
   */
  getMany(values: readonly Value[], options?: Pick<RequestOptions, "signal">): Promise<(T | null)[]>;
  /**
   * Adds a record that was just created or changed, so that the list need not be read again to find it.
   * @example
   * const byName = client.categories.lookup("name");
   * for (const name of ["Safety", "First aid", "Safety"]) {
   *   if (!(await byName.get(name))) await byName.add(await client.categories.create({ name }));
   * }
   */
  add(record: T): Promise<void>;
  /** Forgets the list; the next use reads it again. */
  refresh(): Promise<void>;
}

/**
 * Records that will be read by identifier: `await` returns them in the order of the identifiers, null for each that
 * does not exist. Nothing is sent until the records are awaited or `plan` is called.
 */
export interface Many<out T> extends PromiseLike<(T | null)[]> {
  /**
   * Returns how the records would be read, and in about how many requests: null if the length of the list is unknown.
   * May read the first page of the list, which is then kept.
   */
  plan(): Promise<ReadPlan>;
  /** Handles a failure to read the records, like a promise's `catch`. */
  catch<Rejected = never>(
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<(T | null)[] | Rejected>;
  /** Runs a function once the records were read or could not be read, like a promise's `finally`. */
  finally(onFinally?: (() => void) | null): Promise<(T | null)[]>;
}
