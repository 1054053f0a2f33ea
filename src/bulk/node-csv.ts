import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { InputError } from "../core/errors.js";
import { csvRow } from "../export/csv.js";
import type { Values } from "./fields.js";
import type { InputFormat } from "./lines.js";

/** A record as the parser gives it. */
interface ParsedRecord {
  readonly info: { readonly lines: number; readonly records: number; readonly empty_lines: number };
  readonly record: readonly string[];
  readonly raw: string;
}

/** A row as it came. */
export interface GivenRow {
  readonly row: number;
  readonly cells: Values;
  /** For the report: the text of the row in the file, without its line break, or its values. */
  readonly in: unknown;
  /** Why the row is refused before its cells are read; null where they can be. */
  readonly problem: string | null;
}

/** The rows of a CSV file, read as the caller takes them. */
export class CsvRows implements AsyncIterable<Readonly<Record<string, string>>> {
  readonly #path: string | URL;
  /** How the file is written; known once its header was read. */
  format: InputFormat = { csv: { delimiter: ",", head: "" } };

  constructor(path: string | URL) {
    this.#path = path;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Readonly<Record<string, string>>, void, undefined> {
    for await (const { cells, problem } of this.rows()) {
      if (problem !== null) throw this.#refusal(`is no table: ${problem}`);
      yield cells as Readonly<Record<string, string>>;
    }
  }

  /** The rows with their numbers and texts. */
  async *rows(): AsyncGenerator<GivenRow, void, undefined> {
    const { delimiter, mark, text } = await this.#begin();
    // A plan of other rows, and all that follows a plan, need no parser.
    const { parse } = await import("./csv-parser.js");
    const parser = parse({
      delimiter,
      record_delimiter: ["\r\n", "\n", "\r"],
      raw: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    });
    // What fails in either ends the loop below with its error.
    pipeline(Readable.from(text), parser, () => undefined);
    let names: readonly string[] | null = null;
    try {
      for await (const { info, record, raw } of parser as AsyncIterable<ParsedRecord>) {
        // Empty lines before it belong to it too.
        const line = raw.replace(/^[\r\n]+|[\r\n]+$/g, "");
        if (names) {
          const entries = names.map((name, at) => [name, (record[at] ?? "").trim()] as const);
          const missing = names.length - record.length;
          const problem =
            missing === 0 ? null : `line ${info.lines} has ${missing > 0 ? "fewer" : "more"} cells than the header`;
          // The report writes its cells behind those of the row, which must be as many as the header has.
          const aligned =
            missing < 0
              ? csvRow(record.slice(0, names.length), { delimiter }).slice(0, -2)
              : line + delimiter.repeat(missing);
          const row = info.records + info.empty_lines;
          yield { row, cells: Object.fromEntries(entries), in: aligned, problem };
          continue;
        }
        names = record.map((name) => name.trim());
        const twice = names.find((name, at) => names?.indexOf(name) !== at);
        if (twice !== undefined) throw this.#refusal(`has two columns named ${JSON.stringify(twice)}`);
        this.format = { csv: { delimiter, head: mark + line } };
      }
    } catch (error) {
      throw this.#explained(error);
    } finally {
      parser.destroy();
    }
    if (!names) throw this.#refusal("is empty; the first row must name the columns");
  }

  async #begin(): Promise<{ delimiter: string; mark: string; text: AsyncIterable<string> }> {
    const texts = decoded(createReadStream(this.#path));
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
    return new InputError(`readCsv: ${String(this.#path)} ${message}.`, [{ path: "", message }], { operation: null });
  }

  // The parser's own messages hold values.
  #explained(error: unknown): unknown {
    const { code, lines } = error as { readonly code?: string; readonly lines?: number };
    if (error instanceof TypeError && code === "ERR_ENCODING_INVALID_ENCODED_DATA") {
      return this.#refusal("is not UTF-8 text; save it as CSV UTF-8");
    }
    if (code === "ENOENT") return this.#refusal("does not exist");
    if (code === "EISDIR") return this.#refusal("is a folder");
    if (lines === undefined) return error;
    if (code === "CSV_QUOTE_NOT_CLOSED") return this.#refusal("ends within a quoted cell");
    return this.#refusal(`is no CSV: line ${lines} has a quote inside a cell that does not begin with one`);
  }
}

/**
 * Reads a CSV file with a header, row by row: UTF-8, with `,` or `;` between the cells, whose leading and trailing blanks
 * are dropped. `plan` refuses a row with more or fewer cells than the header, and plans the others.
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
