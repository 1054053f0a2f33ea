import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler, toNodeHandler } from "education-admin-sdk/webhooks";

const { WEBHOOK_SECRET, PORT = "3000", DATABASE = "webhooks.sqlite", LEASE_MS = "30000", WORK_MS = "0" } = process.env;
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret on the webhook's settings page");

// The inbox has its own connection: on a shared one, a ROLLBACK of a listener would undo deliveries already
// acknowledged.
const kept = new DatabaseSync(DATABASE);
const work = new DatabaseSync(DATABASE, { timeout: 1_000 });
work.exec(`
  CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, event TEXT NOT NULL, record_id TEXT) STRICT;
`);
// A listener may get a delivery twice if the process ends between its last line and the done-mark. The primary key
// makes the second time harmless. A transaction must not span an await, because the inbox could not write meanwhile.
const insertChange = work.prepare("INSERT INTO changes VALUES (?, ?, ?) ON CONFLICT DO NOTHING");

const handler = createWebhookHandler({
  signature: { secrets: WEBHOOK_SECRET.split(",") },
  store: webhookInbox(kept),
  leaseMs: Number(LEASE_MS),
  outOfOrder: "drop",
  onEvent: async (event, { deliveryId, signal }) => {
    // Replace this with the real work: a request, an email, an invoice.
    await setTimeout(Number(WORK_MS), undefined, { signal });
    insertChange.run(deliveryId, event.event, String(event.event_data.id ?? ""));
  },
});

const server = createServer(toNodeHandler(handler));
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
  kept.close();
  work.close();
});
