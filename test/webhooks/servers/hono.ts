import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { toNodeHandler } from "education-admin-sdk/webhooks";
import { Hono } from "hono";
import { handler } from "./handler.ts";

const app = new Hono();
app.post("/webhooks", (context) => handler(context.req.raw));

const server = createServer(toNodeHandler(async (request) => app.fetch(request)));
server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
});
