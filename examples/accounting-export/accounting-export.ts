import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Big from "big.js";
import { SingleBar } from "cli-progress";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { type Invoice, MainClient } from "education-admin-sdk";
import { exportTo } from "education-admin-sdk/export";

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
const invoices = client.invoices.list({ status: ["open", "expired", "paid"] });
await exportTo(folder("invoices.csv"), invoices, { format: "csv", columns: COLUMNS, resume: true });
const rows = await readRows(folder("invoices.csv"));
await replaceFile(folder("totals.csv"), stringify(totals(rows), { header: true }));
if (options.pdf) await exportPdfs(rows);
console.log(`${rows.length} invoices in ${options.out}`);

async function readRows(file: string): Promise<Row[]> {
  return parse(await readFile(file, "utf8"), { columns: true });
}

function totals(all: readonly Row[]): Record<string, string>[] {
  const sums = new Map<string, { currency: string; status: string; invoices: number; incl: Big; open: Big }>();
  for (const { currency, status, total_incl, total_open } of all) {
    const key = `${currency} ${status}`;
    const sum = sums.get(key) ?? { currency, status, invoices: 0, incl: new Big(0), open: new Big(0) };
    sum.invoices++;
    sum.incl = sum.incl.plus(total_incl);
    sum.open = sum.open.plus(total_open);
    sums.set(key, sum);
  }
  return [...sums.values()]
    .sort((one, other) => `${one.currency} ${one.status}`.localeCompare(`${other.currency} ${other.status}`))
    .map(({ incl, open, invoices, ...rest }) => ({
      ...rest,
      invoices: String(invoices),
      total_incl: incl.toFixed(2),
      total_open: open.toFixed(2),
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
