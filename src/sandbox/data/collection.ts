import { copyOf } from "../../core/copy.js";
import { type Given, withoutUndefined } from "./given.js";
import { complete, type Identified, type RowMaker, type RowOptions, rowMaker } from "./row-maker.js";

export type { Columns, Identified, Looked, Making } from "./row-maker.js";

export type ChangeKind = "created" | "updated" | "deleted";

/** Read access to the records of a collection or view. */
export abstract class Records<T extends Identified> implements Iterable<T> {
  #order: { readonly name: string; readonly version: number; readonly slots: readonly number[] } | undefined;

  /** The number of records. */
  abstract readonly count: number;
  /** The number of slots, including the empty slots of deleted records. @internal */
  abstract readonly slots: number;
  /** Increases with every change. @internal */
  abstract readonly version: number;
  /** The record with this identifier, if any. Shared: do not change it. @internal */
  abstract peek(id: number): Readonly<T> | undefined;
  /** The record in a slot; undefined for an empty slot. Shared: do not change it. @internal */
  abstract row(slot: number): Readonly<T> | undefined;
  /**
   * The record that `insert` would add for these fields. Adds nothing and does not check the fields. Missing dates are
   * filled in as for a seeded record.
   */
  abstract draft(fields?: Given<T>): T;

  /** The record with this identifier; undefined if there is none. */
  get(id: number): T | undefined {
    return copyOf(this.peek(id));
  }

  /** The slots in a named order, recomputed only after a change or for another order. @internal */
  slotsInOrder(name: string, make: () => readonly number[]): readonly number[] {
    const { version } = this;
    if (this.#order?.name !== name || this.#order.version !== version) this.#order = { name, version, slots: make() };
    return this.#order.slots;
  }

  /** Every record, in order. Shared: do not change them. @internal */
  *rows(): Generator<Readonly<T>> {
    for (let slot = 0; slot < this.slots; slot++) {
      const row = this.row(slot);
      if (row) yield row;
    }
  }

  /** The record at an index, counted from 0; undefined past the end. */
  at(index: number): T | undefined {
    // If no slot is empty, the index is the slot.
    if (this.count === this.slots) return copyOf(this.row(index));
    let left = index;
    return this.find(() => left-- === 0);
  }

  /** The first record that passes the test; undefined if none does. */
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

/** @internal */
export interface GivenFields {
  readonly fields: object;
  readonly isUpdate: boolean;
}

export interface CollectionOptions<T extends Identified> extends RowOptions<T> {
  readonly count: number;
  /** The identifier of the first new record. Default: the one after the seeded records. */
  readonly firstId?: number | undefined;
  /** Chooses the identifier of a new record if the caller gives none. Default: the next identifier. */
  readonly identify?: ((given: Partial<T>, create: boolean) => number) | undefined;
  /** Adds the fields of a new record that must agree with other records. */
  readonly completed?:
    | ((given: Partial<T>, make: (fields: Partial<T>) => Readonly<T>, create: boolean) => Partial<T>)
    | undefined;
  /** Runs a write, after checking the fields if the caller passed them. @internal */
  readonly guard: <R>(given: GivenFields | null, write: () => R) => R;
  /** Called after every write except `revise`. `before` is the previous record; undefined for a new one. */
  readonly onChange?: ((kind: ChangeKind, record: T, before: T | undefined) => void) | undefined;
}

/** The changes to a collection since it was seeded. Records are shared: they never change in place. @internal */
export interface CollectionState<T extends Identified = Identified> {
  readonly written: readonly T[];
  readonly deleted: readonly number[];
  readonly added: readonly number[];
  readonly lastId: number;
}

interface Changes<T> {
  readonly written: Map<number, T>;
  readonly deleted: Set<number>;
  /** Identifiers of added records, in insertion order. */
  readonly added: number[];
}

// With this many seeded records in memory, a collection drops them and makes them again when they are read.
const MOST_KEPT = 100_000;

/** The records of one resource. Seeded records are made on first read; a snapshot contains only written records. */
export class Collection<T extends Identified> extends Records<T> {
  readonly #options: CollectionOptions<T>;
  #make: RowMaker<T> | undefined;
  readonly #kept = new Map<number, Readonly<T>>();
  // Created by the first write: most collections are never written to.
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

  /** The default identifier of the next inserted record. */
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
   * Adds a record. Missing fields are filled in to agree with the given ones: a paid invoice has no open amount, a
   * concept invoice has no number, and `account_name` is the name of `account_id`. Dates default to the sandbox's time.
   * An omitted reference refers to an existing record; if there is none, the sandbox adds one.
   * @throws RangeError if a record with this id exists, or for an unknown field or an invalid value.
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
    const record = this.#makeDraft(fields, true);
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
   * Changes a record and returns it; undefined if no record has this identifier. Sets `updated_at`, unless given, to
   * the sandbox's time, but at least 1 ms later than before.
   * @throws RangeError for an unknown field or an invalid value.
   */
  update(id: number, changes: Partial<T>): T | undefined {
    return this.#options.guard({ fields: changes, isUpdate: true }, () => {
      const record = this.get(id);
      if (!record) return undefined;
      return this.#write(
        "updated",
        { ...record, ...this.#newTimestamp(record), ...structuredClone(changes), id },
        record,
      );
    });
  }

