import { copyOf } from "../../core/copy.js";
import type { Schema } from "../../core/schema/model.js";
import { fieldsOf } from "../../core/schema/traits.js";
import { type Identified, Records } from "./collection.js";
import type { Given } from "./given.js";

/** How the fields of a view are derived from the source record; the others are its fields of the same name. */
export type ViewColumns<T extends Identified, Source extends Identified> = {
  readonly [Field in keyof T as Field extends keyof Source
    ? Source[Field] extends T[Field]
      ? never
      : Field
    : Field]: (source: Readonly<Source>) => T[Field];
};

/** Records of a collection in the form of another resource. Read-only: write to the source collection instead. */
export class View<T extends Identified, Source extends Identified> extends Records<T> {
  readonly #source: Records<Source>;
  readonly #schema: Schema;
  #fields: readonly string[] | undefined;
  readonly #columns: Readonly<Record<string, ((source: Readonly<Source>) => unknown) | undefined>>;

  constructor(source: Records<Source>, schema: Schema, columns: ViewColumns<T, Source>) {
    super();
    this.#source = source;
    this.#schema = schema;
    this.#columns = columns;
  }

  #show(source: Readonly<Source>): T {
    // Not before they are needed: most sandboxes are never asked for a view.
    this.#fields ??= Object.keys(fieldsOf(this.#schema)).filter((field) => field !== "id");
    const shown = this.#fields.map((field) => {
      const column = this.#columns[field];
      return [field, column ? column(source) : source[field as keyof Source]] as const;
    });
    return { ...Object.fromEntries(shown), id: source.id } as T;
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
    return source && copyOf(this.#show(source));
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
