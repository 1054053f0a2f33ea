// What an application does with the service: it adds up what each account still has to pay.
import type { MainClient } from "education-admin-sdk";

/** What one account still has to pay. */
export interface Debt {
  readonly account: string;
  readonly invoices: number;
  /** In whole cents. */
  readonly cents: bigint;
}

/** Reads every open and expired invoice, page by page, and adds up the open amounts. The largest debt comes first. */
export async function openInvoices(client: MainClient): Promise<Debt[]> {
  const debts = new Map<number, Debt>();
  for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) {
    const { invoices, cents } = debts.get(invoice.account_id) ?? { invoices: 0, cents: 0n };
    debts.set(invoice.account_id, {
      account: invoice.account_name,
      invoices: invoices + 1,
      cents: cents + toCents(invoice.total_open),
    });
  }
  return [...debts.values()].sort((a, b) => Number(b.cents - a.cents));
}

/** `"-12.5"` is -1250n. A sum of JavaScript numbers would not be exact. */
export function toCents(amount: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(amount) ?? [];
  if (whole === undefined) throw new RangeError(`not an amount with at most two decimals: ${amount}`);
  const cents = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -cents : cents;
}
