import { describe, expect, expectTypeOf, it } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import { AdminClient, type Certificate, type Educator, type Invoice, MainClient, type Order } from "../../src/index.js";
import { parseWebhook, refetch, type WebhookEvent, WebhookEventName } from "../../src/webhooks/index.js";
import { payloadOf, sleep } from "./support.js";

const event = <Name extends WebhookEventName>(name: Name, data: Record<string, unknown> = { id: 7 }) =>
  parseWebhook(payloadOf(name, data)) as WebhookEvent<Name>;

/** A client whose answers count up, so that a test sees which request an answer is of. */
function countingClient(delayMs = 0) {
  const sent: string[] = [];
  const resource = (name: string) => ({
    async get(id: number) {
      sent.push(`${name} ${id}`);
      const answer = sent.length;
      await sleep(delayMs);
      return { id, answer };
    },
  });
  return {
    sent,
    client: {
      invoices: resource("invoices"),
      courses: resource("courses"),
      catalogProducts: resource("catalogProducts"),
    },
  };
}

describe("refetch", () => {
  it("makes one request of many events about one record inside the window", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 400 });
    const answers = [];
    for (let n = 0; n < 20; n++) {
      answers.push(fresh(event("invoice.updated")), fresh(event("invoice.created", { id: 8 })));
      if (n % 5 === 4) await sleep(2);
    }
    const records = await Promise.all(answers);
    expect(sent).toEqual(["invoices 7", "invoices 8"]);
    expect(new Set(records)).toEqual(
      new Set([
        { id: 7, answer: 1 },
        { id: 8, answer: 2 },
      ]),
    );
  });

  it("never answers with a state older than the event: one that came after the request went out has its own", async () => {
    const { client, sent } = countingClient(20);
    const fresh = refetch(client, { windowMs: 5 });
    const first = fresh(event("invoice.updated"));
    await sleep(15);
    expect(sent).toHaveLength(1);
    const second = fresh(event("invoice.updated"));
    expect([await first, await second]).toEqual([
      { id: 7, answer: 1 },
      { id: 7, answer: 2 },
    ]);
  });

  it("serves an event that waited its turn from a request made after it was received", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 5 });
    const receivedAt = Date.now();
    await fresh(event("invoice.updated"), { receivedAt });
    await sleep(20);
    await fresh(event("invoice.updated"), { receivedAt: receivedAt + 1 });
    expect(sent).toHaveLength(1);
    await fresh(event("invoice.updated"), { receivedAt: Date.now() });
    expect(sent).toHaveLength(2);
  });

  it("does not wait for a window that is over since the event was received", async () => {
    const { client } = countingClient();
    const started = performance.now();
    await refetch(client, { windowMs: 5_000 })(event("invoice.updated"), { receivedAt: Date.now() - 6_000 });
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it("keeps records of different kinds and tenants apart", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 0 });
    const elsewhere = { ...event("invoice.updated"), tenant_id: "another" };
    await Promise.all([
      fresh(event("invoice.updated")),
      fresh(event("course.updated")),
      fresh(event("product.updated")),
      fresh(elsewhere),
    ]);
    expect(sent.sort()).toEqual(["catalogProducts 7", "courses 7", "invoices 7", "invoices 7"]);
  });

  it("tells what was deleted (null) from what cannot be read (undefined), both without a request", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 0 });
    expect(await fresh(event("invoice.deleted"))).toBeNull();
    expect(await fresh(event("certificate.deleted"))).toBeNull();
    expect(await fresh(event("order.deleted", {}))).toBeNull();
    expect(await fresh(event("certificate.awarded"))).toBeUndefined();
    expect(await fresh(event("order.approved"))).toBeUndefined();
    expect(await fresh(event("invoice.updated", {}))).toBeUndefined();
    expect(await fresh(event("invoice.updated", { id: "no number" }))).toBeUndefined();
    expect(await fresh({ ...event("invoice.updated"), event: "toString.updated" })).toBeUndefined();
    expect(sent).toEqual([]);
    expect(await fresh(event("invoice.updated", { id: "12" }))).toMatchObject({ id: 12 });
  });

  it("asks again for an event received in the millisecond in which the last request was sent", async () => {
    const { client, sent } = countingClient();
    const clock = { ...systemClock, now: () => 5_000 };
    const fresh = refetch(client, { windowMs: 0, clock });
    await fresh(event("invoice.updated"), { receivedAt: 4_999 });
    await fresh(event("invoice.updated"), { receivedAt: 4_999 });
    expect(sent).toHaveLength(1);
    await fresh(event("invoice.updated"), { receivedAt: 5_000 });
    expect(sent).toHaveLength(2);
  });

  it("rejects for every event of a request that failed, and asks again the next time", async () => {
    let calls = 0;
    const client = {
      invoices: {
        get: async (id: number) => {
          if (calls++ === 0) throw new Error("502");
          return { id };
        },
      },
    };
    const fresh = refetch(client, { windowMs: 1 });
    const both = await Promise.allSettled([fresh(event("invoice.updated")), fresh(event("invoice.updated"))]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(await fresh(event("invoice.updated"), { receivedAt: 0 })).toEqual({ id: 7 });
  });

  it("keeps no more records than maxRecords", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 0, maxRecords: 2 });
    for (const id of [1, 2, 3, 1]) await fresh(event("invoice.updated", { id }), { receivedAt: 0 });
    expect(sent).toEqual(["invoices 1", "invoices 2", "invoices 3", "invoices 1"]);
  });

  it("asks for the provider itself without an identifier", async () => {
    const input: unknown[][] = [];
    const client = {
      educators: {
        get: async (...given: unknown[]) => {
          input.push(given);
          return { id: 1 };
        },
      },
    };
    expect(await refetch(client, { windowMs: 0 })(event("educator.updated"))).toEqual({ id: 1 });
    expect(input).toEqual([[]]);
  });

  it("knows the record's type by the event's name and the client", () => {
    const options = { baseUrl: "http://127.0.0.1", apiKey: "key" };
    const main = refetch(new MainClient(options));
    const admin = refetch(new AdminClient(options));
    expectTypeOf(() => main(event("invoice.updated"))).returns.resolves.toEqualTypeOf<Invoice | null | undefined>();
    expectTypeOf(() => main(event("educator.updated"))).returns.resolves.toEqualTypeOf<Educator | null | undefined>();
    expectTypeOf(() => main(event("order.approved"))).returns.resolves.toEqualTypeOf<Order | null | undefined>();
    expectTypeOf(() => admin(event("certificate.awarded"))).returns.resolves.toEqualTypeOf<
      Certificate | null | undefined
    >();
    // What a client cannot read is undefined at run time, and has no type that promises more.
    expectTypeOf(() => admin(event("invoice.updated"))).returns.resolves.toBeUnknown();
    expectTypeOf(() => main(event("certificate.awarded"))).returns.resolves.toBeUnknown();
  });

  it("finds on the clients every resource it names, each on its own path", async () => {
    const asked = new Set<string>();
    const options = {
      baseUrl: "https://school.example",
      apiKey: "key",
      validation: "off" as const,
      fetch: async (input: unknown) => {
        const { pathname } = new URL(input instanceof Request ? input.url : String(input));
        asked.add(pathname.replace("/api/v1/", ""));
        return Response.json({ id: 7 });
      },
    };
    const main = refetch(new MainClient(options), { windowMs: 0 });
    const admin = refetch(new AdminClient(options), { windowMs: 0 });
    for (const name of WebhookEventName.values) await Promise.all([main(event(name)), admin(event(name))]);
    expect([...asked].sort()).toEqual([
      "accounts/7",
      "catalog/products/7",
      "catalog/variants/7",
      "categories/7",
      "certificates/7",
      "course_locations/7",
      "course_variants/7",
      "courses/7",
      "educators/current",
      "enrollments/7",
      "invoices/7",
      "labels/7",
      "leads/7",
      "meeting_locations/7",
      "meetings/7",
      "orders/7",
      "payments/7",
      "planned_courses/7",
      "planning/events/7",
      "teacher_roles/7",
      "teachers/7",
      "users/7",
    ]);
  });
});
