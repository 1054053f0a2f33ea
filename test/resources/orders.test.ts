import { describe, expect, test } from "vitest";
import { MainClient, PermissionDeniedError } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { issuesOf, wire } from "./support/wire.js";

const order = { catalog_variant_id: 3, creator_id: 7, student_ids: [7] };

describe("a new order", () => {
  test.each([
    ["left out", undefined],
    ["null", null],
    ["empty", []],
    ["one number", 7],
    ["with 0 in it", [7, 0]],
  ])("with student_ids %s is refused before anything is sent", async (_, student_ids) => {
    const { main, admin, calls } = wire();
    for (const client of [main, admin]) {
      const [issue, ...more] = await issuesOf(client.orders.create({ ...order, student_ids } as never));
      expect(more).toEqual([]);
      expect(issue?.path).toMatch(/^student_ids/);
    }
    expect(calls).toEqual([]);
  });

  test("without students is refused with the name of the missing field", async () => {
    const { main } = wire();
    expect(await issuesOf(main.orders.create({ ...order, student_ids: [] }))).toEqual([
      { path: "student_ids", message: "must name at least one student" },
    ]);
  });

  test("is sent unchanged, because the service decides about omitted fields", async () => {
    const { main, body } = wire();
    const students = [7, 9] as const;
    await main.orders.create({ ...order, student_ids: students });
    expect(JSON.parse(body() ?? "")).toEqual({ ...order, student_ids: [7, 9] });
    await main.orders.create({ ...order, cost: null, approve: true, cost_scheme: "tbd" });
    expect(JSON.parse(body() ?? "")).toEqual({ ...order, cost: null, approve: true, cost_scheme: "tbd" });
  });

  test("with a cost as a number is refused", async () => {
    const { main } = wire();
    expect((await issuesOf(main.orders.create({ ...order, cost: 450 } as never)))[0]?.path).toBe("cost");
  });
});

test("is approved, canceled and denied by PUTs without a body", async () => {
  const { main, calls } = wire();
  await main.orders.approve(7);
  await main.orders.cancel(7);
  await main.orders.deny(7);
  expect(calls.map(({ url, init, body }) => `${init.method} ${url.pathname} ${body}`)).toEqual([
    "PUT /api/v1/orders/7/approve null",
    "PUT /api/v1/orders/7/cancel null",
    "PUT /api/v1/orders/7/deny null",
  ]);
});

describe("a new payment", () => {
  test.each([
    ["as a number", 12.5],
    ["left out", undefined],
    ["with a comma", "12,50"],
  ])("with an amount %s is refused before anything is sent", async (_, amount) => {
    const { admin, calls } = wire();
    expect((await issuesOf(admin.payments.createForInvoice(3, { amount } as never)))[0]?.path).toBe("amount");
    expect(calls).toEqual([]);
  });

  test("belongs to its invoice in the path", async () => {
    const { main, calls } = wire();
    await main.payments.createForInvoice(3, { amount: "12.50", date: "2030-06-30", payment_method_id: 2 });
    await main.payments.deleteForInvoice({ invoice_id: 3, id: 4 });
    await main.payments.listForInvoice(3);
    expect(calls.map(({ url, init }) => `${init.method} ${url.pathname}${url.search}`)).toEqual([
      "POST /api/v1/invoices/3/payments",
      "DELETE /api/v1/invoices/3/payments/4",
      "GET /api/v1/invoices/3/payments",
    ]);
    expect(calls[0]?.body).toBe('{"amount":"12.50","date":"2030-06-30","payment_method_id":2}');
  });

  test("cannot be deleted with a key that may delete only other records", async () => {
    const sandbox = createSandbox({ size: 20 });
    const { baseUrl, fetch } = sandbox;
    const apiKey = sandbox.createKey({ scopes: ["payments:read", "payments:modify", "payments:destroy"] });
    const client = new MainClient({ baseUrl, fetch, apiKey });
    const error = await client.payments.deleteForInvoice({ invoice_id: 2, id: 1 }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(PermissionDeniedError);
    expect((error as Error).message).toContain("destroyable_payments:destroy");
  });
});
