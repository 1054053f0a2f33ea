import type { Invoice, InvoiceItem, Payment } from "../../generated/resources.js";
import { daysAfter } from "../../work/days.js";
import { educatorCurrency } from "../catalog/seed.js";
import type { Columns, Making } from "../data/collection.js";
import { DAY_MS, shiftTime } from "../data/days.js";
import type { PartDefaults, Wants } from "../data/domain.js";
import type { Random } from "../data/random.js";
import type { Store } from "../data/store.js";
import { amount, cents, isNewest, timestamps, type World } from "../data/world.js";
import { COURSE_VAT_ID, totalsOf, VAT_COUNT } from "./amounts.js";
import { accountOfOrder, isUninvoiced, lineId, lineOf, percentagesIn } from "./order-seed.js";

const STATUSES = ["concept", "open", "open", "open", "expired", "paid", "paid", "paid", "paid", "concept"] as const;
const statusOf = (id: number) => (id % 50 === 3 ? "expired" : (STATUSES[(id * 3) % 10] as Invoice["status"]));

// The 21st of every fifty seeded invoices is open, and half of it has been paid.
const PARTLY_PAID = 21;
const PARTLY_PAID_EVERY = 50;

function isPartlyPaid(invoiceId: number): boolean {
  return invoiceId % PARTLY_PAID_EVERY === PARTLY_PAID;
}

