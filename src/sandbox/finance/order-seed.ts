import type { Order, OrderItem } from "../../resources/finance/orders.js";
import { customColumn } from "../custom/definitions.js";
import type { Columns } from "../data/collection.js";
import { amount, cents, timestamps, type World } from "../data/world.js";
import { labelFor } from "../people/seed.js";
import { plannedCourseOf } from "../planning/participants.js";
import { totalsOf } from "./amounts.js";
import { COURSE_VAT_ID } from "./vat-seed.js";

// An active order, its invoice and its enrollment have the same identifier.
/** The account that placed the order with this identifier; orders are distributed over all accounts. @internal */
export function accountOfOrder(orderId: number, { counts }: World): number {
  return ((orderId * 7 + 2) % counts.people) + 1;
}

/** The identifier of a line of an invoice or an item of an order; none is used twice below 1 000 of them. @internal */
export function lineId(ownerId: number, at: number): number {
  return (ownerId - 1) * 1_000 + at + 1;
}

// Price including VAT of 21 percent, as a multiple of the price without.
const USUAL_VAT = 1.21;

/** @internal */
export function orderColumns(world: World): Columns<Order> {
  const { counts, store } = world;
  const invoice = (id: number) => store.invoices.seeded(id);
  return {
    number: ({ id }) => 1_000 + id,
    status: (_, random) => (random.chance(0.9) ? "active" : random.pick(["canceled", "denied", "requested"])),
    number_of_students: (_, __, { given }) => given.order_items?.length ?? 1,
    origin: (_, random) => random.pick(["website", "manual"]),
    customer_comment: (_, random) => (random.chance(0.1) ? "Please send the invoice by e-mail." : null),
    total_cost_excl: ({ id }, _, { given }) => {
      if (given.cost !== undefined) return given.cost;
      return given.total_cost_incl ? amount(cents(given.total_cost_incl) / USUAL_VAT) : invoice(id).total_excl;
    },
    total_cost_incl: ({ id, status, total_cost_excl: excl }, _, { given, look }) => {
      const isInvoiced = status === "active" || status === "canceled";
      if (isInvoiced && given.cost === undefined && given.total_cost_excl === undefined) return invoice(id).total_incl;
      if (excl === null) return null;
      const line = { units: 1, unit_price: excl, invoice_vat_id: COURSE_VAT_ID };
      return amount(totalsOf([line], (vatId) => look(store.invoiceVats, vatId).percentage).incl);
    },
    cost: ({ total_cost_excl }) => total_cost_excl,
    cost_scheme: () => "order",
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
    custom: customColumn(world, "order"),
    order_items: (row) =>
      orderItems(
        row,
        Array.from({ length: row.number_of_students }, (_, at) => studentOf(row, at, world)),
      ),
  };
}

// The student of the enrollment with the same identifier. An order that led to no enrollment is for somebody else.
function studentOf({ id, status }: Readonly<Order>, at: number, { counts, store }: World): number {
  const aside = status === "requested" || status === "denied" ? 1 : 0;
  return ((store.enrollments.seeded(id).student_id - 1 + at + aside) % counts.people) + 1;
}

/** The items of an order, one for every student. @internal */
export function orderItems(
  { id, created_at, updated_at }: Readonly<Pick<Order, "id" | "created_at" | "updated_at">>,
  students: readonly number[],
): OrderItem[] {
  return students.map((student_id, at) => ({
    id: lineId(id, at),
    order_id: id,
    student_id,
    updated_at,
    created_at,
  }));
}
