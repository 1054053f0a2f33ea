import type { Clock } from "../core/clock.js";
import { InputError } from "../core/errors.js";
import type { Pages } from "../core/lists/pages.js";
import { didYouMean } from "../core/option-checks.js";
import { agingMomentOf } from "../core/time.js";
import type { Identified } from "./known-records.js";
import type { Writes } from "./writes.js";

export interface IndexLimits {
  /** Milliseconds for which the list is used after it has been read. */
  readonly maxAge: number;
  readonly maxRecords: number;
}

export interface IndexSource {
  readonly id: string;
  readonly field: string;
  list(): Pages<Identified>;
  /** True if a record matches the list's query, which a service may have ignored. */
  fits(record: Identified): boolean;
  readonly writes: Writes;
}

/** A record, and the number of writes that had ended when it was added. */
interface Added {
  readonly record: Identified;
  readonly writes: number;
}

interface Reading {
  /** Settles when the list has been read or could not be read. */
  readonly done: Promise<void>;
  /** The first record with each value; an added record replaces it. */
  readonly records: Map<unknown, Identified>;
  readonly added: Map<number, Added>;
  /** When the list was read; null while it is being read. */
  at: number | null;
  /** Number of writes that had ended when reading began. */
  readonly writes: number;
  /** Number of writes that the index reflects, including those of added records. */
  covered: number;
}

export class FieldIndex {
  readonly #source: IndexSource;
  readonly #limits: IndexLimits;
  readonly #clock: Clock;
  #current: Reading | null = null;
  /** When the list was last read again for a value that no record had. */
  #readForMissAt = Number.NEGATIVE_INFINITY;

  constructor(source: IndexSource, limits: IndexLimits, clock: Clock) {
    this.#source = source;
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * The records with these values; null for a value that no record has. Reflects every write that ended before the
   * call.
   */
  async find(values: readonly unknown[]): Promise<unknown[]> {
    const started = agingMomentOf(this.#clock);
    const writes = this.#source.writes.count;
    // If the list is read during this call, it is not read again for a value that is not found.
    let wasRead = this.#isRead(started);
    for (;;) {
      const reading = this.#load();
      await reading.done;
      const { records } = reading;
      if (values.every((value) => this.#isCurrent(reading, value, writes))) {
        const found = values.map((value) => records.get(value) ?? null);
        if (!wasRead || !found.includes(null) || !this.#mayReadForMiss(reading, started)) return found;
      }
      wasRead = false;
      if (this.#current === reading) this.#current = null;
    }
  }

  /**
   * Adds a record that was written; does nothing before the list is first read, because that read will return the
   * record.
   */
  add(record: Identified): void {
    const reading = this.#current;
    if (!reading) return;
    reading.added.set(record.id, { record, writes: this.#source.writes.count });
    if (reading.at !== null) this.#put(record, reading);
  }

  forget(): void {
    this.#current = null;
  }

  #isRead(now: number): boolean {
    const at = this.#current?.at ?? null;
    return at !== null && now - at < this.#limits.maxAge;
  }

  // True if the entry for this value reflects every added record and every write that ended before the call.
  #isCurrent(reading: Reading, value: unknown, writes: number): boolean {
    const showsAll = reading.writes >= writes;
    const record = reading.records.get(value);
    if (!record) return showsAll || this.#coversWrites(reading);
    const added = reading.added.get(record.id);
    if (added && added.record !== record) return false;
    return showsAll || !this.#source.writes.wrote(record.id, added?.writes ?? reading.writes);
  }

  #coversWrites(reading: Reading): boolean {
    const { writes } = this.#source;
    const isAdded = (id: number) => !writes.wrote(id, reading.added.get(id)?.writes ?? reading.writes);
    const covers = writes.since(reading.covered)?.every(isAdded) ?? false;
    if (covers) reading.covered = writes.count;
    return covers;
  }

  #mayReadForMiss(reading: Reading, started: number): boolean {
    // Another call is already reading the list again, so this call adds no request.
    if (this.#current !== reading) return true;
    if (started - this.#readForMissAt < this.#limits.maxAge) return false;
    this.#readForMissAt = started;
    return true;
  }

  #load(): Reading {
    const current = this.#current;
    if (current && (current.at === null || this.#isRead(agingMomentOf(this.#clock)))) return current;
    const { count } = this.#source.writes;
    const records = new Map<unknown, Identified>();
    const added = new Map<number, Added>();
    const reading: Reading = { done: this.#read(records), records, added, at: null, writes: count, covered: count };
    this.#current = reading;
    reading.done.then(
      () => {
        reading.at = agingMomentOf(this.#clock);
        for (const { record } of added.values()) this.#put(record, reading);
      },
      () => {
        if (this.#current === reading) this.#current = null;
      },
    );
    return reading;
  }

  async #read(records: Map<unknown, Identified>): Promise<void> {
    const { id, field } = this.#source;
    // The outcome is not `not_sent`, because the list has already been read.
    const fail = (path: string, message: string, issue = message) =>
      new InputError(`${id}: ${message}`, [{ path, message: issue }], { operation: id, outcome: null });
    let first: Identified | null = null;
    let isField = false;
    for await (const record of this.#source.list()) {
      // Undocumented: a list may contain null.
      if (typeof record !== "object" || record === null || !this.#source.fits(record)) continue;
      first ??= record;
      const value = this.#valueOf(record);
      isField ||= value !== undefined;
      if (value !== null && value !== undefined && !records.has(value)) records.set(value, record);
      if (records.size > this.#limits.maxRecords) {
        throw fail(
          "maxRecords",
          `the list has more than ${this.#limits.maxRecords} records; raise maxRecords, or pass a query that matches fewer`,
          "is less than the number of records in the list",
        );
      }
    }
    // Refuses a field that no record has, because every lookup would return null.
    if (first && !isField)
      throw fail(field, `no record has a field "${field}"${didYouMean(field, Object.keys(first))}`);
  }

  #put(record: Identified, { records }: Reading): void {
    const value = this.#valueOf(record);
    if (value !== null && value !== undefined) records.set(value, record);
  }

  #valueOf(record: Identified): unknown {
    return (record as unknown as Record<string, unknown>)[this.#source.field];
  }
}
