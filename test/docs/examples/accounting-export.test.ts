import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { start } from "../../support/program.ts";
import { place } from "../support/place.ts";

function cents(amount: string): bigint {
  const [, whole = "", fraction = ""] = /^(-?\d+)\.(\d\d)$/.exec(amount) ?? [];
  return BigInt(whole + fraction);
}

describe("accounting-export", () => {
  test("writes every open, expired and paid invoice, its PDF, and totals to the cent", async () => {
    const { sandbox, cwd, env, rows } = await place();
    const { code, output } = await start("examples/accounting-export/accounting-export.ts", ["--out", "out"], {
      cwd,
      env,
    }).ended;
    expect([code, output]).toEqual([0, expect.stringContaining("invoices in out")]);
    const due = sandbox.store.invoices.filter(({ status }) => status !== "concept");
    expect(
      rows("out/invoices.csv")
        .map(({ id }) => Number(id))
        .sort((a, b) => a - b),
    ).toEqual(due.map(({ id }) => id));
    const kinds = new Set(due.map(({ currency, status }) => `${currency} ${status}`));
    expect(rows("out/totals.csv").map(({ currency, status }) => `${currency} ${status}`)).toEqual([...kinds].sort());
    for (const sum of rows("out/totals.csv")) {
      const expected = due.filter(({ currency, status }) => currency === sum.currency && status === sum.status);
      expect(sum.invoices).toBe(String(expected.length));
      expect(cents(sum.total_incl ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_incl), 0n));
      expect(cents(sum.total_open ?? "")).toBe(expected.reduce((all, one) => all + cents(one.total_open), 0n));
    }
    const paid = [...sandbox.store.payments].filter(({ status }) => status === "paid");
    const written = rows("out/payments.csv").map(({ id, amount }) => `${id} ${amount}`);
    expect(written.sort()).toEqual([...sandbox.store.payments].map(({ id, amount }) => `${id} ${amount}`).sort());
    const received = rows("out/totals.csv").reduce((all, row) => all + cents(row.received ?? ""), 0n);
    expect(received).toBe(paid.reduce((all, { amount }) => all + cents(amount), 0n));
    expect(received).toBeGreaterThan(0n);
    const orders = rows("out/orders.csv");
    expect(orders).toHaveLength(sandbox.store.orders.count);
    for (const { id, total_cost_incl, ...order } of orders) {
      const { account_id, total_cost_incl: total } = sandbox.store.orders.get(Number(id)) ?? {};
      expect(order["account.name"]).toBe(sandbox.store.accounts.get(account_id ?? 0)?.name);
      expect(total_cost_incl).toBe(total ?? "");
    }
    const asked = sandbox.requests.map(({ operation }) => operation);
    expect(asked.filter((operation) => /payments|accounts\.get/.test(operation ?? ""))).toEqual([]);
    const files = readdirSync(join(cwd, "out/pdf"));
    expect(files.sort()).toEqual(due.map(({ number }) => `${number}.pdf`).sort());
    expect(
      readFileSync(join(cwd, "out/pdf", files[0] ?? ""))
        .subarray(0, 5)
        .toString(),
    ).toBe("%PDF-");
  });
});
