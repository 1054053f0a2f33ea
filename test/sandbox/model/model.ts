// A second implementation of the rules of orders, invoices and payments, in plain objects and whole cents. It shares no
// code with the sandbox, so a disagreement reveals a mistake in one of them.
import { divide, thousandthsOf } from "./amounts.ts";
import type { SeenEnrollment, SeenInvoice, SeenOrder, SeenPayment, SeenPlannedCourse } from "./seen.ts";

/** The result of an operation: a value, or the status and the field of its refusal. */
export type Outcome<T> = { readonly ok: T } | { readonly refused: number; readonly field: string | null };

export interface Variant {
  readonly id: number;
  readonly planned: number | null;
  readonly scheme: string;
  readonly cost: string | null;
}

export interface NewOrder {
  readonly variant: number;
  readonly creator: number;
  readonly students: readonly number[];
  readonly account?: number | undefined;
  readonly cost?: string | null | undefined;
  readonly scheme?: string | undefined;
  readonly approve?: boolean | undefined;
}

/** A line of an invoice: quantities in quarters of a unit, prices in thousandths. */
export interface Line {
  readonly quarters: number;
  readonly thousandths: number;
  readonly vat: number;
}

/** The records with which the model begins. They are read from the sandbox, so they include the seeded ones. */
export interface Start {
  readonly now: number;
  readonly orders: readonly SeenOrder[];
  readonly invoices: readonly SeenInvoice[];
  readonly enrollments: readonly SeenEnrollment[];
  readonly payments: readonly SeenPayment[];
  readonly plannedCourses: readonly SeenPlannedCourse[];
  readonly variants: readonly Variant[];
  /** The personal account of each user, by the user's identifier. */
  readonly personalAccounts: ReadonlyMap<number, number>;
  readonly accounts: number;
  readonly users: number;
  /** The percentages of the VAT rates, by identifier. */
  readonly vatRates: ReadonlyMap<number, number>;
}

const DAY = 86_400_000;
const COURSE_VAT = 1;

export class Model {
  readonly orders: Map<number, SeenOrder>;
  readonly invoices: Map<number, SeenInvoice>;
  readonly enrollments: Map<number, SeenEnrollment>;
  readonly payments: Map<number, SeenPayment>;
  readonly plannedCourses: Map<number, SeenPlannedCourse>;
  readonly variants: ReadonlyMap<number, Variant>;
  readonly users: number;
  /** The events that the last operation caused, such as `order.created 7`. */
  events: string[] = [];
  now: number;
  readonly #personalAccounts: Map<number, number>;
  readonly #vatRates: ReadonlyMap<number, number>;
  readonly #last: Record<"accounts" | "orders" | "invoices" | "enrollments" | "payments" | "number", number>;

