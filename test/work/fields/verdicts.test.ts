import { expect, test } from "vitest";
import { isEducationAdminError } from "../../../src/core/errors.js";
import { fieldsOf } from "../../../src/core/schema/traits.js";
import { schemasOf } from "../../../src/export/joined-schemas.js";
import { allOperations } from "../../../src/operations.js";
import { resourceOf } from "../../../src/resources/references.js";
import { parseCondition } from "../../../src/work/fields/condition.js";
import { parsePath } from "../../../src/work/fields/path.js";
import { testerOf } from "../../../src/work/fields/tester.js";

// In Amsterdam this is half past midnight on 29 November 2026.
const AT = { now: Date.parse("2026-11-28T23:30:00Z"), zone: "Europe/Amsterdam" };

const active = {
  list: "orders.list",
  number: 1001,
  status: "active",
  discount_code: null,
  payment_option_id: null,
  label_ids: [],
  account_id: 3,
  created_at: "2026-11-28T22:59:59.999Z",
  custom: { purchase_order: "PO-4949", badge: true, weight: "12.5", since: "2026-03-01" },
  account: { name: "Zoë & Sons", email: "Info@Example.org", address: { city: "Delft" } },
};
const canceled = {
  list: "orders.list",
  status: "canceled",
  discount_code: "",
  label_ids: [5, 7],
  created_at: "2026-11-28T23:00:00.000Z",
  account: null,
};
const zoe = {
  list: "users.list",
  first_name: "Zoe\u0308",
  last_name: "'t Hart",
  wants_newsletter: false,
  roles: ["admin", "student"],
  employee_number: "007",
  address: { city: "Utrecht" },
  custom: { diet: "none" },
};
const jan = {
  list: "users.list",
  first_name: "Jan",
  last_name: "Noord and Zuid",
  wants_newsletter: true,
  roles: [],
  employee_number: "7",
  address: null,
};
const open = {
  list: "invoices.list",
  status: "open",
  number: "F000026",
  number_int: 26,
  total_open: "100.10",
  total_incl: "1000.00",
  expiration_date: "2026-11-28",
  opened_at: "2026-11-19T09:12:00.000Z",
  invoice_items: [
    { name: "Course fee", unit_price: "1170.00" },
    { name: "Exam", unit_price: "10.00" },
  ],
  payments: [
    { date: "2025-12-15", amount: "5.00" },
    { date: "2026-02-03", amount: "7.00" },
  ],
};
const paid = { list: "invoices.list", status: "paid", expiration_date: null, invoice_items: [], payments: [] };
const planned = { list: "plannedCourses.list", end_date: "soon", max_participants: 12 };
const meeting = { list: "meetings.list", start_date_time: "2026-11-29T23:30:00.000Z", name: "Evening" };

const [YES, NO, REFUSED] = [true, false, "refused"] as const;

