// app.ts
import { createServer } from "node:http";
import { MainClient } from "education-admin-sdk";

const client = new MainClient();

createServer(async (_request, response) => {
  response.setHeader("content-type", "text/plain; charset=utf-8");
  try {
    const accounts = await client.accounts.list().toArray({ max: 20 });
    response.end(accounts.map(({ name }) => name).join("\n") || "No accounts");
  } catch {
    response.end("The accounts cannot be shown now");
  }
}).listen(3000, "127.0.0.1");
