import { isPlainObject } from "../../core/json.js";
import { formatOf, type Schema, traitsOf, unwrapped } from "../../core/schema/traits.js";
import type { CellFormats } from "../types.js";

/** Whether a row leaves a field alone, unless the field is to be cleared. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** What a field holds whose schema takes any text. */
export type CellKind = "amount" | "day" | "texts";

/**
 * A value of a row as its field takes it, or what is wrong with it. Only text is read; other values stay.
 * @param kind what a field of text is known to hold.
 */
export function readCell(
  value: unknown,
  schema: Schema,
  formats: CellFormats = {},
  kind: CellKind | null = null,
): { readonly value: unknown } | { readonly problem: string } {
  // Databases give identifiers as BigInt. A number would lose digits of a long one.
  if (typeof value === "bigint") {
    const number = Number(value);
    return { value: Number.isSafeInteger(number) ? number : String(value) };
  }
  if (typeof value !== "string") return { value };
  const text = value.trim();
  const bare = unwrapped(schema);
  const traits = traitsOf(bare);
  switch (traits.kind) {
    case "number": {
      const amount = formats.decimal === "," ? withPoint(text) : text;
      return amount !== null && /^[+-]?(\d+\.?\d*|\.\d+)$/.test(amount)
        ? { value: Number(amount) }
        : { problem: amount === null ? NO_COMMA_AMOUNT : "is not a number" };
    }
    case "boolean": {
      const known = BOOLEANS[text.toLowerCase()];
      return known === undefined ? { problem: "is neither true nor false" } : { value: known };
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
      if (kind === "amount" && formats.decimal === ",") {
        const amount = withPoint(text);
        return amount === null ? { problem: NO_COMMA_AMOUNT } : { value: amount };
      }
      if (kind === "texts" && formats.list !== undefined) return { value: textsOf(text, formats) };
      if (formats.date !== undefined && (kind === "day" || isDay(bare))) {
        const day = dayIn(text, formats.date);
        return day === null ? { problem: `is not a date written as ${formats.date}` } : { value: day };
      }
      if (traits.kind === "text") return { value: value.normalize("NFC") };
      return { value: (text.startsWith('["') && listIn(text)) || text.normalize("NFC") };
  }
}

// A day, or text that may be one: where the service's format is not known, the field also takes a `Date`.
function isDay(schema: Schema): boolean {
  if (formatOf(schema) === "date") return true;
  const traits = traitsOf(schema);
  const inputs = traits.kind === "union" ? traits.options.map(traitsOf) : [];
  return inputs.some((option) => {
    const input = option.kind === "converted" ? traitsOf(option.input) : option;
    return input.kind === "other" && input.type === "date";
  });
}

const NO_COMMA_AMOUNT = "is not a number with a decimal comma, such as 1200,50 or 1.200,50";

/** An amount written with a decimal comma as the service takes it; null if it is none. */
export function withPoint(text: string): string | null {
  if (!/^[+-]?(\d{1,3}(\.\d{3})+|\d+)(,\d+)?$/.test(text)) return null;
  return text.replaceAll(".", "").replace(",", ".");
}

const PARTS: Readonly<Record<string, string>> = {
  yyyy: "(?<year>\\d{4})",
  MM: "(?<month>\\d{2})",
  M: "(?<month>\\d{1,2})",
  dd: "(?<day>\\d{2})",
  d: "(?<day>\\d{1,2})",
};

/** Whether a text is a date format: day, month and year, each once. */
export function isDateFormat(format: unknown): boolean {
  if (typeof format !== "string") return false;
  const letters = format.match(/[a-zA-Z]+/g) ?? [];
  const names = letters.flatMap((part) => PARTS[part]?.slice(3, 6) ?? "unknown");
  return names.sort().join() === "day,mon,yea";
}

/** A day written in a format as yyyy-MM-dd; null if it is none. */
export function dayIn(text: string, format: string): string | null {
  const pattern = format.replace(/[a-zA-Z]+|[^a-zA-Z]/g, (part) => PARTS[part] ?? `\\${part}`);
  const { year = "", month = "", day = "" } = new RegExp(`^${pattern}$`).exec(text)?.groups ?? {};
  const written = `${year}-${month.padStart(2, "0")}-${day.padStart(2, "0")}`;
  const time = Date.parse(written);
  // 30-02-2026 fits the format but is not a date.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== written ? null : written;
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

// Lists and objects as exports write them; undefined for other text.
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

/** The texts of a cell that holds several. */
export function textsOf(cell: string, { list = ";" }: CellFormats = {}): string[] {
  return cell.split(list).flatMap((part) => part.trim() || []);
}

/** Other readings of a cell for a field whose kind only the school knows: yes or no, a day, an amount, or several texts. */
export function otherReadings(cell: string, formats: CellFormats = {}): unknown[] {
  const text = cell.trim();
  const known = BOOLEANS[text.toLowerCase()];
  const day = formats.date === undefined ? null : dayIn(text, formats.date);
  const amount = formats.decimal === "," ? withPoint(text) : null;
  return [known, day, amount, textsOf(text, formats)].filter((value) => value !== undefined && value !== null);
}

/** The text by which keys are compared. E-mail addresses ignore case. */
export function keyOf(paths: readonly string[], values: readonly unknown[]): string | null {
  const parts = values.map((value, at) => {
    const text = isEmpty(value) ? "" : written(value).trim().normalize("NFC");
    return /(^|[._])email$/.test(paths[at] ?? "") ? text.toLowerCase() : text;
  });
  if (parts.includes("")) return null;
  return parts.length === 1 ? (parts[0] ?? "") : JSON.stringify(parts);
}

function written(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  return isTime ? new Date(text).toISOString() : text;
}
