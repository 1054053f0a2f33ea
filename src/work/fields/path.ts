import { isPlainObject } from "../../core/json.js";
import { didYouMean } from "../../core/option-checks.js";
import { formatOf, type Schema, traitsOf, unwrap } from "../../core/schema/traits.js";

type OrderedKind = "integer" | "number" | "decimal" | "identifier" | "day" | "instant";

/** The kind of value that a field holds; `unknown` if only the school knows it, as with a custom field. */
export type FieldKind = OrderedKind | "text" | "flag" | "enumeration" | "object" | "unknown";

export interface Field {
  readonly path: string;
  /** The names along the path; the slug of a custom field is one name, dots included. */
  readonly names: readonly string[];
  readonly kind: FieldKind;
  /** False if the schema allows any text, but the field is named like a day or a time, such as `expiration_date`. */
  readonly isSure: boolean;
  /** Number of names that lead to the innermost list around the value, or to the value if it is a list; 0 if none. */
  readonly list: number;
  /** The reference, such as `account`, to the joined record with the field; null for a field of the record itself. */
  readonly join: string | null;
  readonly values: readonly string[];
  /** True if an enumeration has only these `values`. */
  readonly isComplete: boolean;
}

export type FoundField = { readonly field: Field } | { readonly problem: string };

/** Schemas of the records that `with` adds, by the name of their property. */
export type Joined = ReadonlyMap<string, readonly Schema[]>;

const NONE: Joined = new Map();

/**
 * Finds the field at a path, or explains why no record has a value there. Open parts, such as custom fields, and
 * records without a schema accept any name.
 * @param schema of the records; undefined if unknown.
 */
export function parsePath(path: string, schema: Schema | undefined, joined = NONE): FoundField {
  const names = path.split(".");
  if (names.includes("")) return { problem: "must be a path, such as address.city" };
  return schema ? findBelow([schema], { path, names, joined }, 0, 0) : { field: fieldOf(path, names, undefined) };
}

interface Path {
  readonly path: string;
  readonly names: readonly string[];
  /** Schemas of joined records; empty except at the beginning of a path. */
  readonly joined: Joined;
}

// Finds a field in several schemas. Its kind is unknown if the schemas differ; its values are those of all schemas.
function findBelow(schemas: readonly Schema[], path: Path, at: number, list: number, isOpen = false): FoundField {
  const all = schemas.map((schema) => findIn(schema, path, at, list));
  const fields = all.flatMap((found) => ("field" in found ? found.field : []));
  const [first] = fields;
  const unknown = { field: fieldOf(path.path, path.names, undefined, list) };
  if (!first) return (isOpen ? null : all[0]) ?? unknown;
  if (fields.some(({ kind }) => kind !== first.kind)) return unknown;
  const values = [...new Set(fields.flatMap((field) => field.values))];
  return { field: { ...first, values, isComplete: !isOpen && fields.every(({ isComplete }) => isComplete) } };
}

function findIn(schema: Schema, asked: Path, at: number, list: number): FoundField {
  const { path, names, joined } = asked;
  const inner = { path, names, joined: NONE };
  const traits = traitsOf(unwrap(schema));
  const name = names[at];
  const parent = names.slice(0, at).join(".");
  if (traits.kind === "array") {
    const isNumber = name !== undefined && /^\d+$/.test(name);
    return isNumber ? findIn(traits.item, inner, at + 1, list) : findIn(traits.item, inner, at, at);
  }
  if (name === undefined) return { field: fieldOf(path, names, schema, list) };
  switch (traits.kind) {
    case "object": {
      const others = joined.get(name);
      if (others) {
        const found = findBelow(others, inner, at + 1, list);
        return "field" in found && names.length > at + 1 ? { field: { ...found.field, join: name } } : found;
      }
      const field = Object.hasOwn(traits.fields, name) ? traits.fields[name] : undefined;
      if (field) return findIn(field, inner, at + 1, list);
      if (traits.open) return { field: fieldOf(path, names, undefined, list) };
      const known = [...Object.keys(traits.fields), ...joined.keys()];
      // Similar names may be times of different events, such as deleted_at and created_at: only names with the same
      // beginning are suggested.
      const isTime = /_(at|on|date)$/.test(name);
      const near = isTime ? known.filter((one) => one.slice(0, 2) === name.slice(0, 2)) : known;
      const advice =
        didYouMean(name, near, parent === "" ? "" : `${parent}.`) ||
        (isTime ? "; the service does not show that time" : "");
      return { problem: `is not a field of the record${advice}` };
    }
    case "record": {
      // The rest of the path is one slug, unless the slugs' values are records with fields of their own.
      const hasFields = names.length > at + 1 && kindOf(unwrap(traits.value), "") === "object";
      if (hasFields) return findIn(traits.value, inner, at + 1, list);
      const slug = names.slice(at).join(".");
      return { field: fieldOf(path, [...names.slice(0, at), slug], traits.value, list) };
    }
    case "variants":
      return findBelow(traits.options, inner, at, list, traits.open);
    case "union":
      return findBelow(traits.options, inner, at, list);
    case "text":
    case "number":
    case "boolean":
    case "enumeration": {
      const why =
        list > 0 && list === at ? `is a list of single values; name one by its position: ${parent}.0` : "has no fields";
      return { problem: `names no value: ${parent} ${why}` };
    }
    default:
      return { field: fieldOf(path, names, undefined, list) };
  }
}

