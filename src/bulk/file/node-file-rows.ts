import { stat } from "node:fs/promises";
import { InputError } from "../../core/errors.js";
import { must, type OptionTable, readOptions } from "../../core/option-checks.js";
import { versionOf } from "../../work/place/node-files.js";
import { WorkbookError } from "../../workbook/limits.js";
import { TypedCell } from "../../workbook/typed-cell.js";
import type { Values } from "../fields.js";
import type { InputFormat } from "../lines.js";
import type { IsWanted } from "./header.js";

export interface GivenRow {
  readonly row: number;
  readonly cells: Values;
  /** The row for the report: its text in the file without the line break, or its values. */
  readonly in: unknown;
  /** Reason to refuse the row before its cells are interpreted; null if there is none. */
  readonly problem: string | null;
}

/** A plan's requirements for the header, checked before the first row. */
export interface HeaderCheck {
  readonly isWanted: IsWanted;
  /** @throws InputError if a column is missing. */
  check(names: readonly string[]): void;
}

/** The rows of a file, read as the caller consumes them. */
export abstract class FileRows<Options = object> implements AsyncIterable<Readonly<Record<string, string>>> {
  readonly path: string | URL;
  readonly options: Options;
  /** The form in which a report repeats the rows; null for rows that are kept as values. */
  format: InputFormat | null = null;
  readonly #reader: string;

  constructor(reader: string, path: string | URL, options: object, table: OptionTable<Options>) {
    const fail = (option: string, message: string) =>
      new InputError(`${reader}: ${option} ${message}.`, [{ path: option, message }], { operation: null });
    this.path = path;
    this.options = readOptions(options, table, fail) as Options;
    this.#reader = reader;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Readonly<Record<string, string>>, void, undefined> {
    for await (const { row, cells, problem } of this.rows({ isWanted: null, check: () => undefined })) {
      if (problem !== null) throw this.refusal(`cannot be read: ${problem}`);
      const entries = Object.entries(cells);
      for (const [name, cell] of entries)
        if (cell instanceof TypedCell && cell.type === "fault")
          throw this.refusal(`cannot be read: ${name} in row ${row} ${cell.text}`);
      yield Object.fromEntries(entries.map(([name, cell]) => [name, String(cell)]));
    }
  }

  /**
   * Reads the rows for a plan.
   * @throws InputError if the file cannot be read, lacks a column, or was changed while it was being read.
   */
  async *rows(header: HeaderCheck): AsyncGenerator<GivenRow, void, undefined> {
    try {
      // A pipe can be read only once, so it is not checked in advance.
      const before = (await stat(this.path)).isFile() ? await versionOf(this.path) : null;
      // Reads the whole file before any request is sent, so that a problem near its end is found in time.
      if (before !== null) await this.prove();
      yield* this.read(header);
      if (before !== null && (await versionOf(this.path)) !== before) throw this.refusal(CHANGED);
    } catch (error) {
      throw this.readError(error);
    }
  }

  /** Reads the file to its end. */
  protected abstract prove(): Promise<void>;

  protected abstract read(header: HeaderCheck): AsyncGenerator<GivenRow, void, undefined>;

  protected refusal(message: string): InputError {
    return new InputError(`${this.#reader}: ${String(this.path)} ${message}.`, [{ path: "", message }], {
      operation: null,
    });
  }

  protected readError(error: unknown): unknown {
    if (error instanceof WorkbookError) return this.refusal(error.message);
    const { code } = error as { readonly code?: string };
    if (code === "ENOENT") return this.refusal("does not exist");
    if (code === "EISDIR") return this.refusal("is a folder");
    return error;
  }
}

export const COLUMN_NAMES = /* @__PURE__ */ must<readonly string[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string"),
  "must be a list of column names",
);

const CHANGED = "was changed while it was being read. Nothing was planned; run again once no program is saving it";
