import { DatabaseSync } from "node:sqlite";
import { MainClient } from "education-admin-sdk";
import { rateLimitStore } from "education-admin-sdk/stores/sqlite";

const client = new MainClient({ rateLimit: { store: rateLimitStore(new DatabaseSync("limits.db")) } });
let leads = 0;
for await (const _ of client.leads.list()) leads += 1;
console.log(leads);
