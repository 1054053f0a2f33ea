import { isPlainObject } from "../core/json.js";
import { formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";

/**
 * What a field holds, and how often: `most` names what most records have, which has no number. Everything else is told in percent, or as
 * `few` where fewer than five records have it. What a field can hold: `absent`, `null`, `empty`, `text`, `long text` of more than 30
 * characters and `very long text` of more than 200, `number`, `boolean`, `list`, `object`, a value of an enumeration or of a flag
 * (`=paid`, `=true`), and `other`: values of an enumeration that few records have.
 */
export interface FieldShape {
  readonly most: string;
  readonly [kind: string]: number | string;
}

/** Above so many characters a text is told as `long text`, and as `very long text`. */
export const LONG = 30;
export const VERY_LONG = 200;

/** Says what records hold at a path of field names. Of a record within them, such as an address, no value is told. */
export function kindsAt(path: string, schema: Schema | undefined): (record: unknown) => string {
  const field = path.includes(".") ? undefined : schemaAt(schema, path);
  const traits = field && traitsOf(unwrap(field));
  const isFree = !path.includes(".") && !(field && formatOf(unwrap(field)));
  // Only a value that an enumeration may have, or a flag, is in the result itself.
  return (record) => {
    const value = valueAt(record, path);
    if (value === undefined) return "absent";
    if (value === null) return "null";
    if (typeof value === "boolean") return traits?.kind === "boolean" ? `=${value}` : "boolean";
    if (Array.isArray(value)) return value.length === 0 ? "empty" : "list";
    if (isPlainObject(value)) return Object.keys(value).length === 0 ? "empty" : "object";
    if (typeof value !== "string") return "number";
    if (traits?.kind !== "enumeration") return value === "" ? "empty" : isFree ? textKind(value) : "text";
    if (traits.values.includes(value)) return `=${value}`;
    // What else stands in an enumeration may be anything: only what looks like a value of one is told.
    return /^[a-z][a-z_]{0,29}$/.test(value) ? `=${value}` : "other";
  };
}

// Addresses and slugs follow from other texts.
function textKind(text: string): string {
  if (text.length <= LONG || /@|:\/\/|^[a-z\d_-]+$/.test(text)) return "text";
  return text.length <= VERY_LONG ? "long text" : "very long text";
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
    const traits = outer && traitsOf(unwrap(outer));
    return traits?.kind === "object" && Object.hasOwn(traits.fields, name) ? traits.fields[name] : undefined;
  }, schema);
}
