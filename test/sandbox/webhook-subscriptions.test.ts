import { describe, expect, test } from "vitest";
import { AdminClient, MainClient, NotFoundError, UnprocessableEntityError, type Webhook } from "../../src/index.js";
import { createSandbox, type SandboxOptions } from "../../src/sandbox/index.js";
import { WebhookEvent } from "../../src/schemas.js";
import { verifyWebhook, type WebhookEvent as WebhookBody } from "../../src/webhooks/index.js";
import { ask, ids, linksOf } from "./support.js";

const URL_A = "https://a.example.org/hooks";
const URL_B = "https://b.example.org/hooks";
const NOW = "2030-06-01T12:00:00.000Z";
const all = { max: 10_000 };

interface Posted {
  readonly url: string;
  readonly headers: Headers;
  readonly text: string;
  readonly body: WebhookBody;
}

/** A sandbox whose deliveries are kept and answered by `answer`. */
function open(
  answer: (request: Request, count: number) => Response = () => new Response(),
  options: SandboxOptions = {},
) {
  const posted: Posted[] = [];
  const fetch = async (request: Request): Promise<Response> => {
    const text = await request.clone().text();
    posted.push({ url: request.url, headers: request.headers, text, body: JSON.parse(text) as WebhookBody });
    return answer(request, posted.length);
  };
  const sandbox = createSandbox({ size: 20, now: NOW, ...options, webhooks: { fetch, ...options.webhooks } });
  const client = new MainClient({ ...sandbox.main, validation: "strict" });
  const events = () => posted.map(({ url, body }) => `${url} ${body.event} ${body.event_data.id}`);
  return { sandbox, client, posted, events };
}