export function invoiceColumns(world: World): Columns<Invoice> {
  const { counts, store } = world;
  const totals = (row: Readonly<Invoice>, { look }: Making<Invoice>) =>
    totalsOf(row.invoice_items, percentagesIn(world, look));
  const stamps = timestamps(counts.people, ["opened_at", "expiration_date"]);
  return {
    reference_id: ({ id }) => `INV-${String(id).padStart(6, "0")}`,
    number_int: ({ id, status }, _, { given, seeded }) => {
      if (typeof given.number === "string") return Number(given.number.replace(/\D/g, ""));
      if (status === "concept" || given.number === null) return null;
      // Open and newest seeded invoices have higher numbers than the others; inserted invoices have the highest.
      const isLate = seeded && (status === "open" || isNewest(id, counts.people));
      return isLate || id > counts.people ? counts.people + id : id;
    },
    order_id: (row, _, { seeded, look }) =>
      seeded && isOfOrder(row, look(store.orders, row.id).status) ? row.id : null,
    order_number: ({ order_id: order }, _, { look }) => (order === null ? null : look(store.orders, order).number),
    status: (row, _, making) => {
      const status = statusFrom(making) ?? statusOf(row.id);
      if (status !== "expired" || !making.seeded) return status;
      return row.created_at > making.day(-TERM_DAYS - 1) ? "open" : status;
    },
    expiration_date: ({ opened_at }) => (opened_at === null ? null : inTwoWeeks(opened_at)),
    opened_at: (row, _, { given, now, moment, seeded }) => {
      if (row.status === "concept") return null;
      if (seeded) {
        // Open seeded invoices were opened in the last few days, so that they are not overdue yet.
        const at = (7 * row.id) / counts.people;
        const isOld = row.status === "open" && !isNewest(row.id, counts.people);
        return isOld ? moment(-8 + Math.floor(at), 8, Math.floor((at % 1) * 600)) : row.created_at;
      }
      // An open invoice is still within its payment term; the term of an expired invoice has ended.
      if (given.expiration_date) return daysBefore(given.expiration_date, TERM_DAYS);
      const [day, earliest] = [daysBefore(now, Math.max(0, TERM_DAYS - row.id)), daysBefore(now, TERM_DAYS + 1)];
      if (row.status === "open") return latest(day, row.created_at);
      return row.status === "expired" && row.created_at > earliest ? earliest : row.created_at;
    },
    description: () => null,
    account_name: (row, _, { look }) => look(store.accounts, row.account_id).name,
    currency: ({ order_id }, _, making) => {
      if (order_id === null) return educatorCurrency(store, making);
      return making.look(store.catalogVariants, making.look(store.orders, order_id).catalog_variant_id).currency;
    },
    total_incl: (row, _, making) => amount(totals(row, making).incl),
    total_excl: (row, _, making) => amount(totals(row, making).excl),
    total_open: (row, _, { given, seeded }) => {
      const { payments = seeded ? row.payments : [] } = given;
      return row.status === "paid" ? "0.00" : amount(cents(row.total_incl) - sumPayments(payments ?? []));
    },
    pdf_url: ({ id }) => `https://www.example.org/invoices/${id}.pdf`,
    xml_url: ({ id }) => `https://www.example.org/invoices/${id}.xml`,
    number: ({ number_int }) => invoiceNumber(number_int),
    account_id: ({ id, order_id }, _, { look }) =>
      order_id === null ? accountOfOrder(id, world) : look(store.orders, order_id).account_id,
    feature: () => null,
    footnote: () => null,
    ...stamps,
    created_at: (row, random, making) => {
      const created = stamps.created_at(row, random, making);
      if (!making.inserted || making.given.created_at !== undefined || row.status !== "expired") return created;
      const due = daysBefore(making.now, TERM_DAYS + 1);
      return due < created ? due : created;
    },
    updated_at: (row, random, making) => {
      const isJustPaid = making.seeded && isPartlyPaid(row.id);
      return latest(stamps.updated_at(row, random, making), isJustPaid ? making.moment(-1, 16) : (row.opened_at ?? ""));
    },
    invoice_items: (row, random, making) => {
      const { given, look, seeded } = making;
      const charged = seeded || row.order_id === null ? null : look(store.orders, row.order_id);
      const sign = seeded && isCreditNote(row) ? -1 : 1;
      return (
        itemsFor(given, row, percentagesIn(world, look)) ??
        (charged
          ? [item(row, 0, { ...lineOf(charged), catalog_variant_id: charged.catalog_variant_id })]
          : items({ id: row.id, created_at: stamps.created_at(row, random, making) }, random, sign))
      );
    },
    invoice_set_id: () => null,
    payments: (row, _, { seeded }) => {
      const total = cents(row.total_incl);
      if (seeded && isPartlyPaid(row.id)) {
        return [{ ...paymentFor(row, partPaymentOf(row.id, counts)), amount: amount(Math.floor(total / 2)) }];
      }
      if (row.status !== "paid" || total === 0) return [];
      return [paymentFor(row, seeded ? paymentOf(row.id) : store.payments.nextId)];
    },
  };
}

// Half of the seeded invoices without an order are credit notes, unless they have expired.
function isCreditNote({ id, order_id }: Readonly<Invoice>): boolean {
  return order_id === null && id % 2 === 0 && statusOf(id) !== "expired";
}

type Owner = Readonly<Pick<Invoice, "id" | "created_at">>;

function item({ id, created_at }: Owner, at: number, fields: Partial<InvoiceItem>): InvoiceItem {
  const usual = { units: 1, unit_price: "0.00", invoice_vat_id: COURSE_VAT_ID, catalog_variant_id: null };
  return { id: lineId(id, at), name: "Course fee", ...usual, ...fields, created_at, updated_at: created_at };
}

function daysBefore(time: string, days: number): string {
  return shiftTime(time, -days * DAY_MS);
}

function latest(one: string, other: string): string {
  return one > other ? one : other;
}

export function invoiceParts(store: Store): PartDefaults<Invoice> {
  return {
    invoice_items: (row, at) => item(row, at, {}),
    payments: (row, at) => {
      const { id: _, amount: __, ...payment } = paymentFor(row, store.payments.nextId + at);
      return { id: store.payments.nextId + at, ...payment };
    },
  };
}

