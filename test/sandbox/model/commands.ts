// What a user of the three resources does, each time against the model and against the sandbox through the client.
import assert from "node:assert/strict";
import fc from "fast-check";
import type { MainClient } from "../../../src/index.js";
import { checkWorld } from "./invariants.ts";
import { type Line, type Model, type Outcome, thousandthsOf } from "./model.ts";
import { seenEnrollment, seenInvoice, seenOrder, seenPayment, seenPlannedCourse, textOf } from "./seen.ts";
import type { ModelWorld } from "./world.ts";

type Command = fc.AsyncCommand<Model, ModelWorld>;

const NOBODY = 9_999;

/** All commands. Records are chosen by a number: its remainder selects one of those there are, now and then one there is not. */
export function commands(): fc.Arbitrary<Command>[] {
  const pick = fc.nat({ max: 1_000 });
  const cost = fc.constantFrom(undefined, undefined, null, "100.00", "0.01", "33.335", "0.005", "0.00");
  const scheme = fc.constantFrom(undefined, undefined, undefined, "student", "order", "tbd", "free");
  const students = fc.array(fc.nat({ max: 12 }), { minLength: 1, maxLength: 3 });
  const line = fc.record({
    quarters: fc.constantFrom(1, 4, 12, 4_000),
    thousandths: fc.constantFrom(100_000, 333, 5, -5_000, 12_340),
    vat: fc.integer({ min: 1, max: 3 }),
  });
  const money = fc.oneof(
    fc.record({ percent: fc.integer({ min: 1, max: 99 }) }),
    fc.constantFrom(
      { percent: 100 },
      { percent: 100 },
      { over: -10 },
      { over: 10 },
      { over: 100_000 },
      { exactly: 0 },
      { exactly: 5 },
    ),
  );
  return [
    fc
      .record({ pick, creator: pick, students, cost, scheme, approve: fc.boolean(), own: fc.boolean() })
      .map(createOrder),
    fc
      .record({ pick, creator: pick, students, cost, scheme, approve: fc.boolean(), own: fc.boolean() })
      .map(createOrder),
    pick.map((at) => onOrder("approve", at)),
    pick.map((at) => onOrder("approve", at)),
    pick.map((at) => onOrder("cancel", at)),
    pick.map((at) => onOrder("deny", at)),
    fc.record({ account: fc.integer({ min: 1, max: 8 }), lines: fc.array(line, { maxLength: 3 }) }).map(createInvoice),
    pick.map(openInvoice),
    pick.map(openInvoice),
    fc.record({ pick, money, method: fc.integer({ min: 1, max: 3 }) }).map(pay),
    fc.record({ pick, money, method: fc.integer({ min: 1, max: 3 }) }).map(pay),
    fc.record({ pick, elsewhere: fc.nat({ max: 9 }) }).map(deletePayment),
    pick.map(cancelEnrollment),
    pick.map(readOne),
    fc.record({ pick, which: fc.nat({ max: 8 }) }).map(list),
    fc.integer({ min: 1, max: 40 }).map(passHours),
  ];
}

/** What a program sees of everything, at the end of a sequence. */
export async function compareAll(model: Model, world: ModelWorld): Promise<void> {
  const { main } = world;
  const all = { max: 1_000 };
  assert.deepEqual((await main.orders.list().toArray(all)).map(seenOrder), [...model.orders.values()]);
  assert.deepEqual((await main.invoices.list().toArray(all)).map(seenInvoice), [...model.invoices.values()]);
  assert.deepEqual((await main.enrollments.list().toArray(all)).map(seenEnrollment), [...model.enrollments.values()]);
  const planned = (await main.plannedCourses.list().toArray(all)).map(seenPlannedCourse);
  assert.deepEqual(planned, [...model.plannedCourses.values()]);
  assert.deepEqual([...world.sandbox.store.payments].map(seenPayment), [...model.payments.values()]);
  for (const variant of await main.catalogVariants.list().toArray(all)) {
    const course = model.plannedCourses.get(model.variants.get(variant.id)?.planned ?? 0);
    const places = course && course.most !== null ? Math.max(0, course.most - course.taken) : null;
    if (course) assert.equal(variant.available_places, places, `places of variant ${variant.id}`);
  }
  checkWorld(world.sandbox.store);
}

