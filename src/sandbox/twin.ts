import * as z from "zod/mini";
import { isPlainObject } from "../core/json.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import type { SchoolDefinitions } from "../school/definitions.js";
import { valueAt } from "../work/fields/path.js";
import { batchOf, type FieldShape, kindsAt, LEAST, LONG, schemaAt, VERY_LONG } from "../work/kinds.js";
import { allFacts, factsOf } from "./collections.js";
import type { Collection } from "./data/collection.js";
import { isNullable, NEW_VALUE } from "./data/mannered.js";
import { hashText, mix, Random } from "./data/random.js";
import { referencesWithin, relatedIn } from "./data/references.js";
import type { CollectionName, Store } from "./data/store.js";
import type { AnyRecord } from "./engine/behavior.js";

/**
 * A description of a school for tests, as `npx education-admin-sdk twin` writes it. It contains no records of people or
 * payments.
 */
export interface Twin {
  /** The version of the file format. */
  readonly version: number;
  /** The day on which the school was read, such as `2030-06-01`. */
  readonly taken: string;
  /** False if the names of courses and the like were omitted. */
  readonly names: boolean;
  /** The service's `SandboxManners`, as far as reading reveals them; all others have the sandbox's defaults. */
  readonly manners: Readonly<Record<string, string>>;
  /** Names of the headers that every list returned. */
  readonly headers: readonly string[];
  /** Lists that the key could not read, with the status of the response. */
  readonly unread: Readonly<Record<string, number>>;
  readonly disabledFeatures: readonly string[];
  /** The school's own fields, objects and associations. */
  readonly school: SchoolDefinitions;
  /** Records without personal data, by list: courses, categories, labels and the like. */
  readonly data: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
  /** The number of records in lists that are not in `data`; `few` means fewer than five. */
  readonly counts: Readonly<Record<string, number | string>>;
  /** The kinds of values of each field of a list, and their frequency. Never contains a person's data. */
  readonly shape: Readonly<Record<string, Readonly<Record<string, FieldShape>>>>;
}

const VERSION = 1;
const MOST_PEOPLE = 200;
const FEW = 2;
/** The maximum number of records in a list per person; a file edited by hand could contain any number. */
const MOST_EACH = 50;

/** True if a value is a twin in the format that this version of the library reads. */
export function isTwin(value: unknown): value is Twin {
  return form().safeParse(value).success;
}

function form() {
  const by = <Value extends z.core.SomeType>(each: Value) => z.record(z.string(), each);
  const few = <Value extends z.core.SomeType>(number: Value) => z.union([z.literal("few"), number]);
  return z.object({
    version: z.literal(VERSION),
    manners: by(z.string()),
    headers: z.array(z.string()),
    unread: by(z.int()),
    disabledFeatures: z.array(z.string()),
    school: z.looseObject({}),
    data: by(z.array(z.looseObject({ id: z.int().check(z.positive()) }))),
    counts: by(few(z.int().check(z.nonnegative()))),
    // Percentages; `few` means a small share.
    shape: by(by(z.catchall(z.object({ most: z.string() }), few(z.int().check(z.gte(0), z.lte(100)))))),
  });
}

/** @internal */
export function peopleOf({ counts: { users = FEW } }: Twin): number {
  return typeof users === "number" ? Math.max(1, Math.min(users, MOST_PEOPLE)) : FEW;
}

/** The fields of a resource's records that are in no schema. @internal */
export function newFieldsOf({ shape }: Twin, resource: string): string[] {
  const known = fieldsOf(allFacts().get(resource as CollectionName)?.schema);
  return Object.keys(shape[resource] ?? {}).filter((path) => !path.includes(".") && !Object.hasOwn(known, path));
}

/** @internal */
export interface Filling {
  readonly store: Store;
  /** A small seeded school, which has current courses. */
  readonly present: Store;
  readonly people: number;
  readonly seed: number;
}

/**
 * Fills an empty store with three kinds of records: those of a twin; those of a seeded school, so that there are
 * current courses every day; and random records, in which each kind of value is as frequent as in the twin. Each
 * field is drawn independently of all others.
 * @internal
 */
