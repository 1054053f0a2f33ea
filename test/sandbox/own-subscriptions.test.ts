import { describe, expect, test } from "vitest";
import type { Webhook } from "../../src/index.js";
import { WebhookEvent } from "../../src/schemas.js";
import type { WebhookEvent as WebhookBody } from "../../src/webhooks/index.js";
import { ids } from "./support.js";
import { deliveringSandbox, URL_A, URL_B } from "./webhook-support.js";

const all = { max: 10_000 };

describe("subscriptions made on the sandbox itself", () => {
  const summarize = (webhooks: readonly Webhook[]) => webhooks.map(({ url, active }) => `${url} ${active}`);

  test("are listed as webhooks after the seeded one, which is inactive", async () => {
    const { sandbox, client } = deliveringSandbox();
    sandbox.webhooks.subscribe({ to: () => new Response(), events: ["invoice.*", "user.merged"] });
    const stop = sandbox.webhooks.subscribe({ to: URL_A });
    const webhooks = await client.webhooks.list().toArray(all);
    expect(summarize(webhooks)).toEqual([
      "https://hooks.example.org/school false",
      "https://receiver.example/webhooks true",
      `${URL_A} true`,
    ]);
    expect(webhooks.map(({ id }) => id)).toEqual(["webhook-1", "webhook-2", "webhook-3"]);
    expect(webhooks[1]?.events).toEqual(["user.merged", "invoice.created", "invoice.deleted", "invoice.updated"]);
    expect(webhooks[2]?.events).toEqual(WebhookEvent.values);
    stop();
    expect(await client.webhooks.list().toArray(all)).toEqual(webhooks.slice(0, 2));
  });

  test("keep their receiver until the APIs change the address, and follow every other change", async () => {
    const { sandbox, client, events } = deliveringSandbox();
    const received: string[] = [];
    const to = async (request: Request) => {
      received.push(((await request.json()) as WebhookBody).event);
      return new Response();
    };
    sandbox.webhooks.subscribe({ to, events: ["lead.*"] });
    const write = async () => {
      sandbox.store.leads.update(1, { title: "x" });
      sandbox.store.accounts.update(1, { name: "x" });
      await sandbox.webhooks.settled();
    };
    await write();
    expect(received).toEqual(["lead.updated"]);
    await client.webhooks.update("webhook-2", { events: ["account.updated"] });
    await write();
    expect(received).toEqual(["lead.updated", "account.updated"]);
    await client.webhooks.update("webhook-2", { url: URL_B });
    await write();
    expect(received).toHaveLength(2);
    expect(events()).toEqual([`${URL_B} account.updated 1`]);
    await client.webhooks.delete("webhook-2");
    await write();
    expect(events()).toHaveLength(1);
  });

  test("are retried only with retryAfterMs, and send queued deliveries when they are ended", async () => {
    const { sandbox } = deliveringSandbox();
    const failing = () => new Response(null, { status: 500 });
    const statuses = (id: number) =>
      sandbox.store.webhookNotifications.filter(({ webhook_id }) => webhook_id === id).map(({ status }) => status);
    sandbox.webhooks.subscribe({ to: failing, events: ["lead.updated"] });
    sandbox.webhooks.subscribe({ to: failing, events: ["lead.updated"], retryAfterMs: [5] });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect([statuses(2), statuses(3)]).toEqual([["failed"], ["retry"]]);
    await sandbox.clock.advance(5);
    await sandbox.webhooks.settled();
    expect(statuses(3)).toEqual(["failed"]);
    expect(sandbox.webhooks.deliveries).toHaveLength(3);
    let asked = 0;
    const stop = sandbox.webhooks.subscribe({ to: () => Response.json(++asked), events: ["label.updated"] });
    sandbox.store.labels.update(1, { name: "x" });
    stop();
    await sandbox.webhooks.settled();
    expect(asked).toBe(1);
  });

  test("also deliver events of records written to the store", async () => {
    const { sandbox, events } = deliveringSandbox();
    const { id } = sandbox.store.webhooks.insert({ url: URL_A, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    sandbox.store.webhooks.delete(id);
    sandbox.store.leads.update(1, { title: "y" });
    await sandbox.webhooks.settled();
    expect(events()).toEqual([]);
    sandbox.store.webhooks.update(1, { active: true, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "z" });
    await sandbox.webhooks.settled();
    expect(events()).toEqual(["https://hooks.example.org/school lead.updated 1"]);
  });
});

describe("reset", () => {
  test("restores the seeded webhook and its notifications, and removes all others along with their retries", async () => {
    const { sandbox, client, events } = deliveringSandbox(() => new Response(null, { status: 500 }));
    const state = async () => [
      await client.webhooks.list().toArray(all),
      await client.webhooks.listNotifications("webhook-1").toArray(all),
      await client.webhooks.listFailedNotifications("webhook-1").toArray(all),
    ];
    const before = await state();
    expect(before.map(({ length }) => length)).toEqual([1, 5, 1]);
    await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.subscribe({ to: URL_B });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    const sent = events().length;
    expect(sent).toBe(2);
    await client.webhooks.delete("webhook-1");
    sandbox.reset();
    await sandbox.clock.advance(600_000);
    sandbox.store.leads.update(1, { title: "y" });
    await sandbox.webhooks.settled();
    expect(events()).toHaveLength(sent);
    expect(await state()).toEqual(before);
    expect(sandbox.store.webhookNotifications.count).toBe(5);
    expect(ids([await client.webhooks.create({ url: URL_A, events: ["lead.updated"] })])).toEqual(["webhook-2"]);
    sandbox.store.leads.update(1, { title: "z" });
    await sandbox.webhooks.settled();
    expect(events()).toHaveLength(sent + 1);
  });

  test("an empty sandbox has no webhook", async () => {
    const { client } = deliveringSandbox(undefined, { empty: true });
    expect(await client.webhooks.list().toArray(all)).toEqual([]);
  });
});