// One of the records there are, mostly of the newest, because operations that meet show more; every eleventh number names none.
function chosen(records: ReadonlyMap<number, unknown>, at: number): number {
  const ids = [...records.keys()];
  const reach = at % 3 === 0 ? ids.length : Math.min(4, ids.length);
  return at % 11 === 10 ? NOBODY : (ids.at(-1 - (at % Math.max(1, reach))) ?? NOBODY);
}

// Carries out an operation here and there, and compares what is answered and which events are sent.
function command<T, R>(
  name: string,
  predict: (model: Model) => Outcome<T>,
  ask: (main: MainClient, model: Readonly<Model>) => PromiseLike<R>,
  seen: (answer: R) => unknown,
): Command {
  return {
    check: () => true,
    run: async (model, world) => {
      model.events = [];
      // Chosen from the model as it is before the operation, so asked first.
      const call = ask(world.main, model);
      const expected = predict(model);
      const answer = await outcomeOf(call, seen);
      assert.deepEqual(answer, expected, name);
      const kind = `${name.replace(/ ?[\d{].*$/, "")}: ${"ok" in expected ? "done" : expected.refused}`;
      world.tally.set(kind, (world.tally.get(kind) ?? 0) + 1);
      await world.sandbox.webhooks.settled();
      assert.deepEqual(world.events.splice(0), model.events, `events of ${name}`);
    },
    toString: () => name,
  };
}

async function outcomeOf<R>(call: PromiseLike<R>, seen: (answer: R) => unknown): Promise<Outcome<unknown>> {
  let answer: R;
  try {
    answer = await call;
  } catch (error) {
    const { status, errors = {} } = error as { status?: number; errors?: Record<string, unknown> };
    if (typeof status !== "number" || status < 400) throw error;
    return { refused: status, field: Object.keys(errors)[0] ?? null };
  }
  return { ok: seen(answer) };
}

interface OrderSketch {
  readonly pick: number;
  readonly creator: number;
  readonly students: readonly number[];
  readonly cost: string | null | undefined;
  readonly scheme: string | undefined;
  readonly approve: boolean;
  readonly own: boolean;
}

function createOrder(sketch: OrderSketch): Command {
  const wanted = (model: Readonly<Model>) => {
    const users = model.users;
    const { cost, scheme, approve } = sketch;
    return {
      variant: chosen(model.variants, sketch.pick),
      creator: (sketch.creator % users) + 1,
      // 12 is somebody who does not exist.
      students: sketch.students.map((at) => (at === 12 ? NOBODY : (at % users) + 1)),
      ...(sketch.own ? { account: 2 } : {}),
      ...(cost !== undefined && { cost }),
      ...(scheme !== undefined && { scheme }),
      ...(approve && { approve }),
    };
  };
  return command(
    `create order ${JSON.stringify(sketch)}`,
    (model) => model.createOrder(wanted(model)),
    (main, model) => {
      const { variant, creator, students, account, scheme, ...rest } = wanted(model);
      return main.orders.create({
        catalog_variant_id: variant,
        creator_id: creator,
        student_ids: students,
        ...(account !== undefined && { account_id: account }),
        ...(scheme !== undefined && { cost_scheme: scheme as "free" }),
        ...rest,
      });
    },
    seenOrder,
  );
}

function onOrder(action: "approve" | "cancel" | "deny", at: number): Command {
  const name = `${action} order ${at}`;
  const id = (model: Readonly<Model>) => chosen(model.orders, at);
  if (action === "deny") {
    return command(
      name,
      (model) => model.denyOrder(id(model)),
      (main, model) => main.orders.deny(id(model)),
      nothing,
    );
  }
  const predict = (model: Model) =>
    action === "approve" ? model.approveOrder(id(model)) : model.cancelOrder(id(model));
  return command(name, predict, (main, model) => main.orders[action](id(model)), seenOrder);
}

function createInvoice({ account, lines }: { account: number; lines: readonly Line[] }): Command {
  return command(
    `create invoice ${JSON.stringify({ account, lines })}`,
    (model) => model.createInvoice(account, lines),
    (main) =>
      main.invoices.create({
        account_id: account,
        invoice_items_attributes: lines.map(({ quarters, thousandths, vat }) => ({
          name: "Course book",
          units: quarters / 4,
          unit_price: inThousandths(thousandths),
          invoice_vat_id: vat,
        })),
      }),
    seenInvoice,
  );
}

