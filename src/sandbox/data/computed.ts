import { copyOf } from "../../core/copy.js";
import { type Identified, Records } from "./collection.js";

/** Records that are computed for one request, as a list can return them; their identifiers are their places, from 1. @internal */
export class ComputedRecords<T extends object> extends Records<T & Identified> {
  readonly #items: readonly T[];

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

  /** They never change. */
  get version(): number {
    return 0;
  }

  get(id: number): (T & Identified) | undefined {
    return copyOf(this.row(id - 1));
  }

  row(slot: number): Readonly<T & Identified> | undefined {
    const item = this.#items[slot];
    return item && { ...item, id: slot + 1 };
  }

  /** @throws TypeError always: what is computed cannot be inserted. */
  draft(): T & Identified {
    throw new TypeError("computed records have no drafts");
  }
}
