import { parse } from "csv-parse/sync";
import { exportTo } from "../../../src/export/node.js";

/** Writes a workbook with the rows of a CSV text. */
export async function writeSheetOf(path: string, csv: string): Promise<void> {
  await exportTo(path, parse(csv, { columns: true }) as object[], { format: "xlsx" });
}
