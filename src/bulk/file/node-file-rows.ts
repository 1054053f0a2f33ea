import { InputError } from "../../core/errors.js";
import { must } from "../../core/option-checks.js";
import type { Values } from "../fields.js";
import type { InputFormat } from "../lines.js";

export interface GivenRow {
  readonly row: number;
  readonly cells: Values;
  /** The row for the report: its text in the file without the line break, or its values. */
  readonly in: unknown;
  /** Reason to refuse the row before its cells are interpreted; null if there is none. */
  readonly problem: string | null;
}

/** A plan's requirements for the header, checked before any row is. */
export interface HeaderCheck {
  /** Column names that distinguish the header from the titles above it. */
  readonly wanted: readonly string[];
  /** @throws InputError if a column is missing. */
  check(names: readonly string[]): void;
}

/** The rows of a file, read as the caller consumes them. */
export abstract class FileRows {
  readonly path: string | URL;
  /** The form in which the report writes the rows again; null for rows that are kept as values. */
  format: InputFormat | null = null;
  readonly #reader: string;

  constructor(path: string | URL, reader: string) {
    this.path = path;
    this.#reader = reader;
  }

  /**
   * Reads the rows with their numbers and texts.
   * @throws InputError if the file cannot be read, has another header, or was changed while it was read.
   */
  abstract rows(header: HeaderCheck): AsyncGenerator<GivenRow, void, undefined>;

  protected refusal(message: string): InputError {
    return new InputError(`${this.#reader}: ${String(this.path)} ${message}.`, [{ path: "", message }], {
      operation: null,
    });
  }

  protected readError(error: unknown): unknown {
    const { code } = error as { readonly code?: string };
    if (code === "ENOENT") return this.refusal("does not exist");
    if (code === "EISDIR") return this.refusal("is a folder");
    return error;
  }
}

/** Checks the option `header` of both readers. */
export const COLUMN_NAMES = /* @__PURE__ */ must<readonly string[]>(
  (value) => Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === "string"),
  "must be a list of column names",
);

export const CHANGED = "was changed while it was read. Nothing was planned; run again once no program is saving it";
