// Carries out one act in a process that a test kills: node act-worker.ts <address> <marks> <act> <id>
import { MainClient } from "education-admin-sdk";
import { credit, enroll, markAttendance, recordPayment, reschedule } from "education-admin-sdk/acts";

const [baseUrl = "", marks = "", act = "", id = "0"] = process.argv.slice(2);
const client = new MainClient({ baseUrl, apiKey: "key", rateLimit: false, timeout: 1_000, retry: { limit: 0 } });
const options = { marks, settleMs: 300 };
if (act === "pay")
  await recordPayment(client, Number(id), { amount: "12.50", date: "2030-06-30", reference: "transfer 1" }, options);
else if (act === "enroll")
  await enroll(client, { plannedCourse: Number(id), account: 1, people: [900_901, 900_902] }, options);
else if (act === "credit") await credit(client, Number(id), {}, options);
else if (act === "attend") await markAttendance(client, Number(id), { absent: [900_901], others: "attended" });
else {
  const { complete } = await reschedule(client, Number(id), { by: { weeks: 1 }, allowConflicts: true }, options);
  if (!complete) process.exitCode = 3;
}
