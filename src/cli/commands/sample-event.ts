import { AdminClient } from "../../clients/admin.js";
import { MainClient } from "../../clients/main.js";
import { createSandbox } from "../../sandbox/sandbox.js";
import { WebhookEventName } from "../../webhooks/events.js";
import { refetch } from "../../webhooks/service/refetch.js";

export interface SandboxAccess {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * The body of an event about a record of a sandbox: all fields of the record, or only the identifier and kind if the
 * sandbox has no such record.
 */
export async function sampleEvent(
  event: WebhookEventName,
  id: number,
  now: number,
  served?: SandboxAccess,
): Promise<string> {
  const [type = ""] = event.split(".");
  const thin = { tenant_id: "00000000-0000-4000-8000-000000000001", educator: "sandbox", event_data: { id, type } };
  // `refetch` returns null for a deletion, so another event of that type is used.
  const kind =
    WebhookEventName.values.find((name) => name.startsWith(`${type}.`) && !name.endsWith(".deleted")) ?? event;
  const { main, admin } = served ? { main: served, admin: served } : createSandbox();
  for (const client of [new MainClient(main), new AdminClient(admin)]) {
    const read = refetch(client, { windowMs: 0 })({ ...thin, event: kind });
    const record = await read.catch(() => undefined);
    if (typeof record !== "object" || record === null) continue;
    // A new `triggered_at`, because receivers skip repeated events. `updated_at` stays, because `refetch` refuses a
    // record older than its event.
    const event_data = { ...record, triggered_at: new Date(now).toISOString() };
    return JSON.stringify({ ...thin, event, event_data });
  }
  return JSON.stringify({ ...thin, event });
}