// A requested or denied order has no invoice; a canceled order keeps only an invoice that was opened.
function isOfOrder(invoice: Readonly<Invoice>, order: string): boolean {
  if (isUninvoiced(invoice.id)) return false;
  return order === "active" || (order === "canceled" && invoice.status !== "concept");
}

function sumPayments(payments: readonly Pick<Payment, "amount">[]): number {
  return payments.reduce((sum, { amount: paid }) => sum + cents(paid), 0);
}

// The only status that agrees with the chosen fields; undefined if several statuses agree.
function statusFrom({ given, now }: Pick<Making<Invoice>, "given" | "now">): Invoice["status"] | undefined {
  const { number, number_int, opened_at, expiration_date: due, total_incl, total_open, payments } = given;
  if (number === null || number_int === null || opened_at === null || due === null) return "concept";
  if (total_open !== undefined) return cents(total_open) === 0 ? "paid" : "open";
  if (payments && payments.length > 0) return sumPayments(payments) === cents(total_incl ?? "0") ? "paid" : "open";
  if (due !== undefined) return due < now.slice(0, 10) ? "expired" : "open";
  // An empty list of payments agrees with every status except `paid`; choose `open`.
  if (payments) return "open";
  return number === undefined && number_int === undefined && opened_at === undefined ? undefined : "open";
}

// One line that adds up to the chosen totals; undefined if no totals were chosen or no VAT rate fits.
function itemsFor(
  given: Partial<Invoice>,
  row: Readonly<Invoice>,
  percentageOf: (vatId: number) => string,
): InvoiceItem[] | undefined {
  const { total_excl, total_incl = total_excl === undefined ? totalFrom(given) : undefined } = given;
  if (total_excl === undefined && total_incl === undefined) return undefined;
  const line = (vatId: number) => {
    const excl = total_excl ?? amount(cents(total_incl as string) / (1 + Number(percentageOf(vatId)) / 100));
    return item(row, 0, { unit_price: excl, invoice_vat_id: vatId });
  };
  const fits = (lines: readonly InvoiceItem[]) =>
    total_incl === undefined || totalsOf(lines, percentageOf).incl === cents(total_incl);
  return Array.from({ length: VAT_COUNT }, (_, at) => [line(at + 1)]).find(fits);
}

// The total, computed from the open amount and the payments; undefined if nothing is open, because any total then fits.
function totalFrom({ total_open, payments = [] }: Partial<Invoice>): string | undefined {
  if (total_open === undefined || cents(total_open) === 0) return undefined;
  return amount(cents(total_open) + sumPayments(payments));
}

function items(row: Owner, random: Random, sign: 1 | -1): InvoiceItem[] {
  return Array.from({ length: random.int(1, 3) }, (_, at) => {
    if (at === 0) return item(row, at, { unit_price: amount(sign * random.int(10, 240) * 1_000) });
    return item(row, at, {
      name: random.pick(["Course book", "Exam", "Lunch"]),
      units: random.int(1, 4),
      unit_price: amount(sign * random.int(10, 90) * 100),
      invoice_vat_id: random.int(1, VAT_COUNT),
    });
  });
}

export function invoiceNumber(number: number | null): string | null {
  return number === null ? null : `F${String(number).padStart(6, "0")}`;
}

const TERM_DAYS = 14;

export function inTwoWeeks(openedAt: string): string {
  return daysAfter(openedAt, TERM_DAYS);
}

// The positions, from 1, of the paid invoices among every ten seeded invoices. Each paid invoice has one payment.
const PAID = Array.from({ length: 10 }, (_, at) => at + 1).filter((id) => statusOf(id) === "paid");

/** The number of seeded payments: first those of paid invoices, then those of partly paid invoices. */
export function paymentCount(counts: World["counts"]): number {
  const { people } = counts;
  return wholePaymentCount(counts) + Math.floor((people - PARTLY_PAID + PARTLY_PAID_EVERY) / PARTLY_PAID_EVERY);
}

