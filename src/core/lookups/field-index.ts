import type { Clock } from "../clock.js";
import { InputError } from "../errors.js";
import type { Pages } from "../lists/pages.js";

/** How long and how large an index of a list may be. */
export interface IndexLimits {
  /** Milliseconds for which the list counts once it was read. */
  readonly maxAge: number;
  readonly maxRecords: number;
}

interface Index {
  readonly records: ReadonlyMap<unknown, unknown>;
  readonly at: number;
}

/** Keeps a list by the values of one field. */
export class FieldIndex {
  readonly #list: () => Pages<object>;
  readonly #field: string;
  readonly #limits: IndexLimits;
  readonly #clock: Clock;
  /** The list as it was read last, or is being read: then `at` is null. */
  #current: { readonly index: Promise<Index>; at: number | null } | null = null;
  /** When a value that the list did not hold last made it be read again. */
  #readForMissAt = Number.NEGATIVE_INFINITY;

  constructor(list: () => Pages<object>, field: string, limits: IndexLimits, clock: Clock) {
    this.#list = list;
    this.#field = field;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The records with these values; null where there is none. */
  async find(values: readonly unknown[]): Promise<unknown[]> {
    const started = this.#clock.now();
    const wasRead = this.#isRead(started);
    const index = await this.#load();
    const complete = values.every((value) => index.records.has(value));
    // What has just been read is not read again for a value that it does not hold.
    if (complete || !wasRead) return pick(index, values);
    if (started - this.#readForMissAt >= this.#limits.maxAge) {
      this.#readForMissAt = started;
      this.#current = null;
    }
    return pick(await this.#load(), values);
  }

  forget(): void {
    this.#current = null;
  }

  /** Whether the list was read before and still counts. */
  #isRead(now: number): boolean {
    const at = this.#current?.at ?? null;
    return at !== null && now - at < this.#limits.maxAge;
  }

  async #load(): Promise<Index> {
    const current = this.#current;
    if (current && (current.at === null || this.#isRead(this.#clock.now()))) return current.index;
    const loading: { index: Promise<Index>; at: number | null } = { index: this.#read(), at: null };
    this.#current = loading;
    try {
      const index = await loading.index;
      loading.at = index.at;
      return index;
    } catch (error) {
      if (this.#current === loading) this.#current = null;
      throw error;
    }
  }

  async #read(): Promise<Index> {
    const records = new Map<unknown, unknown>();
    for await (const record of this.#list()) {
      const value = (record as Record<string, unknown>)[this.#field];
      // Where several records have one value, the first counts.
      if (value !== null && value !== undefined && !records.has(value)) records.set(value, record);
      if (records.size > this.#limits.maxRecords) {
        throw new InputError(
          `lookup: the list has more than ${this.#limits.maxRecords} records; raise maxRecords, or give a query that leaves fewer`,
          [{ path: "maxRecords", message: "is less than the records of the list" }],
        );
      }
    }
    return { records, at: this.#clock.now() };
  }
}

function pick({ records }: Index, values: readonly unknown[]): unknown[] {
  return values.map((value) => records.get(value) ?? null);
}
