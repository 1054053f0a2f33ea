import { MainClient } from "education-admin-sdk";

const [from = ""] = process.argv.slice(2);
const client = new MainClient();
for await (const invoice of client.invoices.list({ status: ["open", "expired"] })) {
  const { id, number, expiration_date: due, total_incl: total } = invoice;
  if (due !== null && due >= from) console.log(JSON.stringify({ id, number, due, total }));
}
