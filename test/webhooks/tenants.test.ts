import { expect, test } from "vitest";
import { createWebhookHandler, signWebhook, type WebhookEvent } from "../../src/webhooks/index.js";

const SECRETS: Readonly<Record<string, string | string[]>> = {
  one: "secret of one",
  two: ["new of two", "old of two"],
};

/** Posts a delivery to a receiver of several schools. Returns its response and the tenants of the handled events. */
async function deliver(tenant: unknown, secret: string, body?: string) {
  const asked: string[] = [];
  const handled: WebhookEvent[] = [];
  const handler = createWebhookHandler({
    mode: "handle-then-answer",
    signature: {
      secrets: (tenantId) => {
        asked.push(tenantId);
        return SECRETS[tenantId] ?? [];
      },
    },
    report: () => undefined,
  });
  handler.on("invoice.*", (event) => void handled.push(event));
  const text = body ?? JSON.stringify({ tenant_id: tenant, event: "invoice.updated", event_data: { id: 7 } });
  const headers = { ...(await signWebhook({ body: text, secrets: secret })), "content-type": "application/json" };
  const { status } = await handler(new Request("https://agency.example/hook", { method: "POST", headers, body: text }));
  await handler.close();
  return { status, asked, tenants: handled.map(({ tenant_id }) => tenant_id) };
}

test("one receiver checks each school's deliveries with the secret of that school", async () => {
  expect(await deliver("one", "secret of one")).toEqual({ status: 200, asked: ["one"], tenants: ["one"] });
  expect(await deliver("two", "old of two")).toEqual({ status: 200, asked: ["two"], tenants: ["two"] });
});

test("one school cannot send in the name of another, and no one in the name of none", async () => {
  const refused = { status: 401, tenants: [] };
  expect(await deliver("two", "secret of one")).toMatchObject(refused);
  expect(await deliver("three", "secret of one")).toMatchObject(refused);
  expect(await deliver("", "secret of one")).toMatchObject(refused);
  // An inherited property is not a secret. Nor may it cause a failure after which the service sends the delivery again.
  for (const name of ["constructor", "__proto__", "toString"])
    expect(await deliver(name, "secret of one")).toMatchObject({ ...refused, asked: [] });
  expect(await deliver(7, "secret of one")).toMatchObject({ ...refused, asked: [""] });
  expect(await deliver("one", "secret of one", "not JSON")).toMatchObject({ ...refused, asked: [""] });
});
