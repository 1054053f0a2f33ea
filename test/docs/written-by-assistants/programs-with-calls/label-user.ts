import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.labels.create({ name: "VIP", color: "#ff0000", model_type: "User" });
const { label_ids } = await client.users.get(8);
await client.users.update(8, { label_ids: [...label_ids, id] });
console.log(JSON.stringify({ label: id }));