function partPaymentOf(invoiceId: number, counts: World["counts"]): number {
  return wholePaymentCount(counts) + Math.floor(invoiceId / PARTLY_PAID_EVERY) + 1;
}

function wholePaymentCount({ people }: World["counts"]): number {
  return Math.floor(people / 10) * PAID.length + PAID.filter((place) => place <= people % 10).length;
}

function paymentOf(invoiceId: number): number {
  const place = ((invoiceId - 1) % 10) + 1;
  return Math.floor((invoiceId - 1) / 10) * PAID.length + PAID.indexOf(place) + 1;
}

function invoiceOf(paymentId: number): number {
  const at = paymentId - 1;
  return Math.floor(at / PAID.length) * 10 + (PAID[at % PAID.length] ?? 1);
}

function paymentFor(invoice: Readonly<Invoice>, id: number): Payment {
  const { id: invoice_id, total_incl: amount, currency, updated_at } = invoice;
  const date = updated_at.slice(0, 10);
  return { id, invoice_id, amount, currency, payment_method_id: 1, status: "paid", gateway_id: null, date };
}

export function paymentColumns({ counts, store }: World): Columns<Payment> {
  const count = paymentCount(counts);
  const invoice = ({ invoice_id }: Readonly<Payment>, { look }: Making<Payment>) => look(store.invoices, invoice_id);
  return {
    invoice_id: ({ id }) => {
      const place = (id - 1) % Math.max(1, count);
      const part = place - wholePaymentCount(counts);
      if (count === 0) return 1;
      return part < 0 ? invoiceOf(place + 1) : part * PARTLY_PAID_EVERY + PARTLY_PAID;
    },
    amount: (row, _, making) => {
      const { total_incl, total_open, payments = [] } = invoice(row, making);
      const [paid] = making.seeded ? payments : [];
      if (paid) return paid.amount;
      return cents(total_open) !== 0 ? total_open : total_incl;
    },
    currency: (row, _, making) => invoice(row, making).currency,
    payment_method_id: () => 1,
    status: () => "paid",
    gateway_id: () => null,
    date: (row, _, making) => invoice(row, making).updated_at.slice(0, 10),
  };
}

/** Adds the payments of an invoice that is inserted with payments, so that they can also be read separately. */
export function followInvoice({ payments }: Store, after: Invoice | undefined, before: Invoice | undefined): void {
  if (!after || before) return;
  for (const payment of after.payments ?? []) if (!payments.peek(payment.id)) payments.insert(payment);
}

export function followPayment({ invoices }: Store, after: Payment | undefined, before: Payment | undefined): void {
  const { id, invoice_id } = (after ?? before) as Payment;
  const invoice = invoices.get(invoice_id);
  if (!invoice) return;
  const { payments: listed = [] } = invoice;
  const known = listed.find((payment) => payment.id === id);
  // An invoice that is inserted with its payments already counts them.
  if (after && !before && known) return;
  const open = cents(invoice.total_open) + cents(known?.amount ?? "0") - cents(after?.amount ?? "0");
  const settled = open === 0 ? "paid" : invoice.status === "paid" ? "open" : invoice.status;
  invoices.revise(invoice_id, {
    payments: after && !known ? [...listed, after] : listed.flatMap((each) => (each.id === id ? (after ?? []) : each)),
    status: settled,
    total_open: amount(open),
  });
}

/** A new payment is for an invoice that is not a concept and has an open amount. */
export const paymentWants: Wants<Payment> = {
  invoice_id: (_, { amount: paid, currency }) => ({
    fits: ({ status, total_open, currency: of }: Invoice) =>
      status !== "concept" &&
      cents(total_open) > 0 &&
      (paid === undefined || cents(paid) <= cents(total_open)) &&
      (currency === undefined || currency === of),
    fields: { status: "open", total_incl: paid, currency },
  }),
};
