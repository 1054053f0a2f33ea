import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import * as acts from "../../src/acts/node.ts";
import { isEducationAdminError, MainClient } from "../../src/index.ts";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.ts";
import { listen } from "../../src/sandbox/node.ts";
import { drawCases } from "../support/amount.ts";
import { start } from "../support/program.ts";
import { actsOf, STUDENTS } from "./support/acts-of.ts";

// Kills the process of an act at each of its first requests, before or after the service carries the request out, and
// starts it again. Meanwhile a colleague works beside it or does the same act, responses are lost, and in half of the
// cases the machine's clock is set back an hour.

const WORKER = fileURLToPath(new URL("support/act-worker.ts", import.meta.url));
const COLLEAGUE = 900_903;

interface Act {
  /** The identifier that the act is about. */
  prepare(school: Sandbox): number;
  /** The other work of a colleague. */
  besides(school: Sandbox, id: number): void;
  /** The result of the act in the school: each number once done is 1. */
  left(school: Sandbox, id: number): readonly unknown[];
  readonly expected: readonly unknown[];
}

const invoiceIn = ({ store }: Sandbox) => {
  const made = store.invoices.find(({ status, total_open }) => status === "open" && Number(total_open) > 100);
  return made?.id ?? 0;
};
const payOne = ({ store }: Sandbox, invoice_id: number) => {
  store.payments.insert({ invoice_id, amount: "1.00", date: "2030-06-30", status: "paid" });
};
const addStudents = ({ store }: Sandbox) => {
  for (const id of [...STUDENTS, COLLEAGUE])
    store.users.insert({ id, email: `s${id}@new.example`, first_name: "Jo", last_name: `Fox ${id}` });
};

function move(from: string, after: string): Act {
  const to = (time: string, ms: number) => new Date(Date.parse(time) + ms).toISOString();
  const meetings = ({ store }: Sandbox, course: number) =>
    store.meetings.filter(({ planned_course_id }) => planned_course_id === course);
  return {
    prepare: ({ store }) => {
      const all = Map.groupBy([...store.meetings], ({ planned_course_id }) => planned_course_id);
      const [id = 0, list = []] =
        [...all].find(
          ([course, some]) => some.length >= 3 && store.plannedCourses.get(course)?.status !== "canceled",
        ) ?? [];
      for (const one of list)
        store.meetings.update(one.id, { start_date_time: from, end_date_time: to(from, 7_200_000) });
      store.plannedCourses.update(id, { start_date: from.slice(0, 10), end_date: from.slice(0, 10) });
      return id;
    },
    besides: (school, id) => {
      for (const one of meetings(school, id)) school.store.meetings.update(one.id, { description: "by a colleague" });
    },
    left: (school, id) => {
      const times = meetings(school, id).map((one) => Date.parse(one.start_date_time));
      return [[...new Set(times)].sort(), school.store.plannedCourses.get(id)?.start_date];
    },
    expected: [[Date.parse(after)], after.slice(0, 10)],
  };
}

const ACTS: Readonly<Record<string, Act>> = {
  pay: {
    prepare: invoiceIn,
    besides: payOne,
    left: ({ store }, id) => [
      store.payments.filter((one) => one.invoice_id === id && Number(one.amount) === 12.5).length,
    ],
    expected: [1],
  },
  enroll: {
    prepare: (school) => {
      addStudents(school);
      const { store } = school;
      const variant = store.catalogVariants.find(({ variantable_type }) => variantable_type === "PlannedCourse");
      store.catalogVariants.update(variant?.id ?? 0, { available_places: 12 });
      return variant?.variantable_id ?? 0;
    },
    besides: ({ store }, planned_course_id) => {
      store.enrollments.insert({ student_id: COLLEAGUE, planned_course_id, status: "active" });
    },
    left: ({ store }, id) =>
      STUDENTS.map(
        (student) =>
          store.enrollments.filter((one) => one.student_id === student && one.planned_course_id === id).length,
      ),
    expected: [1, 1],
  },
  credit: {
    prepare: invoiceIn,
    besides: payOne,
    left: ({ store }, id) => {
      const note = `Credit of ${store.invoices.get(id)?.number}`;
      const made = store.invoices.filter(({ footnote, status }) => footnote === note && status !== "deleted");
      const paid = (of: number | undefined) =>
        store.payments.filter(({ invoice_id }) => invoice_id === of).map(({ amount }) => Number(amount));
      // Both payments of one settlement, beside the colleague's.
      const [back] = paid(made[0]?.id);
      return [made.length, paid(made[0]?.id).length, paid(id).filter((amount) => amount === -(back ?? 0)).length];
    },
    expected: [1, 1, 1],
  },
  attend: {
    prepare: (school) => {
      addStudents(school);
      const { store } = school;
      const meeting = store.meetings.find(({ planned_course_id }) => planned_course_id !== null);
      const [id = 0, planned_course_id = 0] = [meeting?.id, meeting?.planned_course_id];
      // The hour that occurs twice on the last Sunday of October.
      store.meetings.update(id, {
        start_date_time: "2030-10-27T00:30:00.000Z",
        end_date_time: "2030-10-27T01:30:00.000Z",
      });
      for (const student of STUDENTS)
        store.enrollments.insert({ id: student, student_id: student, planned_course_id, status: "active" });
      return id;
    },
    besides: ({ store }, meeting_id) => {
      store.attendances.insert({ meeting_id: meeting_id + 1, enrollment_id: STUDENTS[0], state: "late" });
    },
    left: ({ store }, id) =>
      STUDENTS.map((one) =>
        store.attendances
          .filter(({ meeting_id, enrollment_id }) => meeting_id === id && enrollment_id === one)
          .map(({ state }) => state),
      ),
    expected: [["absent"], ["attended"]],
  },
  // The clocks change on 31 March and 27 October 2030, at 1:00 UTC.
  "move to summer time": move("2030-03-25T18:00:00.000Z", "2030-04-01T17:00:00.000Z"),
  "move from summer time": move("2030-10-20T17:00:00.000Z", "2030-10-27T18:00:00.000Z"),
};

