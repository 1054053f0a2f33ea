import type { AddressInfo } from "node:net";
import { toNodeHandler } from "education-admin-sdk/webhooks";
import express from "express";
import { handler } from "./handler.ts";

const app = express();
app.post("/webhooks", toNodeHandler(handler));
app.use(express.json());

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`);
});
