import { copyOf } from "../../core/copy.js";
import { type Given, withoutUndefined } from "./given.js";
import { complete, type Identified, type RowMaker, type RowOptions, rowMaker } from "./row-maker.js";

export type { Columns, Identified, Looked, Making } from "./row-maker.js";

/** What happened to a record. */
export type ChangeKind = "created" | "updated" | "deleted";

/** Read access to records: a collection, or a view of one. */
export abstract class Records<T extends Identified> implements Iterable<T> {
  #order: { readonly name: string; readonly version: number; readonly slots: readonly number[] } | undefined;

  /** How many records there are. */
  abstract readonly count: number;
  /** The number of slots; a slot holds a record or is empty. @internal */
  abstract readonly slots: number;
  /** Increases with every change. @internal */
  abstract readonly version: number;
  /** The record with an identifier, which is shared: it must not be changed. @internal */
  abstract peek(id: number): Readonly<T> | undefined;
  /** The record in a slot, which is shared: it must not be changed. Undefined for an empty slot. @internal */
  abstract row(slot: number): Readonly<T> | undefined;
  /**
   * The record that `insert` would add, without adding it: plausible, and with the fields that are given, which it does not
   * check. Dates that are not given are as of seeded records.
   */
  abstract draft(fields?: Given<T>): T;

  /** The record with an identifier. */
  get(id: number): T | undefined {
    return copyOf(this.peek(id));
  }

  /** Slots in the named order, computed again only after a change or for another order. @internal */
  ordered(name: string, make: () => readonly number[]): readonly number[] {
    const { version } = this;
    if (this.#order?.name !== name || this.#order.version !== version) this.#order = { name, version, slots: make() };
    return this.#order.slots;
  }

  /** Every record, in order; they are shared and must not be changed. @internal */
  *rows(): Generator<Readonly<T>> {
    for (let slot = 0; slot < this.slots; slot++) {
      const row = this.row(slot);
      if (row) yield row;
    }
  }

  /** The record at an index, from 0; undefined past the end. */
  at(index: number): T | undefined {
    // Without empty slots the index is the slot.
    if (this.count === this.slots) return copyOf(this.row(index));
    let left = index;
    return this.find(() => left-- === 0);
  }

  /** The first record that passes the test; undefined when there is none. */
  find(fits: (record: Readonly<T>) => boolean): T | undefined {
    for (const row of this.rows()) if (fits(row)) return copyOf(row);
    return undefined;
  }

  /** Every record that passes the test, in order. */
  filter(fits: (record: Readonly<T>) => boolean): T[] {
    const found: T[] = [];
    for (const row of this.rows()) if (fits(row)) found.push(copyOf(row));
    return found;
  }

  /** Every record, in order. */
  *[Symbol.iterator](): Iterator<T> {
    for (const row of this.rows()) yield copyOf(row);
  }
}

/** What a write is given. @internal */
export interface GivenFields {
  readonly fields: object;
  readonly isUpdate: boolean;
}

/** Options of a collection. */
export interface CollectionOptions<T extends Identified> extends RowOptions<T> {
  /** The number of seeded records. */
  readonly count: number;
  /** The identifier of the first new record. Default: that after the seeded ones. */
  readonly firstId?: number | undefined;
  /** The identifier of a new record that gets none. Default: the next one. */
  readonly identify?: ((given: Partial<T>, create: boolean) => number) | undefined;
  /** Completes the given fields of a new record with those that must agree with other records. */
  readonly completed?:
    | ((given: Partial<T>, make: (fields: Partial<T>) => Readonly<T>, create: boolean) => Partial<T>)
    | undefined;
  /** Carries out a write, after it has checked the fields of one that the caller of the sandbox asked for. @internal */
  readonly guard: <R>(given: GivenFields | null, write: () => R) => R;
  /** Called after every write but those of `revise`; `before` is the record as it was, undefined for a new one. */
  readonly onChange?: ((kind: ChangeKind, record: T, before: T | undefined) => void) | undefined;
}

/** What was written to a collection. The records are shared, not copied: none is ever changed in place. @internal */
export interface CollectionState<T extends Identified = Identified> {
  readonly written: readonly T[];
  readonly deleted: readonly number[];
  readonly added: readonly number[];
  readonly lastId: number;
}

interface Changes<T> {
  readonly written: Map<number, T>;
  readonly deleted: Set<number>;
  /** Identifiers of added records, in their order. */
  readonly added: number[];
}

// Seeded records are the same whenever they are made, so a large sandbox may forget those it has made.
const MOST_KEPT = 100_000;

/** The records of one resource. Seeded records are made when they are first read; a snapshot holds written records only. */
export class Collection<T extends Identified> extends Records<T> {
  readonly #options: CollectionOptions<T>;
  #make: RowMaker<T> | undefined;
  readonly #kept = new Map<number, Readonly<T>>();
  // Made with the first write, because most collections of most sandboxes are never written to.
  #changes: Changes<T> | undefined;
  #lastId: number;
  #version = 0;
  #initial: CollectionState<T> | undefined;
  #settled = false;

