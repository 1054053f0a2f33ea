import type { InvoiceItem, Order } from "../../generated/resources.js";
import { customColumn } from "../custom/definitions.js";
import type { Columns, Making } from "../data/collection.js";
import { having, type PartDefaults, type Wants, where } from "../data/domain.js";
import { amount, cents, timestamps, uneven, type World } from "../data/world.js";
import { businessAccount, businessCount, contactOf, labelFor } from "../people/seed.js";
import { isLastEnrollment, isSecondTry, orderFor, plannedCourseOf } from "../planning/participants.js";
import { FULL, presentTimetable } from "../planning/timetable.js";
import { COURSE_VAT_ID, totalsOf } from "./amounts.js";

export function accountOfOrder(orderId: number, { counts }: World): number {
  const { people } = counts;
  // The newest order and those whose invoice (same identifier) has expired belong to businesses, two each.
  if (orderId === people) return businessAccount(Math.min(2, businessCount(people)));
  if (orderId % 10 === 8) return businessAccount((Math.floor(orderId / 20) % businessCount(people)) + 1);
  return uneven((orderId * 7 + 2) % counts.people) + 1;
}

/** The identifier of an invoice line or order item, unique if no record has more than 1,000 of them. */
export function lineId(ownerId: number, at: number): number {
  return (ownerId - 1) * 1_000 + at + 1;
}

// The price including 21% VAT, as a multiple of the price without VAT.
const USUAL_VAT = 1.21;

export function percentagesIn({ store }: World, look: Making<Order>["look"]): (vatId: number) => string {
  return (vatId) => look(store.invoiceVats, vatId).percentage;
}

export function orderColumns(world: World): Columns<Order> {
  const { counts, store } = world;
  // Only active and canceled orders were invoiced; `incl` is null for all other orders.
  const seededTotal = ({ id, status }: Readonly<Order>) => {
    const { total_excl, total_incl } = store.invoices.seeded(id);
    const isInvoiced = status === "active" || status === "canceled";
    return { excl: total_excl.replace("-", ""), incl: isInvoiced ? total_incl.replace("-", "") : null };
  };
  const hasDiscount = (id: number, seeded: boolean) => seeded && id === counts.people - 1;
  return {
    number: ({ id }) => 1_000 + id,
    status: ({ id }, random, { seeded }) => {
      if (seeded) {
        if (isRequested(id, world)) return "requested";
        if (orderFor(id, world) !== id) return random.pick(["denied", "requested"]);
        if (isOfThree(id, world) || isSecondTry(id, world) || isCurrent(id, world)) return "active";
        if (id % 50 === 4) return "canceled";
      }
      return random.chance(0.9) ? "active" : random.pick(["canceled", "denied", "requested"]);
    },
    number_of_students: ({ id }, __, { given, seeded }) =>
      given.order_items?.length ?? (seeded && (isOfThree(id, world) || id === counts.people) ? 3 : 1),
    origin: (_, random) => random.pick(["website", "manual"]),
    customer_comment: (_, random) => (random.chance(0.1) ? "Please send the invoice by e-mail." : null),
    total_cost_excl: (row, _, { seeded, look }) => {
      if (seeded) return seededTotal(row).excl;
      return row.cost_scheme === "tbd" ? null : amount(totalsOf([lineOf(row)], percentagesIn(world, look)).excl);
    },
    total_cost_incl: (row, _, { given, look, seeded }) => {
      if (seeded) return seededTotal(row).incl ?? amount(totalsOf([lineOf(row)], percentagesIn(world, look)).incl);
      if (row.cost_scheme === "tbd") return null;
      const line = given.total_cost_excl
        ? { ...lineOf(row), units: 1, unit_price: given.total_cost_excl }
        : lineOf(row);
      return amount(totalsOf([line], percentagesIn(world, look)).incl);
    },
    cost: (row, _, { given }) => {
      if (row.cost_scheme === "free" || row.cost_scheme === "tbd") return null;
      const students = row.cost_scheme === "student" ? Math.max(1, row.number_of_students) : 1;
      if (given.total_cost_excl) return amount(cents(given.total_cost_excl) / students);
      if (given.total_cost_incl) return amount(cents(given.total_cost_incl) / USUAL_VAT / students);
      return seededTotal(row).excl;
    },
    cost_scheme: (_, __, { given }) => (given.cost === null ? "free" : "order"),
    // The first catalog variants belong to the planned courses with the same identifiers.
    catalog_variant_id: ({ id }, _, { given }) => given.planned_course_id ?? plannedCourseOf(id, world),
    creator_id: ({ account_id }, _, { look }) =>
      look(store.accounts, account_id).personal_user_id ?? contactOf(account_id),
    account_id: ({ id }) => accountOfOrder(id, world),
    planned_course_id: ({ catalog_variant_id }, _, { look }) => {
      const variant = look(store.catalogVariants, catalog_variant_id);
      return variant.variantable_type === "PlannedCourse" ? variant.variantable_id : null;
    },
    payment_method_id: () => 1,
    payment_option_id: () => null,
    label_ids: (_, random) => (random.chance(0.2) ? [labelFor("Order", random)] : []),
    discount_code: ({ id }, _, { seeded }) => (hasDiscount(id, seeded) ? "SAMPLE15" : null),
    total_discount: ({ id }, _, { seeded }) => (hasDiscount(id, seeded) ? "15.00" : null),
    referral_id: () => null,
    ...timestamps(counts.people),
    custom: customColumn(world, "order"),
    order_items: (row) => {
      const { id, number_of_students, created_at, updated_at } = row;
      return Array.from({ length: number_of_students }, (_, at) => {
        return { id: lineId(id, at), order_id: id, student_id: studentOf(row, at, world), updated_at, created_at };
      });
    },
  };
}

