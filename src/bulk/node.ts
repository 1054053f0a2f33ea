/** The `./bulk` entry, for Node: writes many records from rows, safely and repeatably. */

export type { SheetFound } from "../workbook/sheet.js";
export { type Change, change } from "./change.js";
export { BulkError, type BulkReason } from "./errors.js";
export type { CellDoubt } from "./file/damage.js";
export type { FieldCounts, MissingCounts, RunDoubt } from "./file/last-time.js";
export { type ReadCsvOptions, readCsv } from "./file/node-csv.js";
export { type ReadSheetOptions, readSheet } from "./file/node-sheet.js";
export type { FileEncoding } from "./file/text.js";
export { type LaterBy, later } from "./later.js";
export { apply } from "./node-apply.js";
export { run } from "./node-bulk-run.js";
export { type OnceOptions, once } from "./node-once.js";
export { plan } from "./node-plan.js";
export { writeReport } from "./node-report.js";
export { settle } from "./node-settle.js";
export { rowsOf } from "./node-state.js";
export { undo } from "./node-undo.js";
export type { Action, Key, Path, RecordOf, Reference } from "./paths.js";
export type * from "./types.js";