function openInvoice(at: number): Command {
  const id = (model: Readonly<Model>) => chosen(model.invoices, at);
  return command(
    `open invoice ${at}`,
    (model) => model.openInvoice(id(model)),
    (main, model) => main.invoices.open(id(model)),
    seenInvoice,
  );
}

type Money = { readonly percent?: number; readonly over?: number; readonly exactly?: number };

function pay({ pick, money, method }: { pick: number; money: Money; method: number }): Command {
  const id = (model: Readonly<Model>) => chosen(model.invoices, pick);
  const amount = (model: Readonly<Model>) => {
    const open = (model.invoices.get(id(model))?.open ?? 0) * 10;
    if (money.percent === undefined) return money.exactly ?? open + (money.over ?? 0);
    return Math.floor((open * money.percent) / 1_000) * 10;
  };
  return command(
    `pay ${JSON.stringify({ pick, money, method })}`,
    (model) => model.pay(id(model), amount(model), method),
    (main, model) =>
      main.payments.createForInvoice(id(model), {
        amount: inThousandths(amount(model)),
        payment_method_id: method,
        currency: "EUR",
      }),
    (payment) => {
      assert.equal(payment.payment_method?.id, payment.payment_method_id);
      return seenPayment(payment);
    },
  );
}

function deletePayment({ pick, elsewhere }: { pick: number; elsewhere: number }): Command {
  const path = (model: Readonly<Model>) => {
    const id = chosen(model.payments, pick);
    const invoice = model.payments.get(id)?.invoice ?? 1;
    // Every tenth time below an invoice that it does not belong to.
    return { invoice_id: elsewhere === 9 ? invoice + 1 : invoice, id };
  };
  const predict = (model: Model) => {
    const { invoice_id, id } = path(model);
    return model.deletePayment(invoice_id, id);
  };
  const name = `delete payment ${pick} ${elsewhere}`;
  return command(name, predict, (main, model) => main.payments.deleteForInvoice(path(model)), nothing);
}

function cancelEnrollment(at: number): Command {
  const id = (model: Readonly<Model>) => chosen(model.enrollments, at);
  return command(
    `cancel enrollment ${at}`,
    (model) => model.cancelEnrollment(id(model)),
    (main, model) => main.enrollments.cancel(id(model)),
    seenEnrollment,
  );
}

function readOne(at: number): Command {
  const name = `read ${at}`;
  switch (at % 5) {
    case 0: {
      const id = (model: Readonly<Model>) => chosen(model.orders, at);
      return command(
        name,
        (m) => m.get(m.orders, id(m)),
        (main, m) => main.orders.get(id(m)),
        seenOrder,
      );
    }
    case 1: {
      const id = (model: Readonly<Model>) => chosen(model.invoices, at);
      return command(
        name,
        (m) => m.get(m.invoices, id(m)),
        (main, m) => main.invoices.get(id(m)),
        seenInvoice,
      );
    }
    case 2: {
      const id = (model: Readonly<Model>) => chosen(model.enrollments, at);
      return command(
        name,
        (m) => m.get(m.enrollments, id(m)),
        (main, m) => main.enrollments.get(id(m)),
        seenEnrollment,
      );
    }
    case 3: {
      const id = (model: Readonly<Model>) => chosen(model.payments, at);
      return command(
        name,
        (m) => m.get(m.payments, id(m)),
        (main, m) => main.payments.get(id(m)),
        seenPayment,
      );
    }
    default: {
      const id = (model: Readonly<Model>) => chosen(model.plannedCourses, at);
      const predict = (m: Model) => m.get(m.plannedCourses, id(m));
      return command(name, predict, (main, m) => main.plannedCourses.get(id(m)), seenPlannedCourse);
    }
  }
}

