import type { CreditCategory } from "../../resources/finance/credit-categories.js";
import type { Credit } from "../../resources/finance/credits.js";
import type { DiscountCode } from "../../resources/finance/discount-codes.js";
import type { InvoiceVat } from "../../resources/finance/invoice-vats.js";
import type { Invoice, InvoiceItem } from "../../resources/finance/invoices.js";
import type { Order } from "../../resources/finance/orders.js";
import { customColumn } from "../custom/definitions.js";
import type { Columns, Identified, Making } from "../data/collection.js";
import type { Seeds } from "../data/domain.js";
import type { Random } from "../data/random.js";
import { amount, cents, day, timestamps, type World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import { plannedCourseOf } from "../planning/seed.js";
import type { FinanceStore } from "./store.js";

/** The seeds of invoices, orders, credits and discount codes. @internal */
export function financeSeeds(world: World): Seeds<FinanceStore> {
  const { counts } = world;
  return {
    creditCategories: { count: CREDIT_CATEGORY_COUNT, columns: creditCategoryColumns },
    credits: { count: creditCount(counts), columns: creditColumns(world) },
    discountCodes: { count: DISCOUNT_CODE_COUNT, columns: discountCodeColumns },
    invoiceVats: { count: VAT_COUNT, columns: invoiceVatColumns, event: "invoice_vat" },
    invoices: { count: counts.people, columns: invoiceColumns(world), event: "invoice" },
    orders: { count: counts.people, columns: orderColumns(world), event: "order" },
  };
}

const VAT_RATES = [
  { name: "VAT high", percentage: "21.0" },
  { name: "VAT low", percentage: "9.0" },
  { name: "No VAT", percentage: "0.0" },
] as const;

/** The number of seeded VAT rates. @internal */
export const VAT_COUNT = VAT_RATES.length;

/** @internal */
export const invoiceVatColumns: Columns<InvoiceVat> = {
  name: ({ percentage }) => VAT_RATES.find((rate) => rate.percentage === percentage)?.name ?? `VAT ${percentage}%`,
  percentage: ({ id }, _, { given }) => {
    if (given.has_vat === false) return "0.0";
    const rate = VAT_RATES[(id - 1) % VAT_COUNT]?.percentage ?? "21.0";
    return given.has_vat === true && rate === "0.0" ? "21.0" : rate;
  },
  has_vat: ({ percentage }) => Number(percentage) > 0,
};

// An order, its invoice and its enrollment have the same identifier.
/** The account that placed the order with this identifier; orders are distributed over all accounts. @internal */
export function accountOfOrder(orderId: number, { counts }: World): number {
  return ((orderId * 7 + 2) % counts.people) + 1;
}

/** The totals of an invoice's lines, in cents. @internal */
export function totalsOf(
  items: readonly Pick<InvoiceItem, "units" | "unit_price" | "invoice_vat_id">[],
  percentageOf: (vatId: number) => number,
): { excl: number; incl: number } {
  let excl = 0;
  let vat = 0;
  for (const item of items) {
    const line = Math.round(cents(item.unit_price) * item.units);
    excl += line;
    vat += Math.round((line * percentageOf(item.invoice_vat_id)) / 100);
  }
  return { excl, incl: excl + vat };
}

// Price including VAT of 21 percent, as a multiple of the price without.
const USUAL_VAT = 1.21;
const STATUSES = ["concept", "open", "open", "open", "expired", "paid", "paid", "paid", "paid", "concept"] as const;

/** @internal */
export function invoiceColumns(world: World): Columns<Invoice> {
  const { counts, store } = world;
  const totals = (row: Readonly<Invoice>, { look }: Making<Invoice>) =>
    totalsOf(row.invoice_items, (vatId) => Number(look(store.invoiceVats, vatId).percentage));
  const stamps = timestamps(counts.people);
  return {
    reference_id: ({ id }) => `INV-${String(id).padStart(6, "0")}`,
    number_int: ({ id, status }, _, { given }) => {
      if (typeof given.number === "string") return Number(given.number.replace(/\D/g, ""));
      return status === "concept" || given.number === null ? null : id;
    },
    order_id: ({ id }) => (id <= counts.people ? id : null),
    order_number: ({ order_id: order }, _, { look }) => (order === null ? null : look(store.orders, order).number),
    status: ({ id }, _, { given }) => statusFrom(given) ?? (STATUSES[(id * 3) % 10] as Invoice["status"]),
    expiration_date: ({ opened_at }) => (opened_at === null ? null : inTwoWeeks(opened_at)),
    opened_at: (row) => (row.status === "concept" ? null : row.created_at),
    description: () => null,
    account_name: (row, _, { look }) => look(store.accounts, row.account_id).name,
    currency: () => "EUR",
    total_incl: (row, _, making) => amount(totals(row, making).incl),
    total_excl: (row, _, making) => amount(totals(row, making).excl),
    total_open: (row, _, { given }) => {
      const paid = (given.payments ?? []).reduce((sum, payment) => sum + cents(payment.amount), 0);
      return row.status === "paid" ? "0.00" : amount(cents(row.total_incl) - paid);
    },
    pdf_url: ({ id }) => `https://www.example.org/invoices/${id}.pdf`,
    xml_url: ({ id }) => `https://www.example.org/invoices/${id}.xml`,
    number: ({ number_int }) => invoiceNumber(number_int),
    account_id: ({ id }) => accountOfOrder(id, world),
    feature: () => null,
    footnote: () => null,
    ...stamps,
    invoice_items: (row, random, { given, look }) =>
      itemsFor(given, row, (vatId) => Number(look(store.invoiceVats, vatId).percentage)) ?? items(row, random, stamps),
    invoice_set_id: () => null,
    payments: (row) =>
      row.status === "paid"
        ? [
            {
              id: row.id,
              invoice_id: row.id,
              amount: row.total_incl,
              currency: row.currency,
              payment_method_id: 1,
              status: "paid",
              gateway_id: null,
              date: row.updated_at.slice(0, 10),
            },
          ]
        : [],
  };
}

// The only status that agrees with the fields chosen for an invoice; undefined when several do.
function statusFrom({ number, number_int, opened_at, total_open }: Partial<Invoice>): Invoice["status"] | undefined {
  if (number === null || number_int === null || opened_at === null) return "concept";
  if (total_open !== undefined) return cents(total_open) === 0 ? "paid" : "open";
  return number === undefined && number_int === undefined && opened_at === undefined ? undefined : "open";
}

// One line that adds up to the chosen totals; undefined when none were chosen or no VAT rate fits them.
function itemsFor(
  { total_excl, total_incl }: Partial<Invoice>,
  row: Readonly<Invoice>,
  percentageOf: (vatId: number) => number,
): InvoiceItem[] | undefined {
  if (total_excl === undefined && total_incl === undefined) return undefined;
  const line = (vatId: number) => {
    const excl = total_excl ?? amount(cents(total_incl as string) / (1 + percentageOf(vatId) / 100));
    const item = { name: "Course fee", units: 1, unit_price: excl, invoice_vat_id: vatId, catalog_variant_id: null };
    return { id: (row.id - 1) * 3 + 1, ...item, created_at: row.created_at, updated_at: row.created_at };
  };
  const fits = (item: InvoiceItem) =>
    total_incl === undefined || totalsOf([item], percentageOf).incl === cents(total_incl);
  return VAT_RATES.map((_, at) => [line(at + 1)]).find(([item]) => item && fits(item));
}

/** An invoice's number as text; null before it is opened. @internal */
export function invoiceNumber(number: number | null): string | null {
  return number === null ? null : `F${String(number).padStart(6, "0")}`;
}

/** The expiration date of an invoice: two weeks after it was opened. @internal */
export function inTwoWeeks(openedAt: string): string {
  return new Date(Date.parse(openedAt) + 14 * 86_400_000).toISOString().slice(0, 10);
}

function items(row: Readonly<Invoice>, random: Random, stamps: ReturnType<typeof timestamps>): InvoiceItem[] {
  const count = random.int(1, 3);
  return Array.from({ length: count }, (_, at) => ({
    id: (row.id - 1) * 3 + at + 1,
    name: at === 0 ? "Course fee" : random.pick(["Course book", "Exam", "Lunch"]),
    units: at === 0 ? random.int(1, 4) : 1,
    unit_price: amount(at === 0 ? random.int(10, 120) * 1_000 : random.int(10, 90) * 100),
    invoice_vat_id: at === 0 ? 1 : random.int(1, VAT_COUNT),
    catalog_variant_id: null,
    created_at: stamps.created_at(row),
    updated_at: stamps.created_at(row),
  }));
}

/** @internal */
export function orderColumns(world: World): Columns<Order> {
  const { counts, store } = world;
  const invoice = (id: number) => store.invoices.seeded(id);
  return {
    number: ({ id }) => 1_000 + id,
    status: (_, random) => (random.chance(0.9) ? "active" : random.pick(["canceled", "denied", "requested"])),
    number_of_students: (_, random) => random.int(1, 4),
    origin: (_, random) => random.pick(["website", "manual"]),
    custom: customColumn("order"),
    customer_comment: (_, random) => (random.chance(0.1) ? "Please send the invoice by e-mail." : null),
    total_cost_excl: ({ id }, _, { given }) => {
      if (given.cost !== undefined) return given.cost;
      return given.total_cost_incl ? amount(cents(given.total_cost_incl) / USUAL_VAT) : invoice(id).total_excl;
    },
    total_cost_incl: ({ id, total_cost_excl: excl }, _, { given }) => {
      if (given.cost === undefined && given.total_cost_excl === undefined) return invoice(id).total_incl;
      return excl ? amount(cents(excl) * USUAL_VAT) : null;
    },
    cost: ({ total_cost_excl }) => total_cost_excl,
    cost_scheme: () => "student",
    // The first catalog variants are those of the planned courses, with the same identifiers.
    catalog_variant_id: ({ id }, _, { given }) => given.planned_course_id ?? plannedCourseOf(id, world),
    creator_id: ({ account_id }) => account_id,
    account_id: ({ id }) => accountOfOrder(id, world),
    planned_course_id: ({ id }, _, { given, look }) => {
      if (typeof given.catalog_variant_id !== "number") return plannedCourseOf(id, world);
      const variant = look(store.catalogVariants, given.catalog_variant_id);
      return variant.variantable_type === "PlannedCourse" ? variant.variantable_id : null;
    },
    payment_method_id: () => 1,
    payment_option_id: () => null,
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("Order", random)] : []),
    discount_code: () => null,
    total_discount: () => null,
    referral_id: () => null,
    ...timestamps(counts.people),
  };
}

