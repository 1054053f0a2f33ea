import { expect, test } from "vitest";
import { credit, enroll, markAttendance, recordPayment, reschedule } from "../../src/acts/node.js";
import { BadRequestError, MainClient } from "../../src/index.js";
import { connectionOf, LOST, school, writes } from "./support/school.js";

test("a payment is recorded once per reference, and equal transfers of a day are several payments", async () => {
  const { client, store, options, sandbox } = school();
  const invoice = [...store.invoices].find(({ status, total_open }) => status === "open" && Number(total_open) > 100);
  const id = invoice?.id ?? 0;
  const paid = { amount: "12.50", date: "2030-06-30", reference: "transfer 1" };
  sandbox.faults.next({ operation: "payments.createForInvoice", ...LOST });
  const first = await recordPayment(client, id, paid, options);
  expect(first).toMatchObject({ before: false, others: [], payment: { amount: "12.50" } });
  expect(await recordPayment(client, id, { ...paid, amount: "12.5" }, options)).toMatchObject({ before: true });
  const refused = /reference transfer 1 was already used for a payment of 12\.50? on 2030-06-30/;
  await expect(recordPayment(client, id, { ...paid, amount: "12.51" }, options)).rejects.toThrow(refused);
  await expect(recordPayment(client, id, { ...paid, date: "2030-06-29" }, options)).rejects.toThrow(refused);
  const second = await recordPayment(client, id, { ...paid, reference: "transfer 2" }, options);
  expect(second.before).toBe(false);
  expect(second.payment?.id).not.toBe(first.payment?.id);
  expect(store.payments.filter((one) => one.invoice_id === id && one.date === "2030-06-30")).toHaveLength(2);
  store.payments.delete(first.payment?.id ?? 0);
  await expect(recordPayment(client, id, paid, options)).rejects.toThrow(/is gone/);
  // The program ends after the request and before the payment is confirmed.
  const lost = { ...paid, reference: "transfer 3", amount: "13.00" };
  const request = ({ method }: { readonly method: string }) => {
    if (method === "POST") sandbox.faults.next({ operation: "payments.listForInvoice", status: 400 });
  };
  const failing = new MainClient({ ...connectionOf(sandbox), on: { request } });
  await expect(recordPayment(failing, id, lost, options)).rejects.toThrow(BadRequestError);
  const sent = sandbox.calls("payments.createForInvoice").length;
  await expect(recordPayment(client, id, { ...lost, amount: "31.00" }, options)).rejects.toThrow(
    /already used for a payment of 13\.00/,
  );
  expect(sandbox.calls("payments.createForInvoice")).toHaveLength(sent);
  expect(await recordPayment(client, id, lost, options)).toMatchObject({ payment: { amount: "13.00" } });
});

test("a payment that a colleague recorded is told, and what cannot be right is refused", async () => {
  const world = school();
  const { client, store, options } = world;
  const id =
    [...store.invoices].find(({ status, total_open }) => status === "open" && Number(total_open) > 100)?.id ?? 0;
  const paid = { amount: "12.50", date: "2030-06-30", reference: "transfer 1" };
  await client.payments.createForInvoice(id, { amount: "12.50", date: "2030-06-30" });
  const before = writes(world).length;
  await expect(recordPayment(client, id, paid, options)).rejects.toThrow(/no reference recorded it/);
  await expect(recordPayment(client, id, { ...paid, amount: "0.00" }, options)).rejects.toThrow(/other than zero/);
  await expect(recordPayment(client, id, { ...paid, date: "30-06-2030" }, options)).rejects.toThrow(/must be a day/);
  await expect(recordPayment(client, id, { ...paid, reference: " " }, options)).rejects.toThrow(/reference/);
  const concept = [...store.invoices].find(({ status }) => status === "concept")?.id ?? 0;
  await expect(recordPayment(client, concept, paid, options)).rejects.toThrow(/is a concept/);
  const steps: string[] = [];
  const confirm = (all: readonly string[]) => steps.push(...all) < 0;
  const left = await recordPayment(client, id, { ...paid, amount: "1.00" }, { ...options, confirm });
  expect(left.payment).toBeNull();
  expect(steps[0]).toMatch(/record a payment of 1\.00 EUR dated 2030-06-30 for invoice/);
  expect(writes(world)).toHaveLength(before);
});

