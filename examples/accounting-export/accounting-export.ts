import { access, appendFile, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { CheckpointError, type Invoice, MainClient } from "education-admin-sdk";

const HELP = `Exports open, expired and paid invoices: invoices.csv, totals.csv and a folder of PDFs.

Usage: node accounting-export.ts [options]
  --out <folder>   where to write (default: export)
  --no-pdf         no PDFs; each costs a request
  --help

Stopped half way, it goes on where it was. Started again, it exports anew, but fetches no PDF twice.`;

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "export" },
    pdf: { type: "boolean", default: true },
    help: { type: "boolean", default: false },
  },
  allowNegative: true,
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

const COLUMNS = [
  "id",
  "number",
  "account_name",
  "status",
  "opened_at",
  "expiration_date",
  "currency",
  "total_excl",
  "total_incl",
  "total_open",
] as const satisfies readonly (keyof Invoice)[];
type Row = Record<(typeof COLUMNS)[number], string>;

const client = new MainClient();
const folder = (name: string) => join(options.out, name);
await mkdir(folder("pdf"), { recursive: true });
await exportInvoices();
const rows = await readRows(folder("invoices.csv"));
await writeFile(folder("totals.csv"), stringify(totals(rows), { header: true }));
if (options.pdf) await exportPdfs(rows);
console.log(`${rows.length} invoices in ${options.out}`);

async function exportInvoices(): Promise<void> {
  const resume = await readFile(folder("checkpoint"), "utf8").catch(() => undefined);
  if (resume === undefined) await startFile();
  try {
    await appendPages(resume);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    // The cursor has expired: what was exported of this list is given up.
    await startFile();
    await appendPages(undefined);
  }
  // A page that was written right before the process was killed is there twice.
  const unique = new Map((await readRows(folder("invoices.part.csv"))).map((row) => [row.id, row]));
  await writeFile(
    folder("invoices.part.csv"),
    stringify([...unique.values()], { header: true, columns: [...COLUMNS] }),
  );
  await rename(folder("invoices.part.csv"), folder("invoices.csv"));
  await rm(folder("checkpoint"), { force: true });
}

async function startFile(): Promise<void> {
  await writeFile(folder("invoices.part.csv"), stringify([[...COLUMNS]]));
}

async function appendPages(resume: string | undefined): Promise<void> {
  const invoices = client.invoices.list({ status: ["open", "expired", "paid"] }, { resume });
  for await (const { records, checkpoint } of invoices.byPage()) {
    await appendFile(folder("invoices.part.csv"), stringify([...records], { columns: [...COLUMNS] }));
    // After the rows: what is marked as done is done.
    await writeFile(folder("checkpoint"), checkpoint);
  }
}

async function readRows(file: string): Promise<Row[]> {
  return parse(await readFile(file, "utf8"), { columns: true });
}

function totals(all: readonly Row[]): Record<string, string>[] {
  const sums = new Map<string, { currency: string; status: string; invoices: number; incl: bigint; open: bigint }>();
  for (const { currency, status, total_incl, total_open } of all) {
    const key = `${currency} ${status}`;
    const sum = sums.get(key) ?? { currency, status, invoices: 0, incl: 0n, open: 0n };
    sum.invoices++;
    sum.incl += cents(total_incl);
    sum.open += cents(total_open);
    sums.set(key, sum);
  }
  return [...sums.values()]
    .sort((one, other) => `${one.currency} ${one.status}`.localeCompare(`${other.currency} ${other.status}`))
    .map(({ incl, open, invoices, ...rest }) => ({
      ...rest,
      invoices: String(invoices),
      total_incl: amount(incl),
      total_open: amount(open),
    }));
}

async function exportPdfs(all: readonly Row[]): Promise<void> {
  const bar = new SingleBar({ format: "PDFs {bar} {value}/{total}", noTTYOutput: true, notTTYSchedule: 60_000 });
  bar.start(all.length, 0);
  // Handed out together: the client sends as many at once as the budget allows.
  await Promise.all(
    all.map(async ({ id, number }) => {
      const file = folder(`pdf/${number || `invoice-${id}`}.pdf`);
      const exists = await access(file).then(
        () => true,
        () => false,
      );
      if (!exists) {
        const { data } = await client.invoices.getPdf(Number(id), { priority: "batch" });
        // Under its name only once it is whole.
        await writeFile(`${file}.part`, Buffer.from(data, "base64"));
        await rename(`${file}.part`, file);
      }
      bar.increment();
    }),
  );
  bar.stop();
}

function cents(text: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`no amount with at most two decimals: ${text}`);
  const value = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -value : value;
}

function amount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
