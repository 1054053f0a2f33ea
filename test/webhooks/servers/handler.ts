import { DatabaseSync } from "node:sqlite";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler } from "education-admin-sdk/webhooks";

export const handler = createWebhookHandler({
  // Both are called with the first delivery, so that a build needs neither the secret nor the database.
  signature: { secrets: () => process.env.WEBHOOK_SECRET?.split(",") },
  store: webhookInbox(() => new DatabaseSync(process.env.DATABASE ?? "webhooks.sqlite")),
  onEvent: (event) => console.log(`${event.event} ${event.event_data.id}`),
});
