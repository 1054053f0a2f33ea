import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { CheckpointError, type Invoice, MainClient } from "education-admin-sdk";
import { openPageFile, type PageFile } from "./page-file.ts";

const HELP = `Exports open, expired and paid invoices to invoices.csv, totals.csv and a folder of PDFs.

Usage: node accounting-export.ts [options]
  --out <folder>   where to write (default: export)
  --no-pdf         no PDFs; each costs a request
  --help

If it is stopped, even by a power cut, the next run continues after the last whole page. A run after a finished one
exports everything again, but downloads no PDF twice.`;

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
await replaceFile(folder("totals.csv"), stringify(totals(rows), { header: true }));
if (options.pdf) await exportPdfs(rows);
console.log(`${rows.length} invoices in ${options.out}`);

async function exportInvoices(): Promise<void> {
  const file = await openPageFile(folder("invoices.csv"));
  try {
    await appendPages(file);
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    // The list cannot be continued, for example because its cursor has expired: it is read from the start.
    file.restart();
    await appendPages(file);
  }
  await file.finish();
}

async function appendPages(file: PageFile): Promise<void> {
  const invoices = client.invoices.list({ status: ["open", "expired", "paid"] }, { resume: file.resume });
  for await (const { records, checkpoint } of invoices.byPage()) {
    const header = file.size === 0;
    await file.append(stringify([...records], { header, columns: [...COLUMNS] }), checkpoint);
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
  // All calls are made at once; the client sends as many at a time as the rate limit allows.
  await Promise.all(
    all.map(async ({ id, number }) => {
      // Encoded, because an invoice number may contain a slash.
      const file = folder(`pdf/${encodeURIComponent(number) || `invoice-${id}`}.pdf`);
      const exists = await access(file).then(
        () => true,
        () => false,
      );
      if (!exists) {
        const { data } = await client.invoices.getPdf(Number(id), { priority: "batch" });
        await replaceFile(file, Buffer.from(data, "base64"));
      }
      bar.increment();
    }),
  );
  bar.stop();
}

/** Writes a file that has its name only once it is complete. */
async function replaceFile(path: string, content: string | Buffer): Promise<void> {
  await writeFile(`${path}.part`, content, { flush: true });
  await rename(`${path}.part`, path);
}

function cents(text: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,2})0*)?$/.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`not an amount with at most two decimals: ${text}`);
  const value = BigInt(whole) * 100n + BigInt(fraction.padEnd(2, "0"));
  return sign === "-" ? -value : value;
}

function amount(value: bigint): string {
  const digits = String(value < 0n ? -value : value).padStart(3, "0");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
