import type { WebhookEvent } from "../events.js";
import { recordOf, saysItsState } from "../record-version.js";
import type { ReceivedDelivery } from "../store.js";
import { sha256 } from "./crypto.js";

export interface IdentityInput {
  readonly event: WebhookEvent;
  /** The `event_id` of a notification read from the service; null for a delivery, which contains none. */
  readonly givenId: string | null;
}

/**
 * Identifies a delivery and its content. A notification read from the service always gets the same id, made from
 * `givenId` and its event; a delivery gets a random id. The `foldKey`, by which copies are recognized, is null if the
 * event does not contain its record's state, because two changes could then look like copies.
 */
export async function identify(input: IdentityInput): Promise<Pick<ReceivedDelivery, "id" | "record" | "foldKey">> {
  const { event, givenId } = input;
  const record = recordOf(event);
  const content = canonicalJson(event);
  const foldKey = saysItsState(event) ? await sha256(content) : null;
  if (!givenId) return { id: globalThis.crypto.randomUUID(), record, foldKey };
  const hash = await sha256(`${givenId}.${content}`);
  // Stores and queues use identifiers in keys, where characters other than these could have a special meaning.
  const id = /^[\w.-]{1,128}$/.test(givenId) ? `${givenId}.${hash.slice(0, 32)}` : hash;
  return { id, record, foldKey };
}

/**
 * Serializes an event with sorted fields: a notification contains the same event as its delivery, but not always the
 * same text.
 */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonicalJson(field)}`).join(",")}}`;
}
