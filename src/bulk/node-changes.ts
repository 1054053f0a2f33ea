import { isEducationAdminError } from "../core/errors.js";
import { differences, writtenFields } from "./compare.js";
import { bodyOf, current, same } from "./fields.js";
import type { PlannedRow } from "./lines.js";
import { MOST_TRIES, type Run } from "./node-run.js";
import { sideBySide } from "./pool.js";
import { type BulkRecord, PAGE, wayToRead } from "./service.js";
import { paramsOf, recordSchema } from "./target.js";

/** Sends updates, actions and deletions. Each is decided by its record as it is now. */
export async function sendChanges(run: Run, rows: readonly PlannedRow[]): Promise<void> {
  let todo = rows;
  for (let turn = 0; turn < MOST_TRIES + 1 && todo.length > 0; turn++) {
    const atOnce = wayToRead(run.target) === "list" ? todo.length : PAGE;
    for (let from = 0; from < todo.length; from += atOnce) {
      const some = todo.slice(from, from + atOnce);
      const records = await run.service.readMany(some.map(({ id }) => id ?? 0));
      await sideBySide(some, (row) => change(run, row, records?.get(row.id ?? 0)));
      run.check();
    }
    todo = todo.filter((row) => run.isInDoubt(row));
  }
}

async function change(run: Run, planned: PlannedRow, read: BulkRecord | undefined): Promise<void> {
  if (run.isStopped) return;
  const { row, id = 0, do: what } = planned;
  const isInDoubt = run.isInDoubt(planned);
  let record: BulkRecord | null = read ?? null;
  try {
    record ??= await run.service.read(id);
  } catch (error) {
    if (!isEducationAdminError(error)) throw error;
    // Nothing was sent, so a row in doubt stays so.
    return isInDoubt ? run.count(planned, error) : run.fail(planned, error);
  }
  if (!record) {
    if (isInDoubt && what === "delete") return run.note({ row, done: "deleted", id });
    return run.end(planned, "failed", "the record is gone, or the key may not see it", { status: 404 });
  }
  const now = record;
  const fields = writtenFields(run.target, planned);
  const otherThan = (values: PlannedRow["send"]) =>
    fields.filter(([path, field]) => !same(field, values?.[path], current(now, field)));
  if (what === "update" && otherThan(planned.send).length === 0) {
    return run.note({ row, done: run.stateOf(planned).tries.length > 0 ? "updated" : "unchanged", id });
  }
  const changed = otherThan(planned.before);
  if (changed.length > 0) {
    const why = changed.map(([field]) => ({ field, message: "was changed since the plan" }));
    return run.note({ row, done: "stale", id, why });
  }
  if (what === "delete" && !isInDoubt && wasUpdated(record)) {
    return run.end(planned, "stale", "was updated after it was created", { id });
  }
  if (isInDoubt && run.sent(planned) >= MOST_TRIES) {
    const message = `was sent ${MOST_TRIES} times without a response, and the record is as before`;
    return run.end(planned, "unknown", message, { id });
  }
  await write(run, planned, record);
}

// Fields that the plan did not send may have changed too.
function wasUpdated({ created_at, updated_at }: BulkRecord): boolean {
  return created_at !== undefined && updated_at !== undefined && created_at !== updated_at;
}

async function write(run: Run, planned: PlannedRow, record: BulkRecord): Promise<void> {
  const { row, do: what, send = {} } = planned;
  const { target } = run;
  const { rows } = target;
  const operation = what === "delete" ? rows.delete : (rows.action ?? rows.update);
  if (!operation) return;
  const body = operation === rows.update ? bodyOf(operation.body, send, record, recordSchema(rows)) : undefined;
  const params = paramsOf(target, operation, record.id);
  const sent = await run.send(planned, () => run.service.call(operation, params, body));
  if (!sent) return;
  const differs = what === "delete" ? {} : differences(target, send, sent.data, "update");
  const at = [record.updated_at ?? null, sent.data?.updated_at ?? null] as const;
  await run.note({ row, done: what === "delete" ? "deleted" : "updated", id: record.id, ...differs, at });
}
