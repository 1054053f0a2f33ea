import { stat } from "node:fs/promises";
import { callable, must, type OptionTable } from "../../core/option-checks.js";
import { beginOf } from "../../work/place/node-files.js";
import { sheetRows } from "../../workbook/node-read.js";
import { columnName as columnLetters } from "../../workbook/numbers.js";
import type { SheetFound, SheetRow } from "../../workbook/sheet.js";
import { columnName, FIRST_RECORDS, headerScore, type IsWanted, isMore, whyNoHeader } from "./header.js";
import { COLUMN_NAMES, FileRows, type GivenRow, type HeaderCheck } from "./node-file-rows.js";

/** Options for `readSheet`. */
export interface ReadSheetOptions {
  /** Name of the sheet. Default: the only sheet that is not hidden. */
  readonly sheet?: string | undefined;
  /** Names of the columns of a sheet without a header, in order. Default: the sheet has a header. */
  readonly header?: readonly string[] | undefined;
  /**
   * Called with the sheet, including its hidden rows and columns and merged cells, before its first row is returned.
   */
  readonly onSheet?: ((found: SheetFound) => void) | undefined;
}

const SHEET_OPTIONS = {
  sheet: [/* @__PURE__ */ must<string>((value) => typeof value === "string", "must be the name of a sheet")],
  header: [COLUMN_NAMES],
  onSheet: [callable],
} satisfies OptionTable<ReadSheetOptions>;

export class SheetFileRows extends FileRows<ReadSheetOptions> {
  constructor(path: string | URL, options: ReadSheetOptions) {
    super("readSheet", path, options, SHEET_OPTIONS);
  }

  protected async prove(): Promise<void> {
    const all = this.#all();
    let next = await all.next();
    while (!next.done) next = await all.next();
    this.options.onSheet?.(next.value);
  }

  #all() {
    return sheetRows(this.path, this.options.sheet);
  }

  protected async *read(header: HeaderCheck): AsyncGenerator<GivenRow, void, undefined> {
    const all = this.#all();
    const { header: given } = this.options;
    const first: SheetRow[] = [];
    let next = await all.next();
    for (; !next.done && first.length < FIRST_RECORDS; next = await all.next()) first.push(next.value);
    const names = given ? given.map(columnName) : headerOf(first, header.isWanted);
    if (!names?.length) throw this.refusal("is empty; the first row must name the columns");
    const problem = whyNoHeader(null, names);
    if (problem !== null) throw this.refusal(problem);
    header.check(names.filter((name) => name !== ""));
    for (const row of first.splice(0)) yield rowOf(row, names);
    for (; !next.done; next = await all.next()) yield rowOf(next.value, names);
  }
}

// Returns the names in the likely header row, and removes that row and the titles above it from `first`.
function headerOf(first: SheetRow[], isWanted: IsWanted): readonly string[] | null {
  let best: { readonly at: number; readonly names: readonly string[]; readonly score: readonly number[] } | null = null;
  for (const [at, { cells }] of first.entries()) {
    const names = Array.from(cells, (cell) => columnName(String(cell ?? "")));
    const score = headerScore(names, isWanted, at);
    if (!best || isMore(score, best.score)) best = { at, names, score };
  }
  if (best) first.splice(0, best.at + 1);
  return best?.names ?? null;
}

function rowOf({ row, cells }: SheetRow, names: readonly string[]): GivenRow {
  const unnamed = cells.findIndex((cell, at) => cell !== undefined && !names[at]);
  const entries = names.flatMap((name, at) => {
    const cell = cells[at];
    return name === "" ? [] : [[name, typeof cell === "string" ? cell.trim() : (cell ?? "")] as const];
  });
  const problem = unnamed < 0 ? null : `row ${row} has a value in column ${columnLetters(unnamed)}, which has no name`;
  return { row, cells: Object.fromEntries(entries), in: Object.fromEntries(entries), problem };
}

/** True if the first bytes of a file are those of a workbook, of any kind; false for a pipe. */
export async function isWorkbook(path: string | URL): Promise<boolean> {
  if (!(await stat(path).catch(() => null))?.isFile()) return false;
  return /^(PK|\xd0\xcf)$/.test((await beginOf(path, 2)).toString("latin1"));
}

/**
 * Reads a sheet of a workbook, .xlsx or .ods, with a header, row by row. Rows without a value are skipped; hidden rows
 * and columns are read. `plan` also skips titles above the header, reads cells that are not text by their type, and
 * refuses cells whose type does not fit their field, such as a number in a text field.
 * @throws InputError while reading, if the file is not a workbook, has a password, is damaged or too large, was changed
 * since the reading began, has several sheets of which none is named, or has a cell whose value cannot be trusted.
 * @example
 * import { exportTo } from "education-admin-sdk/export";
 *
 * await exportTo("students.xlsx", [{ email: "jo@example.com", first_name: "Jo" }], { format: "xlsx" });
 * for await (const row of readSheet("students.xlsx")) console.log(row.email);
 */
export function readSheet(
  path: string | URL,
  options: ReadSheetOptions = {},
): AsyncIterable<Readonly<Record<string, string>>> {
  return new SheetFileRows(path, options);
}
