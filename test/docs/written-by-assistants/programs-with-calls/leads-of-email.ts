import { MainClient } from "education-admin-sdk";

const [email = ""] = process.argv.slice(2);
const client = new MainClient();
for await (const { id, status } of client.leads.list({ email })) console.log(JSON.stringify({ id, status }));
