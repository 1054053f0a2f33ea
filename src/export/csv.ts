/** Options for writing CSV. */
export interface CsvOptions {
  /** One character between cells. Default `,`. */
  readonly delimiter?: string | undefined;
  /**
   * True: puts an apostrophe in front of text that a spreadsheet would run as a formula. Plain numbers such as `-12.50`
   * stay as they are. Default false, because it changes the data.
   */
  readonly escapeFormulas?: boolean | undefined;
  /** True: starts the file with a byte order mark, by which Excel recognises UTF-8. Default false. */
  readonly byteOrderMark?: boolean | undefined;
  /**
   * True: writes numbers and amounts with a decimal comma, `12,50`, as spreadsheets in many countries expect. Default
   * false.
   */
  readonly decimalComma?: boolean | undefined;
}

// Spreadsheets skip white space before a formula. Text that already looks protected gets another apostrophe, so that
// reading it back restores it.
const FORMULA = /^'*(?:[\t\r]|\s*[=+\-@＝＋－＠])/;
const WITH_POINT = /^[+-]?\d+\.\d+$/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** Writes one row as RFC 4180 defines it, including its line break. */
export function csvRow(
  values: readonly unknown[],
  { delimiter = ",", escapeFormulas = false }: Pick<CsvOptions, "delimiter" | "escapeFormulas">,
): string {
  const cells = values.map((value) => quoteCell(cellOf(value, escapeFormulas), delimiter));
  // A quoted empty cell, because an empty line would not count as a row.
  return `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(delimiter)}\r\n`;
}

function cellOf(value: unknown, escapeFormulas: boolean): string {
  const text = cellText(value);
  return escapeFormulas && isFormula(value, text) ? `'${text}` : text;
}

/** Writes a number or an amount with a decimal comma, and returns any other value unchanged. */
export function withComma(value: unknown): unknown {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return WITH_POINT.test(text) ? text.replace(".", ",") : value;
}

/**
 * Removes the apostrophe that `escapeFormulas` put in front of a cell; one that belongs to the text stays: `'t Hart`.
 */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/**
 * True if a cell is what an export writes for a value, with or without `escapeFormulas` and `decimalComma`. Blanks
 * around it do not matter.
 */
export function isCellOf(cell: string, value: unknown): boolean {
  const given = comparable(cell);
  const written = [value, withComma(value)].flatMap((one) => [cellOf(one, false), cellOf(one, true)]);
  return written.some((text) => comparable(text) === given);
}

// Readers drop the blanks around a cell, spreadsheets change its line breaks, and some systems decompose its accented
// letters.
function comparable(text: string): string {
  return text.replace(/\r\n?/g, "\n").trim().normalize("NFC");
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isFormula(value: unknown, text: string): boolean {
  return typeof value === "string" && FORMULA.test(text) && !PLAIN_NUMBER.test(text);
}

function quoteCell(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
