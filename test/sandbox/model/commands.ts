// The actions of a user on the three resources, each carried out in the model and, through the client, in the sandbox.
import assert from "node:assert/strict";
import fc from "fast-check";
import { textOf, thousandthsOf } from "./amounts.ts";
import { type Command, command, NOBODY, nothing, pickId } from "./command.ts";
import { checkWorld } from "./invariants.ts";
import type { Line, Model } from "./model.ts";
import { list, readOne } from "./reading-commands.ts";
import { seenEnrollment, seenInvoice, seenOrder, seenPayment, seenPlannedCourse } from "./seen.ts";
import type { ModelWorld } from "./world.ts";

/**
 * All commands. Most numbers in a command choose a record: the remainder selects an existing record, or sometimes one
 * that does not exist.
 */
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
      .record({ pick, creator: pick, students, cost, scheme, approve: fc.boolean(), givesAccount: fc.boolean() })
      .map(createOrder),
    fc
      .record({ pick, creator: pick, students, cost, scheme, approve: fc.boolean(), givesAccount: fc.boolean() })
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

/** Compares everything that a program can see at the end of a sequence. */
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

interface OrderSketch {
  readonly pick: number;
  readonly creator: number;
  readonly students: readonly number[];
  readonly cost: string | null | undefined;
  readonly scheme: string | undefined;
  readonly approve: boolean;
  readonly givesAccount: boolean;
}

function createOrder(sketch: OrderSketch): Command {
  const orderInput = (model: Readonly<Model>) => {
    const users = model.users;
    const { cost, scheme, approve } = sketch;
    return {
      variant: pickId(model.variants, sketch.pick),
      creator: (sketch.creator % users) + 1,
      // The number 12 means a user who does not exist.
      students: sketch.students.map((at) => (at === 12 ? NOBODY : (at % users) + 1)),
      ...(sketch.givesAccount ? { account: 2 } : {}),
      ...(cost !== undefined && { cost }),
      ...(scheme !== undefined && { scheme }),
      ...(approve && { approve }),
    };
  };
  return command(
    `create order ${JSON.stringify(sketch)}`,
    (model) => model.createOrder(orderInput(model)),
    (main, model) => {
      const { variant, creator, students, account, scheme, ...rest } = orderInput(model);
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
  const id = (model: Readonly<Model>) => pickId(model.orders, at);
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
  const id = (model: Readonly<Model>) => pickId(model.invoices, at);
  return command(
    `open invoice ${at}`,
    (model) => model.openInvoice(id(model)),
    (main, model) => main.invoices.open(id(model)),
    seenInvoice,
  );
}

type Money = { readonly percent?: number; readonly over?: number; readonly exactly?: number };

function pay({ pick, money, method }: { pick: number; money: Money; method: number }): Command {
  const id = (model: Readonly<Model>) => pickId(model.invoices, pick);
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
    const id = pickId(model.payments, pick);
    const invoice = model.payments.get(id)?.invoice ?? 1;
    // Every tenth time, the path names an invoice to which the payment does not belong.
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
  const id = (model: Readonly<Model>) => pickId(model.enrollments, at);
  return command(
    `cancel enrollment ${at}`,
    (model) => model.cancelEnrollment(id(model)),
    (main, model) => main.enrollments.cancel(id(model)),
    seenEnrollment,
  );
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

// Writes whole cents with two decimals, as people do, and finer amounts with three.
function inThousandths(value: number): string {
  if (value % 10 === 0) return textOf(value / 10);
  const size = String(Math.abs(value)).padStart(4, "0");
  const text = `${value < 0 ? "-" : ""}${size.slice(0, -3)}.${size.slice(-3)}`;
  assert.equal(thousandthsOf(text.replace("-", "")), Math.abs(value));
  return text;
}
