import { parseArgs } from "node:util";
import { MainClient } from "education-admin-sdk";
import { apply, BulkError, plan, readCsv, writeReport } from "education-admin-sdk/bulk";

const HELP = `Imports leads from a CSV file with the columns title, first_name, last_name, company_name, email, phone, label_ids.
Labels are names, separated by semicolons. A lead is known by its title and e-mail address; one that exists stays as it is.

Usage: node lead-import.ts <file>

Writes <file>.plan, which holds what is done, and <file>.report.csv with the outcome of every row. After an interruption, run
it again: it continues. A lead that a late service created twice is reported as doubled. The exit status is 1 if a row was refused or failed.`;

const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
const [file] = positionals;
if (values.help || file === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const client = new MainClient();
const to = `${file}.plan`;
// A complete plan is continued. Remove it to import another file of that name.
const { created, unchanged, refused, complete, ...report } = await apply(client, to).catch(async (error: unknown) => {
  if (!(error instanceof BulkError && error.reason === "not_a_plan")) throw error;
  await plan(client.leads, readCsv(file), { to, key: ["title", "email"], find: { label_ids: "name" }, update: false });
  return apply(client, to);
});
await writeReport(to, `${file}.report.csv`);
console.log(`${created} created, ${unchanged} unchanged, ${refused} refused, ${report.failed + report.unknown} failed`);
process.exitCode = complete ? 0 : 1;