test("an invoice is credited in parts and then as far as is left, once each, and settled", async () => {
  const { client, store, options, sandbox } = school();
  const made = await client.invoices.create({
    account_id: 1,
    invoice_items_attributes: [
      { name: "Dance", units: 3, unit_price: "10.00", invoice_vat_id: 1 },
      { name: "Book", units: 1, unit_price: "5.55", invoice_vat_id: 1 },
    ],
  });
  await expect(credit(client, made.id, {}, options)).rejects.toThrow(/only an invoice that was opened/);
  const { number, invoice_items } = await client.invoices.open(made.id);
  const [dance] = invoice_items;
  const part = { items: [{ id: dance?.id ?? 0, units: 1 }] };
  sandbox.faults.next({ operation: "invoices.create", ...LOST }, { operation: "payments.createForInvoice", ...LOST });
  const first = await credit(client, made.id, part, options);
  expect(first).toMatchObject({
    before: false,
    credit: { status: "paid", footnote: `Credit of ${number} (items ${dance?.id}: 1)` },
  });
  expect(await credit(client, made.id, part, options)).toMatchObject({
    before: true,
    credit: { id: first.credit?.id },
  });
  await expect(credit(client, made.id, { items: [{ id: dance?.id ?? 0, units: 3 }] }, options)).rejects.toThrow(
    /of which 2 are left/,
  );
  await expect(credit(client, made.id, { items: [{ id: 1 }] }, options)).rejects.toThrow(/not an item/);
  const rest = await credit(client, made.id, {}, options);
  expect(rest.credit?.invoice_items.map(({ units }) => units)).toEqual([-2, -1]);
  expect(await client.invoices.get(made.id)).toMatchObject({ total_open: "0.00", status: "paid" });
  await expect(credit(client, made.id, { amount: "0.01" }, options)).rejects.toThrow(/more than is left/);
  expect(store.invoices.filter(({ footnote }) => footnote?.startsWith(`Credit of ${number}`) === true)).toHaveLength(2);
});

test("an amount is credited from an invoice of one VAT rate only", async () => {
  const { client, options } = school();
  const item = { units: 1, unit_price: "50.00" };
  const several = await client.invoices.create({
    account_id: 1,
    invoice_items_attributes: [
      { ...item, name: "Low", invoice_vat_id: 1 },
      { ...item, name: "High", invoice_vat_id: 2 },
    ],
  });
  await client.invoices.open(several.id);
  await expect(credit(client, several.id, { amount: "10.00" }, options)).rejects.toThrow(/several VAT rates/);
  const one = await client.invoices.create({
    account_id: 1,
    invoice_items_attributes: [{ ...item, name: "A", invoice_vat_id: 1 }],
  });
  await client.invoices.open(one.id);
  expect((await credit(client, one.id, { amount: "10.00" }, options)).before).toBe(false);
  for (const amount of ["10.00", "10", "10.000"])
    expect((await credit(client, one.id, { amount }, options)).before).toBe(true);
  expect((await credit(client, one.id, { amount: "10.00", reference: "again" }, options)).before).toBe(false);
  await expect(credit(client, one.id, { amount: "30.01" }, options)).rejects.toThrow(/more than is left.*30\.00/);
  const rest = await credit(client, one.id, {}, options);
  expect(rest.credit?.invoice_items).toMatchObject([{ units: -1, unit_price: "30.00" }]);
  expect((await credit(client, one.id, {}, options)).before).toBe(true);
  expect(await client.invoices.get(one.id)).toMatchObject({ total_open: "0.00", status: "paid" });
});

test("items are the same part in any order", async () => {
  const { client, options } = school();
  const line = (name: string) => ({ name, units: 2, unit_price: "10.00", invoice_vat_id: 1 });
  const made = await client.invoices.create({ account_id: 1, invoice_items_attributes: [line("A"), line("B")] });
  const { id, invoice_items } = await client.invoices.open(made.id);
  const items = invoice_items.map((item) => ({ id: item.id, units: 1 }));
  expect((await credit(client, id, { items }, options)).before).toBe(false);
  expect((await credit(client, id, { items: items.toReversed() }, options)).before).toBe(true);
});

