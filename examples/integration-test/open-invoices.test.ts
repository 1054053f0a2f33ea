// The application's own test: it needs no network and no key, and waits of minutes take no real time.
import assert from "node:assert/strict";
import { test } from "node:test";
import Big from "big.js";
import { MainClient, PermissionDeniedError } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import { openInvoices } from "./open-invoices.ts";

test("reads every page although the service is busy once and fails once", async () => {
  const sandbox = createSandbox({ seed: 7, size: 600, skipWaits: true });
  sandbox.faults.next({ operation: "invoices.list", retryAfter: 287 });
  sandbox.faults.next({ operation: "invoices.list", status: 503 });
  const started = performance.now();

  const debts = await openInvoices(new MainClient(sandbox));

  const open = sandbox.store.invoices.filter(({ status }) => status === "open" || status === "expired");
  assert.equal(
    debts.reduce((sum, debt) => sum.plus(debt.amount), new Big(0)).toFixed(2),
    open.reduce((sum, invoice) => sum.plus(invoice.total_open), new Big(0)).toFixed(2),
  );
  assert.equal(
    debts.reduce((sum, debt) => sum + debt.invoices, 0),
    open.length,
  );
  assert.deepEqual(
    sandbox.requests.map(({ status }) => status),
    [429, 503, 200, 200, 200],
  );
  const waited = (sandbox.requests[1]?.at ?? 0) - (sandbox.requests[0]?.at ?? 0);
  assert.ok(waited >= 287_000, "waits as long as Retry-After says");
  assert.ok(performance.now() - started < waited, "on the sandbox's clock, not on the machine's");
});

test("a paid invoice is not a debt", async () => {
  const sandbox = createSandbox({ size: "small" });
  for (const { id } of sandbox.store.invoices)
    sandbox.store.invoices.update(id, { status: "paid", total_open: "0.00" });
  sandbox.store.invoices.update(3, { status: "expired", total_open: "0.10" });
  sandbox.store.invoices.insert({
    status: "open",
    total_open: "0.20",
    account_id: sandbox.store.invoices.get(3)?.account_id ?? 1,
  });

  const debts = await openInvoices(new MainClient(sandbox));

  assert.deepEqual(
    debts.map(({ invoices, amount }) => [invoices, amount.toFixed(2)]),
    [[2, "0.30"]],
  );
});

test("a payment lowers the debt, and the last one ends it", async () => {
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient(sandbox);
  for (const { id } of sandbox.store.invoices)
    sandbox.store.invoices.update(id, { status: "paid", total_open: "0.00" });
  const { id } = sandbox.store.invoices.insert({ status: "open", total_incl: "100.00", total_open: "100.00" });

  await client.payments.createForInvoice(id, { amount: "99.90", payment_method_id: 1 });
  assert.deepEqual(
    (await openInvoices(client)).map(({ amount }) => amount.toFixed(2)),
    ["0.10"],
  );
  await client.payments.createForInvoice(id, { amount: "0.10", payment_method_id: 1 });
  assert.deepEqual(await openInvoices(client), []);
});

test("a key without the scope is refused", async () => {
  const sandbox = createSandbox({ size: "small" });
  const client = new MainClient({ ...sandbox, apiKey: sandbox.createKey({ scopes: ["relations:read"] }) });

  await assert.rejects(openInvoices(client), PermissionDeniedError);
});
