// An application of the service: it sums the amount that each account still has to pay.
import Big from "big.js";
import type { MainClient } from "education-admin-sdk";

/** The amount that one account still has to pay. */
export interface Debt {
  readonly account: string;
  readonly invoices: number;
  /** Exact, unlike a sum of JavaScript numbers. */
  readonly amount: Big;
}

/** Reads every open and expired invoice, page by page, and sums the open amounts. The largest debt comes first. */
export async function openInvoices(client: MainClient): Promise<Debt[]> {
  const debts = new Map<number, Debt>();
  for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) {
    const { invoices, amount } = debts.get(invoice.account_id) ?? { invoices: 0, amount: new Big(0) };
    debts.set(invoice.account_id, {
      account: invoice.account_name,
      invoices: invoices + 1,
      amount: amount.plus(invoice.total_open),
    });
  }
  return [...debts.values()].sort((a, b) => b.amount.cmp(a.amount));
}
