import type { MainClient } from "../../../src/index.js";
import { type Command, command, pickId } from "./command.ts";
import type { Model, Outcome } from "./model.ts";
import { seenEnrollment, seenInvoice, seenOrder, seenPayment, seenPlannedCourse } from "./seen.ts";

/** Reads one record. */
export function readOne(at: number): Command {
  const name = `read ${at}`;
  switch (at % 5) {
    case 0: {
      const id = (model: Readonly<Model>) => pickId(model.orders, at);
      return command(
        name,
        (m) => m.get(m.orders, id(m)),
        (main, m) => main.orders.get(id(m)),
        seenOrder,
      );
    }
    case 1: {
      const id = (model: Readonly<Model>) => pickId(model.invoices, at);
      return command(
        name,
        (m) => m.get(m.invoices, id(m)),
        (main, m) => main.invoices.get(id(m)),
        seenInvoice,
      );
    }
    case 2: {
      const id = (model: Readonly<Model>) => pickId(model.enrollments, at);
      return command(
        name,
        (m) => m.get(m.enrollments, id(m)),
        (main, m) => main.enrollments.get(id(m)),
        seenEnrollment,
      );
    }
    case 3: {
      const id = (model: Readonly<Model>) => pickId(model.payments, at);
      return command(
        name,
        (m) => m.get(m.payments, id(m)),
        (main, m) => main.payments.get(id(m)),
        seenPayment,
      );
    }
    default: {
      const id = (model: Readonly<Model>) => pickId(model.plannedCourses, at);
      const predict = (m: Model) => m.get(m.plannedCourses, id(m));
      return command(name, predict, (main, m) => main.plannedCourses.get(id(m)), seenPlannedCourse);
    }
  }
}

/** Lists records with filters and compares their identifiers in order. */
export function list({ pick, which }: { pick: number; which: number }): Command {
  const compareList = <T extends { id: number }>(
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
  const variant = (model: Readonly<Model>) => pickId(model.variants, pick);
  const course = (model: Readonly<Model>) => pickId(model.plannedCourses, pick);
  const order = (model: Readonly<Model>) => pickId(model.orders, pick);
  const moment = (model: Readonly<Model>) => model.orders.get(order(model))?.createdAt ?? model.time;
  const isOfCourse = (model: Readonly<Model>, planned: number | null) =>
    model.plannedCourses.get(planned ?? 0)?.course === (pick % 6) + 1;
  switch (which) {
    case 0:
      return compareList(
        (m) => m.orders,
        ({ creator }, m) => creator === user(m),
        (main, m) => main.orders.list({ creator_id: user(m) }).toArray(all),
      );
    case 1:
      return compareList(
        (m) => m.orders,
        (row, m) => row.variant === variant(m),
        (main, m) => main.orders.list({ catalog_variant_id: variant(m) }).toArray(all),
      );
    case 2:
      return compareList(
        (m) => m.orders,
        ({ createdAt }, m) => createdAt > moment(m),
        (main, m) => main.orders.list({ created_at_after: moment(m) }).toArray(all),
      );
    case 3:
      return compareList(
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
      return compareList(
        (m) => m.invoices,
        ({ status }) => status === "open" || (pick % 2 === 0 && status === "paid"),
        (main) => main.invoices.list({ status: pick % 2 === 0 ? ["open", "paid"] : ["open"] }).toArray(all),
      );
    case 6:
      return compareList(
        (m) => m.invoices,
        (row, m) => (pick % 2 === 0 ? row.order === order(m) : row.account === user(m)),
        (main, m) => main.invoices.list(pick % 2 === 0 ? { order_id: order(m) } : { account_id: user(m) }).toArray(all),
      );
    case 7:
      return compareList(
        (m) => m.enrollments,
        ({ status, planned }, m) => planned === course(m) && status !== "canceled",
        (main, m) => main.enrollments.list({ planned_course_id: course(m), with_canceled: false }).toArray(all),
      );
    default: {
      const invoice = (model: Readonly<Model>) => pickId(model.invoices, pick);
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
