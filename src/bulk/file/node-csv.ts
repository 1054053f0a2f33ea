import { createReadStream } from "node:fs";
import { InputError } from "../../core/errors.js";
import { csvRow, withoutApostrophe } from "../../export/csv.js";
import type { Values } from "../fields.js";
import type { InputFormat } from "../lines.js";
import { REPORT_COLUMNS } from "./header.js";
import { type CsvRecord, csvRecords, withoutEnd } from "./rows.js";

/** A row as it was read. */
export interface GivenRow {
  readonly row: number;
  readonly cells: Values;
  /** For the report: the text of the row in the file, without its line break, or its values. */
  readonly in: unknown;
  /** Why the row is refused before its cells are read; null if they can be. */
  readonly problem: string | null;
}

/** The rows of a CSV file, read as the caller takes them. */
export class CsvRows implements AsyncIterable<Readonly<Record<string, string>>> {
  readonly path: string | URL;
  /** The format of the file; null until its header was read. */
  format: InputFormat | null = null;

  constructor(path: string | URL) {
    this.path = path;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Readonly<Record<string, string>>, void, undefined> {
    for await (const { cells, problem } of this.rows()) {
      if (problem !== null) throw this.#refusal(`cannot be read: ${problem}`);
      const entries = Object.entries(cells).map(([name, cell]) => [name, withoutApostrophe(String(cell))]);
      yield Object.fromEntries(entries) as Record<string, string>;
    }
  }

  /** The rows with their numbers and texts. */
  async *rows(): AsyncGenerator<GivenRow, void, undefined> {
    const { delimiter, mark, text } = await this.#begin();
    let names: readonly string[] | null = null;
    /** Cells of the header, those of trailing delimiters included. */
    let width = 0;
    let row = 0;
    try {
      for await (const record of csvRecords(text, delimiter)) {
        const { cells, raw, line } = record;
        row++;
        const own = withoutEnd(cells);
        if (own.length === 0) continue;
        if (names) {
          const why = record.problem ?? uneven(cells, own, names);
          const entries = names.map((name, at) => [name, (cells[at] ?? "").trim()] as const);
          const problem = why && `line ${line} ${why}`;
          yield { row, cells: Object.fromEntries(entries), in: aligned(record, width, delimiter), problem };
          continue;
        }
        if (record.problem !== null) throw this.#refusal(`cannot be read: line ${line}, the header, ${record.problem}`);
        names = own.map((name) => name.trim());
        width = cells.length;
        const twice = names.find((name, at) => !REPORT_COLUMNS.includes(name) && names?.indexOf(name) !== at);
        if (twice !== undefined) throw this.#refusal(`has two columns named ${JSON.stringify(twice)}`);
        this.format = { csv: { delimiter, head: mark + raw } };
      }
    } catch (error) {
      throw this.#explained(error);
    }
    if (!names) throw this.#refusal("is empty; the first row must name the columns");
  }

  async #begin(): Promise<{ delimiter: string; mark: string; text: AsyncIterable<string> }> {
    const texts = decoded(createReadStream(this.path));
    let first: string;
    try {
      first = (await texts.next()).value ?? "";
    } catch (error) {
      throw this.#explained(error);
    }
    const mark = first.startsWith("\uFEFF") ? "\uFEFF" : "";
    const begin = first.slice(mark.length);
    const [head = ""] = begin.replace(/"[^"]*"/g, "").split(/[\r\n]/);
    const delimiter = head.split(";").length > head.split(",").length ? ";" : ",";
    async function* rest() {
      if (begin !== "") yield begin;
      yield* texts;
    }
    return { delimiter, mark, text: rest() };
  }

  #refusal(message: string): InputError {
    return new InputError(`readCsv: ${String(this.path)} ${message}.`, [{ path: "", message }], { operation: null });
  }

  #explained(error: unknown): unknown {
    const { code } = error as { readonly code?: string };
    if (error instanceof TypeError && code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return this.#refusal("is not UTF-8 text; save it as CSV UTF-8");
    }
    if (code === "ENOENT") return this.#refusal("does not exist");
    if (code === "EISDIR") return this.#refusal("is a folder");
    return error;
  }
}

// A row for the report, which writes its cells behind those of the row: they must be as many as the header has.
function aligned({ cells, raw, problem }: CsvRecord, width: number, delimiter: string): string {
  if (problem === null && cells.length <= width) return raw + delimiter.repeat(width - cells.length);
  const last = problem === null ? cells.slice(width - 1, width) : [cells.slice(width - 1).join(delimiter)];
  const all = [...cells.slice(0, width - 1), ...last];
  return csvRow(all, { delimiter }).slice(0, -2) + delimiter.repeat(width - all.length);
}

// What is wrong with the number of a row's cells. Trailing delimiters add none.
function uneven(cells: readonly string[], own: readonly string[], names: readonly string[]): string | null {
  if (own.length > names.length) return "has more cells than the header";
  return cells.length < names.length ? "has fewer cells than the header" : null;
}

/**
 * Reads a CSV file with a header, row by row: UTF-8, with `,` or `;` between the cells, whose leading and trailing blanks
 * are dropped. Rows without a value are skipped. `plan` refuses a row with a stray quote, or with more or fewer cells than the header, and plans the others.
 * @throws InputError naming the line, once it is read, when it is no such file.
 * @example
 * import { writeFileSync } from "node:fs";
 *
 * writeFileSync("students.csv", "email,first_name\njo@example.com,Jo\n");
 * for await (const row of readCsv("students.csv")) console.log(row.email);
 */
export function readCsv(path: string | URL): AsyncIterable<Readonly<Record<string, string>>> {
  return new CsvRows(path);
}

async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  for await (const chunk of bytes) {
    const text = decoder.decode(chunk, { stream: true });
    if (text !== "") yield text;
  }
  decoder.decode();
}
