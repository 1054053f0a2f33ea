import { readFileSync } from "node:fs";
import { describe, expect, expectTypeOf, it } from "vitest";
import { systemClock } from "../../src/core/clock.js";
import {
  AdminClient,
  type AdminPlanningEvent,
  type Certificate,
  type CustomRecord,
  type Educator,
  type Invoice,
  MainClient,
  type Order,
  type User,
} from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { parseWebhook, refetch, type WebhookEvent, WebhookEventName } from "../../src/webhooks/index.js";
import { ManualClock } from "../support/manual-clock.js";
import { payloadOf, sleep } from "./support.js";

const event = <Name extends WebhookEventName>(name: Name, data: Record<string, unknown> = { id: 7 }) =>
  parseWebhook(payloadOf(name, data)) as WebhookEvent<Name>;

/** A client with numbered responses, so that a test can match each one with its request. */
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
  it("makes one request for many events about one record within the window", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 400 });
    const answers = [];
    for (let n = 0; n < 20; n++) {
      answers.push(fresh(event("invoice.updated")), fresh(event("invoice.created", { id: 8 })));
      if (n % 5 === 4) await sleep(2);
    }
    const records = await Promise.all(answers);
    // Both windows end at once, in either order.
    expect([...sent].sort()).toEqual(["invoices 7", "invoices 8"]);
    const answer = (id: number) => 1 + sent.indexOf(`invoices ${id}`);
    expect(records).toEqual(records.map((_, at) => ({ id: 7 + (at % 2), answer: answer(7 + (at % 2)) })));
  });

  it("refuses a client that cannot read any record, for which every event would resolve to undefined", () => {
    for (const client of [{}, undefined, { client: new MainClient(createSandbox()) }])
      expect(() => refetch(client as object)).toThrow("refetch: client has no resource that reads a record");
  });

  it("rejects another record than the event's, and reads it again", async () => {
    const ids = [8, 7];
    const fresh = refetch({ courses: { get: async () => ({ id: ids.shift() }) } }, { windowMs: 0 });
    await expect(fresh(event("course.updated"))).rejects.toThrow(
      "course.updated: the response contains another record",
    );
    expect(await fresh(event("course.updated"))).toEqual({ id: 7 });
  });

  it("gives every event and listener a separate record", async () => {
    const courses = { get: async () => ({ id: 7, title: "Piano", options: [{ name: "Evening" }] }) };
    const fresh = refetch({ courses }, { windowMs: 0 });
    const [first, second] = await Promise.all([fresh(event("course.updated")), fresh(event("course.updated"))]);
    const [option] = first?.options ?? [];
    if (option) option.name = "changed";
    expect(second).toEqual({ id: 7, title: "Piano", options: [{ name: "Evening" }] });
  });

  it("never returns a state older than the event, so a later event gets its own request", async () => {
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

  it("rejects for an event later than the record of a lagging read, and reads again on the retry", async () => {
    const times = ["2030-01-01T10:00:00.000Z", "2030-01-01T10:00:00.001Z"];
    const [older, newer] = times;
    const client = { courses: { get: async () => ({ id: 7, updated_at: times.shift() }) } };
    const fresh = refetch(client, { windowMs: 0 });
    const received = [event("course.updated", { id: 7, updated_at: newer }), { receivedAt: 0 }] as const;
    const [late, early, thin] = await Promise.allSettled([
      fresh(...received),
      fresh(event("course.updated", { id: 7, updated_at: older })),
      fresh(event("course.updated")),
    ]);
    expect([early, thin]).toMatchObject(Array(2).fill({ value: { updated_at: older } }));
    expect(late).toMatchObject({ reason: { name: "EducationAdminError", code: "webhook" } });
    expect(await fresh(...received)).toMatchObject({ updated_at: newer });
  });

  it("serves an event that waited its turn from a request made after its receipt", async () => {
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

  it("does not wait for a window that ended after the event was received", async () => {
    const { client, sent } = countingClient();
    const clock = new ManualClock();
    const fresh = refetch(client, { windowMs: 15_000, clock });
    void fresh(event("invoice.updated"), { receivedAt: clock.now() - 16_000 });
    await clock.advance(0);
    expect(sent).toHaveLength(1);
  });

  it("separates records of different kinds and tenants", async () => {
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

  it("distinguishes a deleted record (null) from an unreadable one (undefined), both without a request", async () => {
    const { client, sent } = countingClient();
    const fresh = refetch(client, { windowMs: 0 });
    expect(await fresh(event("invoice.deleted"))).toBeNull();
    expect(await fresh(event("certificate.deleted"))).toBeNull();
    expect(await fresh(event("order.deleted", {}))).toBeNull();
    expect(await fresh(event("certificate.awarded"))).toBeUndefined();
    expect(await fresh(event("invoice_vat.updated"))).toBeUndefined();
    expect(await fresh(event("invoice.updated", {}))).toBeUndefined();
    expect(await fresh(event("invoice.updated", { id: "no number" }))).toBeUndefined();
    expect(await fresh({ ...event("invoice.updated"), event: "toString.updated" })).toBeUndefined();
    expect(sent).toEqual([]);
    expect(await fresh(event("invoice.updated", { id: "12" }))).toMatchObject({ id: 12 });
  });

  it("reads again for an event received in the same millisecond as the last request", async () => {
    const { client, sent } = countingClient();
    const clock = { ...systemClock, now: () => 5_000 };
    const fresh = refetch(client, { windowMs: 0, clock });
    await fresh(event("invoice.updated"), { receivedAt: 4_999 });
    await fresh(event("invoice.updated"), { receivedAt: 4_999 });
    expect(sent).toHaveLength(1);
    await fresh(event("invoice.updated"), { receivedAt: 5_000 });
    expect(sent).toHaveLength(2);
  });

  it("rejects for every event of a failed request, and reads again the next time", async () => {
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

  it("reads the provider without an identifier", async () => {
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

  it("derives the record's type from the event's name and the client", () => {
    const options = { baseUrl: "http://127.0.0.1", apiKey: "key" };
    const main = refetch(new MainClient(options));
    const admin = refetch(new AdminClient(options));
    expectTypeOf(() => main(event("invoice.updated"))).returns.resolves.toEqualTypeOf<Invoice | null | undefined>();
    expectTypeOf(() => main(event("order.approved"))).returns.resolves.toEqualTypeOf<Order | null | undefined>();
    expectTypeOf(() => main(event("user.merged"))).returns.resolves.toEqualTypeOf<User | null | undefined>();
    expectTypeOf(() => main(event("custom_record.updated"))).returns.resolves.toEqualTypeOf<
      CustomRecord | null | undefined
    >();
    expectTypeOf(() => admin(event("planning_event.created"))).returns.resolves.toEqualTypeOf<
      AdminPlanningEvent | null | undefined
    >();
    expectTypeOf(() => main(event("educator.updated"))).returns.resolves.toEqualTypeOf<Educator | null | undefined>();
    expectTypeOf(() => admin(event("certificate.awarded"))).returns.resolves.toEqualTypeOf<
      Certificate | null | undefined
    >();
    // A record that this client cannot read is undefined at run time, so its type promises no fields.
    expectTypeOf(() => admin(event("invoice.updated"))).returns.resolves.toBeUnknown();
    expectTypeOf(() => main(event("certificate.awarded"))).returns.resolves.toBeUnknown();
    expectTypeOf(() => main(event("invoice_vat.updated"))).returns.resolves.toBeUnknown();
  });

  it("reads a record by its whole path if the event contains it", async () => {
    const asked: unknown[] = [];
    const get = async (path: unknown) => {
      asked.push(path);
      return {};
    };
    const fresh = refetch({ customFieldOptions: { get }, customRecords: { get } }, { windowMs: 0 });
    const option = { id: 7, object_type: "accounts", field_slug: "sector" };
    await fresh(event("custom_field_option.created", option));
    await fresh(event("custom_record.updated", { id: "8", object_slug: "room" }));
    // The same identifier in another object means another record.
    await fresh(event("custom_record.updated", { id: "8", object_slug: "desk" }), { receivedAt: 0 });
    expect(asked).toEqual([
      { option_id: 7, object_type: "accounts", field_slug: "sector" },
      { record_id: 8, object_slug: "room" },
      { record_id: 8, object_slug: "desk" },
    ]);
    expect(await fresh(event("custom_record.updated", { id: 8 }))).toBeUndefined();
    expect(await fresh(event("custom_field_option.updated", { ...option, field_slug: 5 }))).toBeUndefined();
    expect(asked).toHaveLength(3);
  });
});

describe("the reads of refetch for every event", () => {
  const { webhook_events: names, webhook_event_records: read } = JSON.parse(
    readFileSync(new URL("../contract/data/records.json", import.meta.url), "utf8"),
  ) as { webhook_events: string[]; webhook_event_records: Record<string, { operation: string } | null> };
  // Values for the parameters of every path.
  const data = { id: 1, object_type: "accounts", field_slug: "sector", object_slug: "equipment" };

  it("the library has the event names of the contract", () => {
    expect(WebhookEventName.values).toEqual(names);
    expect(Object.keys(read)).toEqual(names);
    expect(names).toHaveLength(93);
  });

  it.each(names)("%s: the operation of the contract, or none", async (name) => {
    const asked: string[] = [];
    const everything = new Proxy(
      {},
      { get: (_, resource) => ({ get: async () => asked.push(`${String(resource)}.get`) }) },
    );
    const record = await refetch(everything, { windowMs: 0 })(event(name as WebhookEventName, data));
    const { operation } = read[name] ?? {};
    expect(asked).toEqual(operation === undefined ? [] : [operation]);
    if (operation === undefined) expect(record).toBe(name.endsWith(".deleted") ? null : undefined);
  });

  const readable = names.filter((name) => read[name]);

  it.each(readable)("%s: the record of the sandbox, from each client that can read it", async (name) => {
    const sandbox = createSandbox({ size: 60 });
    const { operation = "" } = read[name] ?? {};
    // An operation has two rows if Main and Admin differ.
    const offering = allOperations.filter(({ id }) => id === operation).flatMap(({ apis }) => apis);
    expect(offering.length, `${operation} in the tables`).toBeGreaterThan(0);
    const clients = [
      ["main", new MainClient({ ...sandbox.main, validation: "strict" })],
      ["admin", new AdminClient({ ...sandbox.admin, validation: "strict" })],
    ] as const;
    for (const [api, client] of clients) {
      const before = sandbox.requests.length;
      const record = await refetch(client, { windowMs: 0 })(event(name as WebhookEventName, data));
      const asked = sandbox.requests.slice(before).map((request) => request.operation);
      const isOffered = offering.includes(api);
      expect(asked, api).toEqual(isOffered ? [operation] : []);
      if (isOffered) expect(record, api).toMatchObject({ id: 1 });
      else expect(record, api).toBeUndefined();
    }
  });
});