  /** @hidden */
  constructor(options: CollectionOptions<T>) {
    super();
    this.#options = options;
    this.#lastId = this.#seededId;
  }

  get #seededId(): number {
    const { count, firstId = count + 1 } = this.#options;
    return firstId - 1;
  }

  get count(): number {
    return this.slots - (this.#changes?.deleted.size ?? 0);
  }

  /** The identifier of the next record that is inserted without one. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** @internal */
  get slots(): number {
    return this.#options.count + (this.#changes?.added.length ?? 0);
  }

  /** @internal */
  get version(): number {
    return this.#version;
  }

  /**
   * Adds a record. Fields that are left out are filled in so that they agree with the given ones: a paid invoice has nothing open, a
   * concept no number, and `account_name` is the name of `account_id`. It is made at the sandbox's time, unless dates are given. A
   * record that it needs and that is not given is one of those there are or, without any, is added too.
   * @throws RangeError when a record with this id exists, and for a field that does not exist or a wrong value.
   * @example
   * const invoice = sandbox.store.invoices.insert({ status: "open", items: [{ units: 2, unit_price: "10.00" }] });
   * console.log(invoice.total_excl, invoice.account_name); // 20.00 and the name of an account
   */
  insert(fields: Given<T> = {} as Given<T>): T {
    return this.#options.guard({ fields, isUpdate: false }, () => this.#insert(fields));
  }

  #insert(fields: Given<T>): T {
    const { id: given } = fields as Partial<T>;
    if (given !== undefined && this.peek(given)) throw new RangeError(`${this.#options.name}: ${given} already exists`);
    const record = this.#drafted(fields, true);
    const { id } = record;
    const { deleted, added } = this.#writable();
    if (!this.#knows(id)) {
      added.push(id);
      this.#lastId = Math.max(this.#lastId, id);
    }
    deleted.delete(id);
    return this.#write("created", record, undefined);
  }

