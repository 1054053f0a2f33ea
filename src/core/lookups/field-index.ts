import type { Clock } from "../clock.js";
import { InputError } from "../errors.js";
import type { Pages } from "../lists/pages.js";
import { didYouMean } from "../option-checks.js";

/** How long and how large an index of a list may be. */
export interface IndexLimits {
  /** Milliseconds for which the list counts once it was read. */
  readonly maxAge: number;
  readonly maxRecords: number;
}

/** The list that an index is made of. */
export interface IndexSource {
  /** Operation id of the list. */
  readonly id: string;
  /** The field whose values count. */
  readonly field: string;
  list(): Pages<object>;
  /** Writes that the client has sent to the list's resource. */
  writes(): number;
}

interface Index {
  readonly records: Map<unknown, unknown>;
  readonly at: number;
}

interface Reading {
  readonly index: Promise<Index>;
  /** When the list was read; null while it is being read. */
  at: number | null;
  /** Writes that the list holds. */
  writes: number;
}

/** Keeps a list by the values of one field. */
export class FieldIndex {
  readonly #source: IndexSource;
  readonly #limits: IndexLimits;
  readonly #clock: Clock;
  /** The list as it was read last, or is being read. */
  #current: Reading | null = null;
  /** When a value that the list did not hold last made it be read again. */
  #readForMissAt = Number.NEGATIVE_INFINITY;

  constructor(source: IndexSource, limits: IndexLimits, clock: Clock) {
    this.#source = source;
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The records with these values; null where there is none. */
  async find(values: readonly unknown[]): Promise<unknown[]> {
    const started = this.#clock.now();
    const wasRead = this.#isRead(started);
    const index = await this.#load();
    if (values.every((value) => index.records.has(value))) return pick(index, values);
    // The client may have created it since.
    const isOld = this.#current !== null && this.#current.writes !== this.#source.writes();
    // What has just been read is not read again for a value that it does not hold.
    if (!wasRead && !isOld) return pick(index, values);
    if (isOld) {
      this.#current = null;
    } else if (started - this.#readForMissAt >= this.#limits.maxAge) {
      this.#readForMissAt = started;
      this.#current = null;
    }
    return pick(await this.#load(), values);
  }

  /** Adds a record that was written; does nothing before the list was first read, which then holds it. */
  async add(record: object): Promise<void> {
    const current = this.#current;
    if (!current) return;
    const { records } = await current.index;
    records.set((record as Record<string, unknown>)[this.#source.field], record);
    current.writes = Math.min(current.writes + 1, this.#source.writes());
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
    const loading: Reading = { index: this.#read(), at: null, writes: this.#source.writes() };
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
    const { id, field } = this.#source;
    const records = new Map<unknown, unknown>();
    let first: object | null = null;
    let isField = false;
    for await (const record of this.#source.list()) {
      first ??= record;
      const value = (record as Record<string, unknown>)[field];
      isField ||= value !== undefined;
      // Where several records have one value, the first counts.
      if (value !== null && value !== undefined && !records.has(value)) records.set(value, record);
      if (records.size > this.#limits.maxRecords) {
        throw new InputError(
          `lookup: the list has more than ${this.#limits.maxRecords} records; raise maxRecords, or give a query that leaves fewer`,
          [{ path: "maxRecords", message: "is less than the records of the list" }],
        );
      }
    }
    // Or every value would seem to be new.
    if (first && !isField) {
      const message = `no record has a field "${field}"${didYouMean(field, Object.keys(first))}`;
      // The list was read already.
      throw new InputError(`${id}: ${message}`, [{ path: field, message }], { operation: id, outcome: null });
    }
    return { records, at: this.#clock.now() };
  }
}

function pick({ records }: Index, values: readonly unknown[]): unknown[] {
  return values.map((value) => records.get(value) ?? null);
}