/** The number of seeded discount codes. @internal */
export const DISCOUNT_CODE_COUNT = 6;

/** @internal */
export const discountCodeColumns: Columns<DiscountCode & Identified> = {
  name: ({ id }) => `Campaign ${id}`,
  discount_code: ({ id }) => `SAMPLE${id * 5}`,
  discount_type: ({ id }) => (id % 2 === 0 ? "percentage" : "fixed"),
  amount: ({ id }) => id * 5,
  max_usage: ({ id }) => (id % 3 === 0 ? null : id * 10),
  usage_count: ({ id }) => id,
  start_date: ({ id }) => day(id * 30),
  expiration_date: ({ id }) => day(id * 30 + 60),
};

const CREDIT_CATEGORY_NAMES = ["Professional credits", "Study credits"] as const;

/** The number of seeded credit categories. @internal */
export const CREDIT_CATEGORY_COUNT = CREDIT_CATEGORY_NAMES.length;

/** @internal */
export const creditCategoryColumns: Columns<CreditCategory> = {
  name: ({ id }) => CREDIT_CATEGORY_NAMES[(id - 1) % CREDIT_CATEGORY_COUNT] as string,
  types: ({ id }) => [
    { id: id * 2 - 1, name: id === 1 ? "Professional credit" : "Study point" },
    { id: id * 2, name: id === 1 ? "Half credit" : "Honours point" },
  ],
};

/** The number of seeded credits: one for every third enrollment in an ended course. @internal */
export function creditCount({ pastEnrollments }: World["counts"]): number {
  return Math.floor(pastEnrollments / 3);
}

/** @internal */
export function creditColumns({ counts, store }: World): Columns<Credit> {
  const enrollmentId = (id: number) => ((id * 3 - 1) % counts.people) + 1;
  return {
    student_id: (row, _, { look }) => look(store.enrollments, row.enrollment_id ?? 1).student_id,
    credits: (_, random) => random.int(1, 6),
    description: (_, random) => (random.chance(0.5) ? "Completed course" : null),
    course_id: (row, _, { look }) =>
      look(store.plannedCourses, look(store.enrollments, row.enrollment_id ?? 1).planned_course_id).course_id,
    enrollment_id: ({ id }) => enrollmentId(id),
    created_at: timestamps(creditCount(counts)).created_at,
  };
}
