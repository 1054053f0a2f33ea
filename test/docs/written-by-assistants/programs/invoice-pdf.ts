import { writeFile } from "node:fs/promises";
import { type Invoice, MainClient } from "education-admin-sdk";

const client = new MainClient();
let newest: Invoice | undefined;
for await (const invoice of client.invoices.list({ status: ["open", "expired", "paid"] })) {
  const opened = invoice.opened_at ?? "";
  const before = newest?.opened_at ?? "";
  if (!newest || opened > before || (opened === before && invoice.id > newest.id)) newest = invoice;
}
if (!newest) throw new Error("There is no invoice.");
const { data } = await client.invoices.getPdf(newest.id);
await writeFile("invoice.pdf", Buffer.from(data, "base64"));
console.log(newest.number);
