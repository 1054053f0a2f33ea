import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.invoices.create({
  account_id: 1,
  footnote: null,
  invoice_items_attributes: [{ name: "First aid", units: 2, unit_price: "80.00", invoice_vat_id: 1 }],
});
const { number, total_incl } = await client.invoices.open(id);
console.log(JSON.stringify({ number, total: total_incl }));