export function fieldOf(path: string, names: readonly string[], schema: Schema | undefined, list = 0): Field {
  const name = names.findLast((one) => !/^\d+$/.test(one)) ?? "";
  const bare = schema && itemOf(schema);
  const traits = bare && traitsOf(bare);
  const kind = bare ? kindOf(bare, name) : "unknown";
  const isSure = !/^(day|instant)$/.test(kind) || (bare !== undefined && formatOf(bare) !== null);
  const [values, isComplete] = traits?.kind === "enumeration" ? [traits.values, traits.complete] : [[], false];
  return { path, names, kind, isSure, list, join: null, values, isComplete };
}

/** The schema of a value, or of a list's items, without its nullable and optional wrappers. */
export function itemOf(schema: Schema): Schema {
  const bare = unwrap(schema);
  const traits = traitsOf(bare);
  return traits.kind === "array" ? itemOf(traits.item) : bare;
}

const OF_FORMAT: Readonly<Record<string, FieldKind>> = {
  date: "day",
  "date-time": "instant",
  decimal: "decimal",
  integer: "integer",
};

function kindOf(schema: Schema, name: string): FieldKind {
  const traits = traitsOf(schema);
  const format = formatOf(schema);
  switch (traits.kind) {
    case "converted":
      return OF_FORMAT[format ?? ""] ?? kindOf(traits.input, name);
    case "number":
      return /(^|_)ids?$/.test(name) ? "identifier" : (OF_FORMAT[format ?? ""] ?? "number");
    case "boolean":
      return "flag";
    case "text":
      // The service's documents describe some days and times only as text, so the name decides.
      if (format === null)
        return /(^|_)date$/.test(name) ? "day" : /(^|_)(at|date_time)$/.test(name) ? "instant" : "text";
      return OF_FORMAT[format] ?? "text";
    case "enumeration":
      return "enumeration";
    case "object":
    case "record":
    case "variants":
      return "object";
    default:
      return "unknown";
  }
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The value at a path; undefined if absent. For a list without a number in the path: the values of its items. */
export function valueAt(record: unknown, names: readonly string[], from = 0): unknown {
  let value = record;
  for (let at = from; at < names.length; at++) {
    const name = names[at] as string;
    if (Array.isArray(value) && !/^\d+$/.test(name)) return value.map((item) => valueAt(item, names, at));
    const member = memberOf(value, name);
    value = member === undefined && name.includes(".") ? valueAtLongest(value, name) : member;
  }
  return value;
}

// A name with dots is a slug, or a path that the schema does not describe: the longest name that exists is used.
function valueAtLongest(value: unknown, path: string): unknown {
  for (let at = path.lastIndexOf("."); at > 0; at = path.lastIndexOf(".", at - 1)) {
    const member = memberOf(value, path.slice(0, at));
    if (member !== undefined) return valueAt(member, path.slice(at + 1).split("."));
  }
  return undefined;
}

/** True if a record has the identifier of a joined record that could not be read: the join gave null. */
export function isUnread(record: unknown, join: string | null): boolean {
  return join !== null && memberOf(record, join) === null && !isNone(memberOf(record, `${join}_id`));
}

/** True for a value that counts as no value: absent, null, a text of blanks only, or an empty list or object. */
export function isNone(value: unknown): boolean {
  if (typeof value === "string") return value.trim() === "";
  if (value === undefined || value === null) return true;
  return Array.isArray(value) ? value.length === 0 : isPlainObject(value) && Object.keys(value).length === 0;
}

/** True if a value shows that its field exists. An empty list counts, although its items may lack the field. */
export function isPresent(value: unknown): boolean {
  return Array.isArray(value) ? value.length === 0 || value.some(isPresent) : value !== undefined;
}
