import { type Schema, traitsOf, unwrapped } from "../core/validation/traits.js";

/** Whether a row leaves a field alone, unless the field is to be cleared. */
export function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === "string" && value.trim() === "");
}

/** A value of a row as its field takes it, or what is wrong with it. Only text is read; other values stay. */
export function readCell(value: unknown, schema: Schema): { readonly value: unknown } | { readonly problem: string } {
  // Databases give identifiers as BigInt. A number would lose digits of a long one.
  if (typeof value === "bigint") {
    const number = Number(value);
    return { value: Number.isSafeInteger(number) ? number : String(value) };
  }
  if (typeof value !== "string") return { value };
  const text = value.trim();
  const traits = traitsOf(unwrapped(schema));
  switch (traits.kind) {
    case "number":
      return /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) ? { value: Number(text) } : { problem: "is no number" };
    case "boolean": {
      const known = BOOLEANS[text.toLowerCase()];
      return known === undefined ? { problem: "is neither true nor false" } : { value: known };
    }
    case "array": {
      const parts = textsOf(text).map((part) => readCell(part, traits.item));
      const wrong = parts.find((part) => "problem" in part);
      return wrong ?? { value: parts.map((part) => ("value" in part ? part.value : null)) };
    }
    case "object":
    case "record":
      return { problem: "cannot be read from one cell" };
    case "text":
      return { value };
    default:
      return { value: text };
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  "1": true,
  false: false,
  no: false,
  "0": false,
};

/** The texts of a cell that holds several. */
export function textsOf(cell: string): string[] {
  return cell.split(";").flatMap((part) => part.trim() || []);
}

/** Other readings of a cell for a field whose kind only the school knows: yes or no, or several texts. */
export function otherReadings(text: string): unknown[] {
  const known = BOOLEANS[text.trim().toLowerCase()];
  return [...(known === undefined ? [] : [known]), textsOf(text)];
}

/** The text by which keys are compared. An e-mail address is the same in any case. */
export function keyOf(paths: readonly string[], values: readonly unknown[]): string | null {
  const parts = values.map((value, at) => {
    const text = isEmpty(value) ? "" : written(value).trim().normalize("NFC");
    return /(^|[._])email$/.test(paths[at] ?? "") ? text.toLowerCase() : text;
  });
  if (parts.includes("")) return null;
  return parts.length === 1 ? (parts[0] ?? "") : JSON.stringify(parts);
}

/** A key without what a service may change when it stores one: case, accents, blanks and punctuation. */
export function folded(key: string): string {
  const bare = key
    .normalize("NFKD")
    .toUpperCase()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  return bare === "" ? key : bare;
}

function written(value: unknown): string {
  const text = value instanceof Date ? value.toISOString() : String(value);
  const isTime = /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text));
  return isTime ? new Date(text).toISOString() : text;
}
