import { fieldAt, flattened, toInput, type Values } from "./fields.js";
import type { History } from "./history.js";
import { canClear, type Decision } from "./row.js";
import { type Rows, recordSchema } from "./target.js";

// An undo knows no client, so it takes the default of `settleMs`: a request in doubt may be carried out for three times as long.
const LATE_MS = 3 * 60_000;

/**
 * What takes a row back: null if this plan has written nothing.
 * @param name of the resource. @param deletes whether created records are to be deleted.
 */
export function undone(history: History, rows: Rows, name: string, deletes: boolean): Decision | null {
  const { row, attempts, done } = history;
  const isInDoubt = attempts.length > 0 && (done === null || done.done === "unknown");
  if (row.do === "create") return uncreated(history, rows, name, deletes, isInDoubt);
  const isDone = done?.done === "updated" || done?.done === "deleted";
  if (row.do === "delete")
    return isDone || isInDoubt ? refused("cannot be undone: a deletion is for good", row.id) : null;
  if (!isDone && !isInDoubt) return null;
  return restored(history, rows, isInDoubt);
}

function uncreated(
  { made, done, confirmed, row }: History,
  rows: Rows,
  name: string,
  deletes: boolean,
  isInDoubt: boolean,
): Decision | null {
  const ids = [...new Set([...(made ? [made.id] : []), ...(done?.ids ?? [])])];
  const records = ids.length > 0 ? `; look at ${ids.join(", ")}` : "";
  if (done?.done === "doubled") return refused(`cannot be undone: it was created more than once${records}`, made?.id);
  if (isInDoubt) {
    return refused(`cannot be undone: nobody knows whether it was created; apply the plan first${records}`, made?.id);
  }
  if (!made || done?.done !== "created") return null;
  const isConfirmed = confirmed === true;
  const unseen = "it was not looked for whether the service made a second one";
  if (!rows.delete) {
    const message = `the service deletes no ${name}`;
    if (deletes) return refused(`cannot be undone: ${message}`, made.id);
    return { do: "leave", id: made.id, why: [{ message: `stays: ${message}` }] };
  }
  if (!deletes) return { do: "leave", id: made.id, why: [{ message: 'stays, as creates: "delete" was not given' }] };
  const before: Values = Object.fromEntries(
    Object.entries(flattened(row.send ?? {})).map(([path, value]) => [path, stored(done.differs, path, value)]),
  );
  const { version } = made;
  const more = { ...(version !== undefined && { version }), ...(!isConfirmed && { why: [{ message: unseen }] }) };
  return { do: "delete", id: made.id, before, ...more };
}

function restored({ row, attempts, done }: History, rows: Rows, isInDoubt: boolean): Decision {
  const { id = 0, send = {}, before = {} } = row;
  const schema = recordSchema(rows);
  const back: Record<string, unknown> = {};
  const now: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(before)) {
    const field = fieldAt(rows.update?.body, schema, path);
    if (!field) continue;
    if (value === null && !canClear(field)) {
      const message = "cannot be undone: the service does not take it as empty";
      return { do: "refuse", id, why: [{ field: path, message }] };
    }
    back[path] = toInput(field, value);
    now[path] = stored(done?.differs, path, send[path]);
  }
  const after = (attempts.at(-1)?.at ?? 0) + LATE_MS;
  return { do: "update", id, send: back, before: now, ...(isInDoubt && { after }) };
}

// What the service has stored; it may be null.
function stored(
  differs: Readonly<Record<string, readonly [unknown, unknown]>> | undefined,
  path: string,
  sent: unknown,
): unknown {
  return differs && Object.hasOwn(differs, path) ? differs[path]?.[1] : sent;
}

function refused(message: string, id: number | undefined): Decision {
  return { do: "refuse", ...(id !== undefined && { id }), why: [{ message }] };
}
