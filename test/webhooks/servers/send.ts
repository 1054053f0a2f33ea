import { signWebhook } from "education-admin-sdk/webhooks";

const { WEBHOOK_SECRET, RECEIVER_URL = "http://127.0.0.1:3000" } = process.env;
if (!WEBHOOK_SECRET) throw new Error("Set WEBHOOK_SECRET to the secret of the receiver");

async function send(event: string, id: number, secret: string): Promise<void> {
  const tenant_id = "5f0c1d7e-2b7a-4b60-9d7c-0a4a3f1f6a11";
  const body = JSON.stringify({ tenant_id, educator: "academy", event, event_data: { id } });
  const signature = await signWebhook({ body, secrets: secret });
  const headers = { ...signature, "content-type": "application/json" };
  const answer = await fetch(RECEIVER_URL, { method: "POST", body, headers });
  console.log(`${event} ${id}: ${answer.status}`);
}

await send("invoice.updated", 4071, WEBHOOK_SECRET);
await send("course.deleted", 12, WEBHOOK_SECRET);
await send("invoice.updated", 4072, "not the secret");
