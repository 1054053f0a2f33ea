import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { email } = await client.users.get(28);
await client.teachers.create({ user_id: 28 });
const teacher = await client.teachers.lookup("email").get(email);
if (!teacher) throw new Error("The new teacher is not in the list of teachers.");
const { id } = await client.teacherEnrollments.create({ planned_course_id: 1, teacher_id: teacher.id });
console.log(JSON.stringify({ teacher: teacher.id, enrollment: id }));
