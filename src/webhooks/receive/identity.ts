import type { WebhookEvent } from "../events.js";
import { recordOf, saysItsState } from "../record-version.js";
import type { ReceivedDelivery } from "../store.js";
import { sha256 } from "./crypto.js";

export interface IdentityInput {
  readonly event: WebhookEvent;
  /** The identifier that all notifications of the event share; null for a delivery, because deliveries contain none. */
  readonly givenId: string | null;
}

/**
 * Identifies a delivery and what its copies have in common. A notification always gets the same id, made of its
 * identifier and its event; any other delivery gets a random one. Their copies are recognised by `foldKey`, if the
 * event contains its record's state, because handling a copy is better than losing a change.
 */
export async function identify(input: IdentityInput): Promise<Pick<ReceivedDelivery, "id" | "record" | "foldKey">> {
  const { event, givenId } = input;
  const record = recordOf(event);
  const content = canonicalJson(event);
  const foldKey = saysItsState(event) ? await sha256(content) : null;
  if (!givenId) return { id: globalThis.crypto.randomUUID(), record, foldKey };
  const hash = await sha256(`${givenId}.${content}`);
  // Stores and queues use identifiers in keys, where other characters may have a special meaning.
  const id = /^[\w.-]{1,128}$/.test(givenId) ? `${givenId}.${hash.slice(0, 32)}` : hash;
  return { id, record, foldKey };
}

/**
 * Serializes an event regardless of the order of its fields, because a notification contains the event that was sent,
 * but not necessarily the same text.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
