import { AdminClient } from "education-admin-sdk";

const admin = new AdminClient();
const names: (string | undefined)[] = [];
for await (const { name } of admin.departments.list()) names.push(name);
console.log(JSON.stringify(names));
