import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { createWebhookHandler } from "../../src/webhooks/index.js";
import { main, small } from "./support.js";

const NOW = "2030-06-01T12:00:00.000Z";
const later = (ms: number) => new Date(Date.parse(NOW) + ms).toISOString();

describe("updated_at", () => {
  test("becomes the sandbox's time on a write in the store, and 1 ms more on each further one", () => {
    const { store } = small();
    const seeded = store.leads.get(1);
    expect(seeded?.updated_at).not.toBe(NOW);
    expect(store.leads.update(1, { status: "won" })?.updated_at).toBe(NOW);
    expect(store.leads.update(1, { status: "lost" })?.updated_at).toBe(later(1));
    expect(store.leads.update(1, {})?.updated_at).toBe(later(2));
    expect(store.leads.get(1)?.created_at).toBe(seeded?.created_at);
  });

  test("becomes later than writes in the store on a write through the APIs", async () => {
    const sandbox = small();
    const client = main(sandbox);
    const { id } = await client.accounts.create({ name: "A" });
    expect(sandbox.store.accounts.get(id)?.updated_at).toBe(NOW);
    expect((await client.accounts.update(id, { name: "B" })).updated_at).toBe(later(1));
    sandbox.store.accounts.update(id, { name: "C" });
    expect((await client.accounts.update(id, { name: "B" })).updated_at).toBe(later(3));
    await sandbox.clock.advance(1_000);
    expect((await client.accounts.update(id, { name: "C" })).updated_at).toBe(later(1_000));
  });

  test("also changes in operations other than a plain update", async () => {
    const sandbox = small();
    const { invoices, enrollments } = sandbox.store;
    const invoice = invoices.insert({ status: "concept" });
    const opened = await main(sandbox).invoices.open(invoice.id);
    expect(opened).toMatchObject({ status: "open", updated_at: later(1) });
    const enrollment = enrollments.insert({ status: "active" });
    expect(await main(sandbox).enrollments.cancel(enrollment.id)).toMatchObject({ updated_at: later(1) });
  });

  test("keeps a value that the caller sets", () => {
    const { store } = small();
    expect(store.leads.update(1, { updated_at: "2020-01-01T00:00:00.000Z" })?.updated_at).toBe(
      "2020-01-01T00:00:00.000Z",
    );
    expect(store.leads.update(1, { updated_at: NOW })?.updated_at).toBe(NOW);
    expect(store.leads.update(1, { updated_at: NOW })?.updated_at).toBe(NOW);
  });

  test("is not added to a record without it, and data that changes a seeded record leaves it unchanged", () => {
    const plain = createSandbox({ size: 5, now: NOW });
    const payment = plain.store.payments.update(1, { amount: "1.00" });
    expect(payment).not.toHaveProperty("updated_at");
    const sandbox = createSandbox({ size: 5, now: NOW, data: { accounts: [{ id: 1, name: "Example Ltd" }] } });
    expect(sandbox.store.accounts.get(1)?.updated_at).toBe(plain.store.accounts.get(1)?.updated_at);
  });

  test("makes a receiver treat a status that returns as a change, not as a copy", async () => {
    const sandbox = small();
    const seen: unknown[] = [];
    const handler = createWebhookHandler({
      signature: { secrets: "s3cret" },
      clock: sandbox.clock,
      onEvent: ({ event_data }) => void seen.push(event_data.status ?? event_data.name),
    });
    const events = ["lead.updated", "account.updated"] as const;
    sandbox.webhooks.subscribe({ to: handler, secrets: "s3cret", events, data: "record" });
    for (const status of ["won", "lost", "won"]) sandbox.store.leads.update(1, { status });
    for (const name of ["A", "B", "A"]) await main(sandbox).accounts.update(1, { name });
    await sandbox.webhooks.settled();
    await expect.poll(() => seen).toEqual(["won", "lost", "won", "A", "B", "A"]);
  });
});

describe("an inserted record", () => {
  test("is created at the sandbox's time, in every collection", async () => {
    const sandbox = createSandbox({ size: 12, now: NOW });
    const { organization: _, ...collections } = sandbox.store;
    let dated = 0;
    for (const [name, collection] of Object.entries(collections)) {
      if (name === "educators") continue;
      const record: object = collection.insert({} as never);
      for (const field of ["created_at", "updated_at"]) {
        if (!(field in record)) continue;
        expect([name, field, record[field as never]]).toEqual([name, field, NOW]);
        dated++;
      }
    }
    expect(dated).toBeGreaterThan(50);
    await sandbox.clock.advance(60_000);
    expect(sandbox.store.orders.insert()).toMatchObject({ created_at: later(60_000), updated_at: later(60_000) });
  });

  test("keeps the caller's dates, and is not created after them", () => {
    const { orders, invoices } = small().store;
    const past = "2029-01-01T00:00:00.000Z";
    expect(orders.insert({ created_at: past })).toMatchObject({ created_at: past, updated_at: NOW });
    expect(orders.insert({ updated_at: past })).toMatchObject({ created_at: past, updated_at: past });
    expect(orders.insert({ created_at: later(9) })).toMatchObject({ created_at: later(9), updated_at: later(9) });
    expect(invoices.insert({ status: "open", opened_at: past })).toMatchObject({ created_at: past, updated_at: NOW });
    const expired = invoices.insert({ status: "expired" });
    expect(expired.created_at <= (expired.opened_at ?? ""), JSON.stringify(expired)).toBe(true);
    expect((expired.expiration_date ?? "") < NOW, JSON.stringify(expired)).toBe(true);
  });

  test("is the same on all days of a week if it is seeded, in data or a draft", () => {
    const at = (now: string) => {
      const { store, make } = createSandbox({ size: 5, now, data: { accounts: [{ name: "Example Ltd" }] } });
      return [store.orders.get(1), store.accounts.at(5), store.orders.draft(), make.account({ name: "x" })];
    };
    expect(at("2031-01-05T22:59:59.999Z")).toEqual(at("2030-12-29T23:00:00.000Z"));
  });
});