// Lists with filters: the identifiers in their order.
function list({ pick, which }: { pick: number; which: number }): Command {
  const among = <T extends { id: number }>(
    records: (model: Readonly<Model>) => ReadonlyMap<number, T>,
    fits: (record: T, model: Readonly<Model>) => boolean,
    ask: (main: MainClient, model: Readonly<Model>) => PromiseLike<{ id: number }[]>,
  ) =>
    command(
      `list ${which} ${pick}`,
      (model) => ({ ok: [...records(model).values()].filter((record) => fits(record, model)).map(({ id }) => id) }),
      ask,
      (found) => found.map(({ id }) => id),
    );
  const all = { max: 1_000 };
  const user = (model: Readonly<Model>) => (pick % model.users) + 1;
  const variant = (model: Readonly<Model>) => chosen(model.variants, pick);
  const course = (model: Readonly<Model>) => chosen(model.plannedCourses, pick);
  const order = (model: Readonly<Model>) => chosen(model.orders, pick);
  const moment = (model: Readonly<Model>) => model.orders.get(order(model))?.createdAt ?? model.time;
  const isOfCourse = (model: Readonly<Model>, planned: number | null) =>
    model.plannedCourses.get(planned ?? 0)?.course === (pick % 6) + 1;
  switch (which) {
    case 0:
      return among(
        (m) => m.orders,
        ({ creator }, m) => creator === user(m),
        (main, m) => main.orders.list({ creator_id: user(m) }).toArray(all),
      );
    case 1:
      return among(
        (m) => m.orders,
        (row, m) => row.variant === variant(m),
        (main, m) => main.orders.list({ catalog_variant_id: variant(m) }).toArray(all),
      );
    case 2:
      return among(
        (m) => m.orders,
        ({ createdAt }, m) => createdAt > moment(m),
        (main, m) => main.orders.list({ created_at_after: moment(m) }).toArray(all),
      );
    case 3:
      return among(
        (m) => m.orders,
        ({ planned }, m) => isOfCourse(m, planned),
        (main) => main.orders.list({ course_id: [(pick % 6) + 1] }).toArray(all),
      );
    case 4:
      return command(
        `list newest orders ${pick}`,
        (m) => ({ ok: [...m.orders.values()].sort(newestFirst).map(({ id }) => id) }),
        (main) => main.orders.list({ sort: "created_at:desc", per_page: (pick % 7) + 3 }).toArray(all),
        (found) => found.map(({ id }) => id),
      );
    case 5:
      return among(
        (m) => m.invoices,
        ({ status }) => status === "open" || (pick % 2 === 0 && status === "paid"),
        (main) => main.invoices.list({ status: pick % 2 === 0 ? ["open", "paid"] : ["open"] }).toArray(all),
      );
    case 6:
      return among(
        (m) => m.invoices,
        (row, m) => (pick % 2 === 0 ? row.order === order(m) : row.account === user(m)),
        (main, m) => main.invoices.list(pick % 2 === 0 ? { order_id: order(m) } : { account_id: user(m) }).toArray(all),
      );
    case 7:
      return among(
        (m) => m.enrollments,
        ({ status, planned }, m) => planned === course(m) && status !== "canceled",
        (main, m) => main.enrollments.list({ planned_course_id: course(m), with_canceled: false }).toArray(all),
      );
    default: {
      const invoice = (model: Readonly<Model>) => chosen(model.invoices, pick);
      return command(
        `list payments ${pick}`,
        (m): Outcome<unknown> => {
          const found = m.invoices.get(invoice(m));
          return found ? { ok: found.payments.map((id) => m.payments.get(id)) } : { refused: 404, field: null };
        },
        (main, m) => main.payments.listForInvoice(invoice(m)).toArray(all),
        (found) => found.map(seenPayment),
      );
    }
  }
}

function newestFirst(one: { createdAt: string; id: number }, other: { createdAt: string; id: number }): number {
  if (one.createdAt !== other.createdAt) return one.createdAt < other.createdAt ? 1 : -1;
  return one.id - other.id;
}

function passHours(hours: number): Command {
  return {
    check: () => true,
    run: async (model, { sandbox }) => {
      model.now += hours * 3_600_000;
      await sandbox.clock.advance(hours * 3_600_000);
    },
    toString: () => `${hours} hours pass`,
  };
}

function nothing(answer: unknown): unknown {
  return answer;
}

// Whole cents with two decimals as people write them, anything finer with three.
function inThousandths(value: number): string {
  if (value % 10 === 0) return textOf(value / 10);
  const size = String(Math.abs(value)).padStart(4, "0");
  const text = `${value < 0 ? "-" : ""}${size.slice(0, -3)}.${size.slice(-3)}`;
  assert.equal(thousandthsOf(text.replace("-", "")), Math.abs(value));
  return text;
}
