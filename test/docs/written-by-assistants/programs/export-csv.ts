import { MainClient } from "education-admin-sdk";
import { exportTo } from "education-admin-sdk/export";

const client = new MainClient();
await exportTo("enrollments.csv", client.enrollments.list().with({ student: true }), {
  format: "csv",
  columns: ["id", "student.email", "student.last_name"],
  resume: true,
});
