import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import type { Invoice } from "../../src/schemas.js";

const cents = (text: string) => Math.round(Number(text) * 100);
// A partial payment of an invoice.
const part = {
  id: 901,
  invoice_id: 1,
  amount: "20.00",
  currency: "EUR",
  payment_method_id: 1,
  status: "paid",
  gateway_id: null,
  date: "2030-05-20",
};
const times = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

/** Lists the contradictions within an invoice. */
function contradictions(invoice: Invoice, accountName: string | undefined): string[] {
  const found: string[] = [];
  const excl = invoice.invoice_items.reduce(
    (sum, { units, unit_price }) => sum + Math.round(units * cents(unit_price)),
    0,
  );
  if (excl !== cents(invoice.total_excl)) found.push("total_excl is not the sum of the lines");
  if (cents(invoice.total_incl) < excl) found.push("total_incl is below total_excl");
  const paid = (invoice.payments ?? []).reduce((sum, payment) => sum + cents(payment.amount), 0);
  if (cents(invoice.total_open) !== cents(invoice.total_incl) - paid) found.push("total_open is not what is left");
  if ((invoice.status === "paid") !== (invoice.total_open === "0.00")) found.push("paid and open disagree");
  const isConcept = invoice.status === "concept";
  for (const field of ["number", "number_int", "opened_at", "expiration_date"] as const) {
    if ((invoice[field] === null) !== isConcept) found.push(`${field} does not fit the status`);
  }
  if (!isConcept && invoice.number_int !== Number(invoice.number?.slice(1))) found.push("numbers differ");
  if (accountName !== undefined && invoice.account_name !== accountName)
    found.push("account_name is of another account");
  if (invoice.updated_at < invoice.created_at) found.push("updated before it was created");
  return found;
}

