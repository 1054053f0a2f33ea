import { access, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import Big from "big.js";
import { SingleBar } from "cli-progress";
import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import { type Invoice, isEducationAdminError, MainClient, type Order, type Payment } from "education-admin-sdk";
import { exportTo } from "education-admin-sdk/export";

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
  "payments",
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
  const invoices = client.invoices.list({ status: ["open", "expired", "paid"] });
  await exportTo(folder("invoices.csv"), invoices, { format: "csv", columns: INVOICE_COLUMNS, resume: true });
  if (options.orders) {
    // The accounts' names come with the list: see docs/guides/fewer-requests.md.
    const orders = client.orders.list({ sort: ["created_at:asc"] }).with({ account: true });
    const columns = [...ORDER_COLUMNS, "account.name"] as const;
    await exportTo(folder("orders.csv"), orders, { format: "csv", columns, resume: true });
  }
  const rows = await readRows(folder("invoices.csv"));
  const payments = options.payments ? await paymentsOf(client, rows) : [];
  if (options.payments) {
    const written = stringify(payments, { header: true, columns: [...PAYMENT_COLUMNS] });
    await replaceFile(folder("payments.csv"), written);
  }
  await replaceFile(folder("totals.csv"), stringify(totals(rows, payments), { header: true }));
  if (options.pdf) await exportPdfs(client, rows);
  console.log(`${rows.length} invoices in ${options.out}`);
}

/** The payments of all invoices: from the invoice where the list shows them, otherwise read if something was paid. */
async function paymentsOf(client: MainClient, all: readonly Row[]): Promise<Payment[]> {
  const lists = all.map(async ({ id, payments, total_incl, total_open }): Promise<Payment[]> => {
    if (payments !== "") return JSON.parse(payments);
    if (new Big(total_incl).eq(total_open)) return [];
    return client.payments.listForInvoice(Number(id), { priority: "batch" }).toArray();
  });
  return (await Promise.all(lists)).flat();
}

async function readRows(file: string): Promise<Row[]> {
  return parse(await readFile(file, "utf8"), { columns: true });
}

interface Sum {
  readonly currency: string;
  readonly status: string;
  invoices: number;
  incl: Big;
  open: Big;
  received: Big;
}

/** @param payments of these invoices; `received` is what was paid of each sum. */
function totals(all: readonly Row[], payments: readonly Payment[]): Record<string, string>[] {
  const received = new Map<number, Big>();
  for (const { invoice_id, amount, status } of payments) {
    if (status === "paid") received.set(invoice_id, (received.get(invoice_id) ?? new Big(0)).plus(amount));
  }
  const sums = new Map<string, Sum>();
  const none = new Big(0);
  for (const { id, currency, status, total_incl, total_open } of all) {
    const key = `${currency} ${status}`;
    const sum = sums.get(key) ?? { currency, status, invoices: 0, incl: none, open: none, received: none };
    sum.invoices++;
    sum.incl = sum.incl.plus(total_incl);
    sum.open = sum.open.plus(total_open);
    sum.received = sum.received.plus(received.get(Number(id)) ?? none);
    sums.set(key, sum);
  }
  return [...sums.values()]
    .sort((one, other) => `${one.currency} ${one.status}`.localeCompare(`${other.currency} ${other.status}`))
    .map(({ incl, open, invoices, received, ...rest }) => ({
      ...rest,
      invoices: String(invoices),
      total_incl: incl.toFixed(2),
      total_open: open.toFixed(2),
      received: options.payments ? received.toFixed(2) : "",
    }));
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
