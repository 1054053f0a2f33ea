// The model's view of a record: the fields that it predicts, with amounts in whole cents.
import assert from "node:assert/strict";
import type { Invoice, Order, Payment } from "../../../src/index.js";
import type { Enrollment, PlannedCourse } from "../../../src/schemas.js";
import { centsOf } from "./amounts.ts";

export interface SeenOrder {
  id: number;
  number: number;
  status: string;
  students: number[];
  scheme: string;
  cost: string | null;
  excl: number | null;
  incl: number | null;
  variant: number;
  planned: number | null;
  account: number;
  creator: number | null;
  createdAt: string;
  updatedAt: string;
}

export interface SeenInvoice {
  id: number;
  order: number | null;
  orderNumber: number | null;
  account: number;
  status: string;
  number: number | null;
  excl: number;
  incl: number;
  open: number;
  payments: number[];
  openedAt: string | null;
  due: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SeenEnrollment {
  id: number;
  student: number;
  planned: number;
  order: number | null;
  status: string;
  start: string | null;
  end: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface SeenPayment {
  id: number;
  invoice: number;
  amount: number;
  method: number;
  status: string;
  date: string | null;
}

export interface SeenPlannedCourse {
  id: number;
  course: number;
  status: string;
  fixed: boolean;
  days: number | null;
  start: string | null;
  end: string | null;
  most: number | null;
  taken: number;
  requested: number;
}

export function seenOrder(order: Order): SeenOrder {
  const students = (order.order_items ?? []).map(({ student_id }) => student_id);
  assert.equal(order.number_of_students, students.length, "an item for every student");
  return {
    id: order.id,
    number: order.number,
    status: order.status,
    students,
    scheme: order.cost_scheme,
    cost: order.cost,
    excl: order.total_cost_excl === null ? null : centsOf(order.total_cost_excl),
    incl: order.total_cost_incl === null ? null : centsOf(order.total_cost_incl),
    variant: order.catalog_variant_id,
    planned: order.planned_course_id ?? null,
    account: order.account_id,
    creator: order.creator_id,
    createdAt: order.created_at,
    updatedAt: order.updated_at,
  };
}

export function seenInvoice(invoice: Invoice): SeenInvoice {
  const { number_int: number } = invoice;
  assert.equal(invoice.number, number === null ? null : `F${String(number).padStart(6, "0")}`, "the number as text");
  return {
    id: invoice.id,
    order: invoice.order_id,
    orderNumber: invoice.order_number,
    account: invoice.account_id,
    status: invoice.status,
    number,
    excl: centsOf(invoice.total_excl),
    incl: centsOf(invoice.total_incl),
    open: centsOf(invoice.total_open),
    payments: (invoice.payments ?? []).map(({ id }) => id),
    openedAt: invoice.opened_at,
    due: invoice.expiration_date,
    createdAt: invoice.created_at,
    updatedAt: invoice.updated_at,
  };
}

export function seenEnrollment(enrollment: Enrollment): SeenEnrollment {
  return {
    id: enrollment.id,
    student: enrollment.student_id,
    planned: enrollment.planned_course_id,
    order: enrollment.order_id,
    status: enrollment.status,
    start: enrollment.start_date,
    end: enrollment.end_date,
    createdAt: enrollment.created_at,
    updatedAt: enrollment.updated_at,
  };
}

export function seenPayment(payment: Payment): SeenPayment {
  return {
    id: payment.id,
    invoice: payment.invoice_id,
    amount: centsOf(payment.amount),
    method: payment.payment_method_id,
    status: payment.status,
    date: payment.date,
  };
}

export function seenPlannedCourse(planned: PlannedCourse): SeenPlannedCourse {
  assert.equal(planned.current_participants, planned.confirmed_active_and_completed_enrollments_count);
  return {
    id: planned.id,
    course: planned.course_id,
    status: planned.status,
    fixed: planned.type === "FixedPlannedCourse",
    days: planned.duration_in_days,
    start: planned.start_date,
    end: planned.end_date,
    most: planned.max_participants,
    taken: planned.current_participants,
    requested: planned.requested_enrollments_count,
  };
}
