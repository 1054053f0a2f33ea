import type * as sdk from "../../generated/resources.js";
import { daysAfter } from "../../work/days.js";
import type { Columns } from "../data/collection.js";
import type { Seed, Seeds, Wants } from "../data/domain.js";
import { columnsOf, nameColumn } from "../data/row-maker.js";
import { timestamps, type World } from "../data/world.js";
import { followOrder } from "../planning/participants.js";
import { invoiceVatColumns, VAT_COUNT } from "./amounts.js";
import {
  followInvoice,
  followPayment,
  invoiceColumns,
  invoiceParts,
  paymentColumns,
  paymentCount,
  paymentWants,
} from "./invoice-seed.js";
import { orderColumns, orderParts, orderWants } from "./order-seed.js";

const ORDER_EVENTS: Readonly<Record<string, string>> = { active: "approved", canceled: "canceled", denied: "denied" };

export function financeSeeds(world: World) {
  const { counts, store } = world;
  return {
    creditCategories: {
      count: CREDIT_CATEGORY_NAMES.length,
      columns: {
        ...nameColumn(CREDIT_CATEGORY_NAMES),
        types: ({ id }) => [
          { id: id * 2 - 1, name: id === 1 ? "Professional credit" : "Study point" },
          { id: id * 2, name: id === 1 ? "Half credit" : "Honours point" },
        ],
      },
    },
    credits: creditSeed(world),
    discountCodes: {
      count: DISCOUNT_CODE_COUNT,
      columns: {
        name: ({ id }) => `Campaign ${id}`,
        discount_code: ({ id }) => `SAMPLE${id * 5}`,
        discount_type: ({ id }) => (id % 2 === 0 ? "percentage" : "fixed"),
        amount: ({ id }) => id * 5,
        max_usage: ({ id }) => (id % 3 === 0 ? null : id * 10),
        usage_count: ({ id }, _, { seeded }) => (seeded ? id : 0),
        start_date: ({ id }, _, { given, day }) =>
          given.expiration_date ? daysAfter(given.expiration_date, -60) : day(id * 30 - 150),
        expiration_date: ({ start_date }) => daysAfter(start_date, 60),
      },
    },
    invoiceVats: { count: VAT_COUNT, columns: invoiceVatColumns, event: "invoice_vat", always: true },
    invoices: {
      count: counts.people,
      columns: invoiceColumns(world),
      wants: { account_id: () => ({}) },
      parts: invoiceParts(store),
      event: "invoice",
      follow: (invoice, before) => followInvoice(store, invoice, before),
    },
    orders: {
      count: counts.people,
      columns: orderColumns(world),
      wants: orderWants(world),
      parts: orderParts,
      event: "order",
      furtherEvent: ({ status }, before) => (status === before.status ? null : (ORDER_EVENTS[status] ?? null)),
      follow: (order, before) => followOrder(store, order, before),
    },
    paymentMethods: { count: PAYMENT_METHODS.length, columns: columnsOf(PAYMENT_METHODS), always: true },
    paymentOptions: { count: PAYMENT_OPTIONS.length, columns: columnsOf(PAYMENT_OPTIONS) },
    payments: {
      count: paymentCount(counts),
      columns: paymentColumns(world),
      wants: paymentWants,
      event: "payment",
      follow: (payment, before) => followPayment(store, payment, before),
    },
  } satisfies Partial<Seeds>;
}

const DISCOUNT_CODE_COUNT = 6;

const CREDIT_CATEGORY_NAMES = ["Professional credits", "Study credits"] as const;

function creditSeed({ counts, store }: World): Seed<sdk.Credit> {
  const count = Math.floor(counts.pastEnrollments / 3);
  const columns: Columns<sdk.Credit> = {
    student_id: ({ id, enrollment_id: enrollment }, _, { look }) =>
      enrollment === null ? ((id - 1) % counts.people) + 1 : look(store.enrollments, enrollment).student_id,
    credits: (_, random) => random.int(1, 6),
    description: (_, random) => (random.chance(0.5) ? "Completed course" : null),
    course_id: ({ enrollment_id: enrollment }, _, { look }) =>
      enrollment === null
        ? null
        : look(store.plannedCourses, look(store.enrollments, enrollment).planned_course_id).course_id,
    enrollment_id: ({ id }, _, { given }) =>
      given.course_id === undefined ? ((id * 3 - 1) % counts.people) + 1 : null,
    created_at: timestamps(Math.max(1, count)).created_at,
  };
  const wants: Wants<sdk.Credit> = {
    enrollment_id: (_, { student_id: student, course_id: course }) => ({
      fits: (row: sdk.Enrollment) =>
        (student === undefined || row.student_id === student) &&
        (course === undefined || store.plannedCourses.peek(row.planned_course_id)?.course_id === course),
      fields: { student_id: student },
    }),
  };
  return { count, columns, wants };
}

const PAYMENT_METHODS: readonly Omit<sdk.PaymentMethod, "id">[] = [
  { name: "Bank transfer", gateway: null, plugin_id: null },
  { name: "Online payment", gateway: "Mollie", plugin_id: 1 },
  { name: "Card", gateway: "StripeCheckout", plugin_id: 2 },
];

const PAYMENT_OPTIONS: readonly Omit<sdk.PaymentOption, "id">[] = [
  { name: "At once", available_from: 0, extra_cost: "0.00", percentage: null, multiplier: null },
  { name: "In three installments", available_from: 250, extra_cost: "15.00", percentage: null, multiplier: "3.0" },
  { name: "Deposit of 20 per cent", available_from: 100.5, extra_cost: "0.00", percentage: 20, multiplier: null },
];
