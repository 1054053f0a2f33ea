import { describe, expect, test } from "vitest";
import { AdminClient, type Invoice, MainClient, NotFoundError, UnprocessableEntityError } from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { eventsOf, ids } from "./support.js";

const NOW = "2030-06-01T12:00:00.000Z";

interface World {
  readonly sandbox: Sandbox;
  readonly main: MainClient;
  readonly admin: AdminClient;
  /** Creates and opens an invoice over 121.00. */
  opened(): Promise<Invoice>;
}

function world(): World {
  const sandbox = createSandbox({ size: 40, now: NOW });
  const main = new MainClient({ ...sandbox.main, validation: "strict" });
  return {
    sandbox,
    main,
    admin: new AdminClient({ ...sandbox.admin, validation: "strict" }),
    opened: async () => {
      const line = { name: "Course fee", units: 1, unit_price: "100.00", invoice_vat_id: 1 };
      const { id } = await main.invoices.create({ account_id: 3, invoice_items_attributes: [line] });
      return main.invoices.open(id);
    },
  };
}

async function refusal(call: PromiseLike<unknown>): Promise<unknown> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  return (error as UnprocessableEntityError).errors;
}

describe("payments", () => {
  test("can be read singly if they are seeded, and an invoice's list equals its field", async () => {
    const { sandbox, main } = world();
    let read = 0;
    for (const invoice of sandbox.store.invoices) {
      expect(await main.payments.listForInvoice(invoice.id).toArray({ max: 10 })).toEqual(invoice.payments);
      for (const payment of invoice.payments ?? []) {
        expect(await main.payments.get(payment.id)).toEqual(payment);
        read++;
      }
    }
    expect(read).toBe(sandbox.store.payments.count);
    expect(read).toBeGreaterThan(10);
  });

  test("of an invoice that a test inserts as paid can be read too", async () => {
    const { sandbox, main } = world();
    const [one, other] = [1, 2].map(() => sandbox.store.invoices.insert({ status: "paid" }));
    for (const invoice of [one, other]) {
      const [payment] = invoice?.payments ?? [];
      expect(payment?.amount).toBe(invoice?.total_incl);
      expect(await main.payments.get(payment?.id as number)).toEqual(payment);
    }
    expect(one?.payments?.[0]?.id).not.toBe(other?.payments?.[0]?.id);
  });

  test("reduce the open amount to the cent, and the invoice is paid at zero", async () => {
    const { sandbox, main, admin, opened } = world();
    const invoice = await opened();
    const events = eventsOf(sandbox, ["invoice.*", "payment.*"]);
    await sandbox.clock.advance(60_000);
    const first = await admin.payments.createForInvoice(invoice.id, { amount: "0.10", payment_method_id: 2 });
    expect(first).toMatchObject({
      invoice_id: invoice.id,
      amount: "0.10",
      currency: "EUR",
      status: "paid",
      date: "2030-06-01",
      payment_method: { id: 2, gateway: "Mollie" },
      plugin_data: [],
    });
    expect(await main.invoices.get(invoice.id)).toMatchObject({
      status: "open",
      total_open: "120.90",
      updated_at: "2030-06-01T12:01:00.000Z",
    });
    const last = await main.payments.createForInvoice(invoice.id, { amount: "120.9", date: "2030-05-31" });
    expect(last).toMatchObject({ amount: "120.90", date: "2030-05-31", payment_method_id: 1 });
    const paid = await main.invoices.get(invoice.id);
    expect(paid).toMatchObject({ status: "paid", total_open: "0.00", total_incl: "121.00" });
    expect(ids(paid.payments)).toEqual([first.id, last.id]);
    expect(await main.payments.listForInvoice(invoice.id).toArray({ max: 10 })).toEqual(paid.payments);
    await sandbox.webhooks.settled();
    expect(events).toEqual([
      `payment.created ${first.id}`,
      `invoice.updated ${invoice.id}`,
      `payment.created ${last.id}`,
      `invoice.updated ${invoice.id}`,
    ]);
  });

  test("reopen their amount when they are deleted, and also a paid invoice", async () => {
    const { sandbox, main, opened } = world();
    const invoice = await opened();
    const first = await main.payments.createForInvoice(invoice.id, { amount: "21.00" });
    const second = await main.payments.createForInvoice(invoice.id, { amount: "100.00" });
    const events = eventsOf(sandbox, ["invoice.*", "payment.*"]);
    expect(await main.payments.deleteForInvoice({ invoice_id: invoice.id, id: first.id })).toBeUndefined();
    const reopened = await main.invoices.get(invoice.id);
    expect(reopened).toMatchObject({ status: "open", total_open: "21.00", number: invoice.number });
    expect(ids(reopened.payments)).toEqual([second.id]);
    await expect(main.payments.get(first.id)).rejects.toBeInstanceOf(NotFoundError);
    await sandbox.webhooks.settled();
    expect(events).toEqual([`payment.deleted ${first.id}`, `invoice.updated ${invoice.id}`]);
  });

  test("are refused above the open amount, in fractions of a cent, of zero, in another currency, and on concepts", async () => {
    const { sandbox, main, opened } = world();
    const { id, total_open } = await opened();
    const pay = (amount: string) => refusal(main.payments.createForInvoice(id, { amount }));
    expect(await pay("121.01")).toEqual({ amount: ["must not exceed the open amount of 121.00"] });
    for (const amount of ["0", "0.00", "-1.00", "1.005"]) {
      expect(await pay(amount)).toEqual({ amount: ["must be more than zero, in whole cents"] });
    }
    expect(await refusal(main.payments.createForInvoice(id, { amount: "1.00", currency: "USD" }))).toEqual({
      currency: ["must be EUR, as on the invoice"],
    });
    expect(await refusal(main.payments.createForInvoice(id, { amount: "1.00", payment_method_id: 77 }))).toEqual({
      payment_method_id: ["refers to a record that does not exist"],
    });
    const concept = await main.invoices.create({ account_id: 3 });
    expect(await refusal(main.payments.createForInvoice(concept.id, { amount: "1.00" }))).toEqual({
      invoice_id: ["is a concept; it must be opened first"],
    });
    expect((await main.invoices.get(id)).total_open).toBe(total_open);
    expect(sandbox.store.payments.filter(({ invoice_id }) => invoice_id === id)).toEqual([]);
  });

  test("belong to one invoice, and are not found below another", async () => {
    const { main, opened } = world();
    const [one, other] = [await opened(), await opened()];
    const { id } = await main.payments.createForInvoice(one.id, { amount: "1.00" });
    await expect(main.payments.deleteForInvoice({ invoice_id: other.id, id })).rejects.toBeInstanceOf(NotFoundError);
    for (const call of [
      main.payments.listForInvoice(999).toArray({ max: 10 }),
      main.payments.createForInvoice(999, { amount: "1.00" }),
      main.payments.deleteForInvoice({ invoice_id: 999, id }),
    ]) {
      await expect(call).rejects.toBeInstanceOf(NotFoundError);
    }
    expect(await main.payments.get(id)).toMatchObject({ invoice_id: one.id });
  });
});

