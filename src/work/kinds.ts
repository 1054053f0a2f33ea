import { isPlainObject } from "../core/json.js";
import { type Schema, traitsOf, unwrapped } from "../core/schema/traits.js";

/**
 * What a field holds, and how often: `most` names what most records have, which has no number. Everything else is told in percent, or as
 * `few` where fewer than five records have it. What a field can hold: `absent`, `null`, `empty`, `text`, `number`, `boolean`, `list`,
 * `object`, a value of an enumeration or of a flag (`=paid`, `=true`), and `other`: values of an enumeration that few records have.
 */
export interface FieldShape {
  readonly most: string;
  readonly [kind: string]: number | string;
}

// Only a value that an enumeration may have, or a flag, is in the result itself.
function kindOf(value: unknown, schema: Schema | undefined): string {
  if (value === undefined) return "absent";
  if (value === null) return "null";
  const traits = schema && traitsOf(unwrapped(schema));
  if (typeof value === "boolean") return traits?.kind === "boolean" ? `=${value}` : "boolean";
  if (Array.isArray(value)) return value.length === 0 ? "empty" : "list";
  if (isPlainObject(value)) return Object.keys(value).length === 0 ? "empty" : "object";
  if (typeof value !== "string") return "number";
  if (traits?.kind !== "enumeration") return value === "" ? "empty" : "text";
  if (traits.values.includes(value)) return `=${value}`;
  // What else stands in an enumeration may be anything: only what looks like a value of one is told.
  return /^[a-z][a-z_]{0,29}$/.test(value) ? `=${value}` : "other";
}

/** What a record holds at a path of field names. Of a record within it, such as an address, no value is told. */
export function kindAt(record: unknown, path: string, schema: Schema | undefined): string {
  return kindOf(valueAt(record, path), path.includes(".") ? undefined : schemaAt(schema, path));
}

/** The value at a path of field names; undefined where there is none. */
export function valueAt(record: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce((value, name) => (isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined), record);
}

/** The schema at a path of field names; undefined where the model names none. */
export function schemaAt(schema: Schema | undefined, path: string): Schema | undefined {
  return path.split(".").reduce<Schema | undefined>((outer, name) => {
    const traits = outer && traitsOf(unwrapped(outer));
    return traits?.kind === "object" && Object.hasOwn(traits.fields, name) ? traits.fields[name] : undefined;
  }, schema);
}
