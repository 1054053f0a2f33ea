import { isPlainObject } from "../core/json.js";
import { fieldsOf, formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { valueAt } from "../work/fields/path.js";
import { decimalIn } from "../work/fields/text.js";

/** A flat body or record: values by path. */
export type Values = Readonly<Record<string, unknown>>;

export interface Field {
  readonly path: string;
  readonly schema: Schema;
  /** Path of the field in the record; null if the field cannot be read back. */
  readonly read: readonly string[] | null;
  /** True if the record shows the value as a decimal, so that `12.50` and `12.5` are equal. */
  readonly decimal: boolean;
}

/** Splits a path into one or two names: the second name of a custom field is its slug, which may contain dots. */
export function namesOf(path: string): readonly [string] | readonly [string, string] {
  const at = path.indexOf(".");
  return at < 0 ? [path] : [path.slice(0, at), path.slice(at + 1)];
}

export function fieldAt(body: Schema | undefined, record: Schema | undefined, path: string): Field | null {
  const [top, below] = namesOf(path);
  const outer = body && Object.hasOwn(fieldsOf(body), top) ? fieldsOf(body)[top] : undefined;
  if (!outer) return null;
  const read = readPath(top, record);
  if (below === undefined)
    return { path, schema: outer, read: isNested(outer) ? null : read, decimal: isDecimal(record, read) };
  const traits = traitsOf(unwrap(outer));
  if (traits.kind === "record") {
    // Links to custom records are read in a different form from the one sent.
    const at = top === "custom_associations" ? [below, "custom_record_ids"] : [below];
    return { path, schema: traits.value, read: read && [...read, ...at], decimal: false };
  }
  const inner = traits.kind === "object" && Object.hasOwn(traits.fields, below) ? traits.fields[below] : undefined;
  if (!inner) return null;
  const shown = read && fieldsOf(unwrap(fieldsOf(record)[read[0] ?? ""] as Schema))[below];
  // The `id` of an address selects which address to change; it is not a value to change.
  const isValue = shown && below !== "id";
  return { path, schema: inner, read: read && isValue ? [...read, below] : null, decimal: false };
}

// `address_attributes` is read as `address`.
function readPath(top: string, record: Schema | undefined): string[] | null {
  const fields = fieldsOf(record);
  const name = Object.hasOwn(fields, top) ? top : top.replace(/_attributes$/, "");
  return Object.hasOwn(fields, name) ? [name] : null;
}

// True for an array of records, which cannot be compared: only the service knows the identifiers of its items.
function isNested(schema: Schema): boolean {
  const traits = traitsOf(unwrap(schema));
  return traits.kind === "array" && traitsOf(unwrap(traits.item)).kind === "object";
}

export function pathsOf(body: Schema | undefined): string[] {
  return Object.entries(fieldsOf(body)).flatMap(([name, schema]) => {
    const traits = traitsOf(unwrap(schema));
    return traits.kind === "object" ? Object.keys(traits.fields).map((below) => `${name}.${below}`) : [name];
  });
}

/** The value of a field in a record; null if it is absent. */
export function current(record: Values, { read }: Field): unknown {
  return (read && valueAt(record, read)) ?? null;
}

export function nest(flat: Values): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(flat)) {
    const [top, below] = namesOf(path);
    if (below === undefined) body[top] = value;
    else body[top] = { ...(body[top] as Values | null | undefined), [below]: value };
  }
  return body;
}

export function flatten(body: Values): Values {
  const entries = Object.entries(body).flatMap(([name, value]): [string, unknown][] =>
    isPlainObject(value) ? Object.entries(value).map(([below, part]) => [`${name}.${below}`, part]) : [[name, value]],
  );
  return Object.fromEntries(entries);
}

/**
 * The body of an update: the new values, plus the record's values that the service requires. A changed object,
 * such as an address, is sent whole, because the service may replace it.
 */
export function bodyOf(update: Schema | undefined, flat: Values, record: Values, schema: Schema | undefined): Values {
  const filled: Record<string, unknown> = {};
  const fill = (path: string) => {
    const field = fieldAt(update, schema, path);
    const value = field && current(record, field);
    if (field && value !== null) filled[path] = toInput(field, value);
  };
  for (const [name, inner] of Object.entries(fieldsOf(update))) {
    const traits = traitsOf(unwrap(inner));
    if (traits.kind === "record" && Object.keys(flat).some((path) => path.startsWith(`${name}.`))) {
      for (const below of keysIn(record[name])) fill(`${name}.${below}`);
    } else if (traitsOf(inner).kind !== "optional" && traitsOf(inner).kind !== "nullable") fill(name);
    else if (traits.kind === "object" && Object.keys(flat).some((path) => path.startsWith(`${name}.`))) {
      for (const below of Object.keys(traits.fields)) fill(`${name}.${below}`);
    }
  }
  return nest({ ...filled, ...flat });
}

