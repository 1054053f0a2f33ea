import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SingleBar } from "cli-progress";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import {
  CheckpointError,
  type Invoice,
  isEducationAdminError,
  MainClient,
  type Order,
  type Pages,
  type Payment,
} from "education-admin-sdk";
import { openPageFile } from "./page-file.ts";

const HELP = `Exports open, expired and paid invoices to invoices.csv, their payments to payments.csv, all orders to orders.csv,
sums to totals.csv, and the invoices' PDFs to a folder.

Usage: node accounting-export.ts [options]
  --out <folder>   where to write (default: export)
  --no-orders      no orders
  --no-payments    no payments; where the list of invoices leaves them out, those of an invoice cost a request
  --no-pdf         no PDFs; each costs a request
  --help

If it is stopped, even by a power cut, the next run continues after the last whole page. A run after a finished one
exports everything again, but downloads no PDF twice. The exit status is 1 if the service refused something, for example
because the key lacks a scope; what was written until then is kept.`;

const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: "export" },
    orders: { type: "boolean", default: true },
    payments: { type: "boolean", default: true },
    pdf: { type: "boolean", default: true },
    help: { type: "boolean", default: false },
  },
  allowNegative: true,
});
if (options.help) {
  console.log(HELP);
  process.exit();
}

const INVOICE_COLUMNS = [
  "id",
  "number",
  "order_id",
  "account_name",
  "status",
  "opened_at",
  "expiration_date",
  "currency",
  "total_excl",
  "total_incl",
  "total_open",
] as const satisfies readonly (keyof Invoice)[];
const ORDER_COLUMNS = [
  "id",
  "number",
  "status",
  "account_id",
  "number_of_students",
  "total_cost_excl",
  "total_cost_incl",
  "created_at",
] as const satisfies readonly (keyof Order)[];
const PAYMENT_COLUMNS = [
  "id",
  "invoice_id",
  "amount",
  "currency",
  "status",
  "payment_method_id",
  "date",
] as const satisfies readonly (keyof Payment)[];
type Row = Record<(typeof INVOICE_COLUMNS)[number], string>;
type PaymentRow = Record<(typeof PAYMENT_COLUMNS)[number], string>;

const folder = (name: string) => join(options.out, name);
try {
  await exportAll(new MainClient({ readOnly: true }));
} catch (error) {
  if (!isEducationAdminError(error)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

async function exportAll(client: MainClient): Promise<void> {
  await mkdir(folder("pdf"), { recursive: true });
  const invoices = (resume: string | undefined) =>
    client.invoices.list({ status: ["open", "expired", "paid"] }, { resume });
  await exportList("invoices.csv", INVOICE_COLUMNS, invoices);
  const rows: Row[] = await readRows("invoices.csv");
  if (options.orders) {
    // The accounts' names come with the list: see docs/guides/fewer-requests.md.
    await exportList("orders.csv", [...ORDER_COLUMNS, "account.name"], (resume) =>
      client.orders.list({ sort: ["created_at:asc"] }, { resume }).with({ account: true }),
    );
  }
  if (options.payments) {
    // The invoices once more, 100 in a request: the service lists payments of one invoice only.
    const rowsOf = async (records: readonly Invoice[]) =>
      (await Promise.all(records.map((invoice) => paymentsOf(client, invoice)))).flat();
    await exportList("payments.csv", PAYMENT_COLUMNS, invoices, rowsOf);
  }
  const payments: PaymentRow[] = options.payments ? await readRows("payments.csv") : [];
  await replaceFile(folder("totals.csv"), stringify(totals(rows, payments), { header: true }));
  if (options.pdf) await exportPdfs(client, rows);
  console.log(`${rows.length} invoices in ${options.out}`);
}

/** @param rowsOf what is written of a page; default: its records. */
async function exportList<T>(
  name: string,
  columns: readonly string[],
  list: (resume: string | undefined) => Pages<T>,
  rowsOf: (records: readonly T[]) => Promise<readonly object[]> = async (records) => records as readonly object[],
): Promise<void> {
  const file = await openPageFile(folder(name));
  const append = async () => {
    for await (const { records, checkpoint } of list(file.resume).byPage()) {
      const header = file.size === 0;
      const rows = await rowsOf(records);
      await file.append(stringify([...rows], { header, columns: [...columns] }), checkpoint);
    }
  };
  try {
    await append();
  } catch (error) {
    if (!(error instanceof CheckpointError)) throw error;
    // The list cannot be continued, for example because its cursor has expired: it is read from the start.
    file.restart();
    await append();
  }
  await file.finish();
}

/** The invoice's payments: from its record where the list shows them, otherwise read if something was paid. */
async function paymentsOf(client: MainClient, { id, payments, total_incl, total_open }: Invoice): Promise<Payment[]> {
  if (payments) return payments;
  if (cents(total_incl) === cents(total_open)) return [];
  return client.payments.listForInvoice(id, { priority: "batch" }).toArray();
}

async function readRows<T>(name: string): Promise<T[]> {
  return parse(await readFile(folder(name), "utf8"), { columns: true });
}

/** @param payments of these invoices; `received` is what was paid of each sum. */
function totals(all: readonly Row[], payments: readonly PaymentRow[]): Record<string, string>[] {
  const received = new Map<string, bigint>();
  for (const { invoice_id, amount, status } of payments) {
    if (status === "paid") received.set(invoice_id, (received.get(invoice_id) ?? 0n) + cents(amount));
  }
  const sums = new Map<string, Sum>();
  for (const { id, currency, status, total_incl, total_open } of all) {
    const key = `${currency} ${status}`;
    const sum = sums.get(key) ?? { currency, status, invoices: 0, incl: 0n, open: 0n, received: 0n };
    sum.invoices++;
    sum.incl += cents(total_incl);
    sum.open += cents(total_open);
    sum.received += received.get(id) ?? 0n;
    sums.set(key, sum);
  }
  return [...sums.values()]
    .sort((one, other) => `${one.currency} ${one.status}`.localeCompare(`${other.currency} ${other.status}`))
    .map(({ incl, open, invoices, received, ...rest }) => ({
      ...rest,
      invoices: String(invoices),
      total_incl: amount(incl),
      total_open: amount(open),
      received: options.payments ? amount(received) : "",
    }));
}

interface Sum {
  readonly currency: string;
  readonly status: string;
  invoices: number;
  incl: bigint;
  open: bigint;
  received: bigint;
}

async function exportPdfs(client: MainClient, all: readonly Row[]): Promise<void> {
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
