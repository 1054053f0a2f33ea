/** The amount still to be paid in one currency, in cents. */
export async function openAmount(client, currency = "EUR") {
  let cents = 0;
  for await (const { currency: of, total_open: open } of client.invoices.list({ status: ["open", "expired"] })) {
    if (of !== currency) continue;
    if (!/^-?\d+\.\d\d$/.test(open)) throw new RangeError("an amount is not in whole cents");
    cents += Number(open.replace(".", "")); // never a float
  }
  return cents;
}