/** Matches a report that names something as done twice or not done. */
const TOLD = /"twice"|"complete":false/;
const LOST = (
  [
    "orders.create",
    "payments.createForInvoice",
    "invoices.create",
    "attendances.set",
    "meetings.update",
    "plannedCourses.update",
  ] as const
).map((operation) => ({ operation, reset: true, applied: true }));
const CASES = ["the sandbox", "the least kind service"].flatMap((service) =>
  ["at other work", "with the same act"].flatMap((colleague) =>
    [false, true].flatMap((applied) =>
      Object.keys(ACTS).flatMap((name) =>
        Array.from({ length: 20 }, (_, at) => ({ name, point: at + 1, applied, colleague, service })),
      ),
    ),
  ),
);

test.each(drawCases(CASES, 17, 140))(
  "$name, killed at request $point, carried out: $applied, beside a colleague $colleague, at $service, is done once or told",
  async ({ name, point, applied, colleague, service }) => {
    const [marks = "", theirs = ""] = ["own-", "theirs-"].map((one) => mkdtempSync(join(tmpdir(), one)));
    const isUnkind = service === "the least kind service";
    const school = createSandbox({
      size: "medium",
      rateLimit: false,
      apiKey: "key",
      ...(isUnkind && { manners: "least kind" }),
    });
    const { prepare, besides, left, expected } = ACTS[name] as Act;
    const id = prepare(school);
    // Two people who each move a course by a week move it by two weeks.
    const act = name.startsWith("move") && colleague === "with the same act" ? `${name}, to a day` : name;
    const served = await listen(school, { port: 0 });
    onTestFinished(async () => {
      await served.close();
      for (const one of [marks, theirs]) rmSync(one, { recursive: true });
    });
    // The least kind service shows a write after 2 s.
    const settleMs = isUnkind ? 4_000 : 300;
    const backAt = point % 2 === 0 ? 1 + (point % 5) : 0;
    const begin = () => start(WORKER, [served.url, marks, act, String(id), String(settleMs), String(backAt)], {});
    let sent = 0;
    const isPoint = () => ++sent === point;
    school.faults.next({ when: isPoint, delayMs: 3_600_000, ...(applied && { applied }) });
    const first = begin();
    await Promise.race([first.ended, expect.poll(() => sent >= point, { timeout: 30_000 }).toBe(true)]);
    await first.end("SIGKILL");
    school.faults.clear();
    let isTold = false;
    if (colleague === "at other work") besides(school, id);
    else {
      const client = new MainClient({ baseUrl: served.url, apiKey: "key", rateLimit: false });
      await actsOf(acts, client)
        [act]?.(id, { marks: theirs, settleMs })
        .then((report) => {
          isTold = TOLD.test(JSON.stringify(report));
        })
        .catch((error: unknown) => {
          if (!isEducationAdminError(error)) throw error;
          isTold = true;
        });
    }
    school.faults.next(...LOST);
    let ended = { code: 1 as number | null, output: "" };
    for (let starts = 0; starts < 4 && ended.code !== 0; starts++) ended = await begin().ended;
    isTold ||= ended.code !== 0 || TOLD.test(ended.output);
    // A move stops at a meeting that a colleague has written. The least kind service shows no number of an invoice.
    const mayStop = name.startsWith("move") || (name === "credit" && isUnkind);
    if (colleague === "at other work" && !mayStop) expect(isTold, ended.output).toBe(false);
    // A colleague who enrolls the same people while the service hides the first orders makes second ones, which neither
    // act sees: enroll looks once after its own order.
    const mayDouble = name === "enroll" && colleague === "with the same act" && isUnkind;
    if (!isTold && !mayDouble) expect(left(school, id)).toEqual(expected);
    if (name.startsWith("move") && colleague === "at other work")
      expect(JSON.stringify(left(school, id))).not.toMatch(/2030-(04-0[2-9]|11)/);
  },
);
