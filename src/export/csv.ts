/** How CSV is written. */
export interface CsvOptions {
  /** One character between cells. Default `,`. */
  readonly delimiter?: string | undefined;
  /**
   * True: text that a spreadsheet would run as a formula gets an apostrophe in front. Plain numbers such as `-12.50` stay
   * as they are. Default false, because it changes the data.
   */
  readonly escapeFormulas?: boolean | undefined;
  /** True: begins with a byte order mark, by which Excel recognises UTF-8. Default false. */
  readonly byteOrderMark?: boolean | undefined;
  /** True: numbers and amounts have a decimal comma, `12,50`, which spreadsheets of many countries expect. Default false. */
  readonly decimalComma?: boolean | undefined;
}

// Spreadsheets skip white space before a formula. What looks protected already is protected once more, so that it can be read back.
const FORMULA = /^'*(?:[\t\r]|\s*[=+\-@＝＋－＠])/;
const WITH_POINT = /^[+-]?\d+\.\d+$/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** Writes one row as RFC 4180 has it, its line break included. */
export function csvRow(
  values: readonly unknown[],
  { delimiter = ",", escapeFormulas = false }: Pick<CsvOptions, "delimiter" | "escapeFormulas">,
): string {
  const cells = values.map((value) => quoteCell(cellOf(value, escapeFormulas), delimiter));
  // An empty line would be no row at all.
  return `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(delimiter)}\r\n`;
}

function cellOf(value: unknown, escapeFormulas: boolean): string {
  const text = cellText(value);
  return escapeFormulas && isFormula(value, text) ? `'${text}` : text;
}

/** A number or an amount with a decimal comma; any other value as it is. */
export function withComma(value: unknown): unknown {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : "";
  return WITH_POINT.test(text) ? text.replace(".", ",") : value;
}

/** The text of a cell without the apostrophe that `escapeFormulas` has put in front; an apostrophe that belongs to it stays: `'t Hart`. */
export function withoutApostrophe(cell: string): string {
  return cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell;
}

/** Whether a cell is what an export writes for a value, with or without `escapeFormulas` and `decimalComma`. Blanks around it do not count. */
export function isCellOf(cell: string, value: unknown): boolean {
  const given = comparable(cell);
  const written = [value, withComma(value)].flatMap((one) => [cellOf(one, false), cellOf(one, true)]);
  return written.some((text) => comparable(text) === given);
}

// Who reads a cell drops the blanks around it, spreadsheets write line breaks their own way, and some systems decompose accents.
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
