import { describe, expect, test } from "vitest";
import { AdminClient, MainClient } from "../../src/index.js";
import { createSandbox, type Sandbox, type WebhookSubscription } from "../../src/sandbox/index.js";
import { createWebhookHandler, verifyWebhook, type WebhookEvent } from "../../src/webhooks/index.js";

interface Received {
  readonly event: string;
  readonly id: unknown;
}

function receiver(sandbox: Sandbox, options: Partial<WebhookSubscription> = {}): Received[] {
  const received: Received[] = [];
  sandbox.webhooks.subscribe({
    to: async (request) => {
      const { event, event_data } = (await request.json()) as WebhookEvent;
      received.push({ event, id: event_data.id });
      return new Response(null, { status: 204 });
    },
    ...options,
  });
  return received;
}

describe("webhooks of a sandbox", () => {
  test("send the events of writes through the APIs in the order in which they happened", async () => {
    const sandbox = createSandbox({ size: 20 });
    const received = receiver(sandbox);
    const client = new MainClient(sandbox.main);
    const { id } = await client.accounts.create({ name: "Example Ltd" });
    const [concept] = (await client.invoices.list({ status: ["concept"] })).records;
    await client.invoices.open(concept?.id as number);
    await client.courseLocations.delete(1);
    const active = sandbox.store.enrollments.find((row) => row.id > 2 && row.status !== "canceled");
    await client.enrollments.cancel(active?.id as number);
    await new AdminClient(sandbox.admin).enrollments.awardCertificate(2, { certificate_template_id: 1 });
    await sandbox.webhooks.settled();
    const certificates = sandbox.store.certificates.filter(({ certifiable_id }) => certifiable_id === 2);
    expect(received).toEqual([
      { event: "account.created", id },
      { event: "invoice.updated", id: concept?.id },
      { event: "course_location.deleted", id: 1 },
      { event: "enrollment.updated", id: active?.id },
      { event: "certificate.deleted", id: 1 },
      { event: "certificate.awarded", id: certificates[0]?.id },
    ]);
  });

  test("keep the last 10,000 deliveries in a sandbox that is served for weeks", async () => {
    const sandbox = createSandbox({ empty: true });
    sandbox.webhooks.subscribe({ to: () => new Response() });
    for (let id = 1; id <= 10_005; id++) sandbox.webhooks.send("account.updated", { id });
    await sandbox.webhooks.settled();
    const { deliveries } = sandbox.webhooks;
    expect([deliveries.length, deliveries[0]?.body.event_data.id]).toEqual([10_000, 6]);
  });

  // docs/guides/webhooks.md says this, because no event is named `paid`.
  test("send invoice.updated for the last payment, after which the invoice is paid", async () => {
    const sandbox = createSandbox({ size: 20 });
    const client = new MainClient(sandbox.main);
    const [invoice] = (await client.invoices.list({ status: ["open"] })).records;
    const id = invoice?.id as number;
    const received = receiver(sandbox);
    await client.payments.createForInvoice(id, { amount: invoice?.total_open as string });
    await sandbox.webhooks.settled();
    expect(received).toContainEqual({ event: "invoice.updated", id });
    expect((await client.invoices.get(id)).status).toBe("paid");
  });

  test("also send events of writes in the store, but none for reads and changes without a known event", async () => {
    const sandbox = createSandbox({ size: 20 });
    const received = receiver(sandbox);
    sandbox.store.plannedCourses.update(1, { status: "canceled" });
    sandbox.store.affiliations.update(1, { key_contact: false });
    await new MainClient(sandbox).accounts.get(1);
    await sandbox.webhooks.settled();
    expect(received).toEqual([
      { event: "planned_course.updated", id: 1 },
      { event: "planned_course.canceled", id: 1 },
    ]);
  });

  test("are signed as the receiver expects, on the sandbox's clock", async () => {
    const sandbox = createSandbox({ size: 20 });
    const seen: string[] = [];
    const handler = createWebhookHandler({
      signature: { secrets: "s3cret" },
      onEvent: (event) => {
        seen.push(`${event.event} ${event.event_data.id}`);
      },
    });
    sandbox.webhooks.subscribe({ to: handler, secrets: ["old", "s3cret"] });
    sandbox.store.leads.update(2, { status: "won" });
    await sandbox.webhooks.settled();
    await expect.poll(() => seen).toEqual(["lead.updated 2"]);
    expect(sandbox.webhooks.deliveries).toMatchObject([{ event: "lead.updated", outcome: "answered" }]);
    sandbox.webhooks.subscribe({ to: handler, secrets: "wrong" });
    sandbox.store.leads.update(3, { status: "won" });
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries.map(({ status }) => status).sort()).toEqual([200, 200, 401]);
  });

  test("have a header with the service's suffix or the caller's own, also when a delivery is sent again", async () => {
    const sandbox = createSandbox({ size: 20 });
    const names: string[] = [];
    for (const header of [undefined, "x-hook"]) {
      sandbox.webhooks.subscribe({
        to: async (request) => {
          const body = await request.text();
          await verifyWebhook({ body, headers: request.headers, secrets: "s3cret", header });
          names.push(...[...request.headers.keys()].filter((name) => name !== "content-type"));
          return new Response();
        },
        secrets: "s3cret",
        header,
      });
    }
    sandbox.webhooks.next({ duplicate: true });
    sandbox.store.labels.update(1, { name: "One" });
    await sandbox.webhooks.settled();
    sandbox.store.labels.update(2, { name: "Two" });
    await sandbox.webhooks.settled();
    expect(names).toHaveLength(5);
    expect([...new Set(names)].sort()).toEqual(["education-admin-signature-v1", "x-hook"]);
  });

  test("have a thin event_data, or the whole record with an option", async () => {
    const sandbox = createSandbox({ size: 20 });
    const bodies: WebhookEvent[] = [];
    for (const data of ["thin", "record"] as const) {
      sandbox.webhooks.subscribe({ to: async (request) => Response.json(bodies.push(await request.json())), data });
    }
    const account = sandbox.store.accounts.update(1, { name: "Example Ltd" });
    await sandbox.webhooks.settled();
    expect(bodies.map(({ event_data }) => event_data)).toEqual([{ id: 1, type: "account" }, account]);
    expect(bodies[0]).toMatchObject({ educator: "sandbox", tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  test("send only the chosen events, and none after the subscription is ended", async () => {
    const sandbox = createSandbox({ size: 20 });
    const invoices = receiver(sandbox, { events: ["invoice.*"] });
    const deletions = receiver(sandbox, { events: ["*.deleted", "user.merged"] });
    sandbox.store.invoices.update(1, { footnote: "x" });
    sandbox.store.invoices.delete(2);
    sandbox.store.leads.delete(1);
    sandbox.store.leads.update(2, { title: "x" });
    sandbox.webhooks.send("user.merged", { id: 4, type: "user" });
    await sandbox.webhooks.settled();
    expect(invoices.map(({ event }) => event)).toEqual(["invoice.updated", "invoice.deleted"]);
    expect(deletions.map(({ event }) => event)).toEqual(["invoice.deleted", "lead.deleted", "user.merged"]);
    const stopped: string[] = [];
    sandbox.webhooks.subscribe({ to: () => Response.json(stopped.push("x")) })();
    sandbox.store.leads.update(2, { title: "y" });
    await sandbox.webhooks.settled();
    expect(stopped).toEqual([]);
  });

  test("can be slow, reordered and dropped by faults", async () => {
    const sandbox = createSandbox({ size: 20 });
    const received = receiver(sandbox);
    sandbox.webhooks.next({ reorder: true });
    sandbox.webhooks.next({ event: "account.updated", drop: true });
    for (const id of [1, 2]) sandbox.store.leads.update(id, { title: `lead ${id}` });
    sandbox.store.accounts.update(9, { name: "dropped" });
    await sandbox.webhooks.settled();
    expect(received.map(({ id }) => id)).toEqual([2, 1]);
    expect(sandbox.webhooks.deliveries.map(({ outcome }) => outcome)).toEqual(["answered", "answered", "dropped"]);
    sandbox.webhooks.next({ delayMs: 60_000 });
    sandbox.store.leads.update(3, { title: "late" });
    await sandbox.clock.advance(59_000);
    expect(received).toHaveLength(2);
    await sandbox.clock.advance(1_000);
    await sandbox.webhooks.settled();
    expect(received.at(-1)?.id).toBe(3);
  });

  test("send a delivery to be reordered even if it has no successor", async () => {
    const sandbox = createSandbox({ size: 20 });
    const received = receiver(sandbox);
    sandbox.webhooks.next({ reorder: true });
    sandbox.store.leads.update(1, { title: "alone" });
    await sandbox.webhooks.settled();
    expect(received).toHaveLength(1);
  });

  test("record a receiver that takes more than 10 seconds or breaks, and continue with the next delivery", async () => {
    const sandbox = createSandbox({ size: 20 });
    let asked = 0;
    sandbox.webhooks.subscribe({
      to: () => {
        asked++;
        if (asked === 1) return new Promise<Response>(() => undefined);
        if (asked === 2) throw new Error("receiver");
        return new Response();
      },
    });
    for (const id of [1, 2, 3]) sandbox.store.leads.update(id, { title: "x" });
    await expect.poll(() => asked).toBe(1);
    await sandbox.clock.advance(10_000);
    await sandbox.webhooks.settled();
    expect(sandbox.webhooks.deliveries.map(({ outcome }) => outcome)).toEqual(["timeout", "failed", "answered"]);
  });
});