describe("webhooks made through the APIs", () => {
  test("deliver every event they name, and no other, to their URL", async () => {
    const { sandbox, client, events } = open();
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

  test("without events or while inactive they deliver nothing", async () => {
    const { sandbox, client, events } = open();
    await client.webhooks.create({ url: URL_A });
    await client.webhooks.create({ url: URL_B, active: false, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect(events()).toEqual([]);
  });

  test("are signed and filled as the option webhooks says", async () => {
    const scheme = { header: "x-signature", deliveryIdHeader: "x-delivery" };
    const options = { webhooks: { secrets: "s3cret", scheme, data: "record" as const } };
    const { sandbox, client, posted } = open(undefined, options);
    await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    const lead = sandbox.store.leads.update(1, { title: "Signed" });
    await sandbox.webhooks.settled();
    const [{ headers, text, body }] = posted as [Posted];
    await verifyWebhook({ body: text, headers, secrets: "s3cret", scheme, now: () => sandbox.clock.now() });
    await expect(
      verifyWebhook({ body: text, headers, secrets: "other", scheme, now: () => sandbox.clock.now() }),
    ).rejects.toThrow();
    expect(headers.get("x-delivery")).toBe("delivery-1");
    expect(body.event_data).toEqual(lead);
  });

  test("an update changes what is delivered, and where; a deletion ends it and forgets the notifications", async () => {
    const { sandbox, client, events } = open();
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

  test("a deletion takes back what is queued", async () => {
    const { sandbox, client, events } = open();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.next({ delayMs: 60_000 });
    sandbox.store.leads.update(1, { title: "late" });
    await sandbox.clock.advance(30_000);
    await client.webhooks.delete(id);
    await sandbox.clock.advance(60_000);
    await sandbox.webhooks.settled();
    expect(events()).toEqual([]);
  });

  test("what is queued or waits to be sent again when it is switched off is not sent, and has failed", async () => {
    const { sandbox, client, events } = open(() => new Response(null, { status: 500 }));
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

  test("a URL that is none and an unknown event are refused with 422, by their names", async () => {
    const { sandbox, client } = open();
    const cast = WebhookEvent.cast("room.created");
    const notOne = expect.stringMatching(/^must be one of: account\.created, /);
    for (const [call, errors] of [
      [() => client.webhooks.create({ url: "hooks" }), { url: ["is not an http or https URL"] }],
      [() => client.webhooks.create({ url: "ftp://a.example.org" }), { url: ["is not an http or https URL"] }],
      [() => client.webhooks.update("webhook-1", { url: "" }), { url: ["is not an http or https URL"] }],
      [() => client.webhooks.create({ url: URL_A, events: ["lead.created", cast] }), { "events[1]": [notOne] }],
      [() => client.webhooks.update("webhook-1", { events: [cast] }), { "events[0]": [notOne] }],
    ] as const) {
      const error = await Promise.resolve(call()).then(
        () => expect.fail("it was not refused"),
        (reason: unknown) => reason,
      );
      expect(error).toBeInstanceOf(UnprocessableEntityError);
      expect((error as UnprocessableEntityError).errors).toEqual(errors);
    }
    expect(sandbox.store.webhooks.count).toBe(1);
  });

  test.each(["1", "webhook-0", "webhook-01", "webhook-9", "notification-1", "webhook-1x"])(
    "%s is no identifier of a webhook",
    async (id) => {
      await expect(open().client.webhooks.get(id)).rejects.toBeInstanceOf(NotFoundError);
    },
  );
});

describe("notifications", () => {
  test("say what was sent, how often and with what answer", async () => {
    const answers = [new Response("busy", { status: 503 }), new Response("taken", { status: 202 })];
    const { sandbox, client, posted } = open((_, count) => answers[count - 1] as Response);
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.store.leads.update(1, { title: "x" });
    const notifications = async () => await client.webhooks.listNotifications(id).toArray(all);
    expect(await notifications()).toMatchObject([{ status: "pending", send_attempts: [] }]);
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

  test("are failed once every retry has been refused", async () => {
    const { sandbox, client, posted } = open(() => new Response(null, { status: 500 }));
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

  test("the retries are those of the option; a receiver that cannot be reached has no status", async () => {
    const options = { webhooks: { retryAfterMs: [] } };
    const { sandbox, client } = open(() => {
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

  test("what a fault drops has failed without an attempt", async () => {
    const { sandbox, client } = open();
    const { id } = await client.webhooks.create({ url: URL_A, events: ["lead.updated"] });
    sandbox.webhooks.next({ drop: true });
    sandbox.store.leads.update(1, { title: "x" });
    await sandbox.webhooks.settled();
    expect(await client.webhooks.listNotifications(id).toArray(all)).toMatchObject([
      { status: "failed", send_attempts: [] },
    ]);
  });

  test("of a webhook are its own; failed ones are filtered by time and come in pages", async () => {
    const { sandbox, client } = open(() => new Response(null, { status: 500 }), { webhooks: { retryAfterMs: [] } });
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
    const found = async (query: object) =>
      (await client.webhooks.listFailedNotifications(first.id, query).toArray(all)).map(({ created_at }) => created_at);
    expect(await found({ start: one })).toEqual([two, three, four]);
    expect(await found({ end: four })).toEqual([one, two, three]);
    expect(await found({ start: one, end: new Date(four) })).toEqual([two, three]);
    expect(await found({ per_page: 3 })).toEqual([one, two, three, four]);
    const path = `api/v1/webhooks/${first.id}/notifications/failed?per_page=3`;
    const page = await ask(sandbox, path);
    expect(page.body).toHaveLength(3);
    const next = await ask(sandbox, linksOf(page.headers).next ?? "");
    expect(next.body).toEqual([failed[3]]);
    const whole = await ask(sandbox, `api/v1/webhooks/${first.id}/notifications`);
    expect([whole.headers.get("link"), (whole.body as unknown[]).length]).toEqual([null, 4]);
    expect((await ask(sandbox, `${path}&page=1`)).status).toBe(400);
  });

  test("only the last 1,000 of each webhook are kept", async () => {
    const { sandbox, client } = open();
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

describe("subscriptions of the sandbox itself", () => {
  const shown = (webhooks: readonly Webhook[]) => webhooks.map(({ url, active }) => `${url} ${active}`);

  test("are listed as webhooks after the seeded one, which is switched off", async () => {
    const { sandbox, client } = open();
    sandbox.webhooks.subscribe({ to: () => new Response(), events: ["invoice.*", "user.merged"] });
    const stop = sandbox.webhooks.subscribe({ to: URL_A });
    const webhooks = await client.webhooks.list().toArray(all);
    expect(shown(webhooks)).toEqual([
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
    const { sandbox, client, events } = open();
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

  test("are not sent again unless they ask for it, and send what is queued when they are taken back", async () => {
    const { sandbox } = open();
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

  test("records written into the store deliver too", async () => {
    const { sandbox, events } = open();
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
  test("restores the seeded webhook and its notifications, and takes back every other, with retries", async () => {
    const { sandbox, client, events } = open(() => new Response(null, { status: 500 }));
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
    const { client } = open(undefined, { empty: true });
    expect(await client.webhooks.list().toArray(all)).toEqual([]);
  });
});
