import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const joined = client.enrollments.list({ status: ["active"] }).with({ student: true, planned_course: true });
const enrollments: { student: string; course: number | undefined }[] = [];
for await (const { student, planned_course } of joined) {
  const names = student ? [student.first_name, student.middle_name, student.last_name] : [];
  enrollments.push({ student: names.filter((name) => name).join(" "), course: planned_course?.course_id });
}
const ids = [...new Set(enrollments.flatMap(({ course }) => course ?? []))];
const courses = await client.courses.getMany(ids);
for (const { student, course } of enrollments) {
  const name = course === undefined ? null : (courses[ids.indexOf(course)]?.name ?? null);
  console.log(JSON.stringify({ student, course: name }));
}