  constructor(start: Start) {
    const byId = <T extends { id: number }>(records: readonly T[]) =>
      new Map(records.map((record) => [record.id, structuredClone(record)]));
    this.now = start.now;
    this.users = start.users;
    this.orders = byId(start.orders);
    this.invoices = byId(start.invoices);
    this.enrollments = byId(start.enrollments);
    this.payments = byId(start.payments);
    this.plannedCourses = byId(start.plannedCourses);
    this.variants = byId(start.variants);
    this.#personalAccounts = new Map(start.personalAccounts);
    this.#vatRates = start.vatRates;
    this.#last = {
      accounts: start.accounts,
      orders: start.orders.length,
      invoices: start.invoices.length,
      enrollments: start.enrollments.length,
      payments: start.payments.length,
      number: Math.max(...start.invoices.map(({ number }) => number ?? 0)),
    };
  }

  get time(): string {
    return new Date(this.now).toISOString();
  }

  createOrder(wanted: NewOrder): Outcome<SeenOrder> {
    const variant = this.variants.get(wanted.variant);
    if (!variant) return refusal("catalog_variant_id");
    if (wanted.students.some((id) => id > this.users)) return refusal("student_ids");
    const planned = variant.planned === null ? undefined : this.plannedCourses.get(variant.planned);
    if (wanted.approve && planned && !fits(planned, wanted.students.length)) return refusal("catalog_variant_id");
    const scheme = wanted.scheme ?? variant.scheme;
    const isCharged = scheme === "student" || scheme === "order";
    const cost = isCharged ? (wanted.cost ?? variant.cost) : null;
    if (isCharged && cost === null) return refusal("cost");
    const account = wanted.account ?? this.#personalAccount(wanted.creator);
    const totals = this.#orderTotals(scheme, cost, wanted.students.length);
    const id = ++this.#last.orders;
    const order: SeenOrder = {
      id,
      number: 1000 + id,
      status: "requested",
      students: [...wanted.students],
      scheme,
      cost,
      excl: totals?.excl ?? null,
      incl: totals?.incl ?? null,
      variant: variant.id,
      planned: variant.planned,
      account,
      creator: wanted.creator,
      createdAt: this.time,
      updatedAt: this.time,
    };
    this.orders.set(id, order);
    if (planned) planned.requested += order.students.length;
    this.events.push(`order.created ${id}`);
    if (wanted.approve) this.#activate(order);
    return { ok: order };
  }

  approveOrder(id: number): Outcome<SeenOrder> {
    const order = this.orders.get(id);
    if (!order) return MISSING;
    if (order.status === "active") return { ok: order };
    if (order.status !== "requested") return refusal("status");
    const planned = this.plannedCourses.get(order.planned ?? 0);
    if (planned && !fits(planned, order.students.length)) return refusal("catalog_variant_id");
    this.#activate(order);
    return { ok: order };
  }

  cancelOrder(id: number): Outcome<SeenOrder> {
    const order = this.orders.get(id);
    if (!order) return MISSING;
    if (order.status === "canceled") return { ok: order };
    if (order.status === "denied") return refusal("status");
    this.#leaveRequested(order);
    this.#setOrder(order, "canceled", "canceled");
    for (const enrollment of this.enrollments.values()) {
      if (enrollment.order !== id || enrollment.status === "canceled") continue;
      this.#leave(enrollment);
      this.#markCanceled(enrollment);
    }
    for (const invoice of [...this.invoices.values()]) {
      if (invoice.order !== id || invoice.status !== "concept") continue;
      this.invoices.delete(invoice.id);
      this.events.push(`invoice.deleted ${invoice.id}`);
    }
    return { ok: order };
  }

  denyOrder(id: number): Outcome<undefined> {
    const order = this.orders.get(id);
    if (!order) return MISSING;
    if (order.status !== "requested") return refusal("status");
    this.#leaveRequested(order);
    this.#setOrder(order, "denied", "denied");
    return { ok: undefined };
  }

  createInvoice(account: number, lines: readonly Line[]): Outcome<SeenInvoice> {
    return { ok: this.#addInvoice(account, lines, null) };
  }

  openInvoice(id: number): Outcome<SeenInvoice> {
    const invoice = this.invoices.get(id);
    if (!invoice) return MISSING;
    if (invoice.status !== "concept") return { ok: invoice };
    invoice.status = "open";
    invoice.number = ++this.#last.number;
    invoice.openedAt = this.time;
    invoice.due = new Date(this.now + 14 * DAY).toISOString().slice(0, 10);
    this.#touch(invoice);
    return { ok: invoice };
  }

  /** @param thousandths the amount in thousandths, so that tests can use fractions of a cent. */
  pay(invoiceId: number, thousandths: number, method: number): Outcome<SeenPayment> {
    const invoice = this.invoices.get(invoiceId);
    if (!invoice) return MISSING;
    if (invoice.status === "concept") return refusal("invoice_id");
    // A payment on a credit note is a refund, so its amount is negative.
    const sign = invoice.incl < 0 ? -1 : 1;
    if (thousandths * sign <= 0 || thousandths % 10 !== 0) return refusal("amount");
    if ((thousandths / 10) * sign > invoice.open * sign) return refusal("amount");
    const id = ++this.#last.payments;
    const amount = thousandths / 10;
    const payment = { id, invoice: invoiceId, amount, method, status: "paid", date: this.time.slice(0, 10) };
    this.payments.set(id, payment);
    this.events.push(`payment.created ${id}`);
    invoice.payments.push(id);
    invoice.open -= amount;
    if (invoice.open === 0) invoice.status = "paid";
    this.#touch(invoice);
    return { ok: payment };
  }

  deletePayment(invoiceId: number, id: number): Outcome<undefined> {
    const invoice = this.invoices.get(invoiceId);
    const payment = this.payments.get(id);
    if (!invoice || payment?.invoice !== invoiceId) return MISSING;
    this.payments.delete(id);
    this.events.push(`payment.deleted ${id}`);
    invoice.payments = invoice.payments.filter((other) => other !== id);
    invoice.open += payment.amount;
    if (invoice.status === "paid") invoice.status = "open";
    this.#touch(invoice);
    return { ok: undefined };
  }

  cancelEnrollment(id: number): Outcome<SeenEnrollment> {
    const enrollment = this.enrollments.get(id);
    if (!enrollment) return MISSING;
    // A second cancellation also counts as a change, but only the first frees the place.
    if (enrollment.status !== "canceled") this.#leave(enrollment);
    this.#markCanceled(enrollment);
    return { ok: enrollment };
  }

  get<T>(records: ReadonlyMap<number, T>, id: number): Outcome<T> {
    const record = records.get(id);
    return record ? { ok: record } : MISSING;
  }

  #activate(order: SeenOrder): void {
    this.#leaveRequested(order);
    this.#setOrder(order, "active", "approved");
    const planned = this.plannedCourses.get(order.planned ?? 0);
    if (planned) for (const student of order.students) this.#enroll(order, planned, student);
    if (order.scheme !== "student" && order.scheme !== "order") return;
    const quarters = order.scheme === "student" ? 4 * order.students.length : 4;
    this.#addInvoice(order.account, [{ quarters, thousandths: thousandthsOf(order.cost), vat: COURSE_VAT }], order);
  }

  #enroll(order: SeenOrder, planned: SeenPlannedCourse, student: number): void {
    const id = ++this.#last.enrollments;
    const today = this.time.slice(0, 10);
    const last = planned.days === null ? null : new Date(Date.parse(today) + planned.days * DAY);
    this.enrollments.set(id, {
      id,
      student,
      planned: planned.id,
      order: order.id,
      status: planned.status === "planned" ? "confirmed" : planned.status,
      start: planned.fixed ? planned.start : today,
      end: planned.fixed ? planned.end : (last?.toISOString().slice(0, 10) ?? null),
      createdAt: this.time,
      updatedAt: this.time,
    });
    planned.taken++;
    this.events.push(`enrollment.created ${id}`);
  }

  #addInvoice(account: number, lines: readonly Line[], order: SeenOrder | null): SeenInvoice {
    const id = ++this.#last.invoices;
    const { excl, incl } = this.#totals(lines);
    const invoice: SeenInvoice = {
      id,
      order: order?.id ?? null,
      orderNumber: order?.number ?? null,
      account,
      status: "concept",
      number: null,
      excl,
      incl,
      open: incl,
      payments: [],
      openedAt: null,
      due: null,
      createdAt: this.time,
      updatedAt: this.time,
    };
    this.invoices.set(id, invoice);
    this.events.push(`invoice.created ${id}`);
    return invoice;
  }

  #leave({ planned }: SeenEnrollment): void {
    const course = this.plannedCourses.get(planned);
    if (course) course.taken--;
  }

  #markCanceled(enrollment: SeenEnrollment): void {
    enrollment.status = "canceled";
    enrollment.updatedAt = this.#timeAfter(enrollment.updatedAt);
    this.events.push(`enrollment.updated ${enrollment.id}`);
  }

  #leaveRequested({ status, planned, students }: SeenOrder): void {
    const course = this.plannedCourses.get(planned ?? 0);
    if (course && status === "requested") course.requested -= students.length;
  }

  // If no time has passed since the last change, the new time is 1 ms later.
  #timeAfter(before: string): string {
    return before < this.time ? this.time : new Date(Date.parse(before) + 1).toISOString();
  }

  #setOrder(order: SeenOrder, status: string, event: string): void {
    order.status = status;
    order.updatedAt = this.#timeAfter(order.updatedAt);
    this.events.push(`order.updated ${order.id}`, `order.${event} ${order.id}`);
  }

  #touch(invoice: SeenInvoice): void {
    invoice.updatedAt = this.#timeAfter(invoice.updatedAt);
    this.events.push(`invoice.updated ${invoice.id}`);
  }

  #personalAccount(user: number): number {
    const known = this.#personalAccounts.get(user);
    if (known !== undefined) return known;
    const id = ++this.#last.accounts;
    this.#personalAccounts.set(user, id);
    this.events.push(`account.created ${id}`);
    return id;
  }

  #orderTotals(scheme: string, cost: string | null, students: number): { excl: number; incl: number } | null {
    if (scheme === "tbd") return null;
    const quarters = scheme === "student" ? 4 * students : 4;
    return this.#totals([{ quarters, thousandths: thousandthsOf(cost), vat: COURSE_VAT }]);
  }

  #totals(lines: readonly Line[]): { excl: number; incl: number } {
    let excl = 0;
    let incl = 0;
    for (const { quarters, thousandths, vat } of lines) {
      const line = divide(quarters * thousandths, 40);
      excl += line;
      incl += line + divide(line * (this.#vatRates.get(vat) ?? 0), 100);
    }
    return { excl, incl };
  }
}

const MISSING = { refused: 404, field: null } as const;

function refusal(field: string): { refused: number; field: string } {
  return { refused: 422, field };
}

function fits({ status, most, taken }: SeenPlannedCourse, students: number): boolean {
  return status !== "canceled" && (most === null || taken + students <= most);
}
