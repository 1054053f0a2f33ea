import stringWidth from "string-width";
import { isPlainObject } from "../../core/json.js";
import { printable } from "../../core/printable.js";
import { type Field, valueAt } from "../../work/fields/path.js";
import { writeText } from "../../work/fields/text.js";

const WIDEST = 40;
const MOST_COLUMNS = 7;

const NARROWEST = 6;

/** A field, or a path such as `address.city`. */
type Column = Pick<Field, "path" | "names"> | string;

const columnOf = (column: Column) => (typeof column === "string" ? { path: column, names: column.split(".") } : column);

/**
 * Formats records as a table: the named columns, or the first ones with plain values. The widest columns are cut so
 * that the table fits the terminal; if it still does not, the last line names the columns that are left out.
 * @param width undefined without a terminal, 0 if its width is unknown.
 */
export function tableOf(records: readonly unknown[], given: readonly Column[] | null, width?: number): string {
  const columns = (given ?? plainColumns(records)).map(columnOf);
  const paths = columns.map(({ path }) => path);
  const rows = [paths, ...records.map((record) => columns.map(({ names }) => plainText(valueAt(record, names))))];
  const widest = columns.map((_, at) => Math.min(WIDEST, Math.max(...rows.map((row) => stringWidth(row[at] ?? "")))));
  const widths = fitWidths(widest, width || Number.POSITIVE_INFINITY);
  const lines = rows
    .map((row) => widths.map((wide, at) => padToWidth(truncateToWidth(row[at] ?? "", wide), wide)).join("  "))
    .map((line) => `${truncateToWidth(line.trimEnd(), width || Number.POSITIVE_INFINITY)}\n`);
  const hidden = paths.slice(widths.length);
  return lines.join("") + (hidden.length === 0 ? "" : `Too wide for this terminal: ${hidden.join(", ")}\n`);
}

// Cuts the widest columns, and leaves out the last ones if all are at their narrowest.
function fitWidths(widest: readonly number[], width: number): readonly number[] {
  const widths = [...widest];
  for (let over = widths.reduce((sum, one) => sum + one + 2, -2) - width; over > 0; over--) {
    const most = Math.max(...widths);
    if (most <= NARROWEST) return widths.length === 1 ? widths : fitWidths(widest.slice(0, -1), width);
    widths[widths.lastIndexOf(most)] = most - 1;
  }
  return widths;
}

export function pickPaths(record: unknown, columns: readonly Column[]): Record<string, unknown> {
  return Object.fromEntries(columns.map(columnOf).map(({ path, names }) => [path, valueAt(record, names) ?? null]));
}

function plainColumns(records: readonly unknown[]): string[] {
  const [first] = records;
  const fields = Object.entries(isPlainObject(first) ? first : {});
  return fields
    .filter(([, value]) => typeof value !== "object" || value === null)
    .slice(0, MOST_COLUMNS)
    .map(([name]) => name);
}

/** Converts a value to text that cannot move the cursor, change colors or reverse the direction of text. */
export function plainText(value: unknown): string {
  return printable(writeText(value));
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
