import type { AdminCatalogVariant, Order, OrderCreate, PlannedCourse } from "../../generated/resources.js";
import { daysAfter } from "../../work/days.js";
import { hasPrice, type Price, priceAfter } from "../catalog/offers.js";
import { where } from "../data/domain.js";
import type { Given } from "../data/given.js";
import type { Store } from "../data/store.js";
import { amount } from "../data/world.js";
import type { Behavior, Inquiry } from "../engine/behavior.js";
import { plain } from "../engine/plain.js";
import { unprocessable } from "../engine/refusal.js";
import { personalAccount } from "../people/seed.js";
import { totalsOf } from "./amounts.js";
import { newInvoice } from "./invoice-behaviors.js";
import { lineOf } from "./order-seed.js";

/** An order for a program edition has an invoice but no enrollments. */
export function orders(store: Store): Behavior<"orders"> {
  const { orders: records } = store;
  // rule: a requested order takes up no places; an approved order enrolls its students in the planned course, takes up
  // their places and gets a concept invoice, unless it is `free` or `tbd`.
  // rule: an order for a canceled planned course, or for one with too few places left, cannot be approved (422);
  // approving an active order again changes nothing.
  const approve = (order: Order, inquiry: Inquiry): Order | undefined => {
    const planned = plannedCourseOf(order.planned_course_id, store);
    checkPlaces(planned, order.number_of_students);
    records.update(order.id, { status: "active" });
    if (planned) enroll(order, planned, store, inquiry);
    charge(order, store, inquiry);
    return records.get(order.id);
  };
  return {
    filters: {
      created_at_after: (time: string) => (row) => (row.created_at ?? "") > time,
      course_id: (ids: readonly string[]) => (row) => {
        const planned = plannedCourseOf(row.planned_course_id, store);
        return planned !== undefined && ids.includes(String(planned.course_id));
      },
    },
    create: (body) => newOrder(body, store),
    operations: {
      create: (inquiry) => {
        const order = plain(inquiry) as Order;
        return inquiry.body.approve === true ? approve(order, inquiry) : order;
      },
      approve: (inquiry, one) => {
        const order = one();
        if (order.status === "active") return order;
        refuseUnless(["requested"], order, "approved");
        return approve(order, inquiry);
      },
      // rule: canceling an order cancels its enrollments and deletes its concept invoice; an invoice that was opened
      // stays. Canceling it again changes nothing.
      cancel: (_, one) => {
        const order = one();
        if (order.status === "canceled") return order;
        refuseUnless(["requested", "active"], order, "canceled");
        records.update(order.id, { status: "canceled" });
        withdraw(order, store);
        return records.get(order.id);
      },
      // rule: only a requested order can be denied.
      deny: (_, one) => {
        const order = one();
        refuseUnless(["requested"], order, "denied");
        records.update(order.id, { status: "denied" });
      },
    },
  };
}

function refuseUnless(statuses: readonly string[], { status }: Order, action: string): void {
  if (!statuses.includes(status)) throw unprocessable("status", `is ${status}, so the order cannot be ${action}`);
}

function plannedCourseOf(id: number | null | undefined, { plannedCourses }: Store): PlannedCourse | undefined {
  return typeof id === "number" ? plannedCourses.get(id) : undefined;
}

function checkPlaces(planned: PlannedCourse | undefined, wanted: number): void {
  if (!planned) return;
  if (planned.status === "canceled") throw unprocessable("catalog_variant_id", "belongs to a canceled planned course");
  const { max_participants: most, current_participants: taken } = planned;
  if (most !== null && most - taken < wanted) {
    throw unprocessable(
      "catalog_variant_id",
      `has too few places left: ${Math.max(0, most - taken)} of the ${wanted} needed`,
    );
  }
}

function newOrder(body: OrderCreate, store: Store): Given<Order> {
  const { student_ids: students } = body;
  const variant = store.catalogVariants.get(body.catalog_variant_id) as AdminCatalogVariant;
  const planned_course_id = variant.variantable_type === "PlannedCourse" ? variant.variantable_id : null;
  if (body.planned_course_id !== undefined && body.planned_course_id !== planned_course_id) {
    throw unprocessable("planned_course_id", "is not the planned course of catalog_variant_id");
  }
  // Checks the places before the order is created: a refused request must leave nothing behind.
  if (body.approve === true) checkPlaces(plannedCourseOf(planned_course_id, store), students.length);
  const price = priceOf(body, variant);
  return {
    number: 1_000 + store.orders.nextId,
    status: "requested",
    number_of_students: students.length,
    origin: "api",
    ...price,
    ...totalsFor({ ...price, number_of_students: students.length }, store),
    // Evaluated last: it may create an account, which a refused request must not do.
    account_id: body.account_id ?? personalAccountOf(body.creator_id, store),
    planned_course_id,
    order_items: students.map((student_id) => ({ student_id })),
  };
}

// The price of an order. Missing fields come from the catalog; an order that is not charged has no cost.
function priceOf({ cost, cost_scheme }: OrderCreate, variant: AdminCatalogVariant): Price {
  const price = priceAfter(variant, { cost: cost ?? undefined, cost_scheme });
  return hasPrice(price.cost_scheme) ? price : { ...price, cost: null };
}

function totalsFor(order: Price & Pick<Order, "number_of_students">, store: Store) {
  if (order.cost_scheme === "tbd") return { total_cost_excl: null, total_cost_incl: null };
  const { excl, incl } = totalsOf([lineOf(order)], (vatId) => store.invoiceVats.peek(vatId)?.percentage ?? "0");
  return { total_cost_excl: amount(excl), total_cost_incl: amount(incl) };
}

// The personal account of a user, created with the first order if the user has none.
function personalAccountOf(userId: number, store: Store): number {
  const personal = personalAccount(store, userId);
  const user = store.users.get(userId);
  if (personal || !user) return personal?.id ?? userId;
  const account = { personal_user_id: userId, phone: null, label_ids: [], custom: {}, address: null };
  const { id } = store.accounts.insert(account);
  store.affiliations.insert({ account_id: id, user_id: userId, key_contact: false });
  return id;
}

function enroll(order: Order, planned: PlannedCourse, { enrollments }: Store, { now }: Inquiry): void {
  const { id: planned_course_id, status, duration_in_days: days } = planned;
  // A student starts a flexible course immediately and has as many days as the course lasts.
  const start_date = planned.start_date ?? now.slice(0, 10);
  const end_date =
    planned.type === "FlexiblePlannedCourse" && days !== null ? daysAfter(start_date, days) : planned.end_date;
  for (const { student_id } of order.order_items ?? []) {
    enrollments.insert({
      student_id,
      planned_course_id,
      order_id: order.id,
      start_date,
      end_date,
      status: status === "planned" ? "confirmed" : status,
      grade: null,
    });
  }
}

function charge(order: Order, store: Store, inquiry: Inquiry): void {
  if (!hasPrice(order.cost_scheme)) return;
  const { account_id, catalog_variant_id, id: order_id } = order;
  const { name } = store.catalogVariants.look(catalog_variant_id);
  const line = { ...lineOf(order), name, catalog_variant_id };
  const invoice = newInvoice({ account_id, invoice_items_attributes: [line] }, store, inquiry);
  store.invoices.insert({ ...invoice, account_id, order_id, payments: [] });
}

function withdraw({ id }: Order, { enrollments, invoices }: Store): void {
  enrollments.updateAll(
    ({ order_id, status }) => order_id === id && status !== "canceled",
    () => ({ status: "canceled" }),
  );
  invoices.deleteAll(where({ order_id: id, status: "concept" }));
}
