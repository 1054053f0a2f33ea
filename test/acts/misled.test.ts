import { expect, test } from "vitest";
import { credit, enroll, markAttendance, recordPayment, reschedule } from "../../src/acts/node.js";
import { MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { connectionOf, school, writes } from "./support/school.js";

// Acts with wrong arguments, and with a service whose lists and responses are wrong although their status is 200.

type World = ReturnType<typeof school>;

const openInvoice = ({ store }: World) =>
  [...store.invoices].find(({ status, total_open }) => status === "open" && Number(total_open) > 100)?.id ?? 0;

/** A new open invoice with one VAT rate. */
async function newInvoice({ client }: World): Promise<number> {
  const line = { name: "Dance", units: 3, unit_price: "50.00", invoice_vat_id: 1 };
  const { id } = await client.invoices.create({ account_id: 1, invoice_items_attributes: [line] });
  await client.invoices.open(id);
  return id;
}

/** A meeting and the active enrollments of its course, of which there are at least `count`. */
function meetingOf({ store }: World, count: number) {
  for (const { id, planned_course_id } of store.meetings) {
    const enrolled = store.enrollments.filter(
      (one) => one.planned_course_id === planned_course_id && one.status !== "canceled",
    );
    if (enrolled.length >= count) return { id, enrolled };
  }
  throw new Error("no such meeting");
}

/** A client whose lists at a path are changed on their way; the header `Total` stays. */
function clientWith({ sandbox }: World, path: string, changed: (records: unknown[]) => unknown[]) {
  const fetch: typeof sandbox.fetch = async (input, init) => {
    const response = await sandbox.fetch(input, init);
    const { pathname } = new URL(String(input instanceof Request ? input.url : input));
    if (!pathname.endsWith(path) || (init?.method ?? "GET") !== "GET") return response;
    return Response.json(changed(await response.json()), { headers: response.headers });
  };
  return new MainClient({ ...connectionOf(sandbox), fetch });
}

test("wrong values are refused before anything is sent", async () => {
  const { client, options, sandbox } = school();
  const paid = { amount: "1.00", date: "2030-01-01", reference: "a" };
  const acts: [() => Promise<unknown>, string][] = [
    [
      () => reschedule(client, 1, { by: { weeks: 1 }, again: "false" as never }, options),
      "again must be true or false",
    ],
    [
      () => reschedule(client, 1, { by: { weeks: 1 }, allowConflicts: "no" as never }, options),
      "allowConflicts must be",
    ],
    [() => enroll(client, { plannedCourse: 1, people: [7], approve: "no" as never }, options), "approve must be true"],
    [() => credit(client, 1, { items: [{ id: 3, unit: 1 } as never] }, options), 'did you mean "items.units"'],
    [() => credit(client, 1, { items: [{ id: 3 }, { id: 3, units: 2 }] }, options), "items names item 3 twice"],
    [() => credit(client, 1, { items: [{ units: 2 } as never] }, options), "items has an item without an id"],
    [() => credit(client, 1, { items: [{ id: 3, units: Number.NaN }] }, options), "units must be a number above 0"],
    [() => credit(client, 1, { items: [] }, options), "items must be a list of items"],
    [() => credit(client, 1, { amount: 0.3 as never }, options), "amount must be a decimal above zero"],
    [() => credit(client, 1, { amount: "-1.00" }, options), "amount must be a decimal above zero"],
    [() => credit(client, 1, { amount: "1.00", reference: { a: 1 } as never }, options), "reference must be a text"],
    [() => markAttendance(client, 1, { absent: [7], others: "attendd" as never }), "others must be one of"],
    [() => markAttendance(client, 1, { absent: 7 as never }), "absent must be a list"],
    [() => recordPayment(client, 1, paid, { ...options, signal: "x" as never }), "signal must be an AbortSignal"],
    [() => recordPayment(client, 1, paid, { marks: 5 as never }), "marks must be a folder"],
  ];
  for (const [act, message] of acts) await expect(act(), message).rejects.toThrow(message);
  expect(sandbox.requests).toEqual([]);
});

test("a response that is an earlier payment does not count as the payment", async () => {
  const world = school();
  const { client, store, options, sandbox } = world;
  const id = openInvoice(world);
  const old = await client.payments.createForInvoice(id, { amount: "50.00", date: "2026-05-01" });
  const paid = { amount: "10.00", date: "2026-06-01", reference: "transfer 1" };
  sandbox.faults.next({ operation: "payments.createForInvoice", status: 201, body: old });
  await expect(recordPayment(client, id, paid, options)).rejects.toThrow(/find does not return it/);
  sandbox.faults.next({ operation: "payments.createForInvoice", status: 201, body: old, applied: true });
  const { payment } = await recordPayment(client, id, { ...paid, reference: "transfer 2" }, options);
  expect(payment).toMatchObject({ amount: "10.00" });
  expect(store.payments.filter((one) => one.invoice_id === id && one.amount === "10.00")).toHaveLength(1);
});

test("a list that shows fewer records than the service counts ends an act before it writes", async () => {
  const world = school();
  const { id, enrolled } = meetingOf(world, 3);
  const short = clientWith(world, "/enrollments", (records) => records.slice(0, 1));
  await expect(markAttendance(short, id, { others: "late" })).rejects.toThrow(
    `enrollments.list: the service counts ${enrolled.length} records, but its list shows 1`,
  );
  expect(writes(world)).toEqual([]);
});

test("a list that repeats a record does not count the record twice", async () => {
  const world = school();
  const id = await newInvoice(world);
  const client = clientWith(world, "/invoices", (records) => [...records, records.at(-1)]);
  expect(await credit(client, id, { amount: "10.00" }, world.options)).toMatchObject({ settled: expect.any(String) });
});

test("a credit that the service does not open is not settled", async () => {
  const world = school();
  const id = await newInvoice(world);
  world.sandbox.faults.next({ operation: "invoices.open", status: 200, body: {} });
  await expect(credit(world.client, id, { amount: "10.00" }, world.options)).rejects.toThrow(/it is still a concept/);
  expect(world.sandbox.calls("payments.createForInvoice")).toEqual([]);
});

test("an attendance has the state that the service confirms", async () => {
  const world = school();
  const { id, enrolled } = meetingOf(world, 1);
  const [one] = enrolled;
  const body = { meeting_id: id, enrollment_id: one?.id, state: "attended", comment: null };
  world.sandbox.faults.next({ operation: "attendances.set", status: 200, body });
  for (const { id: state } of world.store.attendances.filter(({ meeting_id }) => meeting_id === id))
    world.store.attendances.update(state, { state: "blanco" });
  expect(await markAttendance(world.client, id, { absent: [one?.student_id ?? 0] })).toMatchObject([
    { state: "attended", before: "blanco", isChanged: true },
  ]);
});

test("an interrupted order for a firm is awaited before one for other people of the firm", async () => {
  const { options } = school();
  // Its clock moves only when it is advanced, so the order is carried out during the second call.
  const sandbox = createSandbox({ size: "medium", rateLimit: false });
  const { store } = sandbox;
  const client = new MainClient(connectionOf(sandbox));
  const course = [...store.catalogVariants].find(
    (one) => one.variantable_type === "PlannedCourse" && one.is_published && (one.available_places ?? 9) >= 4,
  )?.variantable_id as number;
  const free = [...store.users].filter(({ id }) => !store.enrollments.find(({ student_id }) => student_id === id));
  const [a = 0, b = 0, c = 0] = free.map(({ id }) => id);
  sandbox.faults.next({ operation: "orders.create", delayMs: Number.POSITIVE_INFINITY, appliedAfterMs: 3_000 });
  const stop = new AbortController();
  const request = ({ operation }: { readonly operation: string }) => {
    // A moment later, because the request is sent after this event.
    if (operation === "orders.create") setTimeout(() => stop.abort(new Error("killed")), 50);
  };
  const killed = new MainClient({ ...connectionOf(sandbox), on: { request } });
  const firm = { plannedCourse: course, account: 3 };
  await expect(enroll(killed, { ...firm, people: [a, b] }, { ...options, signal: stop.signal })).rejects.toThrow();
  expect(sandbox.calls("orders.create")).toHaveLength(1);
  const second = enroll(client, { ...firm, people: [a, b, c] }, { ...options, settleMs: 10_000 });
  await new Promise((resolve) => setTimeout(resolve, 200));
  await sandbox.clock.advance(5_000);
  const outcomes = await second;
  expect(outcomes.map(({ outcome }) => outcome)).not.toContain("twice");
  const students = store.enrollments.filter((one) => one.planned_course_id === course).map((one) => one.student_id);
  expect([a, b, c].map((id) => students.filter((one) => one === id).length)).toEqual([1, 1, 1]);
});

test("a meeting that is added while a move waits for its confirmation makes the move incomplete", async () => {
  const world = school();
  const { client, store, options } = world;
  const course = [...store.plannedCourses].find(
    ({ id, status, start_date }) =>
      status !== "canceled" && start_date && store.meetings.find((one) => one.planned_course_id === id),
  )?.id as number;
  const meeting = store.meetings.find((one) => one.planned_course_id === course);
  const confirm = () => {
    const { id: _, ...rest } = meeting as NonNullable<typeof meeting>;
    store.meetings.insert(rest as never);
    return true;
  };
  const moved = await reschedule(client, course, { by: { weeks: 30 } }, { ...options, confirm });
  expect(moved).toMatchObject({ complete: false, meetings: { joined: [expect.any(Number)] } });
});
