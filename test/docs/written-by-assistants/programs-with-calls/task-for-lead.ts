import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.tasks.create({
  name: "Call back",
  subject_type: "Lead",
  subject_id: 3,
  due_date: "2030-07-01",
  assignee_id: 1,
});
console.log(JSON.stringify({ id }));