  /**
   * Changes a record and returns it; undefined when there is none with this identifier. `updated_at`, unless it is given, becomes
   * the sandbox's time, and at least 1 ms later than it was.
   * @throws RangeError for a field that does not exist and for a wrong value.
   */
  update(id: number, changes: Partial<T>): T | undefined {
    return this.#options.guard({ fields: changes, isUpdate: true }, () => {
      const record = this.get(id);
      if (!record) return undefined;
      return this.#write("updated", { ...record, ...this.#touched(record), ...structuredClone(changes), id }, record);
    });
  }

  // Two changes at one time differ in `updated_at`: a receiver of webhooks takes equal events for copies.
  #touched(record: T): object {
    if (!this.#settled || !("updated_at" in record)) return {};
    const before = Date.parse(String(record.updated_at));
    const now = this.#options.now();
    return { updated_at: new Date(before >= now ? before + 1 : now).toISOString() };
  }

  /** Changes fields that the service computes from other records: no webhook is sent. @internal */
  revise(id: number, changes: Partial<T>): void {
    const record = this.get(id);
    if (!record) return;
    this.#writable().written.set(id, { ...record, ...structuredClone(changes), id });
    this.#version++;
  }

  /** Adds to a number that a record keeps of others, which never falls below 0: no webhook is sent. @internal */
  addTo(id: number | null | undefined, field: keyof T, by: number): void {
    const record = typeof id === "number" && by !== 0 ? this.peek(id) : undefined;
    if (record) this.revise(record.id, { [field]: Math.max(0, Number(record[field]) + by) } as Partial<T>);
  }

  /** Counts one record less for what it was counted for, and one more for what it is counted for now. @internal */
  recount(field: keyof T, before: number | null | undefined, after: number | null | undefined): void {
    if (before === after) return;
    this.addTo(before, field, -1);
    this.addTo(after, field, 1);
  }

  /** Removes a record; false when there is none with this identifier. */
  delete(id: number): boolean {
    const record = this.get(id);
    if (!record) return false;
    const { deleted, written } = this.#writable();
    deleted.add(id);
    written.delete(id);
    this.#options.guard(null, () => this.#changed("deleted", record, record));
    return true;
  }

  /**
   * The record that `insert` would add, without adding it: plausible, and with the fields that are given, which it does not
   * check. Where it needs a record and there is none, it has the identifier that this would get. Dates that are not given are
   * as of seeded records.
   */
  draft(fields: Given<T> = {} as Given<T>): T {
    return this.#drafted(fields, false);
  }

  #drafted(fields: Given<T>, create: boolean): T {
    const { identify, completed } = this.#options;
    const given = structuredClone(withoutUndefined(fields)) as Partial<T>;
    const id = given.id ?? identify?.(given, create) ?? this.nextId;
    const inserted = create && this.#settled;
    const make = (some: Partial<T>) => this.#maker(id, { ...some, id }, inserted);
    const whole = completed?.({ ...given, id }, make, create) ?? given;
    return copyOf(complete(make(whole)));
  }

  /** Returns to the records that the sandbox was made with. */
  reset(): void {
    this.restore(this.#initial);
  }

  /** Makes what is written now what `reset` returns to. @internal */
  settle(): void {
    this.#initial = this.state();
    this.#settled = true;
  }

  /** What was written so far; undefined for nothing. @internal */
  state(): CollectionState<T> | undefined {
    if (!this.#changes) return undefined;
    const { written, deleted, added } = this.#changes;
    return { written: [...written.values()], deleted: [...deleted], added: [...added], lastId: this.#lastId };
  }

  /** Makes the seeded records anew when they are next read. @internal */
  forget(): void {
    this.#kept.clear();
  }

  /** Returns to what was written once. @internal */
  restore(state: CollectionState<T> | undefined): void {
    this.#changes = undefined;
    this.#lastId = state?.lastId ?? this.#seededId;
    this.#version++;
    if (!state) return;
    const { written, deleted, added } = state;
    this.#changes = {
      written: new Map(written.map((record) => [record.id, record])),
      deleted: new Set(deleted),
      added: [...added],
    };
  }

  #writable(): Changes<T> {
    this.#changes ??= { written: new Map(), deleted: new Set(), added: [] };
    return this.#changes;
  }

  /** The record with an identifier, which is shared: it must not be changed. @internal */
  peek(id: number): Readonly<T> | undefined {
    const isThere = this.#knows(id) && this.#changes?.deleted.has(id) !== true;
    return isThere ? (this.#changes?.written.get(id) ?? this.#whole(id)) : undefined;
  }

  /** The record as it is now; one that is gone, or was never there, as it would be seeded. @internal */
  look(id: number): Readonly<T> {
    return this.peek(id) ?? this.seeded(id);
  }

  /** The record as it was seeded, without later changes. @internal */
  seeded(id: number): Readonly<T> {
    // Not all of its fields at once: they may need fields of the record that asks.
    return this.#kept.get(id) ?? this.#maker(id);
  }

  #whole(id: number): Readonly<T> {
    let record = this.#kept.get(id);
    if (!record) {
      if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
      record = complete(this.#maker(id));
      this.#kept.set(id, record);
    }
    return record;
  }

  get #maker(): RowMaker<T> {
    this.#make ??= rowMaker(this.#options);
    return this.#make;
  }

  /** @internal */
  row(slot: number): Readonly<T> | undefined {
    const id = this.#idAt(slot);
    return id === undefined ? undefined : this.peek(id);
  }

  #idAt(slot: number): number | undefined {
    const { count } = this.#options;
    if (slot < 0) return undefined;
    return slot < count ? slot + 1 : this.#changes?.added[slot - count];
  }

  // Whether there is or was a record with this identifier: what was added is among those that were written or deleted.
  #knows(id: number): boolean {
    const { written, deleted } = this.#changes ?? {};
    const isSeeded = Number.isInteger(id) && id >= 1 && id <= this.#options.count;
    return isSeeded || written?.has(id) === true || deleted?.has(id) === true;
  }

  #write(kind: ChangeKind, record: T, before: T | undefined): T {
    this.#writable().written.set(record.id, record);
    this.#changed(kind, record, before);
    return copyOf(record);
  }

  #changed(kind: ChangeKind, record: T, before: T | undefined): void {
    this.#version++;
    this.#options.onChange?.(kind, copyOf(record), before);
  }
}
