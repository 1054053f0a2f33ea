import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const account = await client.accounts.create({
  name: "Oak Training Ltd",
  email: "office@oak.example",
  address_attributes: { address: "1 High Street", postal_code: "OX1 1AA", city: "Oxford", country: "GB" },
});
const student = await client.users.create({ first_name: "Ada", last_name: "Fox", email: "ada@oak.example" });
await client.affiliations.create({ account_id: account.id, user_id: student.id });
console.log(JSON.stringify({ account: account.id, student: student.id }));
