// Rules that must hold for every record of the sandbox at any time. They share no code with the sandbox or the model.
import assert from "node:assert/strict";
import type { Store } from "../../../src/sandbox/index.js";
import { centsOf } from "./amounts.ts";

type Records<Name extends keyof Store> = Store[Name] extends { at(index: number): infer T }
  ? readonly Exclude<T, undefined>[]
  : never;

// The current records, each read once.
interface World {
  readonly store: Store;
  readonly orders: Records<"orders">;
  readonly invoices: Records<"invoices">;
  readonly enrollments: Records<"enrollments">;
  readonly payments: Records<"payments">;
}

/** @throws AssertionError naming the first inconsistency. */
export function checkWorld(store: Store): void {
  const world = {
    store,
    orders: [...store.orders],
    invoices: [...store.invoices],
    enrollments: [...store.enrollments],
    payments: [...store.payments],
  };
  checkInvoices(world);
  checkOrders(world);
  checkPlannedCourses(world);
  for (const payment of world.payments) {
    const invoice = world.invoices.find(({ id }) => id === payment.invoice_id);
    assert.ok(invoice, `the invoice of payment ${payment.id}`);
    assert.equal(payment.currency, invoice.currency);
    assert.ok(centsOf(payment.amount) > 0 === centsOf(invoice.total_incl) > 0, `payment ${payment.id} is of something`);
    assert.ok(store.paymentMethods.get(payment.payment_method_id), `the method of payment ${payment.id}`);
  }
  for (const enrollment of world.enrollments) {
    assert.ok(store.users.get(enrollment.student_id), `the student of enrollment ${enrollment.id}`);
    assert.ok(store.plannedCourses.get(enrollment.planned_course_id), `the course of enrollment ${enrollment.id}`);
    if (enrollment.order_id !== null) assert.ok(store.orders.get(enrollment.order_id));
  }
}

function checkInvoices({ store, invoices, orders, payments }: World): void {
  const vat = new Map([...store.invoiceVats].map(({ id, percentage }) => [id, Math.round(Number(percentage) * 10)]));
  for (const invoice of invoices) {
    const { id, status } = invoice;
    let excl = 0n;
    let incl = 0n;
    for (const { unit_price, units, invoice_vat_id, catalog_variant_id } of invoice.invoice_items) {
      const rate = vat.get(invoice_vat_id);
      assert.ok(rate !== undefined, `the VAT rate of a line of invoice ${id}`);
      if (catalog_variant_id !== null) assert.ok(store.catalogVariants.get(catalog_variant_id));
      // A price in thousandths times units in thousandths is in millionths.
      const line = halfUp(thousandths(unit_price) * BigInt(Math.round(units * 1_000)), 10_000n);
      excl += line;
      incl += line + halfUp(line * BigInt(rate), 1_000n);
    }
    const paid = (invoice.payments ?? []).reduce((sum, payment) => sum + centsOf(payment.amount), 0);
    assert.equal(BigInt(centsOf(invoice.total_excl)), excl, `the total without VAT of invoice ${id}`);
    assert.equal(BigInt(centsOf(invoice.total_incl)), incl, `the total with VAT of invoice ${id}`);
    assert.equal(centsOf(invoice.total_open), Number(incl) - paid, `what is open of invoice ${id}`);
    assert.deepEqual(
      payments.filter(({ invoice_id }) => invoice_id === id),
      invoice.payments,
      `the payments of invoice ${id}`,
    );
    if (status === "paid") assert.equal(invoice.total_open, "0.00", `nothing is open of invoice ${id}, which is paid`);
    else if (paid > 0) assert.notEqual(invoice.total_open, "0.00", `invoice ${id} is not paid, so something is open`);
    assert.equal(invoice.number_int === null, status === "concept", `invoice ${id} has a number once it is opened`);
    assert.equal(invoice.opened_at === null, status === "concept", `invoice ${id} has a time once it is opened`);
    const account = store.accounts.get(invoice.account_id);
    assert.equal(invoice.account_name, account?.name, `the account of invoice ${id}`);
    const order = orders.find((candidate) => candidate.id === invoice.order_id);
    assert.equal(order?.id ?? null, invoice.order_id, `the order of invoice ${id}`);
    assert.equal(order?.number ?? null, invoice.order_number, `the order number of invoice ${id}`);
    if (order) assert.equal(invoice.total_incl, order.total_cost_incl, `invoice ${id} charges what its order costs`);
  }
  isUnique(
    "numbers of invoices",
    invoices.flatMap(({ number_int }) => number_int ?? []),
  );
  const opened = invoices.filter(({ opened_at }) => opened_at !== null && opened_at >= "2030");
  const inTime = opened.toSorted((one, other) => (one.number_int ?? 0) - (other.number_int ?? 0));
  for (const [at, { opened_at }] of inTime.entries()) {
    const before = inTime[at - 1]?.opened_at ?? "";
    assert.ok(before <= (opened_at ?? ""), "numbers of invoices rise with the time of opening");
  }
  isUnique(
    "references of invoices",
    invoices.map(({ reference_id }) => reference_id),
  );
  isUnique(
    "identifiers of lines",
    invoices.flatMap(({ invoice_items }) => invoice_items.map(({ id }) => id)),
  );
}