export function fillFrom(twin: Twin, { store, present, people, seed }: Filling): void {
  const names = [...allFacts().keys()];
  const seeded = people < present.users.count ? null : present;
  const grafts = new Map<CollectionName, AnyRecord[]>();
  for (const name of names) {
    const collection = collectionIn(store, name);
    if (twin.data[name] || collection.count > 0 || name.startsWith("webhook")) continue;
    const rows = seeded ? graft(twin, name, seeded, store) : [];
    grafts.set(name, rows);
    // If a list also gets random records, its seeded ones are added after them: a random record that refers to a seeded
    // one would change its counts.
    const isWhole = rows.length >= countIn(twin, name, people);
    // A teacher has the identifier of their user, so random teachers must not get identifiers of seeded users.
    place(collection, isWhole ? rows : [], name === "teachers" ? (grafts.get("users")?.length ?? 0) : rows.length);
  }
  for (const name of names) {
    const collection = collectionIn(store, name);
    const { [name]: shape = {} } = twin.shape;
    const { [name]: kept } = twin.data;
    if (kept) keep(kept, collection);
    else draw(name, shape, countIn(twin, name, people) - (grafts.get(name)?.length ?? 0), collection, seed);
  }
  for (const [name, rows] of grafts) place(collectionIn(store, name), rows);
  // Adjusts values only after all records are added, because adding a record changes others.
  for (const name of names) {
    const given = new Set((twin.data[name] ?? []).flatMap((record) => Object.keys(record)));
    const fixed = new Set(grafts.get(name)?.map(({ id }) => id));
    adjust(name, twin.shape[name] ?? {}, { given, fixed }, collectionIn(store, name), seed);
  }
}

function collectionIn(store: Store, name: CollectionName): Collection<AnyRecord> {
  return store[name] as unknown as Collection<AnyRecord>;
}

// Takes records from a seeded school, up to the twin's limit, and points their references at the twin's records.
function graft(twin: Twin, name: CollectionName, seeded: Store, store: Store): AnyRecord[] {
  const { schema, targets } = factsOf(name);
  const rows = [...seeded[name]].slice(0, mostOf(twin, name)) as unknown as AnyRecord[];
  const idIn = (target: CollectionName, id: number): number | null => {
    const { [target]: kept } = twin.data;
    if (!kept) {
      const most = Math.min(mostOf(twin, target), seeded[target].count);
      return most === 0 ? null : ((id - 1) % most) + 1;
    }
    // A reference to the product of a course becomes a reference to the twin's product of the same course.
    const { productable_id: sold = null, productable_type: kind = null } =
      target === "catalogProducts" ? (seeded.catalogProducts.peek(id) ?? {}) : {};
    const course = kind === "Course" && sold !== null ? idIn("courses", sold) : null;
    const isOfCourse = (one: Readonly<Record<string, unknown>>) =>
      course !== null && one.productable_type === kind && one.productable_id === course;
    return ((kept.find(isOfCourse) ?? kept[(id - 1) % kept.length])?.id as number | undefined) ?? null;
  };
  for (const row of rows) {
    for (const { holder, name: field, target, ids } of referencesWithin(row, targets)) {
      const found = ids.map((id) => idIn(target, id)).filter((id) => id !== null);
      const isNeeded = holder === row && !isNullable(fieldsOf(schema)[field]);
      const one = found[0] ?? (isNeeded ? relatedIn(store, target)?.insert().id : null);
      holder[field] = Array.isArray(holder[field]) ? [...new Set(found)] : one;
    }
  }
  return rows;
}

function countIn({ counts }: Twin, name: string, people: number): number {
  const { users = FEW, [name]: total = 0 } = counts;
  const scale = people / Math.max(1, typeof users === "number" ? users : FEW);
  return Math.min(typeof total === "number" ? Math.ceil(total * scale) : FEW, people * MOST_EACH);
}

// The largest number of records that a list may have; a list that the twin does not count may have any number.
function mostOf({ unread, counts }: Twin, name: string): number {
  const { [name]: total = unread[name] === undefined ? Number.MAX_SAFE_INTEGER : 0 } = counts;
  return typeof total === "number" ? (total === 0 ? 0 : total + batchOf(total) - 1) : LEAST - 1;
}

// Writes records unchanged and without follow-up changes, because they already agree with each other.
function place(collection: Collection<AnyRecord>, rows: readonly AnyRecord[], last = 0): void {
  const { written = [], added = [], deleted = [], lastId = collection.nextId - 1 } = collection.state() ?? {};
  const all = new Map([...written, ...rows].map((row) => [row.id, row]));
  const ids = new Set([...rows.map(({ id }) => id), ...added]);
  collection.restore({
    written: [...all.values()],
    added: [...ids],
    deleted: deleted.filter((id) => !all.has(id)),
    lastId: Math.max(last, lastId),
  });
}

function keep(kept: readonly Readonly<Record<string, unknown>>[], collection: Collection<AnyRecord>): void {
  const ids = new Set(kept.map(({ id }) => id));
  // Deletes the records that every sandbox has but this school lacks.
  for (const { id } of [...collection.rows()]) if (!ids.has(id)) collection.delete(id);
  for (const record of kept) {
    if (collection.peek(record.id as number)) collection.update(record.id as number, record);
    else collection.insert(record);
  }
}

