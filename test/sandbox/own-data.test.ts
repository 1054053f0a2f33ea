import { describe, expect, test } from "vitest";
import { type ApiError, MainClient } from "../../src/index.js";
import { createSandbox, type SandboxData, type SandboxOptions } from "../../src/sandbox/index.js";
import { failure as failed } from "../support/manual-clock.js";

const failure = (call: PromiseLike<unknown>) => failed<ApiError>(call);

const now = "2030-06-01T12:00:00.000Z";
const emptySandboxWith = (data: SandboxData, more: SandboxOptions = {}) =>
  createSandbox({ empty: true, now, data, ...more });

describe("an empty sandbox", () => {
  test("has the records that every provider has, and no others", () => {
    const { store } = createSandbox({ empty: true });
    const { organization: _, ...collections } = store;
    const filled = Object.entries(collections).filter(([, { count }]) => count > 0);
    expect(filled.map(([name, { count }]) => `${name} ${count}`).sort()).toEqual([
      "educators 1",
      "invoiceVats 3",
      "paymentMethods 3",
    ]);
  });

  test("accepts every kind of record without fields, and creates the required references", async () => {
    const { organization: _, ...collections } = createSandbox({ empty: true }).store;
    for (const name of Object.keys(collections) as (keyof typeof collections)[]) {
      const { store } = createSandbox({ empty: true, data: { [name]: [{}] } });
      expect([name, store[name].count > 0]).toEqual([name, true]);
    }
  });
});

