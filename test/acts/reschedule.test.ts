import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { recordPayment, reschedule } from "../../src/acts/node.js";
import { apply, undo } from "../../src/bulk/node.js";
import { bulkJournal } from "../../src/stores/sqlite/index.js";
import { LOST, school, writes } from "./support/school.js";

function dated(world: ReturnType<typeof school>, times: readonly string[]) {
  const { store } = world;
  const by = Map.groupBy([...store.meetings], ({ planned_course_id }) => planned_course_id);
  const [course = 0, list = []] =
    [...by].find(
      ([id, all]) =>
        all.length >= times.length &&
        store.plannedCourses.get(id)?.start_date &&
        store.plannedCourses.get(id)?.status !== "canceled",
    ) ?? [];
  for (const one of list.slice(times.length)) store.meetings.delete(one.id);
  const ids = list.slice(0, times.length).map(({ id }, at) => {
    const start_date_time = times[at] ?? "";
    store.meetings.update(id, {
      start_date_time,
      end_date_time: new Date(Date.parse(start_date_time) + 7_200_000).toISOString(),
    });
    return id;
  });
  store.plannedCourses.update(course, {
    start_date: times[0]?.slice(0, 10) ?? null,
    end_date: times.at(-1)?.slice(0, 10) ?? null,
  });
  const hours = () => ids.map((id) => store.meetings.get(id)?.start_date_time);
  return { course, hours, ids };
}

test.each([
  ["to summer time", "2030-03-25T18:00:00.000Z", { by: { weeks: 1 } }, "2030-04-01T17:00:00.000Z"],
  ["from summer time", "2030-10-21T17:00:00.000Z", { by: { days: 7 } }, "2030-10-28T18:00:00.000Z"],
  ["to a day", "2030-10-21T17:00:00.000Z", { to: "2030-11-04" }, "2030-11-04T18:00:00.000Z"],
] as const)("a course moves %s with its meetings, once, and back", async (_, from, move, expected) => {
  const world = school();
  const { client, store, options, sandbox } = world;
  const { course, hours } = dated(world, [from, new Date(Date.parse(from) + 3_600_000).toISOString()]);
  sandbox.faults.next({ operation: "meetings.update", ...LOST }, { operation: "plannedCourses.update", ...LOST });
  const first = await reschedule(client, course, { ...move, allowConflicts: true }, options);
  expect(first).toMatchObject({ before: false, complete: true });
  expect(hours()[0]).toBe(expected);
  expect(store.plannedCourses.get(course)?.start_date).toBe(expected.slice(0, 10));
  expect(await reschedule(client, course, { ...move, allowConflicts: true }, options)).toMatchObject({
    before: true,
    complete: true,
  });
  expect(hours()[0]).toBe(expected);
  for (const [at, plan] of first.plans.entries()) {
    await undo(plan, { to: join(options.marks, `back-${at}.plan`) });
    await apply(client, join(options.marks, `back-${at}.plan`));
  }
  expect(hours()[0]).toBe(from);
  expect(store.plannedCourses.get(course)?.start_date).toBe(from.slice(0, 10));
  const again = { ...move, allowConflicts: true };
  await expect(reschedule(client, course, again, options)).rejects.toThrow(/start_date is .* instead of .*--again/);
  expect(await reschedule(client, course, { ...again, again: true }, options)).toMatchObject({ before: false });
  expect(hours()[0]).toBe(expected);
});

test.each([
  ["2030-03-24T01:30:00.000Z", /does not exist/],
  ["2030-10-20T00:30:00.000Z", /occurs twice/],
] as const)("an hour that the clocks skip or show twice is refused before anything is sent", async (from, why) => {
  const world = school();
  const { course } = dated(world, [from, from]);
  await expect(reschedule(world.client, course, { by: { weeks: 1 } }, world.options)).rejects.toThrow(why);
  expect(writes(world)).toHaveLength(0);
});