export function orderWants({ store }: World): Wants<Order> {
  return {
    catalog_variant_id: (_, { planned_course_id: planned }) =>
      typeof planned === "number" ? having({ variantable_type: "PlannedCourse", variantable_id: planned }) : {},
    // A business orders through one of its users.
    creator_id: ({ account_id }) => {
      const members = store.affiliations.filter(where({ account_id })).map(({ user_id }) => user_id);
      const userId = store.accounts.peek(account_id)?.personal_user_id;
      if (typeof userId === "number") return { fits: ({ id }: Order) => id === userId };
      return members.length === 0 ? {} : { fits: ({ id }: Order) => members.includes(id) };
    },
    "order_items.student_id": () => ({}),
  };
}

export const orderParts: PartDefaults<Order> = {
  order_items: ({ id, created_at, updated_at }, at) => ({ id: lineId(id, at), order_id: id, created_at, updated_at }),
};

type Charged = Pick<Order, "cost" | "cost_scheme" | "number_of_students">;
type Line = Pick<InvoiceItem, "units" | "unit_price" | "invoice_vat_id">;

export function lineOf({ cost, cost_scheme, number_of_students }: Charged): Line {
  const units = cost_scheme === "student" ? number_of_students : 1;
  return { units, unit_price: cost ?? "0.00", invoice_vat_id: COURSE_VAT_ID };
}

// The newest order (for three students) and one order for a full course await approval.
function isRequested(orderId: number, world: World): boolean {
  const isOfFull = presentTimetable(plannedCourseOf(orderId, world), world.counts) === FULL;
  return orderId === world.counts.people || (isOfFull && isLastEnrollment(orderId, world));
}

function isCurrent(orderId: number, world: World): boolean {
  const { counts } = world;
  const isPresent = presentTimetable(plannedCourseOf(orderId, world), counts) !== undefined;
  return isPresent || isUninvoiced(orderId);
}

/** True if an active order has no invoice yet: the invoice with its identifier is a credit note. */
export function isUninvoiced(orderId: number): boolean {
  return orderId % 50 === 14;
}

function isOfThree(orderId: number, world: World): boolean {
  return orderFor(orderId + 1, world) === orderId;
}

// The student of the enrollment with the same identifier; for an order without an enrollment, another student.
function studentOf({ id, status }: Readonly<Order>, at: number, world: World): number {
  const { counts, store } = world;
  if (isOfThree(id, world)) return store.enrollments.seeded(id + at).student_id;
  const aside = status === "requested" || status === "denied" ? 1 : 0;
  return ((store.enrollments.seeded(id).student_id - 1 + at + aside) % counts.people) + 1;
}
