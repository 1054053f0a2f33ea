import { fieldAt, flatten, toInput, type Values } from "./fields.js";
import { type History, toBulkRow } from "./history.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import { canClear, type Decision } from "./row.js";
import { type Rows, recordSchema } from "./target.js";
import type { BulkRow, RowProblem } from "./types.js";

// An undo has no client, so it assumes the default of `settleMs`: an unresolved request may still be carried out for
// three times as long.
const LATE_MS = 3 * 60_000;

const UNSEEN = "the response to its write was lost, so it is not known whether other fields changed with it";
const NOT_SHOWN = "no reading showed its record";
const ALONE = "changed along with this write only, so someone else may have changed it; it stays as it is";

export interface Undoing {
  readonly rows: Rows;
  readonly name: string;
  /** The operation or action on records that no row names. */
  readonly action?: string | undefined;
  readonly deletes: boolean;
  /** True if the service itself changed the field; false if another user may have changed it. */
  moves(path: string): boolean;
}

/** The row that reverses another one; null if the plan wrote nothing for that row. */
export function undoRow(history: History, undoing: Undoing): Decision | null {
  const { row, attempts } = history;
  const { outcome, differs, side, confirmed, why } = toBulkRow(history);
  const isOpen = outcome === null || ["unknown", "ignored", "failed"].includes(outcome);
  const inDoubt = isOpen ? attempts.at(-1) : undefined;
  if (row.do === "create") return undoCreate(history, undoing, inDoubt !== undefined);
  if (outcome === "deleted" || (row.do === "delete" && inDoubt)) {
    return cannotUndo("deletions are permanent", row.id);
  }
  if (!inDoubt && outcome !== "updated") return null;
  const { name, action = "update" } = undoing;
  if (row.missing && action !== "update") return cannotUndo(`${name}.${action} cannot be reversed`, row.id);
  const back = restoreRow(row, undoing, differs, side, inDoubt && inDoubt.at + LATE_MS);
  // An unconfirmed write may also have changed fields that no reading shows.
  const unsure = inDoubt?.print !== undefined ? [{ message: UNSEEN }] : confirmed === false ? why : [];
  return unsure.length > 0 ? { ...back, why: [...(back.why ?? []), ...unsure] } : back;
}

function undoCreate(history: History, undoing: Undoing, isInDoubt: boolean): Decision | null {
  const { rows, name, deletes } = undoing;
  const { row, made, whose, stored } = history;
  const { outcome, confirmed, ids, differs, why } = toBulkRow(history);
  const all = [...new Set([made?.id ?? [], ids].flat())];
  const records = all.length > 0 ? problemText`; look at ${rowValue(all.join(", "))}` : "";
  if (outcome === "doubled") return cannotUndo(problemText`it was created more than once${records}`, made?.id);
  if (isInDoubt) {
    return cannotUndo(problemText`it is not known whether it was created; apply the plan first${records}`, made?.id);
  }
  if (outcome === "stale" && history.attempts.length > 0)
    return cannotUndo(problemText`it may have been created although it was refused${records}`, undefined);
  if (!made) return null;
  const { id, version, born } = made;
  if (!rows.delete && deletes) return cannotUndo(`the service deletes no ${name}`, id);
  if (!rows.delete) return { do: "leave", id, why: [{ message: `the service deletes no ${name}` }] };
  if (!deletes) return { do: "leave", id, why: [{ message: "deleting created records was not requested" }] };
  if (confirmed !== true)
    return cannotUndo(problemText`${why[0]?.message ?? NOT_SHOWN}; look for record ${rowValue(id)}`, id);
  if (whose !== "ours") {
    const judged = whose ?? "was not judged";
    return cannotUndo(problemText`record ${rowValue(id)} may be someone else's: it ${judged}; look at it`, id);
  }
  const before = storedValues(flatten(row.send ?? {}), differs);
  return { do: "delete", key: stored ?? row.key, id, created: born, before, version };
}

/** @param after when an unresolved request can no longer be carried out. */
function restoreRow(
  { id = 0, send = {}, before = {}, created }: History["row"],
  { rows, moves }: Undoing,
  differs: BulkRow["differs"],
  side: BulkRow["side"],
  after?: number,
): Decision {
  const schema = recordSchema(rows);
  const back: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(before)) {
    const field = fieldAt(rows.update?.body, schema, path);
    if (!field || (value === null && !canClear(field))) {
      const message = `cannot be undone: the service does not accept ${field ? "an empty value" : "this field"}`;
      return { do: "refuse", id, why: [{ field: path, message }] };
    }
    back[path] = toInput(field, value);
  }
  const now: Record<string, unknown> = { ...storedValues(send, differs) };
  const why: RowProblem[] = [];
  for (const [path, [was, is]] of Object.entries(side)) {
    const field = fieldAt(rows.update?.body, schema, path);
    if (!moves(path)) why.push({ field: path, message: ALONE });
    else if (field && (was !== null || canClear(field))) {
      back[path] = toInput(field, was);
      now[path] = is;
    } else why.push({ field: path, message: "changed with the write, and the service does not accept the old value" });
  }
  return { do: "update", id, send: back, before: now, created, after, why: why.length > 0 ? why : undefined };
}

// The values as the service stored them, even if it stored null.
function storedValues(sent: Values, differs: BulkRow["differs"]): Values {
  return Object.fromEntries(
    Object.entries(sent).map(([path, value]) => [path, Object.hasOwn(differs, path) ? differs[path]?.[1] : value]),
  );
}

function cannotUndo(why: ProblemText | string, id: number | undefined): Decision {
  return { do: "refuse", id, why: [problemText`cannot be undone: ${why}`] };
}
