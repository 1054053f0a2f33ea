import { isPlainObject } from "../core/json.js";

const WIDEST = 40;
const MOST_COLUMNS = 7;

/**
 * Writes records as a table for people: the first columns that hold plain values, or those that are named, cut to the width
 * of the terminal.
 */
export function tableOf(records: readonly unknown[], names: readonly string[] | null, width: number): string {
  const columns = names ?? plainColumns(records);
  const rows = [columns, ...records.map((record) => columns.map((name) => cell(valueAt(record, name))))];
  const widths = columns.map((_, at) => Math.min(WIDEST, Math.max(...rows.map((row) => row[at]?.length ?? 0))));
  return rows
    .map((row) => row.map((text, at) => cut(text, widths[at] ?? 0).padEnd(widths[at] ?? 0)).join("  "))
    .map((line) => `${cut(line.trimEnd(), width)}\n`)
    .join("");
}

function plainColumns(records: readonly unknown[]): string[] {
  const [first] = records;
  const fields = Object.entries(isPlainObject(first) ? first : {});
  return fields
    .filter(([, value]) => typeof value !== "object" || value === null)
    .slice(0, MOST_COLUMNS)
    .map(([name]) => name);
}

function valueAt(record: unknown, path: string): unknown {
  return path
    .split(".")
    .reduce<unknown>(
      (value, name) => (isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : null),
      record,
    );
}

// A record's text must not move the cursor or colour the terminal.
function cell(value: unknown): string {
  const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
  return text.replace(/\p{Cc}/gu, " ");
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text;
}
