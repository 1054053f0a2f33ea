import { readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { InputError, isEducationAdminError, type LeadCreate, MainClient } from "education-admin-sdk";

const HELP = `Imports leads from a CSV file with the columns title, first_name, last_name, company_name, email, phone, labels.
A lead whose e-mail address belongs to a user is linked to that user. Labels are names, separated by semicolons; a row with
a label that does not exist is refused.

Usage: node lead-import.ts <file> [options]
  --report <file>  default: <file>.report.csv
  --help

A lead is identified by its title and email address. Leads that exist already are skipped, so the same file may be
imported again. For each row the report says: created, skipped, refused, or unknown if the response was lost; in that
case, run it again. The exit status is 1 if any row was refused or is unknown.`;

const { values: options, positionals } = parseArgs({
  options: { report: { type: "string" }, help: { type: "boolean", default: false } },
  allowPositionals: true,
});
const [file] = positionals;
if (options.help || file === undefined) {
  console.log(HELP);
  process.exit(options.help ? 0 : 1);
}

type Row = Partial<
  Record<"title" | "first_name" | "last_name" | "company_name" | "email" | "phone" | "labels", string>
>;

interface Line {
  readonly row: number;
  readonly title: string;
  readonly email: string;
  readonly result: "created" | "skipped" | "refused" | "unknown";
  readonly id: number | "";
  readonly reason: string;
}

const client = new MainClient();
const rows: Row[] = await readRows(file);

// Each list is read once, however many rows there are. Addresses may differ in case, so the users are kept by hand.
const known = new Map<string, number>();
const users = new Map<string, number>();
// Leads of which the service did not say whether it created them.
const unclear = new Set<string>();
const labels = client.labels.lookup("name", { query: { model_type: "Lead" } });
const report: Line[] = [];
try {
  for await (const { id, title, email } of client.leads.list()) known.set(keyOf(title ?? "", email ?? ""), id);
  for await (const { id, email } of client.users.list()) users.set(email.trim().toLowerCase(), id);
} catch (error) {
  if (!isEducationAdminError(error)) throw error;
  console.error(`Nothing was imported: ${error.message}`);
  process.exit(1);
}
// One after the other, so that two rows about the same person cannot both be created.
for (const [index, row] of rows.entries()) report.push(await importRow(row, index + 2));

await writeFile(options.report ?? `${file}.report.csv`, stringify(report, { header: true }));
const counts = { created: 0, skipped: 0, refused: 0, unknown: 0 };
for (const { result } of report) counts[result]++;
console.log(
  Object.entries(counts)
    .map(([what, count]) => `${count} ${what}`)
    .join(", "),
);
process.exitCode = counts.refused + counts.unknown > 0 ? 1 : 0;

async function readRows(path: string): Promise<Row[]> {
  try {
    return parse(await readFile(path, "utf8"), { columns: true, skip_empty_lines: true, trim: true, bom: true });
  } catch (error) {
    console.error(`Nothing was imported from ${path}: ${error instanceof Error ? error.message : String(error)}`);
    process.exit(1);
  }
}

async function importRow(row: Row, number: number): Promise<Line> {
  const { title = "", email = "" } = row;
  const key = keyOf(title, email);
  const line = { row: number, title, email };
  const existing = known.get(key);
  if (existing !== undefined) return { ...line, result: "skipped", id: existing, reason: "exists already" };
  if (unclear.has(key)) return { ...line, result: "unknown", id: "", reason: "an earlier row of this lead is unknown" };
  if (title === "" || email === "") return { ...line, result: "refused", id: "", reason: "title or email is missing" };
  try {
    const names = (row.labels ?? "").split(";").flatMap((name) => name.trim() || []);
    const found = await labels.getMany(names);
    const missing = names.filter((_, at) => !found[at]);
    if (missing.length > 0) return { ...line, result: "refused", id: "", reason: `no label ${missing.join(", ")}` };
    const label_ids = found.flatMap((label) => label?.id ?? []);
    const user_id = users.get(email.toLowerCase()) ?? null;
    const { id } = await client.leads.create({ ...leadOf(row, title), label_ids, user_id });
    known.set(key, id);
    return { ...line, result: "created", id, reason: "" };
  } catch (error) {
    if (!isEducationAdminError(error)) throw error;
    // The service may have processed the write: it is not sent again, and the next run looks for the lead.
    if (error.outcome === "unknown") unclear.add(key);
    const reason =
      error instanceof InputError
        ? error.issues.map(({ path, message }) => `${path} ${message}`).join("; ")
        : error.message;
    return { ...line, result: unclear.has(key) ? "unknown" : "refused", id: "", reason };
  }
}

function leadOf({ first_name, last_name, company_name, email, phone }: Row, title: string): LeadCreate {
  return {
    title,
    first_name: first_name || null,
    last_name: last_name || null,
    company_name: company_name || null,
    email: email || null,
    phone: phone || null,
    status: "prospect",
    quality: null,
  };
}

function keyOf(title: string, email: string): string {
  return `${title.trim().toLowerCase()}\n${email.trim().toLowerCase()}`;
}
