import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import type { RequestOptions } from "../core/options.js";
import { agingMomentOf } from "../core/time.js";
import type { Writes } from "./writes.js";

export interface Identified {
  readonly id: number;
}

/** When a record was read. */
export interface Moment {
  readonly at: number;
  /** Number of the client's writes that had ended before the record was requested. */
  readonly writes: number;
}

interface Known extends Moment {
  readonly record: Identified | null;
}

export const MOST_RECORDS = 100_000;

/** The records of one resource that have been read or are being read, keyed by identifier. */
export class KnownRecords {
  readonly #clock: Clock;
  readonly #writes: Writes;
  readonly #known = new Map<number, Known>();
  /** Pending reads of single records, by priority and identifier. */
  readonly #reading = new Map<string, Promise<void>>();

  constructor(clock: Clock, writes: Writes) {
    this.#clock = clock;
    this.#writes = writes;
  }

  /** The record; null if the service has no such record or it was not read. */
  get(id: number): Identified | null {
    return this.#known.get(id)?.record ?? null;
  }

  /** The identifiers whose records must be read: never read, read too long ago, or written after being read. */
  missing(wanted: readonly number[], oldest: number): number[] {
    return wanted.filter((id) => {
      const known = this.#known.get(id);
      return !known || known.at < oldest || this.wrote([id], known);
    });
  }

  /** True if the client may have written one of the records since that moment. */
  wrote(ids: readonly number[], { writes }: Moment): boolean {
    return ids.some((id) => this.#writes.wrote(id, writes));
  }

  keep(records: readonly Identified[], writes: number): void {
    for (const record of records) {
      // Undocumented: a list may contain null, and an identifier may be text.
      if (typeof record === "object" && record !== null) this.#keep(Number(record.id), record, writes);
    }
  }

  keepAbsent(ids: readonly number[], writes: number): void {
    for (const id of ids) this.#keep(id, null, writes);
  }

  #keep(id: number, record: Identified | null, writes: number): void {
    // Removed first, so that its entry becomes the map's newest.
    this.#known.delete(id);
    this.#known.set(id, { record, at: agingMomentOf(this.#clock), writes });
  }

  shrink(): void {
    for (const id of this.#known.keys()) {
      if (this.#known.size <= MOST_RECORDS) return;
      this.#known.delete(id);
    }
  }

  /** The identifiers that no call of this priority is currently reading one by one. */
  unread(ids: readonly number[], { priority = "interactive" }: RequestOptions): number[] {
    return ids.filter((id) => !this.#reading.has(`${priority} ${id}`));
  }

  /** Reads a single record. If a call of the same priority is already reading it, waits for that call first. */
  async readOnce(
    id: number,
    oldest: number,
    { priority = "interactive", signal }: RequestOptions,
    read: () => Promise<void>,
  ): Promise<void> {
    const key = `${priority} ${id}`;
    const other = this.#reading.get(key);
    if (other) {
      await raceAbort(other, signal);
      if (this.missing([id], oldest).length === 0) return;
    }
    const reading = read();
    const settled = reading.catch(() => undefined);
    this.#reading.set(key, settled);
    try {
      await reading;
    } finally {
      if (this.#reading.get(key) === settled) this.#reading.delete(key);
    }
  }
}
