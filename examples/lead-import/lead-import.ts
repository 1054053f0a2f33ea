import { parseArgs } from "node:util";
import { MainClient } from "education-admin-sdk";
import { readCsv, run } from "education-admin-sdk/bulk";

const HELP = `Imports leads from a CSV file with the columns title, first_name, last_name, company_name, email, phone, label_ids.
Labels are names, separated by semicolons. A lead is known by its title and e-mail address; one that exists stays as it is.

Usage: node lead-import.ts <file>

Writes <file>.report.csv with the outcome of every row, and keeps what was done in <file>.plan.<date>.<digest>. Start it as often
as you like: what was interrupted is finished first. The exit status is 1 if a row was refused or failed.`;

const { values, positionals } = parseArgs({ options: { help: { type: "boolean" } }, allowPositionals: true });
const [file] = positionals;
if (values.help || file === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 1);
}

const report = await run(new MainClient().leads, readCsv(file), {
  to: `${file}.plan`,
  report: `${file}.report.csv`,
  key: ["title", "email"],
  find: { label_ids: "name" },
  update: false,
});
for (const { created, unchanged, refused, failed, unknown } of report.earlier ? [report.earlier, report] : [report]) {
  console.log(`${created} created, ${unchanged} unchanged, ${refused} refused, ${failed + unknown} failed`);
}
process.exitCode = report.complete && report.earlier?.complete !== false ? 0 : 1;
