import { writeText } from "../work/fields/text.js";

/** Options for writing CSV. */
export interface CsvOptions {
  /** The character between cells. Default `,`. */
  readonly delimiter?: string | undefined;
}

/** Formats one RFC 4180 row, with its line break. */
export function csvRow(values: readonly unknown[], { delimiter = "," }: CsvOptions): string {
  const cells = values.map((value) => quoteCell(writeText(value), delimiter));
  // Quotes a single empty cell, because an empty line does not count as a row.
  return `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(delimiter)}\r\n`;
}

function quoteCell(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
