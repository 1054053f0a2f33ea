import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const cents = new Map<number, bigint>();
const toCents = (amount: string): bigint => {
  const [, sign, whole = "0", part = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const value = BigInt(whole) * 100n + BigInt(part.padEnd(2, "0").slice(0, 2));
  return sign === "-" ? -value : value;
};
for await (const invoice of client.invoices.list()) {
  if (invoice.status === "concept" || invoice.status === "deleted") continue;
  cents.set(invoice.account_id, (cents.get(invoice.account_id) ?? 0n) + toCents(invoice.total_incl));
}
const top = [...cents].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0)).slice(0, 5);
console.log(
  JSON.stringify(
    top.map(([account_id, total]) => ({
      account_id,
      total: `${total / 100n}.${String(total % 100n).padStart(2, "0")}`,
    })),
  ),
);
