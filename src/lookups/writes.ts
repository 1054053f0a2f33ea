/** Maximum number of writes that are remembered one by one; after more, any record may have changed. */
const MOST = 10_000;

/** Remembers which records of one resource a client has written, in order: the first write has the number 1. */
export class Writes {
  /** Writes up to this number are no longer remembered one by one. */
  #from = 0;
  /** Identifiers of the writes after that. */
  readonly #ids: number[] = [];
  /** The last write of each of them. */
  readonly #last = new Map<number, number>();

  /** Number of writes that have ended. */
  get count(): number {
    return this.#from + this.#ids.length;
  }

  /** Records a write that has ended; null if it is unknown which record it wrote. */
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

  /** True if a record may have been written after the write with this number. */
  wrote(id: number, after: number): boolean {
    return after < this.#from || (this.#last.get(id) ?? 0) > after;
  }

  /** The records written after the write with this number; null if it may be any. */
  since(after: number): readonly number[] | null {
    return after < this.#from ? null : this.#ids.slice(after - this.#from);
  }
}
