// Runs rows in a separate process that a test kills: node run-worker.ts <address> <rows.csv> <plan> <report.csv>
import { MainClient } from "education-admin-sdk";
import { readCsv, run } from "education-admin-sdk/bulk";

const [baseUrl = "", rows = "", to = "", report = ""] = process.argv.slice(2);
const client = new MainClient({
  baseUrl,
  apiKey: "key",
  rateLimit: false,
  timeout: 2_000,
  retry: { limit: 2, backoffLimit: 20 },
});
const columns = { email: "E-mail", first_name: "Naam", last_name: "Achternaam" } as const;
const done = await run(client.users, readCsv(rows), {
  to,
  report,
  key: "email",
  columns,
  missing: { where: "email contains new-", do: "update", set: { middle_name: "gone" } },
  settleMs: 50,
  stopAfter: 1_000,
});
process.stdout.write(JSON.stringify(done));
