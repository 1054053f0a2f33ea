import { MainClient } from "education-admin-sdk";

const [created_at_after = ""] = process.argv.slice(2);
const client = new MainClient();
for await (const { id, status } of client.orders.list({ created_at_after, sort: ["created_at:desc"] })) {
  console.log(JSON.stringify({ id, status }));
}
