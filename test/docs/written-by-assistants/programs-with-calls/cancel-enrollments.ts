import { MainClient } from "education-admin-sdk";

const planned_course_id = Number(process.argv[2]);
const client = new MainClient();
// Read before anything is changed: a list that loses records while it is read could skip some.
const enrollments: number[] = [];
for await (const { id } of client.enrollments.list({ planned_course_id, status: ["confirmed", "active"] })) {
  enrollments.push(id);
}
const canceled: number[] = [];
for (const id of enrollments) canceled.push((await client.enrollments.cancel(id)).id);
console.log(JSON.stringify({ canceled }));
