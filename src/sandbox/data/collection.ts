import { hashText, mix, Random } from "./random.js";

/** What every stored record has. */
export interface Identified {
  readonly id: number;
}

/** What a column knows beside its record. */
export interface Making<T extends Identified> {
  /** The fields somebody chose; for seeded records none. Every other field must agree with them. */
  readonly given: Partial<T>;
  /** A record the made one refers to: as it was seeded, or, for a record with chosen fields, as it is now. */
  look<R extends Identified>(collection: Collection<R>, id: number): Readonly<R>;
}

/**
 * How the records of a collection are made: one function per field, of the other fields of its record and of randomness that
 * belongs to the field. So each field of each record can be worked out without making any other record.
 */
export type Columns<T extends Identified> = {
  readonly [Field in keyof T as Exclude<Field, "id">]: (
    row: Readonly<T>,
    random: Random,
    making: Making<T>,
  ) => T[Field];
};

/** What became of a record. */
export type ChangeKind = "created" | "updated" | "deleted";

/** Records to read: a collection, or a view of one. */
export interface Records<T extends Identified> extends Iterable<T> {
  /** How many records there are. */
  readonly count: number;
  /** The record at a place in the list, from 0; undefined past the end. */
  at(index: number): T | undefined;
  /** The record with an identifier. */
  get(id: number): T | undefined;
  /** The first record that fits. */
  find(fits: (record: Readonly<T>) => boolean): T | undefined;
  /** Every record that fits, in order. */
  filter(fits: (record: Readonly<T>) => boolean): T[];
  /** A record as it would be added next, without adding it: believable, and with the fields that are given. */
  draft(fields?: Partial<T>): T;
  /** Places to look at, records and gaps alike. @internal */
  readonly slots: number;
  /** The record at a place, fields worked out when they are read; undefined for a gap. @internal */
  row(slot: number): Readonly<T> | undefined;
  /** The record at a place, complete. @internal */
  record(slot: number): T | undefined;
  /** Grows with every change. @internal */
  readonly version: number;
  /** Slots in an order, made anew only after a change or for another order. @internal */
  ordered(order: string, make: () => readonly number[]): readonly number[];
}

/** What collections and views have in common. */
export abstract class RecordsBase<T extends Identified> implements Records<T> {
  #order: { readonly name: string; readonly version: number; readonly slots: readonly number[] } | undefined;

  abstract readonly count: number;
  /** @internal */
  abstract readonly slots: number;
  /** @internal */
  abstract readonly version: number;
  abstract get(id: number): T | undefined;
  /** @internal */
  abstract row(slot: number): Readonly<T> | undefined;
  /** @internal */
  abstract record(slot: number): T | undefined;
  abstract draft(fields?: Partial<T>): T;

  /** @internal */
  ordered(name: string, make: () => readonly number[]): readonly number[] {
    const { version } = this;
    if (this.#order?.name !== name || this.#order.version !== version) this.#order = { name, version, slots: make() };
    return this.#order.slots;
  }

  /** The record at a place in the list, from 0; undefined past the end. */
  at(index: number): T | undefined {
    // Without gaps the place is the slot.
    if (this.count === this.slots) return this.record(index);
    let left = index;
    for (let slot = 0; slot < this.slots; slot++) {
      if (this.row(slot) && left-- === 0) return this.record(slot);
    }
    return undefined;
  }

  /** The first record that fits. */
  find(fits: (record: Readonly<T>) => boolean): T | undefined {
    for (let slot = 0; slot < this.slots; slot++) {
      const row = this.row(slot);
      if (row && fits(row)) return this.record(slot);
    }
    return undefined;
  }

  /** Every record that fits, in order. */
  filter(fits: (record: Readonly<T>) => boolean): T[] {
    const found: T[] = [];
    for (let slot = 0; slot < this.slots; slot++) {
      const row = this.row(slot);
      if (row && fits(row)) found.push(this.record(slot) as T);
    }
    return found;
  }

  /** Every record, in order. */
  *[Symbol.iterator](): Iterator<T> {
    for (let slot = 0; slot < this.slots; slot++) {
      const record = this.record(slot);
      if (record) yield record;
    }
  }
}

/** What a collection is made from. */
export interface CollectionOptions<T extends Identified> {
  readonly name: string;
  readonly seed: number;
  /** How many records it has before anything is written. */
  readonly count: number;
  readonly columns: Columns<T>;
  readonly onChange?: ((kind: ChangeKind, record: T) => void) | undefined;
}

/**
 * The records of one resource. Seeded ones are made when they are asked for and never held; what is written lies over
 * them.
 */
export class Collection<T extends Identified> extends RecordsBase<T> {
  readonly #options: CollectionOptions<T>;
  #make: RowMaker<T> | undefined;
  readonly #written = new Map<number, T>();
  readonly #deleted = new Set<number>();
  #added: number[] = [];
  readonly #addedIds = new Set<number>();
  #lastId: number;
  #version = 0;

