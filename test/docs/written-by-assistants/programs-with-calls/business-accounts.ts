import { MainClient } from "education-admin-sdk";

const [search = ""] = process.argv.slice(2);
const client = new MainClient();
for (const { id, name } of await client.accounts.list({ account_type: "business", search }).toArray({ max: 10 })) {
  console.log(JSON.stringify({ id, name }));
}