// Conditions that offices and models write, each with the verdict that a person expects.
test.each<readonly [object & { readonly list: string }, condition: string, verdict: boolean | "refused"]>([
  // No value.
  [active, "discount_code=null", YES],
  [canceled, "discount_code=null", YES],
  [active, "discount_code!=null", NO],
  [canceled, "label_ids!=null", YES],
  [active, "label_ids=null", YES],
  [active, 'payment_option_id=""', YES],
  [active, "discount_code=none", REFUSED],
  [zoe, 'custom.diet="none"', YES],
  [jan, "address=null", YES],
  [jan, "address.city=null", YES],
  [active, "status=", REFUSED],
  [active, "payment_option_id is null", REFUSED],
  // Flags.
  [jan, "wants_newsletter=yes", YES],
  [jan, "wants_newsletter=1", YES],
  [zoe, "wants_newsletter!=yes", YES],
  [zoe, "wants_newsletter=ja", REFUSED],
  [zoe, "wants_newsletter>0", REFUSED],
  // Enumerations.
  [open, "status=Open", YES],
  [open, "status=opened", REFUSED],
  [active, "status!=cancelled", REFUSED],
  [active, "status=cancel", REFUSED],
  [canceled, 'status!="canceled"', NO],
  [open, "status=open,expired", YES],
  [open, "status!=paid,deleted", YES],
  [open, "status in (open, paid)", REFUSED],
  [active, "status=bogus", NO],
  // Lists.
  [zoe, "roles=student", YES],
  [zoe, "roles!=student", NO],
  [jan, "roles!=student", YES],
  [zoe, "roles.0=admin", YES],
  [zoe, "roles.0=student", NO],
  [canceled, "label_ids=5 and label_ids=7", YES],
  [canceled, "label_ids=5,9", YES],
  [canceled, "label_ids!=5", NO],
  [open, "invoice_items.name=Exam", YES],
  [open, "invoice_items.0.name=Exam", NO],
  [open, "invoice_items.name=Exam and invoice_items.unit_price>100", NO],
  [open, "(invoice_items.name=Exam) and (invoice_items.unit_price>100)", YES],
  [open, "invoice_items.name=Exam and invoice_items.name=Course", REFUSED],
  [open, "invoice_items.name=Exam and invoice_items.name=Exam", YES],
  [zoe, "roles=admin and roles=student", YES],
  [open, "payments.date>=2026-01-01 and payments.date<2026-02-01", NO],
  [paid, "payments.date=null", YES],
  [paid, "payments=null", YES],
  [paid, "payments.date!=null", NO],
  [open, "payments.amount!=5", NO],
  // Amounts and numbers.
  [open, "total_open>0", YES],
  [open, "total_open=100.1", YES],
  [open, "total_open>12,50", REFUSED],
  [open, "total_incl>=1.000", REFUSED],
  [open, "number_int=26", YES],
  [open, "number=f000026", YES],
  [open, "number>F000020", REFUSED],
  [zoe, "employee_number=7", NO],
  [jan, "employee_number=7", YES],
  [planned, "max_participants<13", YES],
  [active, "account_id=three", REFUSED],
  // Days and times.
  [active, "created_at>=today", NO],
  [canceled, "created_at>=today", YES],
  [active, "created_at=today-1", YES],
  [open, "expiration_date<today", YES],
  [paid, "expiration_date<today", NO],
  [meeting, "start_date_time=2026-11-30", YES],
  [meeting, "start_date_time>2026-11-30", NO],
  [meeting, "start_date_time>=2026-11-30T00:30", YES],
  [meeting, "start_date_time>now", YES],
  [open, "opened_at=2026-11", YES],
  [active, "created_at>01-11-2026", REFUSED],
  [active, "created_at>yesterday", REFUSED],
  [planned, "end_date>2026-01-01", NO],
  // Custom fields and joined records.
  [active, "custom.purchase_order=po-4949", YES],
  [active, "custom.badge=yes", YES],
  [active, "custom.weight>9", YES],
  [active, "custom.since>=2026-01-01", YES],
  [active, "account.address.city=delft", YES],
  [canceled, "account.name=null", YES],
  [active, "account.nam=x", REFUSED],
  // Text.
  [active, "account.name~zoe", YES],
  [zoe, "first_name=Zoe", NO],
  [zoe, "first_name=Zoë", YES],
  [zoe, 'last_name="\'t Hart"', YES],
  [jan, 'last_name="Noord and Zuid"', YES],
  [jan, "last_name=Noord and Zuid", REFUSED],
  [active, "account.email=info@example.org", YES],
  [zoe, "address=Utrecht", REFUSED],
  [meeting, "start_date_time~2026-11", REFUSED],
  [zoe, "name=Jan", REFUSED],
  // Several conditions.
  [open, "status=paid or status=open and total_open>1000", NO],
  [open, "(status=paid or status=open) and total_open>1", YES],
  [open, "status=paid or status=open and total_open>1", YES],
  [open, "status=open && total_open>1", REFUSED],
  [open, "not status=paid", REFUSED],
  [open, "total_open==100.10", REFUSED],
])("%o: %s", ({ list, ...record }, text, verdict) => {
  const operation = allOperations.find(({ id }) => id === list);
  if (!operation) throw new Error(list);
  const names = Object.keys(fieldsOf(operation.response)).flatMap((name) => /^(.*)_id$/.exec(name)?.[1] ?? []);
  const joined = new Map(
    [...schemasOf(names, operation, resourceOf, allOperations)].filter(([, all]) => all.length > 0),
  );
  const test = () =>
    testerOf(
      parseCondition(text, (path) => parsePath(path, operation.response, joined)),
      AT,
    );
  let found: boolean | "refused";
  try {
    found = test().holds(record);
  } catch (error) {
    if (!isEducationAdminError(error, "input")) throw error;
    found = "refused";
  }
  expect(found).toBe(verdict);
});