  /** @hidden */
  constructor(options: CollectionOptions<T>) {
    super();
    this.#options = options;
    this.#lastId = options.count;
  }

  get count(): number {
    return this.slots - this.#deleted.size;
  }

  /** The identifier the next record gets when it is given none. */
  get nextId(): number {
    return this.#lastId + 1;
  }

  /** @internal */
  get slots(): number {
    return this.#options.count + this.#added.length;
  }

  /** @internal */
  get version(): number {
    return this.#version;
  }

  /** The record with an identifier. */
  get(id: number): T | undefined {
    if (!this.#knows(id) || this.#deleted.has(id)) return undefined;
    return structuredClone(this.#written.get(id)) ?? complete(this.seeded(id));
  }

  /**
   * Adds a record. Fields that are left out are filled in so that they agree with the given ones: a paid invoice has nothing open, a
   * concept no number, and `account_name` is the name of `account_id`.
   * @throws RangeError when its id is taken.
   */
  insert(fields: Partial<T> = {}): T {
    const record = this.draft(fields);
    const { id } = record;
    if (this.#knows(id) && !this.#deleted.has(id))
      throw new RangeError(`${this.#options.name}: ${id} is there already`);
    this.#deleted.delete(id);
    if (!this.#knows(id)) {
      this.#added.push(id);
      this.#addedIds.add(id);
      this.#lastId = Math.max(this.#lastId, id);
    }
    return this.#write("created", record);
  }

  /** Changes a record; undefined when there is none with this identifier. */
  update(id: number, changes: Partial<T>): T | undefined {
    const record = this.get(id);
    return record && this.#write("updated", { ...record, ...structuredClone(changes), id });
  }

  /** Removes a record; false when there is none with this identifier. */
  delete(id: number): boolean {
    const record = this.get(id);
    if (!record) return false;
    this.#deleted.add(id);
    this.#written.delete(id);
    this.#changed("deleted", record);
    return true;
  }

  /** A record as it would be added next, without adding it: believable, and with the fields that are given. */
  draft(fields: Partial<T> = {}): T {
    const given = structuredClone(
      Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    );
    const id = fields.id ?? this.nextId;
    return structuredClone(complete(this.#maker(id, { ...given, id } as Partial<T>)));
  }

  /** Forgets everything that was written. */
  reset(): void {
    this.#written.clear();
    this.#deleted.clear();
    this.#added = [];
    this.#addedIds.clear();
    this.#lastId = this.#options.count;
    this.#version++;
  }

  /** The record with an identifier, not copied and its fields worked out when they are read. @internal */
  peek(id: number): Readonly<T> | undefined {
    if (!this.#knows(id) || this.#deleted.has(id)) return undefined;
    return this.#written.get(id) ?? this.seeded(id);
  }

  /** The record as it was seeded, whatever was written since. @internal */
  seeded(id: number): Readonly<T> {
    return this.#maker(id);
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

  /** @internal */
  record(slot: number): T | undefined {
    const id = this.#idAt(slot);
    return id === undefined ? undefined : this.get(id);
  }

  #idAt(slot: number): number | undefined {
    const { count } = this.#options;
    if (slot < 0) return undefined;
    return slot < count ? slot + 1 : this.#added[slot - count];
  }

  #knows(id: number): boolean {
    return (Number.isInteger(id) && id >= 1 && id <= this.#options.count) || this.#addedIds.has(id);
  }

  #write(kind: ChangeKind, record: T): T {
    this.#written.set(record.id, record);
    this.#changed(kind, record);
    return structuredClone(record);
  }

  #changed(kind: ChangeKind, record: T): void {
    this.#version++;
    this.#options.onChange?.(kind, structuredClone(record));
  }
}

/** How the fields of a view come from the record it shows. */
export type ViewColumns<T extends Identified, Source extends Identified> = {
  readonly [Field in keyof T as Exclude<Field, "id">]: (source: Readonly<Source>) => T[Field];
};

/** Records of one collection, shown as another resource has them. Cannot be written: write the records behind it. */
export class View<T extends Identified, Source extends Identified> extends RecordsBase<T> {
  readonly #source: Records<Source>;
  readonly #show: (source: Readonly<Source>) => Readonly<T>;

  constructor(source: Records<Source>, columns: ViewColumns<T, Source>) {
    super();
    this.#source = source;
    const show = lazy<Source, T>({ ...columns, id: (row: Readonly<Source>) => row.id });
    this.#show = (shown) => show(shown);
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
    return source && complete(this.#show(source));
  }

  /** A record as it would be added next, without adding it: believable, and with the fields that are given. */
  draft(fields: Partial<T> = {}): T {
    const { id } = fields;
    const source = this.#source.draft((id === undefined ? {} : { id }) as Partial<Source>);
    return { ...complete(this.#show(source)), ...structuredClone(fields) };
  }

  /** @internal */
  row(slot: number): Readonly<T> | undefined {
    const source = this.#source.row(slot);
    return source && this.#show(source);
  }

  /** @internal */
  record(slot: number): T | undefined {
    const row = this.row(slot);
    return row && complete(row);
  }
}

const SOURCE = Symbol("source");

// An object whose fields are worked out on reading, from the functions given; one prototype for all of them. Fields in
// `chosen` have the value that stands there.
function lazy<Source, T>(
  fields: Readonly<Record<string, unknown>>,
): (source: Source, chosen?: Readonly<Partial<T>>) => Readonly<T> {
  const prototype = {};
  for (const [name, field] of Object.entries(fields)) {
    const work = field as (source: Source, row: Readonly<T>) => unknown;
    Object.defineProperty(prototype, name, {
      enumerable: true,
      get(this: { [SOURCE]: Source }) {
        return work(this[SOURCE], this as unknown as Readonly<T>);
      },
    });
  }
  return (source, chosen) => {
    const row = Object.create(prototype) as { [SOURCE]: Source };
    row[SOURCE] = source;
    for (const [name, value] of Object.entries(chosen ?? {})) {
      Object.defineProperty(row, name, { enumerable: true, value });
    }
    return row as unknown as Readonly<T>;
  };
}

type RowMaker<T extends Identified> = (id: number, given?: Partial<T>) => Readonly<T>;

function rowMaker<T extends Identified>({ name, seed, columns }: CollectionOptions<T>): RowMaker<T> {
  interface Source {
    readonly id: number;
    readonly making: Making<T>;
  }
  const seededOnly: Making<T> = { given: {}, look: (collection, id) => collection.seeded(id) };
  const fields: Record<string, unknown> = { id: (source: Source) => source.id };
  for (const [field, column] of Object.entries(columns)) {
    const salt = mix(hashText(`${name}.${field}`), seed);
    const work = column as (row: Readonly<T>, random: Random, making: Making<T>) => unknown;
    fields[field] = ({ id, making }: Source, row: Readonly<T>) => work(row, new Random(mix(salt, id)), making);
  }
  const show = lazy<Source, T>(fields);
  return (id, given) => {
    if (!given) return show({ id, making: seededOnly });
    const making: Making<T> = {
      given,
      look: (collection, other) => collection.peek(other) ?? collection.seeded(other),
    };
    return show({ id, making }, given);
  };
}

function complete<T>(row: Readonly<T>): T {
  const record: Record<string, unknown> = {};
  // The fields lie on the row's prototype, where a spread would not find them; beside them it has what was chosen.
  const names = [...Object.keys(Object.getPrototypeOf(row)), ...Object.keys(row as object)];
  for (const name of names) {
    const value = row[name as keyof T];
    if (value !== undefined) record[name] = value;
  }
  return record as T;
}
