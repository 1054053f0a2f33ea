import { writeText } from "../work/fields/text.js";

/** Options for writing CSV. */
export interface CsvOptions {
  /** One character between cells. Default `,`. */
  readonly delimiter?: string | undefined;
  /**
   * True to put an apostrophe in front of text that a spreadsheet would run as a formula, except plain numbers such as
   * `-12.50`. Default false, because it changes the data.
   */
  readonly escapeFormulas?: boolean | undefined;
  /** True to start the file with a byte order mark, by which Excel recognises UTF-8. Default false. */
  readonly byteOrderMark?: boolean | undefined;
  /**
   * True to write numbers and amounts with a decimal comma, `12,50`, as spreadsheets in many countries expect. Default
   * false.
   */
  readonly decimalComma?: boolean | undefined;
}

// Spreadsheets skip white space before a formula. Text that already looks protected gets another apostrophe, so that
// reading it back restores it.
const FORMULA = /^'*(?:[\t\r]|\s*[=+\-@＝＋－＠])/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** Formats one row by RFC 4180, with its line break. */
export function csvRow(
  values: readonly unknown[],
  { delimiter = ",", escapeFormulas = false }: Pick<CsvOptions, "delimiter" | "escapeFormulas">,
): string {
  const cells = values.map((value) => quoteCell(cellOf(value, escapeFormulas), delimiter));
  // A quoted empty cell, because an empty line does not count as a row.
  return `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(delimiter)}\r\n`;
}

function cellOf(value: unknown, escapeFormulas: boolean): string {
  const text = writeText(value);
  return escapeFormulas && isFormula(value, text) ? `'${text}` : text;
}

/**
 * Removes the apostrophe that `escapeFormulas` put in front of a cell; one that belongs to the text stays: `'t Hart`.
 */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/**
 * True if an export writes the cell for this value, with or without `escapeFormulas` and `decimalComma`. Ignores blanks
 * around the cell.
 */
export function isCellOf(cell: string, value: unknown): boolean {
  const given = comparable(cell);
  const written = [writeText(value), writeText(value, ",")].flatMap((one) => [cellOf(one, false), cellOf(one, true)]);
  return written.some((text) => comparable(text) === given);
}

// Readers drop the blanks around a cell, spreadsheets change line breaks, and some systems decompose accented letters.
function comparable(text: string): string {
  return text.replace(/\r\n?/g, "\n").trim().normalize("NFC");
}

function isFormula(value: unknown, text: string): boolean {
  return typeof value === "string" && FORMULA.test(text) && !PLAIN_NUMBER.test(text);
}

function quoteCell(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
