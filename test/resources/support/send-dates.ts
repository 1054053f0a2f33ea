// Runs in a separate process with its own time zone: sends the moments from its argument as Dates, and prints the
// requests.
import { MainClient } from "education-admin-sdk";

const moments = (JSON.parse(process.argv[2] ?? "[]") as number[]).map((moment) => new Date(moment));
const bodies: string[] = [];
const client = new MainClient({
  baseUrl: "https://school.example",
  apiKey: "key",
  validation: "off",
  fetch: async (_, init) => {
    bodies.push(String(init.body));
    return Response.json({});
  },
});
const sent: unknown[] = [];
for (const moment of moments) {
  await client.meetings.update(1, { start_date_time: moment });
  await client.enrollments.update(1, { end_date: moment });
  const [meeting = "", enrollment = ""] = bodies.splice(0);
  sent.push([JSON.parse(meeting).start_date_time, JSON.parse(enrollment).end_date]);
}
console.log(JSON.stringify({ sent, offset: moments[0]?.getTimezoneOffset() }));
