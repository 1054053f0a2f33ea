import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const ids: number[] = [];
const products = client.catalogProducts.list({ published: "published", category_id: 1, sort: ["position:asc"] });
for await (const { id } of products) ids.push(id);
console.log(JSON.stringify(ids));