function checkOrders(world: World): void {
  const { store, orders } = world;
  isUnique(
    "identifiers of order items",
    orders.flatMap(({ order_items = [] }) => order_items.map(({ id }) => id)),
  );
  for (const [at, order] of orders.entries()) {
    const { id, status } = order;
    assert.ok(order.number > (orders[at - 1]?.number ?? 0), "numbers of orders rise");
    assert.ok(store.accounts.get(order.account_id), `the account of order ${id}`);
    assert.ok(order.creator_id !== null && store.users.get(order.creator_id), `the creator of order ${id}`);
    const variant = store.catalogVariants.get(order.catalog_variant_id);
    const planned = variant?.variantable_type === "PlannedCourse" ? variant.variantable_id : null;
    assert.equal(order.planned_course_id, planned, `the planned course of order ${id}`);
    const students = (order.order_items ?? []).map(({ student_id, order_id }) => {
      assert.equal(order_id, id);
      assert.ok(store.users.get(student_id), `a student of order ${id}`);
      return student_id;
    });
    const enrolled = world.enrollments.filter(({ order_id }) => order_id === id);
    const invoices = world.invoices.filter(({ order_id }) => order_id === id);
    const led = status === "active" || (status === "canceled" && enrolled.length > 0);
    assert.deepEqual(
      enrolled.map(({ student_id }) => student_id),
      led && planned !== null ? students : [],
      `the enrollments of order ${id}`,
    );
    if (status === "canceled") {
      assert.ok(
        enrolled.every((each) => each.status === "canceled"),
        `the enrollments of order ${id} are canceled`,
      );
      assert.ok(
        invoices.every((each) => each.status !== "concept"),
        `order ${id} has no concept invoice`,
      );
    }
    const charged = status === "active" && order.cost !== null ? 1 : 0;
    if (status !== "canceled") assert.equal(invoices.length, charged, `the invoices of order ${id}`);
  }
}

function checkPlannedCourses({ store, orders, enrollments }: World): void {
  for (const { id, ...planned } of store.plannedCourses) {
    const taken = enrollments.filter((row) => row.planned_course_id === id && row.status !== "canceled").length;
    assert.equal(planned.current_participants, taken, `the participants of planned course ${id}`);
    const { max_participants: most } = planned;
    assert.ok(most === null || taken <= most, `planned course ${id} has no more participants than places`);
    assert.equal(planned.available_places, most === null || taken < most, `whether planned course ${id} has places`);
    const waiting = orders.filter((row) => row.planned_course_id === id && row.status === "requested");
    const requested = waiting.reduce((sum, { number_of_students }) => sum + number_of_students, 0);
    assert.equal(planned.requested_enrollments_count, requested, `the requests of planned course ${id}`);
  }
}

function isUnique(what: string, values: readonly unknown[]): void {
  assert.equal(new Set(values).size, values.length, `${what} are unique`);
}

function thousandths(price: string): bigint {
  const [, sign, whole, fraction = ""] = /^(-?)(\d+)(?:\.(\d{1,3}))?$/.exec(price) ?? assert.fail(price);
  const size = BigInt(`${whole}${fraction.padEnd(3, "0")}`);
  return sign === "-" ? -size : size;
}

function halfUp(value: bigint, by: bigint): bigint {
  const size = ((value < 0n ? -value : value) * 2n + by) / (by * 2n);
  return value < 0n ? -size : size;
}