  // Simultaneous changes get different values of `updated_at`, because webhook receivers treat equal events as
  // duplicates.
  #newTimestamp(record: T): object {
    if (!this.#settled || !("updated_at" in record)) return {};
    const before = Date.parse(String(record.updated_at));
    const now = this.#options.now();
    return { updated_at: new Date(before >= now ? before + 1 : now).toISOString() };
  }

  /** Changes fields that the service computes from other records. Sends no webhook. @internal */
  revise(id: number, changes: Partial<T>): void {
    const record = this.get(id);
    if (!record) return;
    this.#writable().written.set(id, { ...record, ...structuredClone(changes), id });
    this.#version++;
  }

  /** Adds `by` to a field that counts other records, but keeps it at 0 or more. Sends no webhook. @internal */
  addTo(id: number | null | undefined, field: keyof T, by: number): void {
    const record = typeof id === "number" && by !== 0 ? this.peek(id) : undefined;
    if (record) this.revise(record.id, { [field]: Math.max(0, Number(record[field]) + by) } as Partial<T>);
  }

  /** Subtracts 1 from the count of the record `before`, and adds 1 to the count of the record `after`. @internal */
  recount(field: keyof T, before: number | null | undefined, after: number | null | undefined): void {
    if (before === after) return;
    this.addTo(before, field, -1);
    this.addTo(after, field, 1);
  }

  /** Removes a record; false if no record has this identifier. */
  delete(id: number): boolean {
    const record = this.get(id);
    if (!record) return false;
    const { deleted, written } = this.#writable();
    deleted.add(id);
    written.delete(id);
    this.#options.guard(null, () => this.#notifyChange("deleted", record, record));
    return true;
  }

  /** @internal */
  updateAll(fits: (record: Readonly<T>) => boolean, changes: (record: T) => Partial<T>): void {
    for (const record of this.filter(fits)) this.update(record.id, changes(record));
  }

  /** Removes every record that passes the test, and returns their number. @internal */
  deleteAll(fits: (record: Readonly<T>) => boolean): number {
    return this.filter(fits).filter(({ id }) => this.delete(id)).length;
  }

  /**
   * The record that `insert` would add for these fields. Adds nothing and does not check the fields. If the draft needs
   * a record that does not exist, it refers to the identifier that this record would get. Missing dates are filled in
   * as for a seeded record.
   */
  draft(fields: Given<T> = {} as Given<T>): T {
    return this.#makeDraft(fields, false);
  }

  #makeDraft(fields: Given<T>, create: boolean): T {
    const { identify, completed } = this.#options;
    const given = structuredClone(withoutUndefined(fields)) as Partial<T>;
    const id = given.id ?? identify?.(given, create) ?? this.nextId;
    const inserted = create && this.#settled;
    const make = (some: Partial<T>) => this.#maker(id, { ...some, id }, inserted);
    const whole = completed?.({ ...given, id }, make, create) ?? given;
    return copyOf(complete(make(whole)));
  }

  /** Restores the initial records of the sandbox. */
  reset(): void {
    this.restore(this.#initial);
  }

  /** Makes `reset` restore the current state. @internal */
  settle(): void {
    this.#initial = this.state();
    this.#settled = true;
  }

  /** The writes so far; undefined if there are none. @internal */
  state(): CollectionState<T> | undefined {
    if (!this.#changes) return undefined;
    const { written, deleted, added } = this.#changes;
    return { written: [...written.values()], deleted: [...deleted], added: [...added], lastId: this.#lastId };
  }

  /** Drops the seeded records from memory; reading makes them again. @internal */
  forget(): void {
    this.#kept.clear();
  }

  /** @internal */
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

  /** @internal */
  peek(id: number): Readonly<T> | undefined {
    const isThere = this.#knows(id) && this.#changes?.deleted.has(id) !== true;
    return isThere ? (this.#changes?.written.get(id) ?? this.#whole(id)) : undefined;
  }

  /** The current record or, if it was deleted or never existed, the record that would be seeded. @internal */
  look(id: number): Readonly<T> {
    return this.peek(id) ?? this.seeded(id);
  }

  /** The record as seeded, without later changes. @internal */
  seeded(id: number): Readonly<T> {
    // Fields are computed on access, because two records can need fields of each other.
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

  // True for the identifiers of seeded and of added records; an added record is always in `written` or `deleted`.
  #knows(id: number): boolean {
    const { written, deleted } = this.#changes ?? {};
    const isSeeded = Number.isInteger(id) && id >= 1 && id <= this.#options.count;
    return isSeeded || written?.has(id) === true || deleted?.has(id) === true;
  }

  #write(kind: ChangeKind, record: T, before: T | undefined): T {
    this.#writable().written.set(record.id, record);
    this.#notifyChange(kind, record, before);
    return copyOf(record);
  }

  #notifyChange(kind: ChangeKind, record: T, before: T | undefined): void {
    this.#version++;
    this.#options.onChange?.(kind, copyOf(record), before);
  }
}
