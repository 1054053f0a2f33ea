import { createReadStream } from "node:fs";
import { must, type OptionTable, oneOf } from "../../core/option-checks.js";
import { csvRow } from "../../export/csv.js";
import { columnName, layoutOf, whyNoHeader } from "./header.js";
import { COLUMN_NAMES, FileRows, type GivenRow, type HeaderCheck } from "./node-file-rows.js";
import { type CsvRecord, csvRecords, withoutEnd } from "./rows.js";
import { decode, ENCODINGS, type FileEncoding } from "./text.js";

/** Options for `readCsv`. */
export interface ReadCsvOptions {
  /**
   * Encoding of the file. Default: UTF-16 if the first bytes show it, otherwise UTF-8. Spreadsheet programs that offer
   * only plain CSV usually write `windows-1252`; the error for a file that is not UTF-8 names the likely encoding.
   */
  readonly encoding?: FileEncoding | undefined;
  /**
   * One character between cells. Default: the one in a line `sep=`, or whichever of `,`, `;`, tab and `|` yields the
   * most cells.
   */
  readonly delimiter?: string | undefined;
  /** Names of the columns of a file without a header, in order. Default: the file has a header. */
  readonly header?: readonly string[] | undefined;
}

const READ_OPTIONS = {
  encoding: [/* @__PURE__ */ oneOf<FileEncoding>(...ENCODINGS)],
  delimiter: [
    /* @__PURE__ */ must<string>(
      (value) => typeof value === "string" && /^[^"\r\n]$/.test(value),
      "must be one character, and neither a quote nor a line break",
    ),
  ],
  header: [COLUMN_NAMES],
} satisfies OptionTable<ReadCsvOptions>;

export class CsvRows extends FileRows<ReadCsvOptions> {
  constructor(path: string | URL, options: ReadCsvOptions) {
    super("readCsv", path, options, READ_OPTIONS);
  }

  protected async *read({ isWanted, check }: HeaderCheck): AsyncGenerator<GivenRow, void, undefined> {
    const texts = this.#texts();
    const first = (await texts.next()).value ?? "";
    const mark = first.startsWith("\uFEFF") ? "\uFEFF" : "";
    const begin = first.slice(mark.length);
    const { header: given } = this.options;
    const { delimiter, header } = await layoutOf(begin, given ? null : isWanted, this.options.delimiter);
    async function* text() {
      yield begin;
      yield* texts;
    }
    let names: readonly string[] | null = null;
    /** Number of cells in the header, including those of trailing delimiters. */
    let width = 0;
    let row = 0;
    const begins = (record: CsvRecord, columns: readonly string[], head: string) => {
      const problem = whyNoHeader(record, columns);
      if (problem !== null) throw this.refusal(problem);
      check(columns);
      this.format = { csv: { delimiter, head } };
      return columns;
    };
    if (given) {
      const columns = given.map(columnName);
      width = columns.length;
      names = begins(
        { cells: columns, raw: "", line: 0, problem: null },
        columns,
        mark + csvRow(columns, { delimiter }).slice(0, -2),
      );
    }
    for await (const record of csvRecords(text(), delimiter)) {
      const { cells, raw } = record;
      row++;
      if (names) {
        if (withoutEnd(cells).length === 0) continue;
        const why = record.problem ?? whyUneven(cells, names.length, width);
        const entries = names.map((name, at) => [name, (cells[at] ?? "").trim()] as const);
        const problem = why && `line ${record.line} ${why}`;
        yield { row, cells: Object.fromEntries(entries), in: alignCells(record, width, delimiter), problem };
      } else if (row === header) {
        width = cells.length;
        names = begins(record, withoutEnd(cells).map(columnName), mark + raw);
      }
    }
    if (!names?.length) throw this.refusal("is empty; the first row must name the columns");
  }

  protected async prove(): Promise<void> {
    for await (const _ of this.#texts());
  }

  #texts(): AsyncGenerator<string, void, undefined> {
    return decode(createReadStream(this.path), this.options.encoding, (message) => this.refusal(message));
  }
}

// Fits a row of the report to the width of the header, because the report's own cells follow.
function alignCells({ cells, raw, problem }: CsvRecord, width: number, delimiter: string): string {
  if (problem === null && cells.length <= width) return raw + delimiter.repeat(width - cells.length);
  const last = problem === null ? cells.slice(width - 1, width) : [cells.slice(width - 1).join(delimiter)];
  const all = [...cells.slice(0, width - 1), ...last];
  return csvRow(all, { delimiter }).slice(0, -2) + delimiter.repeat(width - all.length);
}

// Refuses even empty extra cells: an extra delimiter earlier in the row may have shifted the cells after it.
function whyUneven({ length }: readonly string[], names: number, width: number): string | null {
  if (length > width) return "has more cells than the header";
  return length < names ? "has fewer cells than the header" : null;
}

/**
 * Reads a CSV file with a header, row by row, as UTF-8 or UTF-16. Cells are separated by `,`, `;`, tabs, `|` or the
 * character in a line `sep=`, and lose leading and trailing blanks. Rows without a value are skipped. `plan` also skips
 * titles above the header, and refuses only the rows with a stray quote or with more or fewer cells than the header.
 * @throws InputError while reading, naming the line, if the file is not CSV or was changed since the reading began.
 * @example
 * import { writeFileSync } from "node:fs";
 *
 * writeFileSync("students.csv", "email,first_name\njo@example.com,Jo\n");
 * for await (const row of readCsv("students.csv")) console.log(row.email);
 */
export function readCsv(
  path: string | URL,
  options: ReadCsvOptions = {},
): AsyncIterable<Readonly<Record<string, string>>> {
  return new CsvRows(path, options);
}
