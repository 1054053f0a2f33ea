import type { WebhookEvent } from "../events.js";
import { changedAt, recordOf } from "../record-version.js";
import type { ReceivedDelivery } from "../store.js";
import { sha256 } from "./crypto.js";

/** What a receiver knows of a delivery when it identifies it. */
export interface IdentityInput {
  readonly event: WebhookEvent;
  /** The identifier that the notifications of the event have; null for a delivery, which has none. */
  readonly givenId: string | null;
  /** Time of signing in unix seconds; null when there is none. */
  readonly timestamp: number | null;
}

/**
 * Identifies a delivery, so that a second copy is recognised. Handling one twice is better than losing a change:
 * - with an identifier of notifications: that and the event;
 * - with `updated_at`: the event, so that a copy that was signed anew is recognised;
 * - with a time of signing only: an own identifier, and a key that folds it into a copy that still waits;
 * - with none of these: an own identifier.
 */
export async function identify(input: IdentityInput): Promise<Pick<ReceivedDelivery, "id" | "record" | "foldKey">> {
  const { event, givenId, timestamp } = input;
  const record = recordOf(event);
  const content = canonicalJson(event);
  if (givenId) {
    const hash = await sha256(`${givenId}.${content}`);
    // Stores and queues put identifiers into keys, where other characters may have a meaning.
    const id = /^[\w.-]{1,128}$/.test(givenId) ? `${givenId}.${hash.slice(0, 32)}` : hash;
    return { id, record, foldKey: null };
  }
  if (changedAt(event) !== null) return { id: await sha256(content), record, foldKey: null };
  const foldKey = timestamp === null ? null : await sha256(`${timestamp}.${content}`);
  return { id: globalThis.crypto.randomUUID(), record, foldKey };
}

/**
 * Writes an event the same way whatever the order of its fields: the service shows in its notifications what it sent, but
 * not as the text it sent.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
