import { MainClient } from "education-admin-sdk";

const [planned_course_id = 0, meeting_id = 0] = process.argv.slice(2).map(Number);
const client = new MainClient();
let marked = 0;
for await (const { id } of client.enrollments.list({ planned_course_id, status: ["active", "completed"] })) {
  await client.attendances.set({ meeting_id, enrollment_id: id, state: "attended" });
  marked += 1;
}
console.log(JSON.stringify({ marked }));
