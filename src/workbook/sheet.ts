import { LIMITS, refuse } from "./limits.js";
import type { SheetCell } from "./typed-cell.js";

/** A row with at least one value: its number in the sheet, and its cells by column. */
export interface SheetRow {
  readonly row: number;
  readonly cells: readonly SheetCell[];
}

/** A sheet that was read, with the parts of it that a person may overlook. */
export interface SheetFound {
  readonly sheet: string;
  /** Rows with at least one value, titles and header included. */
  readonly rows: number;
  /** Number of rows that are hidden or filtered out, but read. */
  readonly hiddenRows: number;
  /** Number of hidden columns, which are read. */
  readonly hiddenColumns: number;
  /** Merged ranges, such as `B2:B5`; only the first cell of a range has the value. */
  readonly merged: readonly string[];
}

export class SheetRows {
  rows = 0;
  hiddenRows = 0;
  hiddenColumns = 0;
  readonly merged: string[] = [];
  readonly #ready: SheetRow[] = [];
  #cells = 0;

  add(row: number, cells: readonly SheetCell[], isHidden: boolean): void {
    // Repeats and gaps make many cells from few bytes, so they are counted before anything goes through them.
    this.#cells += cells.length;
    if (this.#cells > LIMITS.cells)
      refuse(`has more than ${LIMITS.cells} cells, counted to the last value of each row`);
    if (!cells.some((cell) => String(cell ?? "").trim() !== "")) return;
    if (row > LIMITS.rows) refuse(`has more than ${LIMITS.rows} rows`);
    this.rows++;
    if (isHidden) this.hiddenRows++;
    this.#ready.push({ row, cells });
  }

  addMerged(cells: string): void {
    if (this.merged.push(cells) > LIMITS.merged) refuse("has too many merged cells");
  }

  /** Yields the rows that are added while a part is read. @param sheet name of the sheet. */
  async *read(sheet: string, pieces: AsyncIterable<void>): AsyncGenerator<SheetRow, SheetFound, undefined> {
    for await (const _ of pieces) yield* this.#ready.splice(0);
    yield* this.#ready;
    const { rows, hiddenRows, hiddenColumns, merged } = this;
    return { sheet, rows, hiddenRows, hiddenColumns, merged };
  }
}

/** The sheet with the wanted name or, without one, the only sheet that is not hidden. */
export function chosenSheet<S extends { readonly name: string; readonly isHidden: boolean }>(
  sheets: readonly S[],
  wanted: string | undefined,
): S {
  if (sheets.length === 0) return refuse("is a document without sheets; save the table as .xlsx");
  const [first, ...others] = sheets.filter(({ name, isHidden }) =>
    wanted === undefined ? !isHidden : name === wanted,
  );
  const names = (all: readonly S[]) => all.map(({ name }) => JSON.stringify(name)).join(", ");
  if (!first && wanted === undefined) return refuse("has only hidden sheets");
  if (!first) return refuse(`has no sheet ${JSON.stringify(wanted)}; it has ${names(sheets)}`);
  if (others.length === 0 || wanted !== undefined) return first;
  return refuse(`has ${others.length + 1} sheets, ${names([first, ...others])}: name one of them in the option sheet`);
}
