import { createReadStream } from "node:fs";
import { InputError } from "../core/errors.js";
import { csvRecords } from "./csv-records.js";
import type { InputFormat } from "./lines.js";

/** A row of a CSV file. */
export interface CsvRow {
  readonly row: number;
  readonly cells: Readonly<Record<string, string>>;
  /** The text of the row in the file, without its line break. */
  readonly raw: string;
  /** Why the row cannot be used; null where it can. */
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
      yield cells;
    }
  }

  /** The rows with their numbers and texts. */
  async *rows(): AsyncGenerator<CsvRow, void, undefined> {
    const { delimiter, mark, text } = await this.#begin();
    const records = csvRecords(text, delimiter, (message) => this.#refusal(message));
    let names: readonly string[] | null = null;
    try {
      for await (const { cells, raw, row, line } of records) {
        if (names) {
          const entries = names.map((name, at) => [name, (cells[at] ?? "").trim()] as const);
          const missing = names.length - cells.length;
          const problem =
            missing === 0 ? null : `line ${line} has ${missing > 0 ? "fewer" : "more"} cells than the header`;
          // The report writes its cells behind those of the row.
          const padded = raw + delimiter.repeat(Math.max(0, missing));
          yield { row, cells: Object.fromEntries(entries), raw: padded, problem };
          continue;
        }
        names = cells.map((name) => name.trim());
        const twice = names.find((name, at) => names?.indexOf(name) !== at);
        if (twice !== undefined) throw this.#refusal(`has two columns named ${JSON.stringify(twice)}`);
        this.format = { csv: { delimiter, head: mark + raw } };
      }
    } catch (error) {
      throw this.#explained(error);
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

  #explained(error: unknown): unknown {
    const { code } = error as { readonly code?: string };
    if (code === "ERR_ENCODING_INVALID_ENCODED_DATA") return this.#refusal("is not UTF-8 text; save it as CSV UTF-8");
    if (code === "ENOENT") return this.#refusal("does not exist");
    return code === "EISDIR" ? this.#refusal("is a folder") : error;
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
