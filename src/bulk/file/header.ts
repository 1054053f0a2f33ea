/** The columns that a report adds to those of the file. Who corrects it and plans it again need not take them out. */
export const REPORT_COLUMNS: readonly string[] = ["_row", "_outcome", "_id", "_reason"];
