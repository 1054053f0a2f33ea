import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { AdminClient, MainClient, NotFoundError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ensureWebhook, verifyWebhook } from "../../src/webhooks/index.js";
import { ask, linksOf } from "./support.js";
import { deliveringSandbox, type Posted, URL_A, URL_B } from "./webhook-support.js";

const all = { max: 10_000 };

describe("webhooks created through the APIs", () => {
  test("deliver every event that they name, and no other, to their URL", async () => {
    const { sandbox, client, events } = deliveringSandbox();
    const webhook = await client.webhooks.create({ url: URL_A, events: ["account.created", "lead.deleted"] });
    expect(webhook).toEqual({
      id: "webhook-2",
      url: URL_A,
      active: true,
      events: ["account.created", "lead.deleted"],
      created_at: expect.stringMatching(/^2030-06-01T12:00:0/),
      updated_at: webhook.created_at,
    });
    const admin = new AdminClient({ ...sandbox.admin, validation: "strict" });
    await admin.webhooks.create({ url: URL_B, events: ["account.created", "account.updated"] });
    const { id } = await client.accounts.create({ name: "Example Ltd" });
    await client.accounts.update(1, { name: "Other Ltd" });
    sandbox.store.leads.delete(3);
    await client.courses.update(1, { name: "Nobody is told" });
    await sandbox.webhooks.settled();
    expect(events().sort()).toEqual([
      `${URL_A} account.created ${id}`,
      `${URL_A} lead.deleted 3`,
      `${URL_B} account.created ${id}`,
      `${URL_B} account.updated 1`,
    ]);
    expect(sandbox.webhooks.deliveries.map(({ event, status }) => `${event} ${status}`).sort()).toEqual([
      "account.created 200",
      "account.created 200",
      "account.updated 200",
      "lead.deleted 200",
    ]);
  });

  test("reach this machine by default, and others only with webhooks.fetch or by subscribe", async () => {
    const sandbox = createSandbox({ size: 20, webhooks: { retryAfterMs: [] } });
    const client = new MainClient(sandbox);
    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.url} ${request.headers["content-type"]}`);
      response.writeHead(202).end("taken");
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const asked = vi.spyOn(globalThis, "fetch");
    onTestFinished(() => asked.mockRestore());

    const events = ["account.updated"] as const;
    const production = await ensureWebhook(client, { url: "https://hooks.school.example/webhooks", events });
    await ensureWebhook(client, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/own`, events });
    sandbox.webhooks.subscribe({ to: "http://named.invalid/hooks", events });
    await client.accounts.update(1, { name: "Other Ltd" });
    await sandbox.webhooks.settled();

    expect(received).toEqual(["POST /own application/json"]);
    expect(sandbox.webhooks.deliveries.filter(({ status }) => status === 202)).toHaveLength(1);
    const urls = asked.mock.calls.map(([request]) => (request as Request).url);
    expect(urls.sort()).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:/), "http://named.invalid/hooks"]);
    const [notification] = await client.webhooks.listNotifications(production.id).toArray({ max: 1 });
    expect(notification?.send_attempts?.[0]?.response).toContain("only with the option webhooks.fetch");
  });

  test("continue after an error or rejection of onDelivery", async () => {
    let told = 0;
    const sandbox = createSandbox({
      size: "small",
      onDelivery: () => {
        if (++told === 1) throw new Error("a broken log");
        return Promise.reject(new Error("a broken log"));
      },
    });
    sandbox.webhooks.subscribe({ to: () => new Response() });
    for (const name of ["A", "B", "C"]) sandbox.store.accounts.update(1, { name });
    await sandbox.webhooks.settled();
    expect(told).toBe(3);
  });

  test("deliver nothing without events or while inactive", async () => {
    const { sandbox, client, events } = deliveringSandbox();
    await client.webhooks.create({ url: URL_A });
    await client.webhooks.create({ url: URL_B, active: false, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect(events()).toEqual([]);
  });

  test("are signed and filled according to the option webhooks", async () => {
    const header = "x-hook";
    const options = { webhooks: { secrets: "s3cret", header, data: "record" as const } };
    const { sandbox, client, posted } = deliveringSandbox(undefined, options);
    await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    const lead = sandbox.store.leads.update(1, { title: "Signed" });
    await sandbox.webhooks.settled();
    const [{ headers, text, body }] = posted as [Posted];
    await verifyWebhook({ body: text, headers, secrets: "s3cret", header, now: () => sandbox.clock.now() });
    await expect(
      verifyWebhook({ body: text, headers, secrets: "other", header, now: () => sandbox.clock.now() }),
    ).rejects.toThrow();
    expect(body.event_data).toEqual(lead);
  });

  test("deliver according to an update; a deletion ends them and removes their notifications", async () => {
    const { sandbox, client, events } = deliveringSandbox();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    const write = async (title: string) => {
      sandbox.store.leads.update(1, { title });
      sandbox.store.accounts.update(1, { name: title });
      await sandbox.webhooks.settled();
      return events().splice(0).slice(-1);
    };
    expect(await write("first")).toEqual([`${URL_A} lead.updated 1`]);
    await sandbox.clock.advance(60_000);
    const updated = await client.webhooks.update(id, { url: URL_B, events: ["account.updated"] });
    expect(updated).toMatchObject({ id, url: URL_B, active: true, events: ["account.updated"] });
    expect(Date.parse(updated.updated_at) - Date.parse(updated.created_at)).toBeGreaterThanOrEqual(60_000);
    expect(await write("second")).toEqual([`${URL_B} account.updated 1`]);
    await client.webhooks.update(id, { active: false });
    await write("third");
    expect(events()).toHaveLength(2);
    await client.webhooks.update(id, { active: true });
    await write("fourth");
    expect(events()).toHaveLength(3);
    const before = await client.webhooks.get(id);
    expect(await client.webhooks.delete(id)).toEqual(before);
    await write("fifth");
    expect(events()).toHaveLength(3);
    await expect(client.webhooks.get(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(client.webhooks.listNotifications(id).toArray(all)).rejects.toBeInstanceOf(NotFoundError);
    expect(sandbox.store.webhookNotifications.filter(({ webhook_id }) => webhook_id === 2)).toEqual([]);
  });

  test("lose their queued deliveries when they are deleted", async () => {
    const { sandbox, client, events } = deliveringSandbox();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.next({ delayMs: 60_000 });
    sandbox.store.leads.update(1, { title: "late" });
    await sandbox.clock.advance(30_000);
    await client.webhooks.delete(id);
    await sandbox.clock.advance(60_000);
    await sandbox.webhooks.settled();
    expect(events()).toEqual([]);
  });

  test("mark queued and waiting deliveries as failed when they are deactivated", async () => {
    const { sandbox, client, events } = deliveringSandbox(() => new Response(null, { status: 500 }));
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "refused once" });
    await sandbox.webhooks.settled();
    sandbox.store.leads.update(2, { title: "queued" });
    sandbox.store.webhooks.update(2, { active: false });
    await sandbox.webhooks.settled();
    await sandbox.clock.advance(600_000);
    await sandbox.webhooks.settled();
    expect(events()).toEqual([`${URL_A} lead.updated 1`]);
    const notifications = await client.webhooks.listNotifications(id).toArray(all);
    expect(notifications.map(({ status, send_attempts }) => [status, send_attempts.length])).toEqual([
      ["failed", 1],
      ["failed", 0],
    ]);
  });

  test("are refused with an invalid URL by field, and accepted with an unknown event", async () => {
    const { sandbox, client } = deliveringSandbox();
    // Sends raw requests, because the methods of the client refuse these URLs.
    const sendWebhook = (method: "POST" | "PUT", path: string, url: string) =>
      client.request({ method, path, body: { url } });
    for (const [call, errors] of [
      [() => sendWebhook("POST", "api/v1/webhooks", "hooks"), { url: [expect.any(String)] }],
      [() => sendWebhook("POST", "api/v1/webhooks", "ftp://a.example.org"), { url: [expect.any(String)] }],
      [() => sendWebhook("PUT", "api/v1/webhooks/webhook-1", ""), { url: [expect.any(String)] }],
    ] as const) {
      const error = await Promise.resolve(call()).then(
        () => expect.fail("it was not refused"),
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      expect((error as UnprocessableEntityError).errors).toEqual(errors);
    }
    expect(sandbox.store.webhooks.count).toBe(1);
    const { events } = await client.webhooks.create({ url: URL_A, events: ["lead.created", "room.created"] });
    expect(events).toEqual(["lead.created", "room.created"]);
  });

  test.each(["1", "webhook-0", "webhook-01", "webhook-9", "notification-1", "webhook-1x"])(
    "are not found with %s as their identifier",
    async (id) => {
      await expect(deliveringSandbox().client.webhooks.get(id)).rejects.toBeInstanceOf(NotFoundError);
    },
  );
});

describe("notifications", () => {
  test("show the sent body, the number of attempts and the last response", async () => {
    const answers = [new Response("busy", { status: 503 }), new Response("taken", { status: 202 })];
    const { sandbox, client, posted } = deliveringSandbox((_, count) => answers[count - 1] as Response);
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.next({ delayMs: 1_000 });
    sandbox.store.leads.update(1, { title: "x" });
    const notifications = async () => await client.webhooks.listNotifications(id).toArray(all);
    expect(await notifications()).toMatchObject([{ status: "pending", send_attempts: [] }]);
    await sandbox.clock.advance(1_000);
    await sandbox.webhooks.settled();
    expect(await notifications()).toMatchObject([{ status: "retry", send_attempts: [{ status_code: 503 }] }]);
    await sandbox.clock.advance(10_000);
    await sandbox.webhooks.settled();
    expect(await notifications()).toEqual([
      {
        id: "notification-6",
        event_id: "delivery-1",
        data: posted[0]?.body,
        status: "succeeded",
        send_attempts: [
          { response: "busy", status_code: 503, created_at: expect.stringMatching(/^2030-06-01T12:00:0/) },
          { response: "taken", status_code: 202, created_at: expect.stringMatching(/^2030-06-01T12:00:1/) },
        ],
      },
    ]);
    expect(posted.map(({ text }) => text)).toEqual([posted[0]?.text, posted[0]?.text]);
    expect(sandbox.webhooks.deliveries.map(({ id: delivery }) => delivery)).toEqual(["delivery-1", "delivery-1"]);
    expect(await client.webhooks.listFailedNotifications(id).toArray(all)).toEqual([]);
  });

  test("fail after every retry has been refused", async () => {
    const { sandbox, client, posted } = deliveringSandbox(() => new Response(null, { status: 500 }));
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    for (const ms of [0, 10_000, 60_000, 600_000]) {
      await sandbox.clock.advance(ms);
      await sandbox.webhooks.settled();
    }
    expect(posted).toHaveLength(3);
    const [failed] = await client.webhooks.listFailedNotifications(id).toArray(all);
    expect(failed).toEqual({
      id: "notification-6",
      event_id: "delivery-1",
      webhook_id: id,
      data: posted[0]?.body,
      status: "failed",
      created_at: expect.stringMatching(/^2030-06-01T12:00:0/),
    });
    const [notification] = await client.webhooks.listNotifications(id).toArray(all);
    expect(notification?.send_attempts.map(({ status_code }) => status_code)).toEqual([500, 500, 500]);
  });

  test("are retried according to the option; an unreachable receiver has no status", async () => {
    const options = { webhooks: { retryAfterMs: [] } };
    const { sandbox, client } = deliveringSandbox(() => {
      throw new TypeError("fetch failed");
    }, options);
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect(await client.webhooks.listNotifications(id).toArray(all)).toMatchObject([
      { status: "failed", send_attempts: [{ status_code: 0, response: "No connection" }] },
    ]);
    expect(() => createSandbox({ webhooks: { retryAfterMs: [-1] } })).toThrow(RangeError);
    expect(() => sandbox.webhooks.subscribe({ to: URL_A, retryAfterMs: [Number.NaN] })).toThrow(RangeError);
  });

  test("fail without an attempt if a fault drops the delivery", async () => {
    const { sandbox, client } = deliveringSandbox();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.next({ drop: true });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect(await client.webhooks.listNotifications(id).toArray(all)).toMatchObject([
      { status: "failed", send_attempts: [] },
    ]);
  });

  test("belong to their webhook; failed ones can be filtered by time and have pages", async () => {
    const { sandbox, client } = deliveringSandbox(() => new Response(null, { status: 500 }), {
      webhooks: { retryAfterMs: [] },
    });
    const first = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    const second = await client.webhooks.create({ url: URL_B, events: ["lead.updated", "lead.deleted"] });
    for (const minutes of [0, 1, 2, 3]) {
      sandbox.store.leads.update(1, { title: `after ${minutes}` });
      await sandbox.webhooks.settled();
      await sandbox.clock.advance(60_000);
    }
    sandbox.store.leads.delete(2);
    await sandbox.webhooks.settled();
    const failed = await client.webhooks.listFailedNotifications(first.id).toArray(all);
    expect(failed).toHaveLength(4);
    expect(await client.webhooks.listFailedNotifications(second.id).toArray(all)).toHaveLength(5);
    const [one, two, three, four] = failed.map(({ created_at }) => created_at) as [string, string, string, string];
    const failureTimes = async (query: object) =>
      (await client.webhooks.listFailedNotifications(first.id, query).toArray(all)).map(({ created_at }) => created_at);
    expect(await failureTimes({ start: one })).toEqual([two, three, four]);
    expect(await failureTimes({ end: four })).toEqual([one, two, three]);
    expect(await failureTimes({ start: one, end: new Date(four) })).toEqual([two, three]);
    expect(await failureTimes({ per_page: 3 })).toEqual([one, two, three, four]);
    const path = `api/v1/webhooks/${first.id}/notifications/failed?per_page=3`;
    const page = await ask(sandbox, path);
    expect(page.body).toHaveLength(3);
    const next = await ask(sandbox, linksOf(page.headers).next ?? "");
    expect(next.body).toEqual([failed[3]]);
    const whole = await ask(sandbox, `api/v1/webhooks/${first.id}/notifications`);
    expect([whole.headers.get("link"), (whole.body as unknown[]).length]).toEqual([null, 4]);
    expect((await ask(sandbox, `${path}&page=1`)).status).toBe(400);
  });

  test("are limited to the last 1,000 of each webhook", async () => {
    const { sandbox, client } = deliveringSandbox();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    await client.webhooks.create({ url: URL_B, events: ["account.updated"] });
    sandbox.store.accounts.update(1, { name: "stays" });
    for (let count = 0; count < 1_005; count++) sandbox.webhooks.send("lead.updated", { id: count });
    await sandbox.webhooks.settled();
    const kept = (await client.webhooks.listNotifications(id).toArray(all)).map(({ data }) => data.event_data);
    expect(kept).toHaveLength(1_000);
    expect(kept[0]).toMatchObject({ id: 5 });
    expect(sandbox.store.webhookNotifications.filter(({ webhook_id }) => webhook_id === 3)).toHaveLength(1);
  });
});
