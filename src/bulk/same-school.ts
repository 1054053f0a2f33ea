import { fingerprint } from "../core/fingerprint.js";
import type { Transport } from "../core/transport.js";
import { BulkError } from "./errors.js";
import type { History } from "./history.js";
import { alikeForm } from "./keys.js";
import type { Header } from "./lines.js";
import type { PlanState } from "./node-state.js";
import type { RunService } from "./run-service.js";
import type { BulkRecord } from "./service.js";

/**
 * Fingerprint of a client's key; null for a key function, whose tokens change. Many keys share the same 32 bits, so a
 * fingerprint does not reveal its key.
 */
export function markOf({ baseUrl, settings: { apiKey } }: Pick<Transport, "baseUrl" | "settings">): string | null {
  return typeof apiKey === "function" ? null : fingerprint(JSON.stringify([baseUrl, apiKey])).slice(0, 8);
}

export function newest(shown: Header["shown"], records: readonly BulkRecord[]): Header["shown"] {
  let found = shown;
  for (const { id, created_at: made } of records) {
    if (typeof made === "string" && id > (found?.id ?? 0)) found = { id, created_at: made };
  }
  return found;
}

/**
 * Refuses a plan of another school at the same address. Accepts a different key that shows a record as it was when the
 * plan was made, or a record that the plan itself created.
 * @throws BulkError `other_school`.
 */
export async function checkSchool(
  service: RunService,
  { header: { keyMark, shown }, trails }: PlanState,
  histories: readonly History[],
  name: string,
): Promise<void> {
  const { transport, rows } = service.target;
  const mark = markOf(transport);
  const isKnown = keyMark !== undefined && mark !== null;
  if (isKnown && mark === keyMark) return;
  const otherSchoolError = (why: string) =>
    new BulkError("other_school", `${name} was made with another key, ${why}. ${trails.size > 0 ? SENT : UNSENT}.`);
  const read = async (id: number) =>
    (rows.get ? await service.one(id) : (await service.several([id]))?.get(id)) ?? null;
  if (!shown) {
    if (!isKnown) return;
    const proof = histories.findLast(({ row, made }) => (made ?? row).id !== undefined && row.key !== undefined);
    const { id = 0 } = proof?.made ?? proof?.row ?? {};
    const record = proof ? await read(id) : null;
    if (record && alikeForm(service.keyOf(record) ?? "") === alikeForm(proof?.row.key ?? "")) return;
    throw otherSchoolError(
      proof
        ? `and this key does not show record ${id} of row ${proof.row.row}: it may belong to another school`
        : "and contains no record that identifies its school",
    );
  }
  const { id, created_at: made } = shown;
  const record = await read(id);
  // Without evidence of another key, the record may simply have been deleted.
  if (!record && !isKnown) return;
  const isSame = record?.id === id && Date.parse(String(record.created_at)) === Date.parse(made);
  if (!isSame)
    throw otherSchoolError(`which showed a different record ${id} from this key: it may belong to another school`);
}

const UNSENT = "Nothing was sent; plan the rows again";
const SENT =
  "Nothing was sent by this run. Use the key that the plan was made with; or look in the service for the records of its rows, then move the plan away and run again";
