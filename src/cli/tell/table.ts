import stringWidth from "string-width";
import { isPlainObject } from "../../core/json.js";
import { valueAt } from "../../work/kinds.js";

const WIDEST = 40;
const MOST_COLUMNS = 7;

/**
 * Formats records as a table: the named columns, or the first that hold plain values, cut to the terminal's width.
 * @param width undefined without a terminal, 0 if its width is unknown.
 */
export function tableOf(records: readonly unknown[], names: readonly string[] | null, width?: number): string {
  const columns = names ?? plainColumns(records);
  const rows = [columns, ...records.map((record) => columns.map((name) => plainText(valueAt(record, name))))];
  const widths = columns.map((_, at) => Math.min(WIDEST, Math.max(...rows.map((row) => stringWidth(row[at] ?? "")))));
  return rows
    .map((row) => row.map((text, at) => padToWidth(truncateToWidth(text, widths[at] ?? 0), widths[at] ?? 0)).join("  "))
    .map((line) => `${truncateToWidth(line.trimEnd(), width || Number.POSITIVE_INFINITY)}\n`)
    .join("");
}

export function pickPaths(record: unknown, paths: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(paths.map((path) => [path, valueAt(record, path) ?? null]));
}

function plainColumns(records: readonly unknown[]): string[] {
  const [first] = records;
  const fields = Object.entries(isPlainObject(first) ? first : {});
  return fields
    .filter(([, value]) => typeof value !== "object" || value === null)
    .slice(0, MOST_COLUMNS)
    .map(([name]) => name);
}

/** Converts a value to text that cannot move the cursor, change colours or reverse the direction of text. */
export function plainText(value: unknown): string {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  return text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, " ");
}

function padToWidth(text: string, width: number): string {
  return text + " ".repeat(Math.max(0, width - stringWidth(text)));
}

/** Cuts a text to a number of terminal columns, never in the middle of a character. */
export function truncateToWidth(text: string, width: number): string {
  if (stringWidth(text) <= width) return text;
  let kept = "";
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    if (stringWidth(kept + segment) > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}
