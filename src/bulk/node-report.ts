import { resolve } from "node:path";
import { inputError } from "../core/call/request.js";
import { csvRow } from "../export/csv.js";
import { pathByRealFolder, writeWhole } from "../export/node-files.js";
import type { Values } from "./fields.js";
import { shown } from "./history.js";
import type { PlannedRow } from "./lines.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import type { BulkJournal, BulkRow } from "./types.js";

const CHUNK_CHARACTERS = 1 << 16;

/**
 * Writes a CSV file with every row as it came, followed by `_row`, `_outcome`, `_id` and `_reason`. The outcome is empty while
 * a row is planned. Of a plan that `undo` made, it has the restored values instead, in columns named by field. The file is
 * readable for its owner only.
 * @throws BulkError `not_a_plan` or `other_plan`; InputError where the path is the plan itself; errors of the system.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "reported.plan", key: ["name", "model_type"] });
 * await writeReport("reported.plan", "result.csv");
 */
export async function writeReport(at: string | BulkJournal, path: string): Promise<void> {
  const target = await pathByRealFolder(resolve(path));
  if (typeof at === "string" && (await pathByRealFolder(resolve(at))) === target) {
    throw inputError("writeReport", [{ path: "path", message: "is the plan itself; name another file" }]);
  }
  const state = await readState(at);
  const { delimiter = ",", head } = state.header.input?.csv ?? {};
  const names = head === undefined ? await columnsOf(plannedRows(at, state)) : [];
  const joined = (before: string, cells: readonly unknown[]) =>
    `${before}${before === "" ? "" : delimiter}${csvRow(cells, { delimiter })}`;
  const written = (cells: readonly unknown[]) => (names.length === 0 ? "" : csvRow(cells, { delimiter }).slice(0, -2));
  await writeWhole(target, 0o600, async (file) => {
    let text = joined(head ?? written(names), ["_row", "_outcome", "_id", "_reason"]);
    for await (const planned of plannedRows(at, state)) {
      const row = shown(historyOf(planned, state));
      const values = valuesOf(planned);
      const before = head === undefined ? written(names.map((name) => values[name])) : String(planned.in ?? "");
      text += joined(before, [row.row, row.outcome, row.id, reasonOf(row)]);
      if (text.length > CHUNK_CHARACTERS) {
        await file.appendFile(text);
        text = "";
      }
    }
    await file.appendFile(text);
  });
}

/** Why a row has its outcome, in words. */
export function reasonOf({ why, differs }: Pick<BulkRow, "why" | "differs">): string {
  const problems = why.map(({ column, field, message }) => [column ?? field, message].filter(Boolean).join(" "));
  const stored = Object.keys(differs).map((field) => `${field} was stored otherwise than sent`);
  return [...problems, ...stored].join("; ");
}

async function columnsOf(rows: AsyncIterable<PlannedRow>): Promise<string[]> {
  const names = new Set<string>();
  for await (const row of rows) for (const name of Object.keys(valuesOf(row))) names.add(name);
  return [...names];
}

// An undo has no source rows; `send` holds what it restores.
function valuesOf(row: PlannedRow): Values {
  return (row.in ?? row.send ?? {}) as Values;
}
