import { isPlainObject } from "../../core/json.js";
import { formatOf, type Schema, traitsOf, unwrap } from "../../core/schema/traits.js";
import { type FieldKind, fieldOf } from "../../work/fields/path.js";
import { decimalIn, flagIn, foldText, localTimeIn, readText } from "../../work/fields/text.js";
import { TypedCell } from "../../workbook/typed-cell.js";
import type { Field } from "../fields.js";
import { type ProblemText, problemText, rowValue } from "../problem-text.js";
import type { CellFormats } from "../types.js";
import { dayIn, timeIn } from "./times.js";

/** True for a cell without a value, which leaves its field unchanged unless `clear` names the field. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/**
 * Applies the formats `empty` and `words` to a cell: returns an empty text, the replacement, or the cell itself.
 * @param field the field of the cell; in free text, such as a name, words are not replaced.
 */
export function cellMeant(cell: unknown, { empty = [], words }: CellFormats, field: Field | null = null): unknown {
  if (!(typeof cell === "string" || cell instanceof TypedCell) || (empty.length === 0 && !words)) return cell;
  const text = foldText(String(cell));
  if (empty.some((word) => foldText(word) === text)) return "";
  if (field && contentOf(field).kind === "text") return cell;
  return Object.entries(words ?? {}).find(([word]) => foldText(word) === text)?.[1] ?? cell;
}

/** The formats for parsing a cell: those given for text, fixed ones for the typed cells of workbooks. */
export function formatsOf(cell: unknown, formats: CellFormats): CellFormats {
  return cell instanceof TypedCell ? { ...formats, decimal: ".", date: "yyyy-MM-dd", dateTime: LOCAL_FORM } : formats;
}

const LOCAL_FORM = "yyyy-MM-ddTHH:mm:ss";

/** The kind of a field, with its values if it is an enumeration. */
export function contentOf({ path, schema }: Pick<Field, "path" | "schema">) {
  return fieldOf(path, path.split("."), schema);
}

/** The kind of content of a field whose schema does not specify it. */
export type CellKind = "amount" | "day" | "flag" | "text" | "texts";

/** `day` if the format `date` is given and the field's name suggests a day, `amount` for decimals, otherwise null. */
export function cellKind({ date }: CellFormats, field: Field): CellKind | null {
  if (date !== undefined && contentOf(field).kind === "day") return "day";
  return field.decimal ? "amount" : null;
}

const FORMATS: Readonly<Partial<Record<CellKind | FieldKind, readonly (keyof CellFormats)[]>>> = {
  day: ["date"],
  instant: ["dateTime", "timeZone"],
  flag: ["yes", "no"],
  number: ["decimal"],
  decimal: ["decimal"],
  amount: ["decimal"],
  texts: ["list"],
};

/** The given formats that none of these fields uses. @param kinds the known kinds of custom fields. */
export function unusedFormats(
  formats: CellFormats,
  fields: readonly Field[],
  kinds: ReadonlyMap<string, CellKind>,
): readonly (keyof CellFormats)[] {
  const given = Object.keys(formats) as (keyof CellFormats)[];
  const used = fields.flatMap((field) => {
    const kind = kinds.get(field.path) ?? (field.decimal ? "amount" : contentOf(field).kind);
    if (kind === "unknown") return given;
    return [...(traitsOf(unwrap(field.schema)).kind === "array" ? (["list"] as const) : []), ...(FORMATS[kind] ?? [])];
  });
  const everywhere: readonly string[] = ["empty", "words"];
  return given.filter((name) => formats[name] !== undefined && !used.includes(name) && !everywhere.includes(name));
}

/** The decimal separator of a field's cells; null if the field holds no amount and no number with decimals. */
export function signOf(field: Field, kind: CellKind | null, formats: CellFormats): "." | "," | null {
  const isAmount = field.decimal || kind === "amount" || /^(decimal|number)$/.test(contentOf(field).kind);
  return isAmount ? (formats.decimal ?? ".") : null;
}

/** The format for parsing the cells of a date or time field; undefined for the service's own form. */
export function timeFormat(schema: Schema, formats: CellFormats, kind: CellKind | null): string | undefined {
  const bare = unwrap(schema);
  if (kind === "day" || isDay(bare)) return formats.date;
  return formatOf(bare) === "date-time" ? formats.dateTime : undefined;
}

/** The option that gives the format of a date or time field; undefined for other fields. */
export function timeOption(field: Field): "date" | "dateTime" | undefined {
  const options = { date: "date", dateTime: "dateTime" } as const;
  return timeFormat(field.schema, options, cellKind(options, field)) as "date" | "dateTime" | undefined;
}

export type CellValue = { readonly value: unknown } | { readonly problem: string | ProblemText };

/**
 * Reads a cell. Only text and the cells of workbooks are interpreted; other values stay as they are.
 * @param kind the content of a field whose schema does not specify it.
 */
