// A receiver of webhooks at module level. Every second delivery gets no context, so that its work may end with its
// request.
import { createWebhookHandler, signWebhook } from "education-admin-sdk/webhooks";

const SECRET = "a secret for tests";
const handled = new Map();
const handler = createWebhookHandler({
  signature: { secrets: SECRET },
  listenerTimeoutMs: 1_000,
  report: () => undefined,
  onEvent: async ({ event_data }) => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    handled.set(event_data.id, (handled.get(event_data.id) ?? 0) + 1);
  },
});

/** Posts a signed delivery about a record to the receiver. */
export async function deliver(id, context) {
  const body = JSON.stringify({ tenant_id: "t", educator: "school", event: "invoice.updated", event_data: { id } });
  const headers = { ...(await signWebhook({ body, secrets: SECRET })), "content-type": "application/json" };
  const request = new Request("https://hooks.school.example/", { method: "POST", body, headers });
  return id % 2 === 0 ? handler(request, context) : handler(request);
}

/** Keeps a request alive until the waiting deliveries are taken. Responds with the number of handled deliveries. */
export async function handledSoFar() {
  handler.wake();
  await new Promise((resolve) => setTimeout(resolve, 200));
  return Response.json(handled.size);
}
