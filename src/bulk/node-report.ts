import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inputError } from "../core/call/request.js";
import { csvRow } from "../export/csv.js";
import { fileAt, targetAt } from "../work/place/node-target.js";
import { writeWhole } from "../work/place/node-whole.js";
import { WorkbookError } from "../workbook/limits.js";
import { WorkbookWriter } from "../workbook/node-write.js";
import { TypedCell } from "../workbook/typed-cell.js";
import type { Values } from "./fields.js";
import { REPORT_COLUMNS } from "./file/header.js";
import { FileRows } from "./file/node-file-rows.js";
import { csvRecords } from "./file/rows.js";
import { toBulkRow } from "./history.js";
import type { PlannedRow } from "./lines.js";
import { isPlanFile } from "./node-kept.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import type { BulkJournal, BulkRow } from "./types.js";

async function whyNoReport(path: string): Promise<string | null> {
  const target = await targetAt(resolve(path));
  if (!("path" in target)) return `${target.what}; ${target.advice}`;
  return (await isPlanFile(target.path)) ? "is another plan; name another file" : null;
}

/** Explains why a run or a plan cannot write its report to a path; null if it can. */
export async function whyNoReportOf(report: unknown, plan: string, rows: object): Promise<string | null> {
  if (typeof report !== "string" || (await isSameFile(report, plan))) {
    return "must be the name of a file other than the plan";
  }
  if (rows instanceof FileRows && (await isSameFile(report, rows.path))) {
    return "is the file of the rows; name another file";
  }
  return whyNoReport(report);
}

async function isSameFile(path: string, source: string | URL): Promise<boolean> {
  const file = source instanceof URL ? fileURLToPath(source) : resolve(source);
  return (await fileAt(resolve(path))) === (await fileAt(file));
}

/**
 * Writes every row as it came, followed by `_row`, `_outcome`, `_id` and `_reason`, to a workbook if the name ends in
 * `.xlsx`, otherwise to a CSV file. The outcome is empty until the row is done. For a plan of `undo`, the file has the
 * restored values instead, in columns named like the fields. A new file is readable only by its owner; a replaced file
 * keeps its permissions, and a symbolic link stays a link.
 * @throws BulkError `not_a_plan` or `other_plan`; InputError if an option is invalid, or the path is the plan itself or
 * not a file; errors of the file system.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "reported.plan", key: ["name", "model_type"] });
 * await writeReport("reported.plan", "result.csv");
 */
export async function writeReport(at: string | BulkJournal, path: string): Promise<void> {
  if (typeof at === "string" && (await isSameFile(path, at))) {
    throw optionError("path", "is the plan itself; name another file");
  }
  const obstacle = await whyNoReport(path);
  if (obstacle !== null) throw optionError("path", obstacle);
  const state = await readState(at);
  const { delimiter = ",", head: marked } = state.header.input?.csv ?? {};
  const head = marked?.replace(/^\uFEFF/, "");
  const names = head === undefined ? await columnsOf(plannedRows(at, state)) : [];
  async function* rows() {
    for await (const planned of plannedRows(at, state)) {
      const { row, outcome, id, ...more } = toBulkRow(historyOf(planned, state));
      yield { planned, told: [row, outcome, id, reasonOf(more)] };
    }
  }
  const cellsOf = (planned: PlannedRow) => {
    const values = valuesOf(planned);
    return names.map((name) => TypedCell.from(values[name]));
  };
  async function* lines(): AsyncGenerator<string> {
    const appendCells = (before: string, cells: readonly unknown[]) =>
      `${before}${before === "" ? "" : delimiter}${csvRow(cells, { delimiter })}`;
    const rowText = (cells: readonly unknown[]) => {
      const texts = cells.map((cell) => (cell instanceof TypedCell ? cell.text : cell));
      return cells.length === 0 ? "" : csvRow(texts, { delimiter }).slice(0, -2);
    };
    // Excel separates cells by semicolons if the comma is the decimal sign, and recognizes UTF-8 only by the byte order
    // mark.
    const mark = marked?.startsWith("\uFEFF") || delimiter === ";" ? "\uFEFF" : "";
    // Records without a row in the source get empty cells, so that a new plan of the corrected report skips them.
    const noCells = head === undefined ? [] : (await cellsIn(head, delimiter)).map(() => "");
    yield appendCells(mark + (head ?? rowText(names)), REPORT_COLUMNS);
    for await (const { planned, told } of rows()) {
      const source = planned.missing ? noCells.join(delimiter) : String(planned.in ?? "");
      yield appendCells(head === undefined ? rowText(cellsOf(planned)) : source, told);
    }
  }
  async function* sheet(): AsyncGenerator<Uint8Array> {
    const texts = head === undefined ? names : await cellsIn(head, delimiter);
    const columns = [...texts, ...REPORT_COLUMNS].map((name) => ({ name, style: "text" }) as const);
    const writer = await WorkbookWriter.of(columns);
    const group: unknown[][] = [];
    for await (const { planned, told } of rows()) {
      const cells = head === undefined ? cellsOf(planned) : await cellsIn(String(planned.in ?? ""), delimiter);
      group.push([...texts.map((_, at) => cells[at]), ...told]);
      if (group.length === SHEET_ROWS) yield await writer.add(group.splice(0));
    }
    yield await writer.add(group);
    yield await writer.end();
  }
  try {
    await writeWhole(path, isSheetName(path) ? sheet() : lines());
  } catch (error) {
    throw error instanceof WorkbookError ? optionError("path", `names a workbook, which ${error.message}`) : error;
  }
}

const SHEET_ROWS = 200;

export function isSheetName(path: string): boolean {
  return /\.xlsx$/i.test(path);
}

export function reasonOf({ why, differs, side }: Pick<BulkRow, "why" | "differs" | "side">): string {
  const problems = why.map(({ column, field, message }) => [column ?? field, message].filter(Boolean).join(" "));
  const stored = Object.keys(differs).map((field) => `${field} was stored with a different value from the one sent`);
  const moved = Object.keys(side).map((field) => `${field} changed with the write, although it was not sent`);
  // A column that feeds two fields may have the same problem with both.
  return [...new Set([...problems, ...stored, ...moved])].join("; ");
}

export async function cellsIn(text: string, delimiter: string): Promise<readonly string[]> {
  for await (const { cells } of csvRecords([text], delimiter)) return cells;
  return [];
}

function optionError(path: string, message: string): Error {
  return inputError("writeReport", [{ path, message }]);
}

async function columnsOf(rows: AsyncIterable<PlannedRow>): Promise<string[]> {
  const names = new Set<string>();
  for await (const row of rows) for (const name of Object.keys(valuesOf(row))) names.add(name);
  return [...names];
}

// The rows of an undo have no source; `send` holds the values that it restores.
function valuesOf(row: PlannedRow): Values {
  return (row.missing ? {} : (row.in ?? row.send ?? {})) as Values;
}
