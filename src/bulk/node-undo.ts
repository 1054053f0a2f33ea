import { resolve } from "node:path";
import { inputError } from "../core/call/request.js";
import { systemClock } from "../core/clock.js";
import { resourceNameOf } from "../core/operation.js";
import { acceptAny, must, type OptionTable, readOptions } from "../core/option-checks.js";
import { allOperations } from "../operations.js";
import { machineFiles } from "../work/place/node-files.js";
import { isPlace, openJournal } from "./node-journal.js";
import { PlanWriter } from "./node-plan-writer.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import { rowsOf } from "./target.js";
import type { BulkJournal, PlanSummary, UndoOptions } from "./types.js";
import { undoRow } from "./undo-row.js";

// An undo has no client, so the documented limit applies.
const USUAL_LIMIT = { requests: 500, windowMs: 300_000 };
const UNDO_OPTIONS = {
  to: [acceptAny],
  creates: [/* @__PURE__ */ must<"delete">((value) => value === "delete", 'must be "delete"')],
} satisfies OptionTable<UndoOptions>;

/**
 * Makes a plan that reverses the changes of another plan; `apply` carries it out. Records changed after that plan was
 * applied stay as they are. Sends nothing.
 * @throws BulkError if the file is not a plan or was changed; InputError if an option is invalid, or for a plan of
 * actions.
 * @example
 * await plan(client.labels, [{ name: "New", model_type: "Lead" }], { to: "undone.plan", key: ["name", "model_type"] });
 * await apply(client, "undone.plan");
 * await undo("undone.plan", { to: "back.plan", creates: "delete" });
 * await apply(client, "back.plan");
 */
export async function undo(at: string | BulkJournal, options: UndoOptions): Promise<PlanSummary> {
  const fail = (path: string, message: string) => inputError("undo", [{ path, message }]);
  const { creates } = readOptions(options, UNDO_OPTIONS, fail);
  const { to } = options;
  if (!isPlace(to)) throw fail("to", "must be the name of a file, or a journal");
  const isSame = typeof to === "string" && typeof at === "string" && resolve(to) === resolve(at);
  if (to === at || isSame) throw fail("to", "must name another plan");
  const state = await readState(at);
  const { action, input, missing, ...header } = state.header;
  if (action !== undefined) throw fail("", `${header.resource}.${action} cannot be reversed`);
  const operations = allOperations.filter(
    ({ id, apis }) => resourceNameOf(id) === header.resource && apis.includes(header.api),
  );
  const named = new Map(operations.map((row) => [row.id, row]));
  const rows = rowsOf(named, Object.keys(header.params ?? {}), undefined);
  const journal = await openJournal(to, true, systemClock, machineFiles);
  try {
    const writer = new PlanWriter(journal, state.lists[0]);
    // The source rows hold the values being undone, so the report of this plan shows the values that it sends instead.
    const format = input && { input: { csv: { delimiter: input.csv.delimiter } } };
    await writer.begin({ ...header, ...format, made: new Date().toISOString() });
    const updates = [...state.trails.values()].filter(({ done }) => done?.done === "updated");
    const sides = updates.flatMap(({ done }) => Object.keys(done?.side ?? {}));
    const moved = Map.groupBy(sides, (path) => path);
    // If a field changed with only one of several writes, no rule of the service changed it. With a single
    // write, a rule is assumed, because the run stopped and reported the change.
    const moves = (path: string) => (moved.get(path)?.length ?? 0) > Number(updates.length > 1);
    const undoing = { rows, name: header.resource, action: missing?.do, deletes: creates === "delete", moves };
    for await (const planned of plannedRows(at, state)) {
      const back = undoRow(historyOf(planned, state), undoing);
      if (back) await writer.add({ row: planned.row, ...back });
    }
    return await writer.end({ rows }, USUAL_LIMIT, 0);
  } finally {
    await journal.close();
  }
}
