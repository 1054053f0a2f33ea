import { MainClient } from "education-admin-sdk";
import { readCsv, run } from "education-admin-sdk/bulk";

const client = new MainClient();
const { created } = await run(client.users, readCsv("students.csv"), {
  to: "students.plan",
  key: "email",
  columns: { email: "E-mail", first_name: "First name", last_name: "Last name" },
});
console.log(JSON.stringify({ created }));
