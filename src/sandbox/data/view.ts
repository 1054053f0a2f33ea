import { type Identified, type Records, RecordsBase } from "./collection.js";
import type { Given } from "./given.js";

/** How the fields of a view are derived from the source record. */
export type ViewColumns<T extends Identified, Source extends Identified> = {
  readonly [Field in keyof T as Exclude<Field, "id">]: (source: Readonly<Source>) => T[Field];
};

/** Records of a collection in the form of another resource. Read-only: write to the source collection instead. */
export class View<T extends Identified, Source extends Identified> extends RecordsBase<T> {
  readonly #source: Records<Source>;
  readonly #columns: [field: string, column: (source: Readonly<Source>) => unknown][];

  constructor(source: Records<Source>, columns: ViewColumns<T, Source>) {
    super();
    this.#source = source;
    this.#columns = Object.entries({ ...columns, id: ({ id }: Readonly<Source>) => id });
  }

  #show(source: Readonly<Source>): T {
    return Object.fromEntries(this.#columns.map(([field, column]) => [field, column(source)])) as unknown as T;
  }

  get count(): number {
    return this.#source.count;
  }

  /** @internal */
  get slots(): number {
    return this.#source.slots;
  }

  /** @internal */
  get version(): number {
    return this.#source.version;
  }

  /** The record with an identifier. */
  get(id: number): T | undefined {
    const source = this.#source.get(id);
    return source && structuredClone(this.#show(source));
  }

  /** The record that `insert` would add, without adding it: plausible, and with the fields that are given. */
  draft(fields: Given<T> = {} as Given<T>): T {
    const { id } = fields as Partial<T>;
    const source = this.#source.draft((id === undefined ? {} : { id }) as Given<Source>);
    return { ...this.#show(source), ...(structuredClone(fields) as Partial<T>) };
  }

  /** @internal */
  row(slot: number): Readonly<T> | undefined {
    const source = this.#source.row(slot);
    return source && this.#show(source);
  }
}
