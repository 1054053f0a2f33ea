import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import { createWebhookHandler, toNodeHandler } from "education-admin-sdk/webhooks";
import { sqliteStore } from "./sqlite-store.ts";

const { WEBHOOK_SECRET, PORT = "3000", DATABASE = "webhooks.sqlite", LEASE_MS = "30000", WORK_MS = "0" } = process.env;
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret the service signs with");

const DAY_MS = 86_400_000;
const store = sqliteStore(DATABASE);
store.prune(Date.now() - 30 * DAY_MS);
store.database.exec(`
  CREATE TABLE IF NOT EXISTS changes (delivery_id TEXT PRIMARY KEY, event TEXT NOT NULL, record_id TEXT) STRICT;
`);
// A delivery may come to a listener twice, when the process ends between its last line and the done-mark. The
// primary key makes the second time harmless.
const insertChange = store.database.prepare("INSERT INTO changes VALUES (?, ?, ?) ON CONFLICT DO NOTHING");

const handler = createWebhookHandler({
  signature: { secrets: WEBHOOK_SECRET },
  store,
  leaseMs: Number(LEASE_MS),
  onEvent: async (event, { deliveryId }) => {
    // Stands for the real work: a request, a mail, a bill.
    await setTimeout(Number(WORK_MS));
    insertChange.run(deliveryId, event.event, String(event.event_data.id ?? ""));
  },
  onDead: (event, { deliveryId }) => console.error(`Set aside: ${event.event}, delivery ${deliveryId}`),
});

const server = createServer(toNodeHandler(handler));
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
  store.close();
});