/**
 * Converts a time to milliseconds since the epoch, because operations may format the same time differently. Returns
 * other values unchanged.
 */
export function timeOf(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? value : ms;
}

const keysIn = (value: unknown) => (isPlainObject(value) ? Object.keys(value) : []);

export interface Unsent extends Field {
  readonly read: readonly string[];
  /**
   * True if the service may recompute the field on any write, as it does with counts, amounts, times and addresses.
   * Such a field counts as changed only if it becomes empty.
   */
  readonly isComputed: boolean;
}

/** The readable fields of a record that an update does not send. Writable ones have the path that the body uses. */
export function unsentFields(
  bodies: readonly (Schema | undefined)[],
  schema: Schema | undefined,
  sent: Values,
  record: Values,
): readonly Unsent[] {
  const found = new Map<string, Unsent>();
  const written = new Set<string>();
  const isSent = (path: string) =>
    Object.keys(sent).some((one) => one === path || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
  const add = (field: Field | null, isComputed: boolean) => {
    const { path, read } = field ?? {};
    if (field && path && read && !isSent(path) && !found.has(path)) found.set(path, { ...field, read, isComputed });
  };
  for (const body of bodies) {
    for (const [name, inner] of Object.entries(fieldsOf(body))) {
      const traits = traitsOf(unwrap(inner));
      const below =
        traits.kind === "record" ? keysIn(record[name]) : traits.kind === "object" ? Object.keys(traits.fields) : null;
      const paths = below?.map((one) => `${name}.${one}`) ?? [name];
      for (const path of paths) add(fieldAt(body, schema, path), false);
      written.add(readPath(name, schema)?.[0] ?? name);
    }
  }
  for (const [path, inner] of Object.entries(fieldsOf(schema))) {
    if (!written.has(path)) add({ path, schema: inner, read: [path], decimal: false }, isComputed(path, inner));
  }
  return [...found.values()];
}

function isComputed(name: string, schema: Schema): boolean {
  if (/(^|_)(slug|url|link|avatar)(_|$)/.test(name)) return true;
  const bare = unwrap(schema);
  const traits = traitsOf(bare);
  if (traits.kind === "array") return traitsOf(unwrap(traits.item)).kind === "object";
  if (traits.kind === "text") return formatOf(bare) !== null;
  return traits.kind !== "boolean" && traits.kind !== "enumeration";
}

/** Converts a record's value for a request body: a decimal becomes a number if the body expects a number. */
export function toInput({ schema }: Field, value: unknown): unknown {
  const isNumber = traitsOf(unwrap(schema)).kind === "number";
  return isNumber && typeof value === "string" && NUMBER.test(value) ? Number(value) : value;
}

const NUMBER = /^[+-]?\d+(\.\d+)?$/;

/** True if a field has the expected value. If an object is expected, compares only the fields that it has. */
export function same(field: Field, expected: unknown, actual: unknown): boolean {
  if (isPlainObject(expected) && isPlainObject(actual)) {
    return Object.entries(expected).every(([name, part]) => same(field, part, actual[name]));
  }
  return canonical(expected, field, actual) === canonical(actual, field, expected);
}

/** The text form of a value for comparison with `other`: equal values have equal forms. */
export function canonical(value: unknown, field: Field, other: unknown): string {
  if (value === null || value === undefined || value === "") return "";
  if (value instanceof Date) return canonical(value.toISOString(), field, other);
  if (Array.isArray(value)) return value.length === 0 ? "" : JSON.stringify(value.map(String).sort()).normalize("NFC");
  if (typeof value === "object") return JSON.stringify(value);
  const text = String(value);
  const isNumber = typeof value === "number" || typeof other === "number" || field.decimal;
  const decimal = isNumber ? decimalIn(text) : null;
  // Drops trailing zeros, but keeps the text, because a conversion to a number could lose cents.
  if (decimal !== null) return decimal.replace(/(\.\d*?)0+$/, "$1").replace(/\.$|^-(?=[0.]*$)/g, "");
  if (/^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text))) {
    return typeof other === "string" && other.length === 10 ? text.slice(0, 10) : new Date(text).toISOString();
  }
  return text.normalize("NFC");
}

function isDecimal(record: Schema | undefined, read: readonly string[] | null): boolean {
  const shown = fieldsOf(record)[read?.[0] ?? ""];
  return shown !== undefined && formatOf(unwrap(shown)) === "decimal";
}

export function isArray({ schema }: Field): boolean {
  return traitsOf(unwrap(schema)).kind === "array";
}
