import { type Schema, traitsOf } from "../../core/schema/traits.js";
import { instantOf, isDay } from "../days.js";
import { type Field, type FieldKind, fieldOf } from "./path.js";

export interface TextFormats {
  /** The decimal separator of numbers. Default `.`. */
  readonly decimal?: "." | "," | undefined;
  /** The words for true and false, in addition to true, yes, 1 and false, no, 0. */
  readonly yes?: string | undefined;
  readonly no?: string | undefined;
}

/**
 * The value that a text represents, or the problem with the text, without quoting it. `isDoubt`: the text may be meant
 * literally, so it is accepted in quotes.
 */
export type TextReading =
  | { readonly value: string | number | boolean }
  | { readonly problem: string; readonly isDoubt?: boolean };

/** Parses a text as a value of its field's kind. Days and times stay as they are written. */
export function readText(field: Field, text: string, formats: TextFormats = {}): TextReading {
  switch (field.kind) {
    case "flag": {
      const value = flagIn(text, formats);
      return value === undefined ? { problem: "is neither true nor false" } : { value };
    }
    case "identifier":
    case "integer":
      return /^[+-]?\d{1,15}$/.test(text) ? { value: Number(text) } : { problem: "is not a whole number, such as 12" };
    case "number":
    case "decimal": {
      const value = decimalIn(text, formats.decimal);
      if (value === null)
        return { problem: formats.decimal === "," ? NO_COMMA_NUMBER : "is not a number, such as 12.50" };
      return { value: field.kind === "number" ? Number(value) : value };
    }
    case "day":
    case "instant":
      return isTimeText(text)
        ? { value: text }
        : { problem: "is not a day or a time, such as 2026-07-01, 2026-07, 2026-07-01T09:00 or today-7" };
    case "enumeration":
      return readChoice(field, text);
    default:
      return { value: text.normalize("NFC") };
  }
}

/** Converts text to the type that a schema expects: `7` to a number, `yes` to a Boolean. Other text is unchanged. */
export function valueOfText(schema: Schema | undefined, text: string): unknown {
  for (const leaf of schema ? leavesOf(schema) : []) {
    const read = /^(number|boolean)$/.test(traitsOf(leaf).kind) ? readText(fieldOf("", [], leaf), text) : {};
    if ("value" in read) return read.value;
  }
  return text;
}

/** The innermost schemas of a schema, such as those of the items of a list. */
export function leavesOf(schema: Schema): Schema[] {
  return schemasWithin(schema).filter((one) => innerOf(one).length === 0);
}

/** A schema and all schemas inside it, except for those of the fields of objects. */
export function schemasWithin(schema: Schema): Schema[] {
  return [schema, ...innerOf(schema).flatMap(schemasWithin)];
}

function innerOf(schema: Schema): readonly Schema[] {
  const traits = traitsOf(schema);
  switch (traits.kind) {
    case "optional":
    case "nullable":
      return [traits.inner];
    case "array":
      return [traits.item];
    case "converted":
      return [traits.input];
    case "union":
      return traits.options;
    default:
      return [];
  }
}

const FLAGS: ReadonlyMap<string, boolean> = /* @__PURE__ */ new Map([
  ["true", true],
  ["yes", true],
  ["1", true],
  ["false", false],
  ["no", false],
  ["0", false],
]);

export function flagIn(text: string, { yes, no }: TextFormats = {}): boolean | undefined {
  const word = text.toLowerCase();
  if (word === yes?.toLowerCase()) return true;
  return word === no?.toLowerCase() ? false : FLAGS.get(word);
}

export const NO_COMMA_NUMBER = "is not a number with a decimal comma, such as 1200,50 or 1.200,50";

/** Converts a written number to the service's format; null for other text. */
export function decimalIn(text: string, sign: "." | "," = "."): string | null {
  const isNumber = sign === "." || /^[+-]?([1-9]\d{0,2}(\.\d{3})+|\d+)(,\d+)?$/.test(text);
  const plain = sign === "." ? text : text.replaceAll(".", "").replace(",", ".");
  const found = isNumber && /\d/.test(plain) ? /^(?:\+|(-))?0*(\d*)\.?(\d*)$/.exec(plain) : null;
  if (!found) return null;
  const [, minus = "", whole, part] = found;
  return `${minus}${whole || "0"}${part && `.${part}`}`;
}

const PERIOD = /^\d{4}(-(0[1-9]|1[0-2]))?$/;
const LOCAL = /^(\d{4}-\d{2}-\d{2})[T ](([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)$/;

// True for a month or a year: `2026-07`, `2026`.
const isPeriod = (text: string) => PERIOD.test(text);

/** True for a month or a year in a field of this kind. If the kind is unknown, a year must be 1900 to 2099. */
export function isPeriodFor(kind: FieldKind, text: string): boolean {
  return isPeriod(text) && (kind !== "unknown" || /^(19|20)|-/.test(text));
}

/** The local time in a text without an offset, as `yyyy-MM-ddTHH:mm`; null for other text. */
export function localTimeIn(text: string): string | null {
  const [, day = "", time] = LOCAL.exec(text) ?? [];
  return isDay(day) ? `${day}T${time}` : null;
}

export function isTimeText(text: string): boolean {
  return isDay(text) || isPeriod(text) || instantOf(text) !== null || localTimeIn(text) !== null;
}

function readChoice({ values, isComplete }: Field, text: string): TextReading {
  const [given, known] = [text.toLowerCase(), values.map((value) => value.toLowerCase())];
  const found = values[known.indexOf(given)];
  if (found !== undefined) return { value: found };
  const list = `one of ${values.join(", ").slice(0, 300)}`;
  if (isComplete) return { problem: `is not ${list}` };
  const near = values[known.findIndex((value) => isNear(value, given))];
  return near === undefined ? { value: text } : { problem: `is close to ${near}, ${list}`, isDoubt: true };
}

// True if the texts differ in one letter, or one begins with the other.
function isNear(a: string, b: string): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  if (short.length < 3) return false;
  if (long.startsWith(short)) return true;
  let start = 0;
  while (start < short.length && short[start] === long[start]) start++;
  return [start, start + 1].some((at) => long.slice(start + 1) === short.slice(at));
}

export function writeText(value: unknown, sign: "." | "," = "."): string {
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return sign === "," && /^[+-]?\d+\.\d+$/.test(text) ? text.replace(".", ",") : text;
}

/** Removes differences in case, in surrounding blanks and in how accented letters are composed. */
export function foldText(text: string): string {
  return text.normalize("NFC").toLowerCase().trim();
}
