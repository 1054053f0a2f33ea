import type { Identified, Records } from "../data/collection.js";

/** The records that a list returns, before it is cut into pages. @internal */
export interface Listing<T extends Identified> {
  readonly records: Records<T>;
  /** Selects records; null selects all. */
  readonly fits: ((row: Readonly<T>) => boolean) | null;
  /** The selected records in the requested order; null for the order of the records. */
  readonly order: Order | null;
  /** What the service returns for a record. Default: the record. */
  readonly show?: ((record: T) => object) | undefined;
}

/** Records in the order of a sort parameter. @internal */
export interface Order {
  readonly slots: readonly number[];
  /** The sort keys of the record at a slot. */
  keysOf(slot: number): readonly unknown[];
  /** Returns a negative number when the first comes before the second. */
  compare(a: Mark, b: Mark): number;
}

/** The position of a record in an order; it stays valid when other records are added or removed. @internal */
export type Mark = readonly [keys: readonly unknown[], slot: number];