describe("own data", () => {
  test("the given fields are kept, and the others are derived from them", async () => {
    const sandbox = emptySandboxWith({
      accounts: [{ name: "Example Ltd" }],
      invoices: [{ status: "paid", items: [{ units: 2, unit_price: "10.00" }] }],
    });
    const client = new MainClient({ ...sandbox, validation: "strict" });
    expect(await client.invoices.list().toArray({ max: 10 })).toMatchObject([
      {
        id: 1,
        status: "paid",
        account_id: 1,
        account_name: "Example Ltd",
        total_excl: "20.00",
        total_incl: "24.20",
        total_open: "0.00",
        number: "F000001",
        invoice_items: [{ units: 2, unit_price: "10.00", invoice_vat_id: 1, catalog_variant_id: null }],
        payments: [{ invoice_id: 1, amount: "24.20", currency: "EUR", status: "paid" }],
      },
    ]);
    expect(sandbox.store.accounts.count).toBe(1);
    expect([...sandbox.store.payments]).toEqual(sandbox.store.invoices.get(1)?.payments);
  });

  test("make derives the others from the same fields, and stores nothing", () => {
    const sandbox = emptySandboxWith({ accounts: [{ name: "Example Ltd" }] });
    const invoice = sandbox.make.invoice({ status: "open", items: [{ units: 2, unit_price: "10.00" }] });
    expect(invoice).toMatchObject({ account_name: "Example Ltd", total_incl: "24.20", total_open: "24.20" });
    expect(invoice).not.toHaveProperty("items");
    expect(sandbox.store.invoices.count).toBe(0);
    expect(sandbox.make.enrollment().planned_course_id).toBe(1);
    expect(sandbox.store.plannedCourses.count).toBe(0);
  });

  test("a required record is one of the given ones, in turn, or is created", () => {
    const { store } = emptySandboxWith({ accounts: [{ name: "A" }, { name: "B" }], invoices: [{}, {}, {}] });
    expect([...store.invoices].map(({ account_name }) => account_name)).toEqual(["A", "B", "A"]);
    const made = emptySandboxWith({ invoices: [{}] }).store;
    expect(made.accounts.count).toBe(1);
    expect(made.invoices.get(1)?.account_name).toBe(made.accounts.get(1)?.name);
  });

  test("a record may refer to one given later in the same data", () => {
    const { store } = emptySandboxWith({
      orders: [
        {
          id: 7,
          account_id: 4,
          catalog_variant_id: 9,
          status: "active",
          cost_scheme: "student",
          cost: "50.00",
          items: [{ student_id: 3 }, { student_id: 5 }],
        },
      ],
      invoices: [{ order_id: 7, status: "open" }],
      enrollments: [{ order_id: 7 }],
      accounts: [{ id: 4, name: "Buyer Ltd" }],
      users: [{ id: 3 }, { id: 5 }],
      catalogVariants: [{ id: 9, variantable_id: 2 }],
      plannedCourses: [{ id: 2, status: "planned" }],
    });
    expect(store.orders.get(7)).toMatchObject({
      planned_course_id: 2,
      number_of_students: 2,
      total_cost_incl: "121.00",
    });
    expect(store.invoices.at(0)).toMatchObject({
      account_id: 4,
      account_name: "Buyer Ltd",
      order_number: 1007,
      total_excl: "100.00",
      total_incl: "121.00",
    });
    expect(store.enrollments.at(0)).toMatchObject({ student_id: 3, planned_course_id: 2, status: "confirmed" });
    expect(store.plannedCourses.get(2)).toMatchObject({ current_participants: 1 });
  });

  test("counters and totals in other records are updated", () => {
    const { store } = emptySandboxWith({
      accounts: [{}],
      affiliations: [{ account_id: 1 }, { account_id: 1 }],
      categories: [{}, { parent_id: 1 }],
      courses: [{ category_id: 1 }],
      invoices: [{ status: "open", items: [{ units: 1, unit_price: "100.00", invoice_vat_id: 3 }] }],
      payments: [{ invoice_id: 1, amount: "30.00" }],
      enrollments: [{ grade: { score: "8.0", result: "passed", grade: "8" } }],
      teachers: [{ first_name: "Alva" }],
      teacherEnrollments: [{}],
    });
    expect(store.accounts.get(1)?.users_count).toBe(2);
    expect(store.categories.get(1)).toMatchObject({ children_count: 1, courses_count: 1 });
    expect(store.invoices.get(1)).toMatchObject({
      total_open: "70.00",
      status: "open",
      payments: [{ amount: "30.00" }],
    });
    expect([...store.grades]).toEqual([store.enrollments.get(1)?.grade]);
    expect(store.enrollments.get(1)).toMatchObject({ graduation_state: "passed", status: "completed" });
    expect(store.teachers.at(0)).toMatchObject({ first_name: "Alva", teacher_enrollments_count: 1 });
    expect(store.users.get(store.teachers.at(0)?.id ?? 0)).toMatchObject({ first_name: "Alva", roles: ["teacher"] });
  });

  test("dates and statuses are consistent with each other and with the sandbox's time", () => {
    const { store } = emptySandboxWith({
      plannedCourses: [
        { status: "planned" },
        { status: "active" },
        { status: "completed" },
        { start_date: "2030-09-01" },
        { start_date: "2030-01-01", end_date: "2030-01-09" },
        { start_date: "2030-05-01", end_date: "2030-07-01" },
      ],
      invoices: [{ status: "open" }, { status: "expired" }, { expiration_date: "2030-01-01" }],
    });
    const [planned, active, completed, ...dated] = [...store.plannedCourses];
    const today = now.slice(0, 10);
    expect((planned?.start_date ?? "") > today, JSON.stringify(planned)).toBe(true);
    const isActive = (active?.start_date ?? "z") <= today && (active?.end_date ?? "") >= today;
    expect(isActive, JSON.stringify(active)).toBe(true);
    expect((completed?.end_date ?? "z") < today, JSON.stringify(completed)).toBe(true);
    expect(dated.map(({ status }) => status)).toEqual(["planned", "completed", "active"]);
    const [open, expired, due] = [...store.invoices];
    expect((open?.expiration_date ?? "") >= today, `open until ${open?.expiration_date}`).toBe(true);
    expect((expired?.expiration_date ?? "z") < today, `expired on ${expired?.expiration_date}`).toBe(true);
    expect(due?.status).toBe("expired");
  });

  test("currencies and credit notes are consistent", async () => {
    const sandbox = emptySandboxWith({
      educators: [{ currency: "GBP", name: "Own School" }],
      invoices: [
        { status: "open", items: [{ units: -2, unit_price: "10.00", invoice_vat_id: 3 }] },
        { currency: "USD" },
      ],
    });
    const client = new MainClient({ ...sandbox, validation: "strict" });
    expect(await client.educators.get()).toMatchObject({ id: 1, name: "Own School", currency: "GBP" });
    expect(await client.invoices.get(1)).toMatchObject({ currency: "GBP", total_incl: "-20.00", total_open: "-20.00" });
    expect((await client.invoices.get(2)).currency).toBe("USD");
    const wrong = await failure(client.payments.createForInvoice(1, { amount: "20.00" }));
    expect(wrong).toMatchObject({ status: 422, errors: { amount: [expect.any(String)] } });
    await client.payments.createForInvoice(1, { amount: "-20.00" });
    expect(await client.invoices.get(1)).toMatchObject({ status: "paid", total_open: "0.00" });
  });

  test("a record with an existing identifier changes that record", () => {
    const { store } = createSandbox({ size: 20, data: { accounts: [{ id: 3, name: "Renamed" }, { name: "New" }] } });
    const { store: plain } = createSandbox({ size: 20 });
    expect(store.accounts.get(3)).toEqual({ ...plain.accounts.get(3), name: "Renamed" });
    expect(store.accounts.get(21)?.name).toBe("New");
  });

  test("reset restores it, and it causes no webhooks", async () => {
    const sandbox = emptySandboxWith({
      accounts: [{ name: "Example Ltd" }],
      webhooks: [{ url: "https://hooks.example.org", active: true, events: ["*"] }],
    });
    expect(sandbox.store.webhookNotifications.count).toBe(0);
    sandbox.store.accounts.delete(1);
    sandbox.store.accounts.insert({});
    sandbox.reset();
    expect([...sandbox.store.accounts].map(({ name }) => name)).toEqual(["Example Ltd"]);
  });

  test.each<[string, unknown]>([
    ["data.acounts is not a collection of the store", { acounts: [] }],
    ["data.accounts must be a list", { accounts: {} }],
    ["data.accounts[0] must be an object", { accounts: ["x"] }],
    ["data.accounts[1].nmae is not a known field", { accounts: [{}, { nmae: "x" }] }],
    ["data.accounts[0].name must be text", { accounts: [{ name: 5 }] }],
    ["data.accounts[0].address.street is not a known field", { accounts: [{ address: { street: "x" } }] }],
    ["data.accounts[0].account_type must be one of", { accounts: [{ account_type: "other" }] }],
    ["data.accounts[1].id is used twice", { accounts: [{ id: 3 }, { id: 3 }] }],
    ["data.accounts[0].id must be a number", { accounts: [{ id: "three" }] }],
    ["data.invoices[0].status must be one of", { invoices: [{ status: "payed" }] }],
    ["data.invoices[0].total_incl must be decimal text", { invoices: [{ total_incl: "ten" }] }],
    ["data.invoices[0].created_at must be a time", { invoices: [{ created_at: "yesterday" }] }],
    ["data.invoices[0].items[0].unit_price must be decimal text", { invoices: [{ items: [{ unit_price: "1,50" }] }] }],
    ["data.invoices[0].items[0].units must be a number", { invoices: [{ items: [{ units: "2" }] }] }],
    ["data.invoices[0].items[0].price is not a known field", { invoices: [{ items: [{ price: "2" }] }] }],
    [
      "data.invoices[0].items[0].invoice_vat_id: there is no record 9",
      { invoices: [{ items: [{ invoice_vat_id: 9 }] }] },
    ],
    ["data.invoices[0].account_id: there is no record 5", { invoices: [{ account_id: 5 }] }],
    ["data.plannedCourses[0].start_date must be a date", { plannedCourses: [{ start_date: "2030-13-01" }] }],
    ["data.payments[0].amount must be decimal text", { payments: [{ amount: "" }] }],
    ["data.invoices[0].payments[0].amount is missing", { invoices: [{ payments: [{}] }] }],
  ])("%s", (message, data) => {
    const make = () => createSandbox({ empty: true, data: data as SandboxData });
    expect(make).toThrow(RangeError);
    expect(make).toThrow(message);
  });
});

