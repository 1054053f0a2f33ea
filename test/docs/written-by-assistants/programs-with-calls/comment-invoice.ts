import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.comments.create({
  content: "Called, will pay",
  commentable_type: "Invoice",
  commentable_id: Number(process.argv[2]),
});
console.log(JSON.stringify({ id }));
