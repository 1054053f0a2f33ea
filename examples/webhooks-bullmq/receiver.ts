import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createWebhookHandler, toNodeHandler } from "education-admin-sdk/webhooks";
import { openInbox } from "./queue.ts";

const { WEBHOOK_SECRET, PORT = "3000" } = process.env;
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret on the webhook's settings page");

const { inbox, close } = openInbox();
// Without listeners this process only stores and answers; worker.ts calls your code.
const handler = createWebhookHandler({ signature: { secrets: WEBHOOK_SECRET.split(",") }, store: inbox });

const server = createServer(toNodeHandler(handler));
server.listen(Number(PORT), "127.0.0.1", () => {
  console.log(`Receiving webhooks on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

process.once("SIGTERM", async () => {
  server.close();
  await handler.close();
  await close();
});
