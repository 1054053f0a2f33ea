import { type Days, daysFrom } from "./days.js";
import { hashText, mix, Random } from "./random.js";

/** The field that every stored record has. */
export interface Identified {
  readonly id: number;
}

export interface Making<T extends Identified> extends Days {
  /** The fields that the caller chose; empty for seeded records. All other fields must agree with them. */
  readonly given: Partial<T>;
  readonly seeded: boolean;
  /** The sandbox's time in the service's format. Empty for seeded records, which stay the same all week. */
  readonly now: string;
  /** True if the record is added now. False for initial records and drafts, which have the dates of seeded records. */
  readonly inserted: boolean;
  /** A record to which this record refers: as seeded if this record is seeded, otherwise in its current state. */
  look<R extends Identified>(collection: Looked<R>, id: number): Readonly<R>;
}

export interface Looked<R extends Identified> {
  look(id: number): Readonly<R>;
  seeded(id: number): Readonly<R>;
}

/**
 * Functions that each compute one field from other fields of the record and their own random source, without computing
 * the whole record.
 */
export type Columns<T extends Identified> = {
  readonly [Field in keyof T as Exclude<Field, "id">]: (
    row: Readonly<T>,
    random: Random,
    making: Making<T>,
  ) => T[Field];
};

/** Columns that take their values from a list of rows; further records repeat the list. @internal */
export function columnsOf<T extends Identified>(rows: readonly Omit<T, "id">[]): Columns<T> {
  const names = Object.keys(rows[0] ?? {}) as (keyof Omit<T, "id">)[];
  const columnOf = (name: keyof Omit<T, "id">) => (row: Identified) => rows[(row.id - 1) % rows.length]?.[name];
  return Object.fromEntries(names.map((name) => [name, columnOf(name)])) as unknown as Columns<T>;
}

/** @internal */
export function nameColumn<Name extends string>(names: readonly Name[]): { name: (row: Identified) => Name } {
  return { name: ({ id }) => names[(id - 1) % names.length] as Name };
}

/** @internal */
export type RowMaker<T extends Identified> = (id: number, given?: Partial<T>, inserted?: boolean) => Readonly<T>;

export interface RowOptions<T extends Identified> {
  readonly name: string;
  readonly seed: number;
  readonly columns: Columns<T>;
  readonly now: () => number;
  /** The Monday on which seeded dates are based, in milliseconds since the epoch. */
  readonly monday: () => number;
}

const SOURCE = Symbol("source");

/** @internal */
export function rowMaker<T extends Identified>({ name, seed, columns, now, monday }: RowOptions<T>): RowMaker<T> {
  type Row = Readonly<T> & { [SOURCE]: { readonly id: number; readonly making: Making<T> } };
  const days = daysFrom(monday);
  const seededOnly: Making<T> = {
    ...days,
    given: {},
    seeded: true,
    now: "",
    inserted: false,
    look: (collection, id) => collection.seeded(id),
  };
  // Rows share a prototype, whose getters compute the fields on access.
  const prototype = {};
  const define = (field: string, get: (this: Row) => unknown) =>
    Object.defineProperty(prototype, field, { enumerable: true, get });
  define("id", function () {
    return this[SOURCE].id;
  });
  for (const [field, column] of Object.entries(columns)) {
    const salt = mix(hashText(`${name}.${field}`), seed);
    const work = column as (row: Readonly<T>, random: Random, making: Making<T>) => unknown;
    define(field, function () {
      const { id, making } = this[SOURCE];
      return work(this, new Random(mix(salt, id)), making);
    });
  }
  return (id, given, inserted = false) => {
    const row = Object.create(prototype) as Row;
    const look: Making<T>["look"] = (collection, other) => collection.look(other);
    const making = given && { ...days, given, seeded: false, now: new Date(now()).toISOString(), inserted, look };
    row[SOURCE] = { id, making: making ?? seededOnly };
    for (const [field, value] of Object.entries(given ?? {})) {
      Object.defineProperty(row, field, { enumerable: true, value });
    }
    return row;
  };
}

/** A copy of a row with every field computed. @internal */
export function complete<T>(row: Readonly<T>): T {
  const record: Record<string, unknown> = {};
  // Computed fields are on the prototype, which a spread ignores; chosen fields are on the row itself.
  const names = [...Object.keys(Object.getPrototypeOf(row)), ...Object.keys(row as object)];
  for (const name of names) {
    const value = row[name as keyof T];
    if (value !== undefined) record[name] = value;
  }
  return record as T;
}
