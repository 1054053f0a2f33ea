/** The `./export` entry: writes lists to files and streams. For Node. */
export type { ColumnPath, ExportColumns, ExportFormat } from "./columns.js";
export type { CsvOptions } from "./csv.js";
export { type ExportOptions, type ExportResult, exportTo } from "./node-export.js";
export type { ExportProgress } from "./progress.js";
export type { ExportStream } from "./stream.js";
