/** One megabyte, in bytes. */
export const MB = 1 << 20;

/** Limits of a workbook. They stop files that were made to fill the memory, long before the memory is full. */
export const LIMITS = {
  /** Bytes of a sheet, of the texts that sheets share, and of any other part, unpacked. */
  sheet: 1024 * MB,
  sharedBytes: 128 * MB,
  part: 16 * MB,
  /** Number of texts that sheets share. */
  shared: 4_000_000,
  parts: 2000,
  /** Characters of one text. */
  text: MB,
  depth: 64,
  rows: 1_048_576,
  columns: 16_384,
  merged: 100_000,
  /** Rows that an .ods file repeats. */
  repeated: 100_000,
} as const;

/** Explains why a workbook cannot be read or written, in words that follow the name of the file. */
export class WorkbookError extends Error {}

export function refuse(message: string): never {
  throw new WorkbookError(message);
}

export const HAS_PASSWORD = "has a password; remove it in a spreadsheet program and save the file again";
export const NO_RESULT =
  "is a formula without its result, because a program wrote the file: open it in a spreadsheet program and save it";
