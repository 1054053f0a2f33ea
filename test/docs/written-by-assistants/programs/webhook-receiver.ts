import { appendFileSync } from "node:fs";
import { createServer } from "node:http";
import { DatabaseSync } from "node:sqlite";
import { webhookInbox } from "education-admin-sdk/stores/sqlite";
import { createWebhookHandler, toNodeHandler } from "education-admin-sdk/webhooks";

const handler = createWebhookHandler({
  signature: { secrets: () => process.env.WEBHOOK_SECRET?.split(",") },
  store: webhookInbox(new DatabaseSync("inbox.sqlite")),
  on: { "*": ({ event, event_data }) => appendFileSync("events.log", `${event} ${event_data.id}\n`) },
});
createServer(toNodeHandler(handler)).listen(Number(process.env.PORT), () => console.log("ready"));
