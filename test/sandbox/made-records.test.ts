import { expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { amount } from "../support/amount.js";
import { chance } from "../support/chance.js";
import { contradictions, type Data, NOW, type Row } from "./contradictions.js";

// Optional fields that a test may give, by collection.
const past = "2028-03-01T09:00:00.000Z";
const GIVEN: Readonly<Record<string, readonly object[]>> = {
  accounts: [
    { name: "Example Ltd" },
    { account_type: "personal" },
    { account_type: "business" },
    { address: { city: "Sampleford" } },
    { created_at: past },
    { updated_at: past },
  ],
  catalogProducts: [
    { cost: "10.00" },
    { cost_scheme: "free" },
    { productable_type: "Program::Program" },
    { name: "Own" },
    { currency: "GBP" },
  ],
  catalogVariants: [
    { availability: "not_available" },
    { variantable_type: "Program::Edition" },
    { cost_scheme: "tbd" },
  ],
  comments: [{ commentable_type: "Order" }, { content: "x" }, { commentable_type: "PlannedCourse" }],
  courses: [{ cost: null }, { cost: "99.50" }, { name: "Own" }],
  certificates: [{ certifiable_type: "program_enrollment" }, { certifiable_type: "course_enrollment" }],
  discountCodes: [{ expiration_date: "2024-02-01" }, { start_date: "2031-01-01" }],
  enrollments: [
    { status: "completed" },
    { status: "active" },
    { status: "canceled" },
    { end_date: "2031-02-01" },
    { start_date: "2030-01-01" },
    { grade: { score: "4.0", result: "failed" } },
  ],
  grades: [{ result: "failed" }, { grade: "9.0" }, { gradeable_type: "Program::Enrollment" }],
  invoices: [
    { status: "paid" },
    { status: "open" },
    { status: "concept" },
    { status: "expired" },
    { currency: "USD" },
    { items: [{ units: 3, unit_price: "33.33" }] },
    { items: [{ units: -1.5, unit_price: "10.01", invoice_vat_id: 2 }] },
    { created_at: past },
    { total_excl: "80.00" },
  ],
  leads: [{ first_name: "Alva" }, { lead_products: [] }, { courses_leads: [] }],
  meetings: [
    { start_date_time: "2031-01-01T09:00:00.000Z" },
    { end_date_time: "2031-01-01T19:00:00.000Z" },
    { name: "x" },
  ],
  orders: [
    { status: "requested" },
    { cost_scheme: "student" },
    { cost_scheme: "free" },
    { cost_scheme: "tbd" },
    { cost: "12.34" },
    { items: [{}, {}, {}] },
    { number_of_students: 2 },
  ],
  payments: [{ amount: "5.00" }, { currency: "GBP" }, { payment_method_id: 2 }],
  plannedCourses: [
    { status: "planned" },
    { status: "completed" },
    { status: "active" },
    { start_date: "2031-01-01" },
    { end_date: "2029-01-01" },
    { type: "FlexiblePlannedCourse" },
    { cost: "5.00" },
    { max_participants: 3 },
  ],
  programEditions: [{ end_date: "2031-01-01" }, { start_date: "2029-01-01" }, { max_participants: 3 }],
  tasks: [{ subject_type: "Invoice" }, { completed_by_id: null }, { name: "x" }],
  teachers: [{ first_name: "Alva" }, { active: false }],
  users: [{ first_name: "Alva" }, { roles: ["teacher"] }, { updated_at: past }],
};
// A test gives at most one of these fields: otherwise a status and dates that contradict it might both have to be kept.
const ALONE = [
  "status",
  "start_date",
  "end_date",
  "start_date_time",
  "end_date_time",
  "expiration_date",
  "cost",
  "cost_scheme",
  "items",
  "total_excl",
  "type",
  "availability",
  "grade",
  "result",
  "account_type",
  "created_at",
  "updated_at",
  "number_of_students",
  "name",
];

const ROUNDS = amount(4, 8);

test("records created with random fields contradict neither themselves nor others", () => {
  let made = 0;
  const found: string[] = [];
  const random = chance(7);
  for (let round = 0; round < ROUNDS; round++) {
    const sandbox = createSandbox({ empty: round % 2 === 0, size: 12, seed: round + 1, now: NOW });
    const { organization: _, ...collections } = sandbox.store;
    const before = round % 2 === 0 ? [] : contradictions(read(collections));
    for (const name of Object.keys(collections) as (keyof typeof collections)[]) {
      if (name === "educators") continue;
      let fields: Record<string, unknown> = {};
      for (const part of GIVEN[name] ?? []) {
        const isTaken =
          Object.keys(part).some((field) => ALONE.includes(field)) &&
          Object.keys(fields).some((field) => ALONE.includes(field));
        if (!isTaken && random() < 0.4) fields = { ...fields, ...part };
      }
      const { items, ...kept } = fields;
      const record = sandbox.store[name].insert(fields as never);
      made++;
      const plain = Object.fromEntries(Object.entries(kept).filter(([, value]) => typeof value !== "object"));
      expect([name, record]).toMatchObject([name, plain]);
      // Ignores contradictions that existed before.
      for (const each of contradictions(read(collections))) {
        if (!before.includes(each)) found.push(`${name} ${JSON.stringify(fields)}: ${each}`);
      }
      if (found.length > 30) break;
    }
    expect(found).toEqual([]);
  }
  expect(made).toBeGreaterThan(ROUNDS * 25);
});

function read(collections: object): Data {
  return Object.fromEntries(
    Object.entries(collections).map(([name, records]) => [name, [...(records as Iterable<Row>)]]),
  );
}
