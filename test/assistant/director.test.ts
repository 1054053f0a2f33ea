import { expect, test } from "vitest";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { options } from "../support/clients.js";
import { type Answer, toolsOf } from "./support.js";

type Row = Readonly<Record<string, unknown>>;

const sandbox = createSandbox({ size: 120, rateLimit: false });
const client = new MainClient({ ...options(), ...sandbox, fetch: sandbox.fetch, clock: sandbox.clock });
const LISTS = ["invoices", "orders", "enrollments", "accounts", "users", "leads", "plannedCourses"] as const;
const school = Object.fromEntries(
  await Promise.all(
    LISTS.map(async (name) => [name, await client[name].list({}, { validation: "off" }).toArray()] as const),
  ),
) as unknown as Readonly<Record<(typeof LISTS)[number], readonly Row[]>>;

// The expected answers, as a person would count them in the records.
const zone = "Europe/Amsterdam";
const dayOf = (instant: unknown) => new Date(instant as string).toLocaleDateString("sv-SE", { timeZone: zone });
const today = dayOf(sandbox.clock.now());
const dayAfter = (days: number) => dayOf(sandbox.clock.now() + days * 86_400_000);
const cents = (value: unknown) => Math.round(Number(value) * 100);
const sum = (rows: readonly Row[], field: string) =>
  (rows.reduce((all, row) => all + cents(row[field]), 0) / 100).toFixed(2);
const groups = (rows: readonly Row[], key: (row: Row) => unknown) =>
  Object.fromEntries(
    [...Map.groupBy(rows, (row) => key(row) ?? "(none)")].map(([name, { length }]) => [String(name), length]),
  );
const counts = (answer: Answer) => Object.fromEntries(answer.rows.map(([name, count]) => [String(name), count]));
const itemsOf = (row: Row, list: string) => (row[list] ?? []) as Row[];
const courseOf = new Map(school.plannedCourses.map(({ id, course_id }) => [id, course_id]));
const localeOf = new Map(school.users.map(({ id, locale }) => [id, locale]));

type Asked = readonly [from: (typeof LISTS)[number], input: object, right: (row: Row) => boolean];

test("the school has records to count", () => {
  for (const name of LISTS) expect([name, school[name].length > 20]).toEqual([name, true]);
});

test.each<readonly [question: string, ...Asked]>([
  ["How many invoices are open?", "invoices", { having: "status=open" }, ({ status }) => status === "open"],
  [
    "How many are overdue?",
    "invoices",
    { having: "total_open>0 and expiration_date<today" },
    (one) => cents(one.total_open) > 0 && String(one.expiration_date ?? "9") < today,
  ],
  [
    "Who owes more than 100 or has expired?",
    "invoices",
    { having: "total_open>100 or status=expired" },
    (one) => cents(one.total_open) > 10_000 || one.status === "expired",
  ],
  [
    "Which invoices have one paid payment of 50 or more?",
    "invoices",
    { having: "payments.status=paid and payments.amount>=50" },
    (one) => itemsOf(one, "payments").some(({ status, amount }) => status === "paid" && cents(amount) >= 5_000),
  ],
  [
    "Which have no payment yet?",
    "invoices",
    { having: "payments.id=null" },
    (one) => itemsOf(one, "payments").length === 0,
  ],
  ["Who used a discount code?", "orders", { having: "discount_code!=null" }, (one) => (one.discount_code ?? "") !== ""],
  ["Who chose no way to pay?", "orders", { having: "payment_option_id=null" }, (one) => one.payment_option_id === null],
  [
    "Which orders are large?",
    "orders",
    { having: "number_of_students>=5" },
    (one) => Number(one.number_of_students) >= 5,
  ],
  ["Who has not cancelled?", "enrollments", { having: "status!=canceled" }, ({ status }) => status !== "canceled"],
  [
    "Whose student reads Dutch?",
    "enrollments",
    { with: ["student"], having: "student.locale=nl" },
    ({ student_id }) => localeOf.get(student_id) === "nl",
  ],
  ["Who wants the newsletter?", "users", { having: "wants_newsletter=yes" }, (one) => one.wants_newsletter === true],
  ["Who teaches?", "users", { having: "roles=teacher" }, ({ roles }) => (roles as string[]).includes("teacher")],
  [
    "Who is no student?",
    "users",
    { having: "roles!=student" },
    ({ roles }) => !(roles as string[]).includes("student"),
  ],
  [
    "Which firms have no address?",
    "accounts",
    { having: "address.city=null" },
    ({ address }) => ((address as Row | null)?.city ?? null) === null,
  ],
  [
    "Which firms have two labels?",
    "accounts",
    { having: "label_ids.1!=null" },
    (one) => itemsOf(one, "label_ids").length > 1,
  ],
  [
    "Which leads are decided?",
    "leads",
    { having: "status=won,lost" },
    ({ status }) => /^(won|lost)$/.test(String(status)),
  ],
  [
    "Which leads came this month?",
    "leads",
    { having: `created_at=${today.slice(0, 7)}` },
    ({ created_at }) => dayOf(created_at).startsWith(today.slice(0, 7)),
  ],
  [
    "Which accounts were made in the last 30 days?",
    "accounts",
    { having: "created_at>=today-30" },
    ({ created_at }) => dayOf(created_at) >= dayAfter(-30),
  ],
  [
    "Which courses begin within 30 days?",
    "plannedCourses",
    { having: "start_date>=today and start_date<=today+30" },
    ({ start_date }) => String(start_date ?? "") >= today && String(start_date) <= dayAfter(30),
  ],
])("%s", async (_, from, input, right) => {
  const answer = await toolsOf(client, { show: ["names", "contact"], requests: 300 }).count?.({ from, ...input });
  expect(answer).toMatchObject({ complete: true, read: school[from].length, count: school[from].filter(right).length });
  expect(dayOf(answer?.as_of)).toBe(today);
});