test("a teacher or room that is planned elsewhere is told before, and again moves once more", async () => {
  const world = school();
  const { client, store, options, sandbox } = world;
  const { course, hours, ids } = dated(world, ["2030-05-06T17:00:00.000Z"]);
  const other = [...store.meetings].find(({ planned_course_id }) => planned_course_id !== course)?.id ?? 0;
  store.meetings.update(ids[0] ?? 0, {
    meeting_location_id: 1,
    planning_meeting_location_ids: [1],
    planning_attendees: [],
  });
  store.meetings.update(other, {
    meeting_location_id: 1,
    start_date_time: "2030-05-13T18:00:00.000Z",
    end_date_time: "2030-05-13T20:00:00.000Z",
  });
  const move = { by: { weeks: 1 } };
  const others = store.meetings.get(other)?.planned_course_id ?? 0;
  store.plannedCourses.update(others, { status: "planned" });
  await expect(reschedule(client, course, move, options)).rejects.toThrow(
    new RegExp(`room 1 is planned for meeting ${other}`),
  );
  expect(writes(world)).toHaveLength(0);
  store.plannedCourses.update(others, { status: "canceled" });
  const dry = { ...options, confirm: () => false };
  expect(await reschedule(client, course, move, dry)).toMatchObject({ conflicts: [] });
  store.plannedCourses.update(others, { status: "planned" });
  for (const status of [403, 404]) {
    const when = ({ params }: { params: { id?: unknown } }) => params.id === others;
    sandbox.faults.next({ operation: "plannedCourses.get", when, status });
    expect((await reschedule(client, course, move, dry)).conflicts).toHaveLength(1);
  }
  const steps: string[] = [];
  const confirm = (all: readonly string[]) => steps.push(...all) > 0;
  expect(await reschedule(client, course, move, { ...options, confirm })).toMatchObject({ complete: true });
  expect(steps.join()).toMatch(/move planned course .* with 1 meetings,room 1/);
  expect((await reschedule(client, course, { ...move, again: true, allowConflicts: true }, options)).complete).toBe(
    true,
  );
  expect(hours()).toEqual(["2030-05-20T17:00:00.000Z"]);
  const flexible = [...store.plannedCourses].find(({ start_date }) => start_date === null)?.id ?? 0;
  await expect(reschedule(client, flexible, move, options)).rejects.toThrow(/has no dates/);
  await expect(reschedule(client, course, { to: "soon" }, options)).rejects.toThrow(/must be a day/);
});

test("a colleague's move to the same day does not move meetings again while a first move is interrupted", async () => {
  const world = school();
  const { client, store, options, marks, sandbox } = world;
  const { course, hours } = dated(world, ["2030-05-06T17:00:00.000Z", "2030-05-06T17:00:00.000Z"]);
  const move = { to: "2030-05-13", allowConflicts: true };
  for (const colleague of ["before the first meeting", "before the second"]) {
    const stop = new AbortController();
    const when = () => {
      stop.abort();
      return false;
    };
    sandbox.faults.next({ operation: "meetings.update", when });
    await expect(reschedule(client, course, move, { ...options, signal: stop.signal })).rejects.toThrow(/abort/);
    await expect(reschedule(client, course, move, { ...options, marks: join(marks, colleague) })).rejects.toThrow(
      /is already the first day/,
    );
  }
  sandbox.faults.clear();
  expect(await reschedule(client, course, move, options)).toMatchObject({ complete: true });
  expect(new Set(hours())).toEqual(new Set(["2030-05-13T17:00:00.000Z"]));
  expect(store.plannedCourses.get(course)?.start_date).toBe("2030-05-13");
});

test("a move that a colleague made while confirm waited is done, and not made once more", async () => {
  const world = school();
  const { client, store, options } = world;
  const { course, hours, ids } = dated(world, ["2030-05-06T17:00:00.000Z"]);
  const confirm = () => {
    for (const id of ids)
      store.meetings.update(id, {
        start_date_time: "2030-05-13T17:00:00.000Z",
        end_date_time: "2030-05-13T19:00:00.000Z",
      });
    store.plannedCourses.update(course, { start_date: "2030-05-13", end_date: "2030-05-13" });
    return true;
  };
  const move = { by: { weeks: 1 }, allowConflicts: true };
  expect(await reschedule(client, course, move, { ...options, confirm })).toMatchObject({ complete: true });
  expect(await reschedule(client, course, move, options)).toMatchObject({ before: true });
  expect(hours()).toEqual(["2030-05-13T17:00:00.000Z"]);
});

test("marks can be kept in a database", async () => {
  const world = school();
  const { client, store, marks } = world;
  const database = new DatabaseSync(join(marks, "marks.sqlite"));
  onTestFinished(() => database.close());
  const options = { marks: (name: string) => bulkJournal(database, name), settleMs: 0 };
  const id =
    [...store.invoices].find(({ status, total_open }) => status === "open" && Number(total_open) > 100)?.id ?? 0;
  const paid = { amount: "12.50", date: "2030-06-30", reference: "transfer 1" };
  expect(await recordPayment(client, id, paid, options)).toMatchObject({ before: false });
  expect(await recordPayment(client, id, paid, options)).toMatchObject({ before: true });
  const { course, hours } = dated(world, ["2030-03-25T18:00:00.000Z"]);
  expect(await reschedule(client, course, { by: { weeks: 1 }, allowConflicts: true }, options)).toMatchObject({
    complete: true,
  });
  expect(await reschedule(client, course, { by: { weeks: 1 } }, options)).toMatchObject({ before: true });
  expect(hours()).toEqual(["2030-04-01T17:00:00.000Z"]);
  expect(readdirSync(marks).filter((name) => !name.startsWith("marks.sqlite"))).toEqual([]);
});
