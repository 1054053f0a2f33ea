import type { WebhookEvent } from "./events.js";
import type { RecordVersion, WebhookDelivery } from "./store.js";

/** Names the record an event is about, over all tenants; null when the event has no identifier. */
export function recordOf(event: WebhookEvent<string>): string | null {
  const { id } = event.event_data;
  if (typeof id !== "number" && typeof id !== "string") return null;
  const [kind] = event.event.split(".");
  return `${event.tenant_id ?? ""}/${kind}/${id}`;
}

/** The milliseconds since the epoch of a time that the service wrote; NaN when it is none. */
export function timeIn(value: unknown): number {
  // Other values may have a `toString` that throws or is no function.
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}

/** When an event's record was changed; null when it does not say that, or which record it is. */
export function changedAt(event: WebhookEvent): number | null {
  const time = timeIn(event.event_data.updated_at);
  return recordOf(event) === null || Number.isNaN(time) ? null : time;
}

const NAMES_ONLY = ["id", "type", "created_at", "updated_at"];

/** Whether an event says when its record was changed and something of what it is: an equal one then tells nothing new. */
export function saysItsState(event: WebhookEvent): boolean {
  return changedAt(event) !== null && Object.keys(event.event_data).some((name) => !NAMES_ONLY.includes(name));
}

// By how much the clocks of two machines differ that are both right.
const SKEW_MS = 10_000;

/**
 * The version of the record in an event; null when the event has no identifier or no `updated_at`, or one of its times lies ahead of
 * this machine's clock: then one of the clocks is wrong, and the event proves nothing about those that follow.
 */
export function versionOf(
  event: WebhookEvent,
  { receivedAt, sentAt }: Pick<WebhookDelivery, "receivedAt" | "sentAt">,
): RecordVersion | null {
  const updatedAt = changedAt(event);
  const record = recordOf(event);
  if (updatedAt === null || record === null) return null;
  if (Math.max(updatedAt, sentAt ?? updatedAt) > receivedAt + SKEW_MS) return null;
  return { record, updatedAt: Math.min(updatedAt, receivedAt) };
}