test.each<
  readonly [
    question: string,
    from: (typeof LISTS)[number],
    input: object,
    told: (answer: Answer) => unknown,
    right: unknown,
  ]
>([
  [
    "How many people take part, not how many places?",
    "enrollments",
    { distinct: "student_id" },
    (answer) => answer.distinct_student_id,
    new Set(school.enrollments.map(({ student_id }) => student_id)).size,
  ],
  [
    "How many places were ordered?",
    "orders",
    { sum: "number_of_students" },
    ({ sum_number_of_students: all, currency }) => [all, currency],
    [String(school.orders.reduce((all, { number_of_students: some }) => all + Number(some ?? 0), 0)), undefined],
  ],
  [
    "What is open?",
    "invoices",
    { sum: "total_open", having: "currency=EUR" },
    (answer) => Number(answer.sum_total_open).toFixed(2),
    sum(
      school.invoices.filter(({ currency }) => currency === "EUR"),
      "total_open",
    ),
  ],
  [
    "Which course has how many orders?",
    "orders",
    { with: ["planned_course"], by: "planned_course.course_id" },
    counts,
    groups(school.orders, ({ planned_course_id }) => courseOf.get(planned_course_id)),
  ],
  [
    "How many orders a month?",
    "orders",
    { by: "created_at:month" },
    counts,
    groups(school.orders, ({ created_at }) => dayOf(created_at).slice(0, 7)),
  ],
])("%s", async (_, from, input, told, right) => {
  const answer = await toolsOf(client, { requests: 300 }).count?.({ from, ...input });
  expect(answer?.complete).toBe(true);
  expect(told(answer as Answer)).toEqual(right);
});

// A number would be wrong here, so the answer is the reason.
test.each<readonly [question: string, from: string, input: object, why: RegExp]>([
  ["How many cancelled?", "enrollments", { having: "status=cancelled" }, /is not one of .*canceled/],
  ["When were they cancelled?", "enrollments", { having: "canceled_at>=today-30" }, /does not show that time$/],
  ["How many were deleted?", "invoices", { having: "deleted_at!=null" }, /does not show that time$/],
  ["Who owes more than 12.50?", "invoices", { having: "total_open>12,50" }, /not a number, such as 12\.50/],
  ["How many are overdue?", "invoices", { having: "status=overdue" }, /is not one of concept, expired, open/],
  ["Which firms have an address?", "accounts", { having: "address!=null" }, /name a field of address/],
  ["What is the sum of all days?", "invoices", { sum: "expiration_date" }, /does not hold numbers/],
  ["What did we charge for one thing?", "invoices", { sum: "invoice_items.unit_price" }, /holds a list/],
  ["Which city is it?", "accounts", { by: "address.city" }, /hidden/],
  [
    "Whose student has a name with z?",
    "enrollments",
    { with: ["student"], having: "student.last_name contains z" },
    /hidden/,
  ],
])("%s is refused", async (_, from, input, why) => {
  expect((await toolsOf(client).count?.({ from, ...input }))?.error).toMatch(why);
});

test("a number based on an unknown value says so, and the description says what overdue means", async () => {
  const { count, describe } = toolsOf(client, { maxTokens: 4_000 });
  expect(await count?.({ from: "invoices", having: "currency=XYZ" })).toMatchObject({
    count: 0,
    left_out: { unknown_value: ["xyz"] },
  });
  const { text = "" } = (await describe?.({ resource: "invoices" })) ?? {};
  expect(text).toContain("Not every overdue invoice is `expired`");
  expect(text).toMatch(/^- expiration_date: day as text$/m);
  expect(text).toMatch(/^- status: concept\S+; without a filter on status, sums may include concepts/m);
  expect((await describe?.({ resource: "orders" }))?.text).toMatch(/^- status: .*no field shows when it was canceled/m);
  expect(text).toMatch(/^- currency: EUR\|\S+\|…$/m);
});

test.each([
  ["2031-05-06T00:00:00Z", /^The service's clock says 2031-05-06/],
  [new Date(sandbox.clock.now() + 3_600_000), undefined],
])("a clock that differs from the service's by more than a day is told: %s", async (date, note) => {
  const fetch: typeof sandbox.fetch = async (url, init) => {
    const response = await sandbox.fetch(url, init);
    response.headers.set("date", new Date(date).toUTCString());
    return response;
  };
  const { count, read } = toolsOf(new MainClient({ ...options(), ...sandbox, fetch, clock: sandbox.clock }));
  const where = { from: "invoices", having: "expiration_date<today and expiration_date!=null" };
  for (const answer of [await count?.(where), await read?.({ ...where, fields: ["id"] })])
    expect(answer?.note).toEqual(note && expect.stringMatching(note));
});
