import type { Schema } from "../../core/schema/model.js";
import { fieldsOf } from "../../core/schema/traits.js";
import { type Identified, Records } from "./collection.js";
import type { Given } from "./given.js";

/** Functions that compute the fields of a view from the source record. All other fields are copied. */
export type ViewColumns<T extends Identified, Source extends Identified> = {
  readonly [Field in keyof T as Field extends keyof Source
    ? Source[Field] extends T[Field]
      ? never
      : Field
    : Field]: (source: Readonly<Source>) => T[Field];
};

/** Records computed from those of another collection; each has the slot of its source record. */
export abstract class Derived<T extends Identified, Source extends Identified> extends Records<T> {
  protected readonly source: Records<Source>;

  constructor(source: Records<Source>) {
    super();
    this.source = source;
  }

  protected abstract show(source: Readonly<Source>): Readonly<T> | undefined;

  peek(id: number): Readonly<T> | undefined {
    const source = this.source.peek(id);
    return source && this.show(source);
  }

  row(slot: number): Readonly<T> | undefined {
    const source = this.source.row(slot);
    return source && this.show(source);
  }

  get count(): number {
    return this.source.count;
  }

  get slots(): number {
    return this.source.slots;
  }

  get version(): number {
    return this.source.version;
  }
}

/** Records of a collection as another resource returns them. Read-only: write to the source collection instead. */
export class View<T extends Identified, Source extends Identified> extends Derived<T, Source> {
  readonly #schema: Schema;
  #fields: readonly string[] | undefined;
  readonly #columns: Readonly<Record<string, ((source: Readonly<Source>) => unknown) | undefined>>;

  constructor(source: Records<Source>, schema: Schema, columns: ViewColumns<T, Source>) {
    super(source);
    this.#schema = schema;
    this.#columns = columns;
  }

  protected show(source: Readonly<Source>): T {
    // Computed on first use, because most sandboxes never read a view.
    this.#fields ??= Object.keys(fieldsOf(this.#schema)).filter((field) => field !== "id");
    const shown = this.#fields.map((field) => {
      const column = this.#columns[field];
      return [field, column ? column(source) : source[field as keyof Source]] as const;
    });
    return { ...Object.fromEntries(shown), id: source.id } as T;
  }

  draft(fields: Given<T> = {} as Given<T>): T {
    const { id } = fields as Partial<T>;
    const source = this.source.draft((id === undefined ? {} : { id }) as Given<Source>);
    return { ...this.show(source), ...(structuredClone(fields) as Partial<T>) };
  }
}

/** Records computed for one request. Their identifiers are their positions, counted from 1. */
export class ComputedRecords<T extends object> extends Records<T & Identified> {
  readonly #items: readonly T[];
  readonly version = 0;

  constructor(items: readonly T[]) {
    super();
    this.#items = items;
  }

  get count(): number {
    return this.#items.length;
  }

  get slots(): number {
    return this.#items.length;
  }

  peek(id: number): Readonly<T & Identified> | undefined {
    return this.row(id - 1);
  }

  row(slot: number): Readonly<T & Identified> | undefined {
    const item = this.#items[slot];
    return item && { ...item, id: slot + 1 };
  }

  /** @throws TypeError always, because computed records cannot be inserted. */
  draft(): T & Identified {
    throw new TypeError("computed records have no drafts");
  }
}