function courseWith(places: number, { store }: ReturnType<typeof school>) {
  const variant = [...store.catalogVariants].find(
    ({ variantable_type, available_places }) =>
      variantable_type === "PlannedCourse" && (available_places ?? 0) >= places,
  );
  return { course: variant?.variantable_id ?? 0, variant };
}

test("people are found or made by e-mail and enrolled once, in one order for a firm", async () => {
  const world = school();
  const { client, store, options, sandbox } = world;
  const { course } = courseWith(3, world);
  const person = (name: string) => ({ email: `${name}@new.example`, first_name: name, last_name: "Fox" });
  const { id } = await client.users.create(person("jo"));
  const people = [id, person("ada"), person("eve")];
  sandbox.faults.next({ operation: "orders.create", ...LOST });
  const first = await enroll(client, { plannedCourse: course, account: 1, people }, options);
  expect(first.map(({ outcome }) => outcome)).toEqual(["enrolled", "enrolled", "enrolled"]);
  expect(new Set(first.flatMap(({ orders }) => orders)).size).toBe(1);
  const again = await enroll(client, { plannedCourse: course, account: 1, people }, options);
  expect(again.map(({ outcome }) => outcome)).toEqual(["was enrolled", "was enrolled", "was enrolled"]);
  expect(store.users.filter(({ email }) => email.endsWith("@new.example"))).toHaveLength(3);
  expect(store.enrollments.filter((one) => one.planned_course_id === course && one.student_id === id)).toHaveLength(1);
});

test("each private person gets an order, and too few places, waiting orders counted, are refused before anything is sent", async () => {
  const world = school();
  const { client, store, options } = world;
  const { course, variant } = courseWith(3, world);
  const free = [...store.users]
    .filter(({ id }) => !store.enrollments.find(({ student_id }) => student_id === id))
    .map(({ id }) => id);
  const left = variant?.available_places ?? 0;
  const [a = 0, b = 0] = free;
  const waiting = await enroll(client, { plannedCourse: course, people: [a], approve: false }, options);
  expect(waiting[0]).toMatchObject({ outcome: "waiting" });
  expect(
    (await enroll(client, { plannedCourse: course, people: [a, b] }, options)).map(({ outcome }) => outcome),
  ).toEqual(["was waiting", "enrolled"]);
  const sent = writes(world).length;
  const many = free.slice(2, 2 + left - 1);
  expect(many).toHaveLength(left - 1);
  await expect(enroll(client, { plannedCourse: course, people: many }, options)).rejects.toThrow(
    /need more places \(\d\) .* has left \(\d\): orders that wait for approval hold \d of \d\./,
  );
  const enrolling = { plannedCourse: course, people: [free[2] ?? 0] };
  await expect(enroll(client, { ...enrolling, people: [free[2] ?? 0, 999_999] }, options)).rejects.toThrow(
    /names 999999, who does not exist in the service/,
  );
  store.catalogVariants.update(variant?.id ?? 0, { available_places: 0 });
  await expect(enroll(client, enrolling, options)).rejects.toThrow(/need more places \(1\) .* has left \(0\)\. /);
  store.catalogVariants.update(variant?.id ?? 0, { available_places: left - 1 });
  await expect(enroll(client, { plannedCourse: 999_999, people: [a] }, options)).rejects.toThrow(/cannot be ordered/);
  const confirm = () => false;
  expect((await enroll(client, enrolling, { ...options, confirm }))[0]?.outcome).toBe("open");
  store.plannedCourses.update(course, { status: "canceled" });
  await expect(enroll(client, enrolling, options)).rejects.toThrow(/is canceled/);
  expect(writes(world)).toHaveLength(sent);
});

test("a person whom somebody else enrolls meanwhile is told as twice", async () => {
  const world = school();
  const { sandbox, store, options } = world;
  const { course, variant } = courseWith(3, world);
  const student =
    [...store.users].find(({ id }) => !store.enrollments.find(({ student_id }) => student_id === id))?.id ?? 0;
  const fetch: typeof sandbox.fetch = async (input, init) => {
    if (init?.method === "POST")
      await new MainClient(sandbox).orders.create({
        catalog_variant_id: variant?.id ?? 0,
        creator_id: student,
        student_ids: [student],
        approve: true,
      });
    return sandbox.fetch(input, init);
  };
  const client = new MainClient({ ...connectionOf(sandbox), fetch });
  const [one] = await enroll(client, { plannedCourse: course, people: [student] }, options);
  expect(one?.outcome).toBe("twice");
  expect(one?.orders).toHaveLength(2);
});