export function readCell(
  value: unknown,
  schema: Schema,
  formats: CellFormats = {},
  kind: CellKind | null = null,
): CellValue {
  if (value instanceof TypedCell) {
    const { type, text } = value;
    if (type === "fault" || type === "percentage") return { problem: type === "fault" ? text : PERCENTAGE };
    const isTime = formatOf(unwrap(schema)) === "date-time";
    const written = type === "day" && isTime ? `${text}T00:00:00` : text;
    return readCell(written, schema, formatsOf(value, formats), kind);
  }
  // Database drivers return identifiers as BigInt. Long ones become text: a number would lose digits.
  if (typeof value === "bigint") {
    const number = Number(value);
    return { value: Number.isSafeInteger(number) ? number : String(value) };
  }
  const bare = unwrap(schema);
  const holdsDay = kind === "day" || isDay(bare);
  if (value instanceof Date && holdsDay && !value.toJSON()?.endsWith("T00:00:00.000Z")) {
    const shown = value.toJSON() ?? "an invalid Date";
    return {
      problem: problemText`is ${rowValue(shown)}, but a Date counts as a day only at 00:00:00.000Z: database drivers turn a DATE into local midnight, so select it as text, such as day::text`,
    };
  }
  if (typeof value !== "string") return { value };
  const text = value.trim();
  const traits = traitsOf(bare);
  switch (traits.kind) {
    case "number":
    case "boolean":
      return readText(fieldOf("", [], bare), text, formats);
    case "enumeration": {
      const read = readText(fieldOf("", [], bare), text);
      return { value: "value" in read ? read.value : text };
    }
    case "array": {
      const parts = (listIn(text) ?? textsOf(text, formats)).map((part) => readCell(part, traits.item, formats));
      const wrong = parts.find((part) => "problem" in part);
      return wrong ?? { value: parts.map((part) => ("value" in part ? part.value : null)) };
    }
    case "object":
    case "record": {
      const whole = jsonIn(text);
      return isPlainObject(whole) ? { value: whole } : { problem: "cannot be read from one cell" };
    }
    default:
      // An amount with a decimal point stays text if its schema accepts text: the schema then checks it later.
      if (kind === "flag" || (kind === "amount" && (formats.decimal === "," || traits.kind !== "text")))
        return readText({ ...fieldOf("", [], bare), kind: kind === "flag" ? "flag" : "decimal" }, text, formats);
      if (kind === "texts") return { value: listIn(text) ?? textsOf(text, formats) };
      if (holdsDay) {
        const format = formats.date ?? "yyyy-MM-dd";
        const day = dayIn(text, format);
        const advice = formats.date === undefined ? "; set the `date` format to the way days are written" : "";
        return day === null ? { problem: `is not a date written as ${format}${advice}` } : { value: day };
      }
      if (formats.dateTime !== undefined && formatOf(bare) === "date-time") {
        return timeIn(text, formats.dateTime, formats.timeZone ?? "UTC");
      }
      if (formatOf(bare) === "date-time" && localTimeIn(text) !== null) return { problem: LOCAL };
      if (formatOf(bare) === "email" && !ADDRESS.test(text)) return { problem: "must be an e-mail address" };
      if (traits.kind === "text") return { value: value.normalize("NFC") };
      return { value: (text.startsWith('["') && listIn(text)) || text.normalize("NFC") };
  }
}

const PERCENTAGE = "is a percentage, which a workbook stores divided by 100: format the column as a number";
const LOCAL =
  "has no UTC offset; set the `dateTime` format, such as yyyy-MM-ddTHH:mm, to read it in the school's time zone";

// True for a date field, or a field that also accepts a `Date` because the service does not document its format.
function isDay(schema: Schema): boolean {
  if (formatOf(schema) === "date") return true;
  const traits = traitsOf(schema);
  const inputs = traits.kind === "union" ? traits.options.map(traitsOf) : [];
  return inputs.some((option) => {
    const input = option.kind === "converted" ? traitsOf(option.input) : option;
    return input.kind === "other" && input.type === "date";
  });
}

// Excludes the characters that separate addresses in a list. Allows letters of any script, and invisible characters,
// which the check of keys reports.
const ADDRESS = /^[^\s@,;:<>()"\\]+@(?!-|.*(\.-|-\.|-$))([\p{L}\p{M}\p{N}\p{Cf}-]+\.)+[\p{L}\p{M}\p{N}\p{Cf}-]+$/u;

// Parses lists and objects as exports write them; undefined for other text.
function jsonIn(text: string): unknown {
  try {
    return /^[[{]/.test(text) ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}

function listIn(text: string): readonly unknown[] | null {
  const list = jsonIn(text);
  return Array.isArray(list) ? list : null;
}

export function textsOf(cell: string, { list = ";" }: CellFormats = {}): string[] {
  return cell.split(list).flatMap((part) => part.trim() || []);
}

/**
 * Other values that a cell may mean if the type of its field is unknown: yes or no, a day, an amount, or several texts.
 */
export function otherReadings(cell: string | TypedCell, given: CellFormats = {}): unknown[] {
  const text = String(cell).trim();
  const formats = formatsOf(cell, given);
  const known = flagIn(text, formats);
  const day = formats.date === undefined ? null : dayIn(text, formats.date);
  const amount = formats.decimal === "," ? decimalIn(text, ",") : null;
  return [known, day, amount, textsOf(text, formats)].filter((value) => value !== undefined && value !== null);
}
