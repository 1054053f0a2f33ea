import { fingerprint } from "../core/fingerprint.js";
import type { Transport } from "../core/transport.js";
import { BulkError } from "./errors.js";
import type { History } from "./history.js";
import { alikeForm } from "./keys.js";
import type { Header } from "./lines.js";
import type { BulkRecord, Service } from "./service.js";

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

/** A record by which a school is recognized. */
export interface Witness {
  readonly id: number;
  /** The clause for messages if the record does not fit. */
  readonly otherwise: string;
  fits(record: BulkRecord): boolean;
}

export function shownWitness(shown: Header["shown"]): readonly Witness[] {
  if (!shown) return [];
  const { id, created_at: made } = shown;
  const fits = (record: BulkRecord) => Date.parse(String(record.created_at)) === Date.parse(made);
  return [{ id, fits, otherwise: `which showed a different record with the identifier ${id}` }];
}

/**
 * Refuses a plan or a .memory file of another school at the same address. Accepts a different API key that shows one of
 * the known records unchanged.
 * @param next the advice at the end of the message.
 * @throws BulkError `other_school`.
 */
export async function checkSchool(
  service: Service,
  keyMark: string | undefined,
  witnesses: readonly Witness[],
  name: string,
  next: string,
): Promise<void> {
  const { transport, rows } = service.target;
  const mark = markOf(transport);
  const isKnown = keyMark !== undefined && mark !== null;
  if (isKnown ? mark === keyMark : witnesses.length === 0) return;
  let isAny = false;
  for (const { id, fits } of witnesses) {
    const record = (rows.get ? await service.one(id) : (await service.several([id]))?.get(id)) ?? null;
    if (record?.id === id && fits(record)) return;
    isAny ||= record !== null;
  }
  // If the keys cannot be compared and no record is left to check, the school is accepted.
  if (!isAny && !isKnown) return;
  const why = witnesses[0]?.otherwise ?? "and contains no record that identifies its school";
  const doubt = witnesses.length > 0 ? ": it may belong to another school" : "";
  throw new BulkError("other_school", `${name} was made with another API key, ${why}${doubt}. ${next}.`);
}

/** The record by which a plan's school is recognized: the newest that the plan read, or one that it wrote. */
export function witnessesOf(
  { keyMark, shown }: Header,
  histories: readonly History[],
  keyOf: (record: BulkRecord) => string | null,
): readonly Witness[] {
  const proof = histories.findLast(({ row, made }) => (made ?? row).id !== undefined && row.key !== undefined);
  if (shown || !proof || keyMark === undefined) return shownWitness(shown);
  const { row, made } = proof;
  const id = (made ?? row).id ?? 0;
  const fits = (record: BulkRecord) => alikeForm(keyOf(record) ?? "") === alikeForm(row.key ?? "");
  return [{ id, fits, otherwise: `and this key does not show record ${id} of row ${row.row}` }];
}

export const UNSENT = "Nothing was sent; plan the rows again";
export const SENT =
  "Nothing was sent by this run. Use the key that the plan was made with; or look in the service for the records of its rows, then move the plan away and run again";
