import { InputError } from "../core/errors.js";
import { formatOf, type Schema, traitsOf, unwrap } from "../core/schema/traits.js";
import { daysAfter, daysIn, instantOf, isDay } from "./days.js";
import { compareDecimals, type Decimal, decimalOf } from "./decimals.js";

export type Comparison = "=" | "!=" | "<" | ">" | "<=" | ">=" | "contains";

/** One condition, as the caller wrote it. */
export interface Condition {
  /** Name of a field, or a dotted path to a field of a nested record: `address.city`. */
  readonly field: string;
  readonly comparison: Comparison;
  /** The value without its quotes; `today` is already replaced by the current day. */
  readonly value: string;
  /** The value without its quotes, as the caller wrote it, with `today`. */
  readonly written: string;
}

/** Conditions that must all hold. */
export interface Conditions {
  readonly all: readonly Condition[];
  /**
   * True if a record meets all conditions.
   * @param read returns the value of a field. Default: the property of that name, or of its dotted path.
   */
  holds(record: unknown, read?: (record: unknown, field: string) => unknown): boolean;
}

const PART = /^\s*(?:"([^"]*)"|([^"=<>!]+?))\s*(!=|<=|>=|=|<|>|\bcontains\b)\s*(?:"([^"]*)"|([^"]*?))\s*$/;
// An `and` inside quotes does not separate conditions.
const AND = /\s+and(?:\s+|$)(?=(?:[^"]*"[^"]*")*[^"]*$)/i;
const TODAY = /^today(?:\s*([+-])\s*(\d{1,4}))?$/;
const OTHER_DATE = /^\d{1,2}([-./])\d{1,2}\1(\d{2}|\d{4})$/;
const RULE =
  'a condition is a field, one of = != < > <= >= contains, and a value: total_open>0 and status=open. Put a value with "and" or a sign in quotes';

/**
 * Parses conditions such as `total_open>0 and created_at>=today-7`. Amounts are compared exactly, days and times in
 * order of time, and other text without regard to case or to how accented letters are composed. An empty value matches
 * an empty field: `company=""`. A field that the record lacks counts as empty, so callers check the names first.
 * @param now milliseconds since the epoch. @param zone the time zone that decides on which day a time falls.
 * @throws InputError naming the part that cannot be read.
 */
export function conditionsOf(text: string, { now, zone }: { readonly now: number; readonly zone: string }): Conditions {
  const dayOf = daysIn(zone);
  const all = text.split(AND).map((part) => conditionOf(part, dayOf(now)));
  const tests = all.map(({ field, comparison, value }) => ({ field, test: testOf(comparison, value, dayOf) }));
  return {
    all,
    holds: (record, read = valueAt) => tests.every(({ field, test }) => test(read(record, field))),
  };
}

function conditionOf(part: string, today: string): Condition {
  const found = PART.exec(part);
  const [, quotedField, bareField, comparison, quoted, bare = ""] = found ?? [];
  const field = (quotedField ?? bareField ?? "").trim();
  if (!found || field === "" || (quoted === undefined && (bare === "" || /[=<>]/.test(bare)))) {
    throw problem(`"${part.trim().slice(0, 60)}" is not a condition: ${RULE}`);
  }
  const [isToday, sign, days] = (quoted === undefined && TODAY.exec(bare)) || [];
  const written = quoted ?? bare;
  const value = isToday ? daysAfter(today, Number(`${sign ?? ""}${days ?? 0}`)) : written;
  if (/^[<>]/.test(comparison as string) && !decimalOf(value) && !isDay(value) && instantOf(value) === null) {
    throw problem(
      `${field} ${comparison} needs a number, a day as yyyy-MM-dd, a time with its zone or today, not "${value.slice(0, 60)}"`,
    );
  }
  // Compared as text, the date would match nothing, and the caller would conclude that no record has it.
  if (quoted === undefined && OTHER_DATE.test(bare))
    throw problem(`${field}: write the day ${bare} as yyyy-MM-dd, or in quotes if it is text`);
  if (comparison === "contains" && value.trim() === "") throw problem(`${field} contains: add the text to look for`);
  return { field, comparison: comparison as Comparison, value, written };
}

/** Explains why a condition can never match a field, for example because it names an unknown status; null if it can. */
export function conditionProblem(condition: Condition, schema: Schema): string | null {
  const { field, comparison, value } = condition;
  const leaf = unwrap(schema);
  const traits = traitsOf(leaf);
  if (traits.kind === "array") return conditionProblem(condition, traits.item);
  if (value === "" || comparison === "contains") return null;
  if (/^date/.test(formatOf(leaf) ?? "") && !isDay(value) && instantOf(value) === null)
    return `${field} needs a day as yyyy-MM-dd, a time with its zone or today, not "${value.slice(0, 40)}"`;
  if (traits.kind !== "enumeration" || !traits.complete || !comparison.endsWith("=")) return null;
  if (traits.values.some((one) => one.toLowerCase() === value.toLowerCase())) return null;
  return `${field} is one of ${traits.values.join(", ").slice(0, 300)}`;
}

function problem(message: string): InputError {
  return new InputError(message, [{ path: "", message }]);
}

/**
 * The value of a field: the property of that name, or else the value at its dotted path. For a list, the values of its
 * items.
 */
export function valueAt(record: unknown, field: string): unknown {
  if (typeof record !== "object" || record === null) return undefined;
  if (Array.isArray(record)) return record.map((item) => valueAt(item, field));
  if (Object.hasOwn(record, field)) return (record as Readonly<Record<string, unknown>>)[field];
  const at = field.indexOf(".");
  if (at < 0 || !Object.hasOwn(record, field.slice(0, at))) return undefined;
  return valueAt((record as Readonly<Record<string, unknown>>)[field.slice(0, at)], field.slice(at + 1));
}

function testOf(comparison: Comparison, value: string, dayOf: (instant: number) => string): (held: unknown) => boolean {
  if (comparison === "!=") {
    const equals = testOf("=", value, dayOf);
    return (held) => !equals(held);
  }
  const fits = comparison === "contains" ? containing(value) : comparing(comparison, operand(value), dayOf);
  return function test(held: unknown): boolean {
    return Array.isArray(held) && held.length > 0 ? held.some(test) : fits(held);
  };
}

function containing(value: string): (held: unknown) => boolean {
  const wanted = foldText(value);
  return (held) => foldText(textOf(held)).includes(wanted);
}

/** A value in every form that a comparison may need. */
interface Operand {
  readonly text: string;
  readonly decimal: Decimal | null;
  readonly instant: number | null;
  readonly day: string | null;
}

function operand(value: unknown): Operand {
  const text = textOf(value);
  return { text: foldText(text), decimal: decimalOf(text), instant: instantOf(value), day: isDay(text) ? text : null };
}

type Ordering = Exclude<Comparison, "!=" | "contains">;

function comparing(comparison: Ordering, wanted: Operand, dayOf: (instant: number) => string) {
  return (value: unknown): boolean => {
    const held = operand(value);
    const order = orderOf(held, wanted, dayOf);
    return order === null ? comparison === "=" && held.text === wanted.text : ORDERED[comparison](order);
  };
}

const ORDERED: Readonly<Record<Ordering, (order: number) => boolean>> = {
  "=": (order) => order === 0,
  "<": (order) => order < 0,
  ">": (order) => order > 0,
  "<=": (order) => order <= 0,
  ">=": (order) => order >= 0,
};

// Null if the two values cannot be ordered. If a time is compared with a day, the day on which the time falls counts.
function orderOf(held: Operand, wanted: Operand, dayOf: (instant: number) => string): number | null {
  if (held.decimal && wanted.decimal) return compareDecimals(held.decimal, wanted.decimal);
  if (held.instant !== null && wanted.instant !== null) return Math.sign(held.instant - wanted.instant);
  const [one, other] = [held, wanted].map(({ day, instant }) => day ?? (instant === null ? null : dayOf(instant)));
  if (!one || !other) return null;
  return one < other ? -1 : Number(one > other);
}

function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase().trim();
}

function textOf(value: unknown): string {
  if (value === null || value === undefined || (Array.isArray(value) && value.length === 0)) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
