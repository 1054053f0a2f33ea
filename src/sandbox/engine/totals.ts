/**
 * How many records each list has, counted once until a record changes: a walk through a filtered list would otherwise read all
 * of its records for every page. @internal
 */
export class Totals {
  readonly #version: () => number;
  readonly #counted = new Map<number, number>();
  #at = -1;

  /** @param version changes with every change of any record. */
  constructor(version: () => number) {
    this.#version = version;
  }

  /** The number of records of the list that `list` stands for. */
  of(list: number, count: () => number): number {
    const version = this.#version();
    if (version !== this.#at) this.#counted.clear();
    this.#at = version;
    const total = this.#counted.get(list) ?? count();
    this.#counted.set(list, total);
    return total;
  }
}
