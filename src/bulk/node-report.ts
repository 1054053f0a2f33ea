import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inputError } from "../core/call/request.js";
import { flag, type OptionTable, readOptions, record } from "../core/option-checks.js";
import { csvRow, withoutApostrophe } from "../export/csv.js";
import { fileAt, targetAt } from "../work/place/node-target.js";
import { writeWhole } from "../work/place/node-whole.js";
import type { Values } from "./fields.js";
import { REPORT_COLUMNS } from "./file/header.js";
import { CsvRows } from "./file/node-csv.js";
import { csvRecords } from "./file/rows.js";
import { toBulkRow } from "./history.js";
import type { PlannedRow } from "./lines.js";
import { isPlanFile } from "./node-kept.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import type { BulkJournal, BulkRow, ReportOptions } from "./types.js";

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
  if (rows instanceof CsvRows && (await isSameFile(report, rows.path))) {
    return "is the file of the rows; name another file";
  }
  return whyNoReport(report);
}

async function isSameFile(path: string, source: string | URL): Promise<boolean> {
  const file = source instanceof URL ? fileURLToPath(source) : resolve(source);
  return (await fileAt(resolve(path))) === (await fileAt(file));
}

const REPORT_OPTIONS = { escapeFormulas: [flag, false] } satisfies OptionTable<ReportOptions>;

/**
 * Writes a CSV file with every row as it came, followed by `_row`, `_outcome`, `_id` and `_reason`. The outcome is
 * empty until the row is done. For a plan of `undo`, the file has the restored values instead, in columns named like
 * the fields. Only its owner can read a new file; a replaced file keeps its permissions, and a symbolic link stays a
 * link.
 * @throws BulkError `not_a_plan` or `other_plan`; InputError if an option is invalid, or the path is the plan itself or
 * not a file; errors of the file system.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "reported.plan", key: ["name", "model_type"] });
 * await writeReport("reported.plan", "result.csv");
 */
export async function writeReport(at: string | BulkJournal, path: string, options: ReportOptions = {}): Promise<void> {
  const { escapeFormulas } = readOptions(record("options", options, optionError), REPORT_OPTIONS, optionError);
  if (typeof at === "string" && (await isSameFile(path, at))) {
    throw optionError("path", "is the plan itself; name another file");
  }
  const obstacle = await whyNoReport(path);
  if (obstacle !== null) throw optionError("path", obstacle);
  const state = await readState(at);
  const { delimiter = ",", head } = state.header.input?.csv ?? {};
  const names = head === undefined ? await columnsOf(plannedRows(at, state)) : [];
  const csv = { delimiter, escapeFormulas };
  const appendCells = (before: string, cells: readonly unknown[]) =>
    `${before}${before === "" ? "" : delimiter}${csvRow(cells, csv)}`;
  const rowText = (cells: readonly unknown[]) => (cells.length === 0 ? "" : csvRow(cells, csv).slice(0, -2));
  // Removes an existing apostrophe first, so that no cell gets two.
  const sourceText = async (text: string) =>
    escapeFormulas ? rowText((await cellsIn(text, delimiter)).map(withoutApostrophe)) : text;
  async function* lines(): AsyncGenerator<string> {
    // Excel separates cells by semicolons if the comma is the decimal sign, and recognises UTF-8 only by the byte order
    // mark.
    const mark = head?.startsWith("\uFEFF") || delimiter === ";" ? "\uFEFF" : "";
    const first = mark + (head === undefined ? rowText(names) : await sourceText(head.replace(/^\uFEFF/, "")));
    yield appendCells(first, REPORT_COLUMNS);
    for await (const planned of plannedRows(at, state)) {
      const row = toBulkRow(historyOf(planned, state));
      const values = valuesOf(planned);
      const before =
        head === undefined ? rowText(names.map((name) => values[name])) : await sourceText(String(planned.in ?? ""));
      yield appendCells(before, [row.row, row.outcome, row.id, reasonOf(row)]);
    }
  }
  await writeWhole(path, lines());
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
  return (row.in ?? row.send ?? {}) as Values;
}
