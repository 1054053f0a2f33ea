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

// Spreadsheets skip white space before a formula.
const FORMULA = /^(?:[\t\r]|\s*[=+\-@＝＋－＠])/;
const WITH_POINT = /^[+-]?\d+\.\d+$/;
const PLAIN_NUMBER = /^[+-]?\d+([.,]\d+)?$/;

/** Writes one row as RFC 4180 has it, its line break included. */
export function csvRow(
  values: readonly unknown[],
  { delimiter = ",", escapeFormulas = false, decimalComma = false }: CsvOptions,
): string {
  const cells = values.map((value) => {
    const written = cellText(value);
    const text = decimalComma && WITH_POINT.test(written) ? written.replace(".", ",") : written;
    return quoted(escapeFormulas && isFormula(value, text) ? `'${text}` : text, delimiter);
  });
  // An empty line would be no row at all.
  return `${cells.length === 1 && cells[0] === "" ? '""' : cells.join(delimiter)}\r\n`;
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function isFormula(value: unknown, text: string): boolean {
  return typeof value === "string" && FORMULA.test(text) && !PLAIN_NUMBER.test(text);
}

function quoted(text: string, delimiter: string): string {
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
}
