import { describe, expect, it } from "vitest";
import { AdminClient, InputError, MainClient } from "../../src/index.js";
import {
  type RecoverWebhooksOptions,
  recoverWebhooks,
  type WebhookInbox,
  type WebhookRecovery,
} from "../../src/webhooks/index.js";
import { NOW, setUp, since } from "./recovery.js";
import { takeAt } from "./support.js";

const all = { max: 10_000 };

describe("recoverWebhooks", () => {
  it("puts missed deliveries into the inbox once, and recognizes them on the next run", async () => {
    const { sandbox, client, inbox, is, subscribe, send, receivedData } = setUp();
    await subscribe();
    await send(30);
    is("down");
    await send(130);
    is("stores but answers 500");
    await send(20);
    is("up");
    await send(10);
    const first = await recoverWebhooks(client, { inbox, since });
    expect(first).toMatchObject({ read: 190, recovered: 130, alreadyReceived: 20, leftToService: 40, complete: true });
    expect(first.unreadable).toEqual([]);
    const again = await recoverWebhooks(new AdminClient(sandbox.admin), { inbox, since });
    expect(again).toMatchObject({ read: 190, recovered: 0, alreadyReceived: 150 });
    const versions = (await receivedData()).map((data) => (data as { updated_at: string }).updated_at);
    expect([versions.length, new Set(versions).size]).toEqual([190, 190]);
  });

  it("stores a recovered delivery once, whatever the order of its fields in the service's response", async () => {
    const { sandbox, client, inbox, subscribe, send, receivedData, is } = setUp();
    const { id } = await subscribe();
    is("stores but answers 500");
    await send(1);
    const [shown] = await client.webhooks.listFailedNotifications(id).toArray(all);
    const { event_data, ...others } = shown?.data ?? { event_data: {} };
    const reversed = Object.fromEntries(Object.entries(event_data as object).reverse());
    const [stored] = sandbox.store.webhookNotifications.filter(({ event_id }) => event_id === shown?.event_id);
    sandbox.store.webhookNotifications.update(stored?.id ?? 0, { data: { event_data: reversed, ...others } });
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 0, alreadyReceived: 1 });
    expect(await receivedData()).toHaveLength(1);
  });

  it("recovers all unrecognizable deliveries without updated_at, but only once, even for two subscriptions", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    await subscribe("https://hooks.school.example/others");
    is("down");
    await send(6, false);
    expect(sandbox.store.webhookNotifications.count).toBe(12);
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 6, alreadyReceived: 6 });
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 0, alreadyReceived: 12 });
  });

  it("takes deliveries that the service will retry only if they will be recognized", async () => {
    const { sandbox, client, inbox, subscribe, send, receivedData, is } = setUp({
      webhooks: { retryAfterMs: [60_000] },
    });
    await subscribe();
    is("down");
    await send(3);
    await send(4, false);
    expect(await recoverWebhooks(client, { inbox, since, sent: "none" })).toMatchObject({ read: 0 });
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 3, leftToService: 4 });
    is("up");
    await sandbox.clock.advance(61_000);
    await sandbox.webhooks.settled();
    expect(await receivedData()).toHaveLength(7);
  });

  it("restores accepted deliveries that the receiver lost, with an option", async () => {
    const { sandbox, client, inbox, subscribe, send, receivedData, is } = setUp();
    const webhook = await subscribe();
    await send(3);
    await sandbox.clock.advance(3_600_000);
    const lostSince = new Date(sandbox.clock.now());
    is("host answers 200");
    await send(5);
    is("up");
    expect(await recoverWebhooks(client, { inbox, since: lostSince, webhook })).toMatchObject({ recovered: 0 });
    const options = { inbox, since: new Date(lostSince.getTime() - 1), webhook, sent: "accepted" } as const;
    expect(await recoverWebhooks(client, options)).toMatchObject({ read: 8, recovered: 5, leftToService: 3 });
    expect(await receivedData()).toHaveLength(8);
  });

  it("reads one subscription, or all, and only notifications created after a time", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    const first = await subscribe();
    is("down");
    await send(2);
    await sandbox.clock.advance(60_000);
    const later = new Date(sandbox.clock.now());
    await sandbox.clock.advance(1_000);
    const second = await subscribe("https://hooks.school.example/others");
    await send(3);
    expect(await recoverWebhooks(client, { inbox, since: later, webhook: first })).toMatchObject({ recovered: 3 });
    expect(await recoverWebhooks(client, { inbox, since, webhook: second.id })).toMatchObject({ alreadyReceived: 3 });
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 2, alreadyReceived: 6 });
  });

  it("continues after the last page if it ended early, even in another process", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(450);
    let checkpoint = "";
    let pages = 0;
    const options: RecoverWebhooksOptions = {
      inbox,
      since,
      onPage: (report) => {
        expect(report).toMatchObject({ complete: false, until: since });
        checkpoint = report.checkpoint;
        if (++pages === 2) throw new Error("the process ends");
      },
    };
    await expect(recoverWebhooks(client, options)).rejects.toThrow("the process ends");
    expect(checkpoint).not.toContain("updated_at");
    const requests = sandbox.requests.length;
    const { onPage: _, ...others } = options;
    const rest = await recoverWebhooks(new MainClient(sandbox.main), { ...others, checkpoint });
    expect(rest).toMatchObject({ recovered: 450, alreadyReceived: 0, read: 450, complete: true });
    expect(sandbox.requests.length - requests).toBe(3);
    const nothing = await recoverWebhooks(client, { ...others, checkpoint: rest.checkpoint });
    expect(nothing).toMatchObject({ recovered: 450, complete: true });
    expect(sandbox.requests.length - requests).toBe(3);
  });

  it("starts over if the inbox fails, and ends with its signal", async () => {
    const { client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(20);
    let puts = 0;
    const failing: WebhookInbox = {
      put: async (delivery) => {
        if (++puts === 11) throw new Error("disk full");
        return inbox.put(delivery);
      },
    };
    await expect(recoverWebhooks(client, { inbox: failing, since })).rejects.toThrow("disk full");
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 10, alreadyReceived: 10 });
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(recoverWebhooks(client, { inbox, since, signal })).rejects.toThrow("enough");
  });

  it("returns the time at which the next run must start: a day before its own start, but never before its own since", async () => {
    const { sandbox, client, inbox } = setUp();
    const { clock } = sandbox;
    const day = 86_400_000;
    const early = new Date(clock.now() - 10 * day);
    const options = { inbox, since: early, clock };
    expect((await recoverWebhooks(client, options)).until).toEqual(new Date(clock.now() - day));
    const short = await recoverWebhooks(client, { ...options, overlapMs: 1_000 });
    expect(short.until).toEqual(new Date(clock.now() - 1_000));
    expect((await recoverWebhooks(client, { ...options, since: new Date(clock.now()) })).until.getTime()).toBe(
      clock.now(),
    );
  });

  it("reads a day back if its start is in the future because the last run's clock was ahead", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    const { clock } = sandbox;
    const ahead = Object.assign(Object.create(clock), { now: () => clock.now() + 3 * 86_400_000 });
    const { until } = await recoverWebhooks(client, { inbox, since, clock: ahead });
    expect(until.getTime()).toBeGreaterThan(clock.now());
    await subscribe();
    is("down");
    await send(1);
    const report = await recoverWebhooks(client, { inbox, since: until, clock });
    expect(report).toMatchObject({ recovered: 1, until: new Date(clock.now() - 86_400_000) });
  });

  it("lists notifications that are not events, and continues", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(2);
    const [first] = sandbox.store.webhookNotifications.filter(() => true);
    sandbox.store.webhookNotifications.update(first?.id ?? 0, { data: { lead: 1 } });
    const report = await recoverWebhooks(client, { inbox, since });
    expect(report).toMatchObject({ recovered: 1, unreadable: ["notification-1"] });
  });

  it("lists more than a hundred that are not events, even after it was resumed", async () => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(230);
    for (const { id } of sandbox.store.webhookNotifications.filter(() => true)) {
      sandbox.store.webhookNotifications.update(id, { data: { lead: 1 } });
    }
    const first: WebhookRecovery[] = [];
    const onPage = (report: WebhookRecovery) => {
      first.push(report);
      if (first.length === 2) throw new Error("ended");
    };
    await expect(recoverWebhooks(client, { inbox, since, onPage })).rejects.toThrow("ended");
    const report = await recoverWebhooks(client, { inbox, since, checkpoint: first[1]?.checkpoint });
    expect(new Set(report.unreadable).size).toBe(230);
  });

  it("continues after an event whose updated_at is not a text", async () => {
    const { sandbox, client, inbox, subscribe, is } = setUp();
    await subscribe();
    is("down");
    sandbox.webhooks.send("lead.updated", { id: 1, updated_at: { toString: 1 } });
    await sandbox.webhooks.settled();
    expect(await recoverWebhooks(client, { inbox, since })).toMatchObject({ recovered: 1, complete: true });
  });

  it("keeps the time of the notification", async () => {
    const { client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(1);
    await recoverWebhooks(client, { inbox, since });
    const [taken] = await inbox.take(takeAt(Date.now()));
    expect(Math.abs((taken?.sentAt ?? 0) - Date.parse(NOW))).toBeLessThan(5_000);
  });

  it.each([
    ["of another version", { v: 2 }],
    ["without a start", { since: undefined }],
    ["with a start that is no time", { since: "yesterday" }],
    ["without the time it began", { startedAt: null }],
    ["with text for the time it began", { startedAt: "1907000000000" }],
    ["without subscriptions", { webhooks: undefined }],
    ["with a subscription that is not in a list", { webhooks: { id: "webhook-1" } }],
    ["with the id of a subscription alone", { webhooks: ["webhook-1"] }],
    ["with a subscription that is null", { webhooks: [null] }],
    ["with a subscription without an id", { webhooks: [{ sentIsRead: true }] }],
    ["with a number for the id of a subscription", { webhooks: [{ id: 1, sentIsRead: true }] }],
    ["with one good subscription and one without an id", { webhooks: [{ id: "webhook-1" }, {}] }],
    ["with a number for the checkpoint of the list", { list: 2 }],
    ["without the checkpoint of the list", { list: undefined }],
    ["without a list of what is unreadable", { unreadable: null }],
    ["with text for how many were read", { read: "1" }],
    ["with a part of a record recovered", { recovered: 0.5 }],
    ["without the number of those received", { alreadyReceived: undefined }],
    ["without the number of those left", { leftToService: null }],
  ])("refuses a checkpoint %s before anything is sent", async (_, wrong) => {
    const { sandbox, client, inbox, subscribe, send, is } = setUp();
    await subscribe();
    is("down");
    await send(1);
    const checkpoints: string[] = [];
    const onPage = ({ checkpoint }: WebhookRecovery) => void checkpoints.push(checkpoint);
    checkpoints.push((await recoverWebhooks(client, { inbox, since, onPage })).checkpoint);
    expect(checkpoints).toHaveLength(2);
    const requests = sandbox.requests.length;
    for (const checkpoint of checkpoints) {
      const changed = JSON.stringify({ ...JSON.parse(checkpoint), ...wrong });
      const refused = recoverWebhooks(client, { inbox, since, checkpoint: changed });
      await expect(refused).rejects.toMatchObject({ issues: [{ path: "checkpoint" }] });
      await expect(refused).rejects.toBeInstanceOf(InputError);
    }
    expect(sandbox.requests.length).toBe(requests);
    for (const checkpoint of checkpoints) {
      expect(await recoverWebhooks(client, { inbox, since, checkpoint })).toMatchObject({ read: 1, complete: true });
    }
  });

  it.each([
    ["no inbox", { inbox: {} }, "inbox"],
    ["no time", { since: undefined }, "since"],
    ["a time that is none", { since: "yesterday" }, "since"],
    ["an empty id", { webhook: "" }, "webhook"],
    ["a subscription without an id", { webhook: {} }, "webhook"],
    ["an unknown word", { sent: "all" }, "sent"],
    ["a negative overlap", { overlapMs: -1 }, "overlapMs"],
    ["an option of another time", { scheme: {} }, "scheme"],
    ["another checkpoint", { checkpoint: '{"v":1}' }, "checkpoint"],
    ["a checkpoint that is none", { checkpoint: "{" }, "checkpoint"],
    ["an onPage that is no function", { onPage: "log" }, "onPage"],
    ["an unknown option", { from: since }, "from"],
  ])("refuses %s before anything is sent", async (_, wrong, path) => {
    const { sandbox, client, inbox } = setUp();
    const options = { inbox, since, ...wrong } as unknown as RecoverWebhooksOptions;
    const error = await recoverWebhooks(client, options).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).issues.map((issue) => issue.path)).toEqual([path]);
    expect(sandbox.requests).toEqual([]);
  });

  it("reports all mistakes at once", async () => {
    const { client, inbox } = setUp();
    const refused = recoverWebhooks(client, { inbox, since: "yesterday", overlapMs: -1 });
    await expect(refused).rejects.toThrow(/^recoverWebhooks: overlapMs .+; since .+\. Nothing was sent\.$/);
  });
});
