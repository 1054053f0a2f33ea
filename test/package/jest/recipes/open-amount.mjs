/** What is still to be paid, in cents. */
export async function openAmount(client) {
  let cents = 0;
  for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) {
    cents += Math.round(Number(invoice.total_open) * 100);
  }
  return cents;
}