describe("the option school", () => {
  const definitions = {
    accounts: { sector: { type: "select", options: ["public", "private"] }, members: "decimal" },
    users: { badge: "string" },
  } as const;

  test("defines the sign-up questions by its custom fields, and values must match them", async () => {
    const sandbox = createSandbox({
      empty: true,
      school: { definitions },
      data: { accounts: [{ custom: { sector: "public" } }] },
    });
    const client = new MainClient({ ...sandbox, validation: "strict" });
    const questions = await client.signupQuestions.list().toArray({ max: 10 });
    expect(questions.map(({ slug, field_type, choices }) => [slug, field_type, choices])).toEqual([
      ["sector", "select", ["public", "private"]],
      ["members", "decimal", []],
      ["badge", "string", []],
    ]);
    expect((await client.accounts.get(1)).custom).toEqual({ sector: "public" });
    const made = sandbox.store.accounts.insert({ name: "x" });
    expect(made.custom).toEqual({ sector: expect.stringMatching(/^(public|private)$/), members: expect.any(Number) });
    const error = await failure(client.accounts.create({ name: "x", custom: { sector: "secret" } }));
    expect(error).toMatchObject({ status: 422, errors: { "custom.sector": [expect.any(String)] } });
    expect(() => createSandbox({ school: { definitions }, data: { users: [{ custom: { shoe: "x" } }] } })).toThrow(
      "data.users[0].custom.shoe is not a custom field",
    );
    expect(Object.keys(createSandbox({ size: 5, school: { definitions } }).store.users.get(2)?.custom ?? {})).toEqual([
      "badge",
    ]);
  });
});
