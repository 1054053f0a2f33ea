/** How many of the latest writes are remembered individually; an earlier write may have changed any record. */
const MOST = 10_000;

/** Remembers which records of one resource a client has written, in order: the first write has the number 1. */
export class Writes {
  /** Writes up to this number are no longer remembered individually. */
  #from = 0;
  /** The identifiers of the records written since `#from`, in order. */
  readonly #ids: number[] = [];
  /** The number of the last write to each record. */
  readonly #last = new Map<number, number>();

  get count(): number {
    return this.#from + this.#ids.length;
  }

  /** Registers a write that has ended; `id` is null if it is unknown which record was written. */
  note(id: number | null): void {
    if (id === null || this.#ids.length === MOST) {
      this.#from = this.count + 1;
      this.#ids.length = 0;
      this.#last.clear();
      return;
    }
    this.#ids.push(id);
    this.#last.set(id, this.count);
  }

  /** True if a record may have been written after the write with the given number. */
  wrote(id: number, after: number): boolean {
    return after < this.#from || (this.#last.get(id) ?? 0) > after;
  }

  /** The records written after the write with the given number; null if it may be any record. */
  since(after: number): readonly number[] | null {
    return after < this.#from ? null : this.#ids.slice(after - this.#from);
  }
}
