import { MainClient } from "education-admin-sdk";

const [start_date_from, start_date_until] = process.argv.slice(2);
if (!start_date_from || !start_date_until) throw new Error("Name two days, yyyy-MM-dd.");
const client = new MainClient();
const starting = client.plannedCourses.list({ start_date_from, start_date_until, sort: ["start_date:asc"] });
for await (const { id, start_date } of starting) console.log(JSON.stringify({ id, start_date }));