describe("amounts", () => {
  test.each([
    ["a part of a cent in the price counts with the quantity", "0.333", 1_000, "333.00", "402.93"],
    ["half a cent is rounded away from zero", "0.005", 1, "0.01", "0.01"],
    ["also below zero", "-0.005", 1, "-0.01", "-0.01"],
    ["a fraction of a unit", "33.33", 0.25, "8.33", "10.08"],
    ["a large amount keeps its cents", "12345678901.23", 1, "12345678901.23", "14938271470.49"],
  ])("%s", async (_, unit_price, units, total_excl, total_incl) => {
    const line = { name: "Course fee", units, unit_price, invoice_vat_id: 1 };
    const invoice = await world().main.invoices.create({ account_id: 3, invoice_items_attributes: [line] });
    expect(invoice).toMatchObject({ total_excl, total_incl, total_open: total_incl });
  });

  test("are in lines whose identifiers are unique across invoices, however many there are", async () => {
    const { main } = world();
    const line = { name: "Lunch", units: 1, unit_price: "1.00" };
    const many = Array.from({ length: 12 }, () => line);
    const [one, other] = [1, 2].map(() => main.invoices.create({ account_id: 3, invoice_items_attributes: many }));
    const all = [...ids((await one)?.invoice_items), ...ids((await other)?.invoice_items)];
    expect(new Set(all).size).toBe(24);
  });
});

test("have payment methods and options of the contract's types, a deposit with its percentage", async () => {
  const { main, admin } = world();
  expect((await admin.paymentMethods.list().toArray({ max: 10 })).map(({ gateway }) => gateway)).toContain(null);
  const options = await main.paymentOptions.list().toArray({ max: 10 });
  for (const { available_from, extra_cost } of options)
    expect([typeof available_from, typeof extra_cost]).toEqual(["number", "string"]);
  expect(options.filter(({ percentage }) => percentage !== null)).toHaveLength(1);
});