// Draws enumerations first, so that fields that depend on a status agree with it.
function draw(
  name: CollectionName,
  shape: Twin["shape"][string],
  count: number,
  collection: Collection<AnyRecord>,
  seed: number,
): void {
  const { schema } = factsOf(name);
  const enumerations = Object.entries(shape).flatMap(([path, field]) => {
    const fieldSchema = schemaAt(schema, path);
    if (path.includes(".") || !fieldSchema || traitsOf(unwrap(fieldSchema)).kind !== "enumeration") return [];
    return [{ path, fieldSchema, kinds: shuffle(kindsOf(field, count), randomOf(name, path, seed)) }];
  });
  for (let at = 0; collection.count < count; at++) {
    const given = enumerations.flatMap(({ path, fieldSchema, kinds }) => {
      const { [at % kinds.length]: kind = "" } = kinds;
      return isKnown(kind, fieldSchema) ? [[path, kind.slice(1)]] : [];
    });
    const id = name === "teachers" ? { id: collection.nextId } : {};
    collection.insert({ ...Object.fromEntries(given), ...id });
  }
}

function isKnown(kind: string, schema: Schema): boolean {
  const traits = traitsOf(unwrap(schema));
  return kind.startsWith("=") && traits.kind === "enumeration" && traits.values.includes(kind.slice(1));
}

// Changes as few values as possible so that each kind of value is as frequent in a field as in the twin.
function adjust(
  name: CollectionName,
  shape: Twin["shape"][string],
  { given, fixed }: { readonly given: ReadonlySet<string>; readonly fixed: ReadonlySet<number> },
  collection: Collection<AnyRecord>,
  seed: number,
): void {
  const { schema } = factsOf(name);
  const all = [...collection];
  const changed = new Set<AnyRecord>();
  for (const [path, field] of Object.entries(shape)) {
    const [outer = "", ...inner] = path.split(".");
    if (path === "id" || given.has(outer)) continue;
    const owners = inner.length === 0 ? all : all.filter((row) => isPlainObject(row[outer]));
    const random = randomOf(name, path, seed);
    const rows = Map.groupBy(shuffle(owners, random), kindsAt(path, schema));
    const wanted = Map.groupBy(kindsOf(field, owners.length), (kind) => kind);
    // Records from the seeded school keep enumeration values, and all other kinds of values that the twin's field has.
    const others = [...rows].flatMap(([kind, some]) => {
      const stays = kind.startsWith("=") || kind === field.most || Object.hasOwn(field, kind);
      const free = stays ? some.filter(({ id }) => !fixed.has(id)) : some;
      return free.slice(0, some.length - (wanted.get(kind)?.length ?? 0));
    });
    for (const [kind, { length }] of wanted) {
      const donors = rows.get(kind) ?? [];
      for (const row of others.splice(0, length - donors.length)) {
        // A copy, because the fields inside each record's object are adjusted separately.
        const value =
          donors.length > 0
            ? structuredClone(valueAt(random.pick(donors), path.split(".")))
            : madeOf(kind, path, schema, row);
        const holder = inner.length === 0 ? row : row[outer];
        (holder as Record<string, unknown>)[inner[0] ?? outer] = value;
        changed.add(row);
      }
    }
  }
  for (const row of changed) collection.revise(row.id, row);
}

// The kind of value for each of `count` records: the listed shares, and the most frequent kind for the rest.
function kindsOf({ most, ...others }: FieldShape, count: number): string[] {
  const kinds = Object.entries(others).flatMap(([kind, share]) => {
    const some = typeof share === "number" ? Math.round((count * share) / 100) : Math.min(FEW, Math.ceil(count / 100));
    return Array.from({ length: some }, () => kind);
  });
  return Array.from({ length: count }, (_, at) => kinds[at] ?? most);
}

function madeOf(kind: string, path: string, record: Schema | undefined, row: AnyRecord): unknown {
  const schema = schemaAt(record, path);
  const traits = schema && traitsOf(unwrap(schema));
  if (kind.startsWith("=")) return traits?.kind === "boolean" ? kind === "=true" : kind.slice(1);
  const format = schema && formatOf(unwrap(schema));
  const { created_at } = row;
  const text = { decimal: "1.00", date: String(created_at ?? "2030-01-01").slice(0, 10), "date-time": created_at };
  const words = String(valueAt(row, path.split(".")) || "Text");
  const values: Readonly<Record<string, unknown>> = {
    null: null,
    empty: traits?.kind === "array" ? [] : traits?.kind === "object" || traits?.kind === "record" ? {} : "",
    text: traits?.kind === "enumeration" ? traits.values[0] : (text[format as keyof typeof text] ?? "Text"),
    "long text": words.padEnd(LONG + 10, ` ${words}`),
    "very long text": words.padEnd(2 * VERY_LONG, ` ${words}`),
    number: 1,
    boolean: true,
    list: ["Text"],
    // Stays empty here: the fields inside the object are adjusted separately.
    object: {},
    other: NEW_VALUE,
  };
  return values[kind];
}

function randomOf(name: string, path: string, seed: number): Random {
  return new Random(mix(hashText(`${name}.${path}`), seed));
}

function shuffle<T>(values: readonly T[], random: Random): T[] {
  return values
    .map((value) => [random.next(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value);
}
