export const MB = 1 << 20;

/** Limits of a workbook, so that a malicious file is refused long before it fills the memory. */
export const LIMITS = {
  /** Unpacked bytes of a sheet, of the shared strings, and of any other part. */
  sheet: 1024 * MB,
  sharedBytes: 128 * MB,
  part: 16 * MB,
  /** Number of shared strings. */
  shared: 4_000_000,
  parts: 2000,
  /** Characters of one text. */
  text: MB,
  depth: 64,
  rows: 1_048_576,
  columns: 16_384,
  /** Cells of a sheet, counted to the last value of each row: enough for 47 columns in every row. */
  cells: 50_000_000,
  merged: 100_000,
  /** How often an .ods file may repeat a row. */
  repeated: 100_000,
} as const;

/** Explains why a workbook cannot be read or written; its message follows the name of the file. */
export class WorkbookError extends Error {}

export function refuse(message: string): never {
  throw new WorkbookError(message);
}

export const HAS_PASSWORD = "has a password; remove it in a spreadsheet program and save the file again";
export const NO_RESULT =
  "is a formula without its result, because no spreadsheet program saved the file: open it in one and save it";
