// What each act must have done: asked of files, output and the service's records, never of the program's text.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { MainClient } from "../../../src/index.js";
import type { Grader } from "./graders.ts";
import {
  comma,
  courseOf,
  excel,
  finished,
  holds,
  json,
  jsonLines,
  last,
  offered,
  one,
  placesIn,
  sorted,
} from "./output.ts";

export const gradersByLlms: Record<string, Grader> = {
  move: async (start, { sandbox: { store } }) => {
    const old = one(store.enrollments, (one) => holds(one.status) && one.order_id !== null);
    const account = store.orders.get(old.order_id ?? 0)?.account_id;
    const { variantable_id } = offered(store, old.student_id, old.planned_course_id);
    const before = store.orders.count;
    for (let times = 0; times < 2; times++)
      expect(await json(start([String(old.id), String(variantable_id)]))).toEqual({ moved: old.student_id });
    expect(store.enrollments.get(old.id)?.status).toBe("canceled");
    expect(store.orders.count).toBe(before + 1);
    expect(last(store.orders)).toMatchObject({ account_id: account, status: "active" });
    expect(placesIn(store, variantable_id).filter(({ student_id }) => student_id === old.student_id)).toHaveLength(1);

    const other = one(store.enrollments, (one) => holds(one.status) && one.student_id !== old.student_id);
    store.plannedCourses.update(variantable_id, { max_participants: 1 });
    expect((await start([String(other.id), String(variantable_id)]).ended).code).not.toBe(0);
    expect(store.enrollments.get(other.id)?.status).toBe(other.status);
  },

  "invoice-orders": async (start, { sandbox: { store }, cwd }) => {
    const bills = [2041, 2042].map((order) => ({ account: 1, order, name: "First aid", price: "80.00" }));
    writeFileSync(join(cwd, "bills.json"), JSON.stringify(bills));
    for (let times = 0; times < 2; times++) await finished(start());
    const made = store.invoices.filter(({ footnote }) => /^order 204[12]$/.test(footnote ?? ""));
    expect(made.map(({ status, account_id, total_excl }) => [status, account_id, total_excl])).toEqual([
      ["open", 1, "80.00"],
      ["open", 1, "80.00"],
    ]);
  },

  credit: async (start, { sandbox: { store } }) => {
    for (const { id } of store.invoices.filter(({ order_id }) => order_id === 7)) store.invoices.delete(id);
    store.invoices.insert({ status: "open", order_id: 7, number: "2041", items: [{ units: 2, unit_price: "10.00" }] });
    for (let times = 0; times < 2; times++) expect(await json(start(["7"]))).toEqual({ credited: ["2041"] });
    expect(store.orders.get(7)?.status).toBe("canceled");
    const credits = store.invoices.filter(({ footnote }) => footnote === "Credit of 2041");
    expect(credits.map(({ status, total_excl }) => [status, total_excl])).toEqual([["open", "-20.00"]]);
  },

  "plan-course": async (start, { sandbox: { store } }) => {
    const days = ["2030-03-04", "2030-03-11", "2030-03-18"];
    const before = [store.plannedCourses.count, store.meetings.count] as const;
    const first = (await json(start(["1", "2", ...days]))) as { id: number };
    expect(await json(start(["1", "2", ...days]))).toEqual(first);
    expect([store.plannedCourses.count, store.meetings.count]).toEqual([before[0] + 1, before[1] + 3]);
    expect(store.plannedCourses.get(first.id)).toMatchObject({
      course_id: 1,
      start_date: "2030-03-04",
      end_date: "2030-03-18",
      is_published: true,
    });
    const met = store.meetings.filter(({ planned_course_id }) => planned_course_id === first.id);
    expect(met.map(({ start_date_time }) => start_date_time)).toEqual(days.map((day) => `${day}T17:00:00.000Z`));
    expect(met.map(({ planning_attendees }) => planning_attendees[0]?.teacher_id)).toEqual([2, 2, 2]);
  },

  website: async (start, { sandbox, read }) => {
    const { store } = sandbox;
    const bookable = store.plannedCourses.filter(
      ({ is_published, status, availability_state }) =>
        is_published && (status === "planned" || status === "active") && availability_state === "open",
    );
    await finished(start());
    const offers = JSON.parse(read("courses.json")) as { name: string; start_date: string | null; cost: string }[];
    const expected = bookable.map(({ course_id, cost }) => [store.courses.get(course_id)?.name, cost]);
    expect(sorted(offers.map(({ name, cost }) => [name, cost]))).toEqual(sorted(expected));
    const dates = offers.flatMap(({ start_date }) => start_date ?? []);
    expect(dates).toEqual([...dates].sort());
    expect(expected.length).toBeGreaterThan(2);
    const before = read("courses.json");
    for (const { id } of bookable) store.plannedCourses.update(id, { is_published: false });
    expect((await start().ended).code).toBe(1);
    expect(read("courses.json")).toBe(before);
  },

  remind: async (start, { sandbox: { store } }) => {
    const meeting = one(store.meetings, (meeting) => placesIn(store, meeting.planned_course_id).length > 0);
    const window = [meeting.start_date_time, meeting.end_date_time];
    const expected = store.meetings
      .filter((one) => one.end_date_time > (window[0] ?? "") && one.start_date_time < (window[1] ?? ""))
      .flatMap((one) => placesIn(store, one.planned_course_id).map(({ student_id }) => student_id));
    for (let times = 0; times < 2; times++) await finished(start(window));
    const sent = store.emails.filter(({ subject }) => subject === "Your course");
    expect(sent.map(({ user_id }) => user_id).sort()).toEqual(expected.sort());
    expect(new Set(sent.map(({ from }) => from))).toEqual(new Set(["office@school.example"]));
  },

  accounting: async (start, { sandbox: { store }, read }) => {
    const opened = (opened_at: string, status: string, unit_price: string) =>
      store.invoices.insert({ status, opened_at: `${opened_at}T10:00:00.000Z`, items: [{ units: 1, unit_price }] });
    opened("2031-03-31", "paid", "10.10");
    const two = [opened("2031-04-01", "open", "20.20"), opened("2031-04-30", "expired", "-5.05")];
    expect(await json(start(["2031-04"]))).toEqual({ records: 2 });
    const expected = two.map(({ id }) => comma(store.invoices.get(id)?.total_incl ?? ""));
    expect(excel(read("2031-04.csv")).map(({ total_incl }) => total_incl)).toEqual(expected);
  },

  certificates: async (start, { sandbox: { store } }) => {
    const course = courseOf(store, (status) => status === "completed");
    const completed = placesIn(store, course, (status) => status === "completed");
    expect(await json(start([String(course), "7"]))).toEqual({ awarded: completed.length });
    for (const { id } of completed)
      expect(last(store.certificates.filter((one) => one.certifiable_id === id)).pdf_url).toContain("template=7");
  },

  "approve-waiting": async (start, { sandbox: { store } }) => {
    const { variantable_id, id } = offered(store, 0);
    const since = new Date(Date.now() - 86_400_000).toISOString();
    const made = [7, 8].map((creator_id) =>
      store.orders.insert({
        catalog_variant_id: id,
        creator_id,
        status: "requested",
        created_at: new Date().toISOString(),
      }),
    );
    const { approved } = (await json(start([since]))) as { approved: number[] };
    expect(approved).toEqual(expect.arrayContaining(made.map((one) => one.id)));
    for (const id of approved) expect(store.orders.get(id)?.status).toBe("active");
    expect(store.plannedCourses.get(variantable_id)).toBeDefined();
  },

  postpone: async (start, { sandbox: { store } }) => {
    const { planned_course_id } = one(store.meetings);
    const meetings = store.meetings.filter((one) => one.planned_course_id === planned_course_id);
    expect(await json(start([String(planned_course_id)]))).toEqual({ postponed: meetings.length });
    for (const { id, start_date_time, end_date_time } of meetings) {
      const moved = store.meetings.get(id);
      const days = [moved?.start_date_time, moved?.end_date_time].map(
        (time) => Date.parse(time ?? "") / 86_400_000 - 7,
      );
      expect(days).toEqual([Date.parse(start_date_time) / 86_400_000, Date.parse(end_date_time) / 86_400_000]);
    }
  },

  substitute: async (start, { sandbox: { store } }) => {
    const { id, planned_course_id, teacher_id, teacher_role_id } = one(store.teacherEnrollments);
    const her = one(
      store.teachers,
      (teacher) =>
        !store.teacherEnrollments.find(
          (one) => one.planned_course_id === planned_course_id && one.teacher_id === teacher.id,
        ),
    );
    const args = [planned_course_id, teacher_id, her.id].map(String);
    const { enrollment } = (await json(start(args))) as { enrollment: number };
    expect(store.teacherEnrollments.get(enrollment)).toMatchObject({
      planned_course_id,
      teacher_id: her.id,
      teacher_role_id,
    });
    expect(store.teacherEnrollments.get(id)?.teacher_id).not.toBe(teacher_id);
  },

  "often-absent": async (start, { sandbox: { store } }) => {
    const counts = new Map<number, number>();
    const [first] = store.enrollments;
    for (const { id } of [...store.meetings].slice(0, 4))
      store.attendances.insert({ meeting_id: id, enrollment_id: first?.id ?? 0, state: "absent_with_leave" });
    for (const { enrollment_id, state } of store.attendances)
      if (state.startsWith("absent")) counts.set(enrollment_id, (counts.get(enrollment_id) ?? 0) + 1);
    const expected = [...counts]
      .filter(([, absent]) => absent >= 2)
      .map(([id, absent]) => ({ student: store.enrollments.get(id)?.student_id, absent }));
    const printed = await jsonLines(start(["2"]));
    expect(sorted(printed)).toEqual(sorted(expected));
    const most = printed.map(({ absent }) => Number(absent));
    expect(most).toEqual([...most].sort((one, other) => other - one));
  },

  "free-rooms": async (start, { sandbox }) => {
    const free = await new MainClient(sandbox).planningLocations.list().toArray();
    const sizes = free.flatMap(({ capacity }) => capacity ?? []).sort((one, other) => one - other);
    const least = sizes[Math.floor(sizes.length / 2)] ?? 0;
    const printed = await jsonLines(start([String(least)]));
    expect(printed.map(({ capacity }) => capacity)).toEqual(sizes.filter((size) => size >= least));
    for (const { id, name } of printed) expect(sandbox.store.meetingLocations.get(Number(id))?.name).toBe(name);
  },

  "price-change": async (start, { sandbox: { store } }) => {
    const { course_id } = one(store.plannedCourses, ({ status }) => status === "planned");
    const of = store.plannedCourses.filter((one) => one.course_id === course_id);
    const planned = of.filter(({ status }) => status === "planned").map(({ id }) => id);
    const { changed } = (await json(start([String(course_id), "495"]))) as { changed: number[] };
    expect(changed.sort()).toEqual(planned.sort());
    for (const { id, cost } of of)
      expect(Number(store.plannedCourses.get(id)?.cost)).toBe(planned.includes(id) ? 495 : Number(cost));
  },

  "cancel-course": async (start, { sandbox: { store } }) => {
    const course = courseOf(store);
    const expected = placesIn(store, course).map(({ student_id }) => store.users.get(student_id)?.email);
    const { tell } = (await json(start([String(course)]))) as { tell: string[] };
    expect(tell.sort()).toEqual(expected.sort());
    expect(store.plannedCourses.get(course)?.status).toBe("canceled");
  },

  "call-list": async (start, { sandbox: { store } }) => {
    const about = ({ id }: { id: number }) =>
      store.tasks.filter((one) => one.subject_type === "Lead" && one.subject_id === id);
    const prospects = store.leads.filter(({ status }) => status === "prospect");
    const open = prospects.filter((lead) => about(lead).length === 0);
    expect(await json(start(["2030-07-01"]))).toEqual({ made: open.length });
    expect(await json(start(["2030-07-01"]))).toEqual({ made: 0 });
    for (const lead of open) expect(about(lead)).toMatchObject([{ name: "Call", due_date: "2030-07-01" }]);
    expect(open.length).toBeGreaterThan(0);
  },

  "label-alumni": async (start, { sandbox: { store } }) => {
    const { id, name } = store.labels.insert({ name: "Alumni of ours", model_type: "User" });
    const course = courseOf(store, (status) => status === "completed");
    const students = placesIn(store, course, (status) => status === "completed").map(({ student_id }) => student_id);
    const before = students.map((student) => store.users.get(student)?.label_ids ?? []);
    expect(await json(start([String(course), name]))).toEqual({ labelled: students.length });
    expect(students.map((student) => store.users.get(student)?.label_ids)).toEqual(before.map((ids) => [...ids, id]));
    expect(await json(start([String(course), name]))).toEqual({ labelled: 0 });
  },

  "publish-product": async (start, { sandbox: { store } }) => {
    const product = one(store.catalogProducts, ({ productable_type }) => productable_type === "Course");
    store.catalogProducts.update(product.id, { is_published: false });
    const variants = store.catalogVariants.filter(({ product_id }) => product_id === product.id);
    for (const { id } of variants.slice(0, 1)) store.catalogVariants.update(id, { is_published: false });
    const hidden = store.catalogVariants.filter((one) => one.product_id === product.id && !one.is_published).length;
    expect(await json(start([String(product.productable_id)]))).toEqual({ product: product.id, variants: hidden });
    expect(store.catalogProducts.get(product.id)?.is_published).toBe(true);
    expect(variants.every(({ id }) => store.catalogVariants.get(id)?.is_published)).toBe(true);
  },

  "new-course": async (start, { sandbox: { store } }) => {
    const { id, name } = last(store.categories);
    const args = ["First aid at sea", "FA-SEA", name, "450.50"];
    const before = store.courses.count;
    const made = (await json(start(args))) as { id: number };
    expect(await json(start(args))).toEqual(made);
    expect(store.courses.count).toBe(before + 1);
    expect(store.courses.get(made.id)).toMatchObject({ code: "FA-SEA", category_id: id, cost: "450.50" });
  },

  "average-score": async (start, { sandbox: { store } }) => {
    const course = courseOf(store, (status) => status === "completed");
    const places = placesIn(store, course, (status) => status !== "canceled");
    for (const [at, { id }] of places.entries()) {
      for (const grade of store.grades.filter((one) => one.gradeable_id === id)) store.grades.delete(grade.id);
      store.grades.insert({ gradeable_id: id, gradeable_type: "Enrollment", score: String(6 + (at % 3)), grade: null });
    }
    const average = (places.reduce((sum, _, at) => sum + 6 + (at % 3), 0) / places.length).toFixed(1);
    expect(await json(start([String(course)]))).toEqual({ graded: places.length, average });
  },
};
