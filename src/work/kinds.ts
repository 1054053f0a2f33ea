import { isPlainObject } from "../core/json.js";
import { formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { valueAt } from "./fields/path.js";

/**
 * The kinds of values that a field has, and how often. `most` names the most frequent kind. The shares of the other
 * kinds are given in percent, or as `few` if fewer than five records have them. Kinds: `absent`, `null`, `empty`,
 * `text`, `long text` of more than 30 characters, `very long text` of more than 200, `number`, `boolean`, `list`,
 * `object`, a value of an enumeration or a flag (`=paid`, `=true`), and `other` for enumeration values that few records
 * have.
 */
export interface FieldShape {
  readonly most: string;
  readonly [kind: string]: number | string;
}

/** The smallest number of records to report on: the values of fewer records could identify a person. */
export const LEAST = 5;

const SMALL = 200;

/** Numbers of records below 200 are rounded down to a multiple of this, to reveal no person; 1 from 200 on. */
export function batchOf(total: number): number {
  return total >= SMALL ? 1 : total >= 100 ? 10 : LEAST;
}

/** The share of some records in percent, to the nearest multiple of `step`; `few` if it could identify a person. */
export function shareOf(times: number, all: number, step: number, least = LEAST): number | "few" {
  const share = step * Math.round((100 * times) / all / step);
  return times < least || share === 0 ? "few" : share;
}

/** Number of characters above which a text counts as `long text`, and as `very long text`. */
export const LONG = 30;
export const VERY_LONG = 200;

/**
 * Makes a function that classifies the value at a path of field names. Values inside nested records, such as an
 * address, are never revealed.
 */
export function kindsAt(path: string, schema: Schema | undefined): (record: unknown) => string {
  const field = path.includes(".") ? undefined : schemaAt(schema, path);
  const traits = field && traitsOf(unwrap(field));
  const isFree = !path.includes(".") && !(field && formatOf(unwrap(field)));
  const names = path.split(".");
  // The result contains a value itself only if it is a flag or looks like a value of an enumeration.
  return (record) => {
    const value = valueAt(record, names);
    if (value === undefined) return "absent";
    if (value === null) return "null";
    if (typeof value === "boolean") return traits?.kind === "boolean" ? `=${value}` : "boolean";
    if (Array.isArray(value)) return value.length === 0 ? "empty" : "list";
    if (isPlainObject(value)) return Object.keys(value).length === 0 ? "empty" : "object";
    if (typeof value !== "string") return "number";
    if (traits?.kind !== "enumeration") return value === "" ? "empty" : isFree ? textKind(value) : "text";
    if (traits.values.includes(value)) return `=${value}`;
    // An unknown value of an enumeration may be any text, so it is revealed only if it looks like an enumeration value.
    return /^[a-z][a-z_]{0,29}$/.test(value) ? `=${value}` : "other";
  };
}

// E-mail addresses, URLs and slugs never count as long, because they are derived from other texts.
function textKind(text: string): string {
  if (text.length <= LONG || /@|:\/\/|^[a-z\d_-]+$/.test(text)) return "text";
  return text.length <= VERY_LONG ? "long text" : "very long text";
}

export function schemaAt(schema: Schema | undefined, path: string): Schema | undefined {
  return path.split(".").reduce<Schema | undefined>((outer, name) => {
    const traits = outer && traitsOf(unwrap(outer));
    return traits?.kind === "object" && Object.hasOwn(traits.fields, name) ? traits.fields[name] : undefined;
  }, schema);
}