test("attendance is checked for everybody before the first is written, and only differences are", async () => {
  const world = school();
  const { client, store } = world;
  const meeting = [...store.meetings].find(
    ({ planned_course_id }) =>
      store.enrollments.filter((one) => one.planned_course_id === planned_course_id && one.status !== "canceled")
        .length >= 3,
  );
  const enrolled = store.enrollments.filter(
    (one) => one.planned_course_id === meeting?.planned_course_id && one.status !== "canceled",
  );
  const [a, b] = enrolled.map(({ student_id }) => student_id);
  const email = store.users.get(b ?? 0)?.email ?? "";
  const id = meeting?.id ?? 0;
  await expect(markAttendance(client, id, { present: [a ?? 0], absent: [999_999] })).rejects.toThrow(
    /not in planned course/,
  );
  await expect(markAttendance(client, id, { present: [a ?? 0], absent: [a ?? 0] })).rejects.toThrow(/twice/);
  await expect(markAttendance(client, id, {})).rejects.toThrow(/nobody/);
  expect(writes(world)).toHaveLength(0);
  const marked = await markAttendance(client, id, {
    late: [a ?? 0],
    excused: [email.toUpperCase()],
    others: "attended",
  });
  const stateOf = (student?: number) => marked.find((one) => one.student === student)?.state;
  expect([stateOf(a), stateOf(b)]).toEqual(["late", "absent_with_leave"]);
  expect(marked).toHaveLength(enrolled.length);
  const sent = writes(world).length;
  const again = await markAttendance(client, id, { late: [a ?? 0] });
  expect(again).toMatchObject([{ student: a, before: "late", isChanged: false }]);
  expect(writes(world)).toHaveLength(sent);
});

test("an act refuses names that it does not know before it reads anything", async () => {
  const world = school();
  const { client, options, sandbox } = world;
  const wrong = { ...options, setleMs: 1 } as never;
  const acts = [
    () => enroll(client, { plannedCourse: 1, people: [7] }, wrong),
    () => enroll(client, { plannedCourse: 1, people: [7], aprove: false } as never, options),
    () => credit(client, 1, {}, wrong),
    () => credit(client, 1, { amuont: "1.00" } as never, options),
    () => recordPayment(client, 1, { amount: "1.00", date: "2030-01-01", reference: "a" }, wrong),
    () => markAttendance(client, 1, { others: "attended" }, { priority: "batch" } as never),
    () => markAttendance(client, 1, { presnt: [7] } as never),
    () => reschedule(client, 1, { by: { weeks: 1 } }, wrong),
    () => reschedule(client, 1, { by: { weeks: 1 }, agian: true } as never, options),
    () => enroll(client, { plannedCourse: 1, people: [7] }, { ...options, confirm: true } as never),
  ];
  for (const act of acts) await expect(act()).rejects.toThrow(/(is unknown|must be a function)/);
  expect(sandbox.requests).toEqual([]);
});

test("an act refuses lists and records that cannot be the service's, and takes a payment without a body from the list", async () => {
  const { client, store, options, sandbox } = school();
  const id =
    [...store.invoices].find(({ status, total_open }) => status === "open" && Number(total_open) > 100)?.id ?? 0;
  const paid = { amount: "12.50", date: "2030-06-30", reference: "transfer 1" };
  for (const body of [[{}], [1], [null]]) {
    sandbox.faults.next({ operation: "payments.listForInvoice", body });
    await expect(recordPayment(client, id, paid, options)).rejects.toThrow(/without an identifier/);
  }
  sandbox.faults.next({ operation: "invoices.get", body: { ...store.invoices.get(1 + id), id: 1 + id } });
  await expect(recordPayment(client, id, paid, options)).rejects.toThrow(/is another record/);
  expect(sandbox.requests.filter(({ method }) => method !== "GET")).toEqual([]);
  sandbox.faults.next({ operation: "payments.createForInvoice", status: 204, applied: true });
  expect((await recordPayment(client, id, paid, options)).payment).toMatchObject({ amount: "12.50" });
});
