import { check, formatPath } from "../core/schema/issues.js";
import type { Schema } from "../core/schema/model.js";
import { strictSchema } from "../core/schema/strict-schema.js";
import { fieldsOf, formatOf, traitsOf, unwrap } from "../core/schema/traits.js";
import { instantOf, isDay } from "../work/days.js";
import { allFacts, factsOf } from "./collections.js";
import { wrongCustom } from "./custom/fields.js";
import type { Collection, GivenFields } from "./data/collection.js";
import type { RelatedByName } from "./data/domain.js";
import { longName, withoutUndefined } from "./data/given.js";
import { danglingIn } from "./data/references.js";
import type { CollectionName, SandboxData, Store } from "./data/store.js";
import type { AnyRecord } from "./engine/behavior.js";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Adds the caller's records to a new store. A record with an existing identifier changes the existing record.
 * @returns the added or changed records, per collection in the given order.
 * @throws RangeError naming the collection, record or field that is wrong.
 */
export function insertData(data: SandboxData, store: Store) {
  for (const [name, records] of Object.entries(data) as [CollectionName, unknown][]) {
    if (!allFacts().has(name)) throw new RangeError(`data.${name} is not a collection of the store`);
    if (records !== undefined && !Array.isArray(records))
      throw new RangeError(`data.${name} must be a list of records`);
  }
  const added: { readonly at: string; readonly name: CollectionName; readonly id: number; readonly fields: Fields }[] =
    [];
  // A record must be inserted before the records that refer to it; otherwise, each reference would add another record.
  for (const [name, { schema }] of allFacts()) {
    const records = data[name] ?? [];
    const collection = store[name] as unknown as Collection<AnyRecord>;
    const seen = new Set<unknown>();
    for (const [index, fields] of records.entries()) {
      const at = `data.${name}[${index}]`;
      if (typeof fields !== "object" || fields === null) throw new RangeError(`${at} must be an object`);
      const given = withoutUndefined(fields);
      checkFields(given, schema, at);
      const id = name === "educators" ? 1 : fields.id;
      if (id !== undefined && seen.has(id)) throw new RangeError(`${at}.id is used twice`);
      seen.add(id);
      checkValues(given, given, schema, at);
      checkValues(collection.draft(given as never), given, schema, at, { missing: true });
      if (typeof id === "number" && id < 1) throw new RangeError(`${at}.id must be a positive whole number`);
      const known = typeof id === "number" ? collection.peek(id) : undefined;
      const record = known
        ? collection.update(known.id, fields as Partial<AnyRecord>)
        : collection.insert(fields as never);
      added.push({ at, name, id: (record as AnyRecord).id, fields });
    }
  }
  for (const { at, name, id, fields } of added) {
    checkReferences(fields, at, store, factsOf(name).targets);
    const wrong = wrongCustom(fields.custom, name, store);
    if (wrong) throw new RangeError(`${at}.custom.${wrong.slug} ${wrong.problem}`);
    if (fields.id !== undefined && id !== fields.id) throw new RangeError(`${at}.id cannot be ${String(fields.id)}`);
  }
  return added;
}

/** @throws RangeError naming the field that is wrong. */
export function checkWritten(name: CollectionName, { fields, isUpdate }: GivenFields, store: Store): void {
  const at = `store.${name}`;
  if (typeof fields !== "object" || fields === null) throw new RangeError(`${at}: the fields must be an object`);
  const { schema, others } = factsOf(name);
  const given = withoutUndefined(fields as Fields);
  const long = isUpdate && "items" in given ? longName("items", fieldsOf(schema)) : "items";
  if (long !== "items") throw new RangeError(`${at}.items cannot be updated; pass ${long}`);
  checkFields(given, schema, at);
  // Accepts unknown values in enumerations, so that a test can imitate a newer service.
  checkValues(given, given, schema, at, { anyValue: true });
  const { id } = given;
  if (!isUpdate && typeof id === "number" && id < 1) throw new RangeError(`${at}.id must be a positive whole number`);
  checkReferences(given, at, store, others);
}

// Checks the names and formats of the given fields, including those of nested records. The schemas of records accept
// any text for amounts and dates, because the service may change their format.
function checkFields(value: unknown, schema: Schema, at: string): void {
  const traits = traitsOf(unwrap(schema));
  if (Array.isArray(value) && traits.kind === "array") {
    for (const [index, item] of value.entries()) checkFields(item, traits.item, `${at}[${index}]`);
  } else if (typeof value === "object" && value !== null && traits.kind === "object") {
    for (const [name, part] of Object.entries(value)) {
      const long = longName(name, traits.fields);
      const field = Object.hasOwn(traits.fields, long) ? traits.fields[long] : undefined;
      if (!field)
        throw new RangeError(
          `${at}.${name} is not a known field; the fields are ${Object.keys(traits.fields).join(", ")}`,
        );
      checkFields(part, field, `${at}.${name}`);
    }
  } else if (typeof value === "string") {
    const [holds, message] = FORMS[formatOf(unwrap(schema)) ?? formatNamed(at) ?? ""] ?? [];
    if (holds && !holds(value)) throw new RangeError(`${at} ${message}`);
  }
}

const FORMS: Readonly<Record<string, readonly [holds: (text: string) => boolean, message: string]>> = {
  decimal: [(text) => /^-?\d+(\.\d+)?$/.test(text), 'must be decimal text, such as "12.50"'],
  date: [isDay, "must be a date of the form yyyy-MM-dd"],
  "date-time": [
    (text) => /:\d{2}(\.\d+)?Z$/.test(text) && instantOf(text) !== null,
    "must be a time of the form yyyy-MM-ddTHH:mm:ss.SSSZ",
  ],
};

// If a schema declares no format, the name of the field implies it.
function formatNamed(at: string): string | undefined {
  if (/_date$/.test(at)) return "date";
  return /(_at|_date_time)$/.test(at) ? "date-time" : undefined;
}

// Checks the given fields of a record. `missing` is for records that are filled in: missing nested fields are refused.
function checkValues(
  record: Fields,
  given: Fields,
  schema: Schema,
  at: string,
  { missing = false, anyValue = false }: { readonly missing?: boolean; readonly anyValue?: boolean } = {},
): void {
  const known = fieldsOf(schema);
  const names = new Map(Object.keys(given).map((name) => [longName(name, known), name]));
  const whole = Object.fromEntries(Object.entries(record).map(([name, value]) => [longName(name, known), value]));
  for (const { path, message, kind } of check(strictSchema(schema, "received"), whole).mismatches) {
    const [field, ...rest] = path;
    const name = names.get(String(field));
    if (name === undefined || (kind === "missing_field" && !missing) || (kind === "unknown_value" && anyValue))
      continue;
    throw new RangeError(`${at}.${formatPath([name, ...rest])} ${message}`);
  }
}

function checkReferences(value: Fields, at: string, store: Store, targets: RelatedByName): void {
  const missing = danglingIn(value, targets, store, at);
  if (missing) throw new RangeError(`${missing.path}: there is no record ${missing.id}`);
}
