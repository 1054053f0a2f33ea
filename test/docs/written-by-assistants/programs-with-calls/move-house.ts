import { MainClient } from "education-admin-sdk";

const client = new MainClient();
await client.users.update(7, { address_attributes: { city: "Leiden", postal_code: "2311 AA" } });
console.log(JSON.stringify((await client.users.get(7)).address));
