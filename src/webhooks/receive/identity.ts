import type { WebhookEvent } from "../events.js";
import { recordOf, saysItsState } from "../record-version.js";
import type { ReceivedDelivery } from "../store.js";
import { sha256 } from "./crypto.js";

export interface IdentityInput {
  readonly event: WebhookEvent;
  /** The identifier that all notifications of the event share; null for a delivery, which has none. */
  readonly givenId: string | null;
}

/**
 * Identifies a delivery, so that a copy is recognised: a notification by its identifier and its event, other deliveries
 * by an event that contains the state of its record. Handling one twice is better than losing a change.
 */
export async function identify(input: IdentityInput): Promise<Pick<ReceivedDelivery, "id" | "record" | "foldKey">> {
  const { event, givenId } = input;
  const record = recordOf(event);
  const content = canonicalJson(event);
  const foldKey = saysItsState(event) ? await sha256(content) : null;
  if (!givenId) return { id: globalThis.crypto.randomUUID(), record, foldKey };
  const hash = await sha256(`${givenId}.${content}`);
  // Stores and queues use identifiers in keys, where other characters may have a meaning.
  const id = /^[\w.-]{1,128}$/.test(givenId) ? `${givenId}.${hash.slice(0, 32)}` : hash;
  return { id, record, foldKey };
}

/**
 * Writes an event the same way whatever the order of its fields: a notification contains the event that was sent, but
 * not the same text.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
