// What an application does with the service: what is still to be paid, by account.
import type { MainClient } from "education-admin-sdk";

/** What one account still has to pay. */
export interface Debt {
  readonly account: string;
  readonly invoices: number;
  /** In cents, so that adding up loses nothing. */
  readonly cents: number;
}

/** Reads every open and expired invoice, page by page, and adds up what is open; the largest debt first. */
export async function openInvoices(client: MainClient): Promise<Debt[]> {
  const debts = new Map<number, Debt>();
  for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) {
    const { invoices, cents } = debts.get(invoice.account_id) ?? { invoices: 0, cents: 0 };
    debts.set(invoice.account_id, {
      account: invoice.account_name,
      invoices: invoices + 1,
      cents: cents + Math.round(Number(invoice.total_open) * 100),
    });
  }
  return [...debts.values()].sort((a, b) => b.cents - a.cents);
}
