import { fingerprint } from "../core/fingerprint.js";
import type { Transport } from "../core/transport.js";
import { BulkError } from "./errors.js";
import type { Header } from "./lines.js";
import type { BulkRecord, Service } from "./service.js";

/** What tells a client's key from others; null for a key function, whose tokens change. 32 bits leave too many possible keys to find the right one. */
export function markOf({ baseUrl, settings: { apiKey } }: Pick<Transport, "baseUrl" | "settings">): string | null {
  return typeof apiKey === "function" ? null : fingerprint(JSON.stringify([baseUrl, apiKey])).slice(0, 8);
}

/** The newest of some records. */
export function newest(shown: Header["shown"], records: readonly BulkRecord[]): Header["shown"] {
  let found = shown;
  for (const { id, created_at: made } of records) {
    if (typeof made === "string" && id > (found?.id ?? 0)) found = { id, created_at: made };
  }
  return found;
}

/**
 * Refuses a plan of another school at the same address. Another key of the school shows a record as it was when the plan was made.
 * @throws BulkError `other_school`.
 */
export async function checkSchool(service: Service, { keyMark, shown }: Header, name: string): Promise<void> {
  const { transport, rows } = service.target;
  const own = markOf(transport);
  const isKnown = keyMark !== undefined && own !== null;
  if (isKnown && own === keyMark) return;
  const refused = (why: string) =>
    new BulkError("other_school", `${name} was made with another key, ${why}. Nothing was sent; plan the rows again.`);
  if (!shown) {
    if (isKnown) throw refused("and saw no record by which its school could be recognised");
    return;
  }
  const { id, created_at: made } = shown;
  const record = rows.get ? await service.one(id) : (await service.several([id]))?.get(id);
  // Where nothing says that the key is another one, the record may just have been deleted.
  if (!record && !isKnown) return;
  const isSame = record?.id === id && Date.parse(String(record.created_at)) === Date.parse(made);
  if (!isSame) throw refused(`which showed another record ${id} than this one does: it may be another school's`);
}
