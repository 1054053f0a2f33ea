import { fingerprint } from "../core/fingerprint.js";
import { isPlainObject } from "../core/json.js";
import { testerOf } from "../work/fields/tester.js";
import { type Change, recordsOf } from "./change.js";
import { BulkError } from "./errors.js";
import type { Values } from "./fields.js";
import type { GivenRow } from "./file/node-file-rows.js";
import { cellsByField } from "./file/node-given-rows.js";
import type { Memory } from "./node-memory.js";
import type { PlanSettings } from "./node-plan-settings.js";
import type { Service } from "./service.js";

/**
 * The records to change, as rows with their identifiers. A record that moves between pages appears only once.
 * @param zone the school's time zone, if the change or the condition needs it.
 */
export async function* changedRows(
  settings: PlanSettings,
  change: Change<object>,
  service: Service,
  zone: string,
): AsyncGenerator<GivenRow, void, undefined> {
  const seen = new Set<number>();
  const { where, target } = settings;
  const holds = where ? testerOf(where, { now: target.transport.settings.clock.now(), zone }) : null;
  for await (const record of recordsOf(where, service)) {
    if (seen.has(record.id) || holds?.holds(record) === false) continue;
    const row = seen.add(record.id).size;
    let [wanted, problem]: [unknown, string | null] = [null, null];
    try {
      wanted = change.to(record, zone) ?? {};
      if (!isPlainObject(wanted)) problem = "the change returned something other than an object";
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    const values = (problem === null ? JSON.parse(JSON.stringify(wanted)) : {}) as Values;
    const cells = { ...cellsByField(settings, values, row), id: record.id };
    yield { row, cells, in: { id: record.id, ...values }, problem };
  }
}

/** The fields of a plan's header that describe a change; none for other plans. */
export function headerOf({ change, where }: PlanSettings, whereText: string | undefined, zone: string) {
  if (!change) return {};
  return { change: fingerprint(String(change.to) + JSON.stringify(where?.written)), where: whereText, zone };
}

/** @throws BulkError `carried_out` if a change with this file name was already carried out. */
export function refuseCarriedOut(to: unknown, { carriedOut }: Memory): void {
  if (!carriedOut) return;
  const message = `${String(to)} was carried out on ${carriedOut.day}. Nothing was sent. Use another name for another change; to make this change once more, pass again: true.`;
  throw new BulkError("carried_out", message);
}
