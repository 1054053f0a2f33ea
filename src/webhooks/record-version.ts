import type { WebhookEvent } from "./events.js";
import type { RecordVersion, WebhookDelivery } from "./store.js";

/** Identifies the record of an event across all tenants; null if the event has no identifier. */
export function recordOf(event: WebhookEvent<string>): string | null {
  const { id } = event.event_data;
  if (typeof id !== "number" && typeof id !== "string") return null;
  const [kind] = event.event.split(".");
  return `${event.tenant_id ?? ""}/${kind}/${id}`;
}

/** Parses a time from the service into milliseconds since the epoch; NaN if the value is not a time. */
export function timeIn(value: unknown): number {
  // Only text is parsed: other values may have a `toString` that throws or is not a function.
  return typeof value === "string" ? Date.parse(value) : Number.NaN;
}

/** When an event's record was changed; null if the event lacks that time or the record's identifier. */
export function changedAt(event: WebhookEvent): number | null {
  const time = timeIn(event.event_data.updated_at);
  return recordOf(event) === null || Number.isNaN(time) ? null : time;
}

const NAMES_ONLY = ["id", "type", "created_at", "updated_at"];

/** True if an event contains the time of a change and some of its record's state, so that an equal one is a copy. */
export function saysItsState(event: WebhookEvent): boolean {
  return changedAt(event) !== null && Object.keys(event.event_data).some((name) => !NAMES_ONLY.includes(name));
}

// How far the clocks of two machines may differ.
const SKEW_MS = 10_000;

/**
 * The version of the record in an event. Null if the event has no identifier or no `updated_at`. Also null if
 * `updated_at` or `sentAt` is ahead of this machine's clock: a clock is wrong, so versions cannot be compared.
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