describe("the caller's fields are kept, and the generated fields are consistent with them", () => {
  test.each<Partial<Invoice>>([
    {},
    { status: "paid" },
    { status: "concept" },
    { status: "open" },
    { status: "expired" },
    { total_incl: "121.00" },
    { total_incl: "100.01", status: "paid" },
    { total_excl: "80.00" },
    { total_excl: "100.00", total_incl: "109.00" },
    { total_open: "0.00" },
    { total_open: "80.00" },
    { total_open: "80.00", payments: [part] },
    { number: "F000777" },
    { number: null },
    { opened_at: "2030-01-01T09:00:00.000Z" },
    { created_at: "2031-05-05T00:00:00.000Z" },
    { account_id: 7 },
  ])("an invoice with %j", (fields) => {
    const { store, make } = createSandbox({ size: 20 });
    for (const _ of times) {
      for (const invoice of [store.invoices.insert(fields), make.invoice(fields)]) {
        expect(invoice).toMatchObject(fields);
        expect(contradictions(invoice, store.accounts.get(invoice.account_id)?.name)).toEqual([]);
      }
    }
  });

  test.each<[Invoice["status"], Partial<Invoice>]>([
    ["concept", { number: null }],
    ["concept", { number_int: null }],
    ["concept", { opened_at: null }],
    ["concept", { expiration_date: null }],
    ["concept", { number_int: null, total_open: "80.00", total_incl: "80.00" }],
    ["paid", { total_open: "0.00" }],
    ["open", { total_open: "80.00", total_incl: "80.00" }],
    ["expired", { expiration_date: "2030-05-31" }],
    ["open", { expiration_date: "2030-06-01" }],
    ["open", { expiration_date: "2030-06-02" }],
    ["open", { number: "F000777" }],
    ["open", { number_int: 777 }],
    ["open", { opened_at: "2030-05-30T09:00:00.000Z" }],
    ["open", { payments: [part], total_incl: "80.00" }],
    ["paid", { payments: [part], total_incl: "20.00" }],
    ["paid", { payments: [part, { ...part, id: 902, amount: "60.00" }], total_incl: "80.00" }],
    ["open", { payments: [part], total_incl: "80.00", expiration_date: "2030-05-31" }],
    ["expired", { payments: [], expiration_date: "2030-05-31" }],
    ["open", { payments: [] }],
  ])("an invoice is %s on 1 June with %j", (status, fields) => {
    const { store, make } = createSandbox({ size: 20, now: "2030-06-01T12:00:00.000Z" });
    for (const _ of times) {
      for (const invoice of [store.invoices.insert(fields), make.invoice(fields)]) {
        expect(invoice).toMatchObject({ ...fields, status });
        expect(contradictions(invoice, store.accounts.get(invoice.account_id)?.name)).toEqual([]);
      }
    }
  });

  test("the lines of an invoice determine its totals, and its payments the open amount", () => {
    const { store } = createSandbox({ size: 20 });
    const line = { name: "Fee", units: 2, unit_price: "50.00", invoice_vat_id: 1, catalog_variant_id: null };
    const stamps = { created_at: "2030-01-01T09:00:00.000Z", updated_at: "2030-01-01T09:00:00.000Z" };
    const payment = {
      id: 1,
      invoice_id: 1,
      payment_method_id: 1,
      status: "paid",
      gateway_id: null,
      date: "2030-01-02",
    };
    const invoice = store.invoices.insert({
      status: "open",
      invoice_items: [{ id: 1, ...line, ...stamps }],
      payments: [{ ...payment, amount: "21.00", currency: "EUR" }],
    });
    expect(invoice).toMatchObject({ total_excl: "100.00", total_incl: "121.00", total_open: "100.00" });
  });

  test("a value that belongs to another record is copied from that record's current state", () => {
    const { store } = createSandbox({ size: 20 });
    const account = store.accounts.insert({ name: "Example Ltd" });
    expect(store.invoices.insert({ account_id: account.id }).account_name).toBe("Example Ltd");
    const planned = store.plannedCourses.insert({ start_date: "2031-03-03", status: "planned" });
    expect(planned.end_date === null || planned.end_date > "2031-03-03", `${planned.end_date}`).toBe(true);
    const meeting = store.meetings.insert({ planned_course_id: planned.id });
    expect(meeting.start_date_time.slice(0, 10) >= "2031-03-03", meeting.start_date_time).toBe(true);
    const enrollment = store.enrollments.insert({ planned_course_id: planned.id });
    expect(enrollment).toMatchObject({ start_date: "2031-03-03" });
    const product = store.catalogProducts.insert({ name: "Renamed", cost: "12.00" });
    expect(store.catalogVariants.insert({ product_id: product.id })).toMatchObject({
      name: expect.stringContaining("Renamed"),
      cost: "12.00",
      cost_scheme: "student",
    });
  });

  test("seeded records stay unchanged if another record changes", () => {
    const { store } = createSandbox({ size: 20 });
    const before = store.invoices.get(3);
    store.accounts.update(before?.account_id as number, { name: "Renamed" });
    expect(store.invoices.get(3)).toEqual(before);
  });

  test("accounts: a business has no user, a personal account has the user after whom it is named", () => {
    const { store } = createSandbox({ size: 20 });
    for (const _ of times) {
      const business = store.accounts.insert({ account_type: "business" });
      expect(business.personal_user_id).toBeNull();
      const personal = store.accounts.insert({ account_type: "personal" });
      const user = store.users.get(personal.personal_user_id as number);
      expect(personal.name).toContain(user?.last_name);
      expect(store.accounts.insert({ personal_user_id: 4 }).account_type).toBe("personal");
      const named = store.accounts.insert({ name: "Example Ltd" });
      expect([named.email, named.users_count]).toEqual([`example-ltd-${named.id}@example.org`, 0]);
    }
  });

  test("amounts of courses follow their cost scheme", () => {
    const { store } = createSandbox({ size: 20 });
    for (const _ of times) {
      expect(store.courses.insert({ cost_scheme: "free" })).toMatchObject({ cost: null, starting_price: null });
      expect(store.courses.insert({ cost_scheme: "student" }).cost).not.toBeNull();
      expect(store.courses.insert({ cost: "5.00" })).toMatchObject({ cost_scheme: "student", starting_price: "5.00" });
      expect(store.catalogProducts.insert({ cost_scheme: "free" }).cost).toBeNull();
      const order = store.orders.insert({ total_cost_excl: "100.00" });
      const contact = store.affiliations.find((row) => row.account_id === order.account_id && row.key_contact);
      expect(order).toMatchObject({
        cost: "100.00",
        total_cost_incl: "121.00",
        creator_id: contact?.user_id ?? order.account_id,
      });
    }
  });

  test("the references of a new record belong together, and are created if no existing records do", () => {
    const { store } = createSandbox({ size: "small" });
    const planned_course_id = store.plannedCourses.insert({}).id;
    const enrollment_id = store.enrollments.insert({ planned_course_id }).id;
    const { meeting_id } = store.attendances.insert({ enrollment_id });
    expect(store.meetings.get(meeting_id)).toMatchObject({ planned_course_id });
    const attendance = store.attendances.insert({ meeting_id: 1 });
    expect(store.enrollments.get(attendance.enrollment_id)).toMatchObject({
      planned_course_id: store.meetings.get(1)?.planned_course_id,
    });
    const { catalog_variant_id } = store.orders.insert({ planned_course_id });
    expect(store.catalogVariants.get(catalog_variant_id)).toMatchObject({
      variantable_type: "PlannedCourse",
      variantable_id: planned_course_id,
    });
  });

  test("times, grades, capacities and rates are consistent with each other", () => {
    const { store } = createSandbox({ size: 20 });
    for (const _ of times) {
      expect(store.meetings.insert({ start_date_time: "2031-01-01T10:00:00.000Z" }).end_date_time).toBe(
        "2031-01-01T17:30:00.000Z",
      );
      expect(store.meetings.insert({ end_date_time: "2031-01-01T17:30:00.000Z" }).start_date_time).toBe(
        "2031-01-01T10:00:00.000Z",
      );
      expect(store.grades.insert({ grade: "4.0" })).toMatchObject({ score: "4.0", result: "failed" });
      expect(Number(store.grades.insert({ result: "failed" }).score)).toBeLessThan(5.5);
      expect(store.catalogVariants.insert({ availability: "not_available" }).available_places).toBe(0);
      expect(store.invoiceVats.insert({ has_vat: false }).percentage).toBe("0.0");
      expect(store.leads.insert({ user_id: 5 }).last_name).toBe(store.users.get(5)?.last_name);
      expect(store.comments.insert({ commentable_type: "Lead" }).commentable_id).toBeLessThanOrEqual(store.leads.count);
    }
  });
});

test("a Date in a field of any value stays a Date and is copied", () => {
  const { catalogVariants } = createSandbox({ size: "small" }).store;
  const { id } = catalogVariants.insert({ properties: { at: new Date("2030-06-01T12:00:00Z") } });
  for (const read of [() => catalogVariants.get(id), () => catalogVariants.find((one) => one.id === id)]) {
    const at = read()?.properties.at as Date;
    expect(at).toEqual(new Date("2030-06-01T12:00:00Z"));
    at.setTime(0);
  }
});
