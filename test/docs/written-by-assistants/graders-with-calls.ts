// What each task of tasks-with-calls.json must have done.
import { expect } from "vitest";
import { MainClient } from "../../../src/index.js";
import type { Grader } from "./graders.ts";
import { json, jsonLines, last } from "./output.ts";

export const gradersWithCalls: Record<string, Grader> = {
  "plan-course": async (start, { sandbox }) => {
    const { id } = (await json(start())) as { id: number };
    expect(sandbox.store.plannedCourses.get(id)).toMatchObject({
      course_id: 1,
      type: "FixedPlannedCourse",
      start_date: "2030-09-02",
      end_date: "2030-09-06",
      cost: expect.stringMatching(/^450\.50?$/),
      max_participants: 12,
    });
  },

  "plan-meeting": async (start, { sandbox }) => {
    const { id } = (await json(start())) as { id: number };
    expect(sandbox.store.meetings.get(id)).toMatchObject({
      name: "Day one",
      planned_course_id: 1,
      start_date_time: "2030-09-02T08:00:00.000Z",
      end_date_time: "2030-09-02T15:00:00.000Z",
      meeting_location_id: 1,
    });
  },

  enroll: async (start, { sandbox }) => {
    const { order, enrollments } = (await json(start())) as { order: string; enrollments: number[] };
    const made = last(sandbox.store.orders);
    expect([order, made.status, made.creator_id]).toEqual(["active", "active", 7]);
    const led = [...sandbox.store.enrollments].filter(({ order_id }) => order_id === made.id).map(({ id }) => id);
    expect(enrollments).toEqual(led);
    expect(led).toHaveLength(1);
  },

  attendance: async (start, { sandbox }) => {
    const [enrollment] = [...sandbox.store.enrollments].filter(({ status }) => status === "completed");
    const { planned_course_id = 0 } = enrollment ?? {};
    const meeting = [...sandbox.store.meetings].find((one) => one.planned_course_id === planned_course_id);
    const expected = [...sandbox.store.enrollments].filter(
      (one) => one.planned_course_id === planned_course_id && ["active", "completed"].includes(one.status),
    );
    expect(await json(start([String(planned_course_id), String(meeting?.id)]))).toEqual({ marked: expected.length });
    const states = expected.map(
      ({ id }) =>
        [...sandbox.store.attendances].find((one) => one.enrollment_id === id && one.meeting_id === meeting?.id)?.state,
    );
    expect(states).toEqual(expected.map(() => "attended"));
  },

  "label-user": async (start, { sandbox }) => {
    const before = [1];
    sandbox.store.users.update(8, { label_ids: before });
    const { label } = (await json(start())) as { label: number };
    expect(sandbox.store.labels.get(label)).toMatchObject({ name: "VIP", color: "#ff0000", model_type: "User" });
    expect(sandbox.store.users.get(8)?.label_ids).toEqual([...before, label]);
  },

  "task-for-lead": async (start, { sandbox }) => {
    const { id } = (await json(start())) as { id: number };
    const about = { subject_type: "Lead", subject_id: 3, assignee_id: 1, completed_at: null };
    expect(sandbox.store.tasks.get(id)).toMatchObject({ name: "Call back", due_date: "2030-07-01", ...about });
  },

  "comment-invoice": async (start, { sandbox }) => {
    const { id } = (await json(start(["4"]))) as { id: number };
    const on = { commentable_type: "Invoice", commentable_id: 4 };
    expect(sandbox.store.comments.get(id)).toMatchObject({ content: "Called, will pay", ...on });
  },

  "draft-invoice": async (start, { sandbox }) => {
    const { number, total } = (await json(start())) as { number: string; total: string };
    const made = last(sandbox.store.invoices);
    expect(made).toMatchObject({ account_id: 1, status: "open", number, total_incl: total, total_excl: "160.00" });
    expect(made.invoice_items).toMatchObject([{ name: "First aid", units: 2, unit_price: "80.00", invoice_vat_id: 1 }]);
  },

  "cancel-enrollments": async (start, { sandbox }) => {
    const of = (status: string[]) =>
      [...sandbox.store.enrollments].filter((one) => one.planned_course_id === planned && status.includes(one.status));
    const [active] = [...sandbox.store.enrollments].filter(({ status }) => status === "active");
    const planned = active?.planned_course_id ?? 0;
    const expected = of(["confirmed", "active"]).map(({ id }) => id);
    const others = of(["completed"]).length;
    expect(await json(start([String(planned)]))).toEqual({ canceled: expected });
    expect([of(["confirmed", "active"]).length, of(["completed"]).length]).toEqual([0, others]);
  },

  "move-house": async (start, { sandbox }) => {
    const before = sandbox.store.users.get(7)?.address;
    expect(await json(start())).toMatchObject({ ...before, city: "Leiden", postal_code: "2311 AA" });
    expect(sandbox.store.users.get(7)?.address?.city).toBe("Leiden");
  },

  catalogue: async (start, { sandbox }) => {
    const expected = [...sandbox.store.catalogProducts]
      .filter(({ category_id, is_published }) => category_id === 1 && is_published)
      .sort((one, other) => one.position - other.position)
      .map(({ id }) => id);
    expect(await json(start())).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  },

  teacher: async (start, { sandbox }) => {
    const { teacher, enrollment } = (await json(start())) as { teacher: number; enrollment: number };
    expect(sandbox.store.teachers.get(teacher)?.email).toBe(sandbox.store.users.get(28)?.email);
    const expected = { planned_course_id: 1, teacher_id: teacher };
    expect(sandbox.store.teacherEnrollments.get(enrollment)).toMatchObject(expected);
  },

  location: async (start, { sandbox }) => {
    const { id } = (await json(start())) as { id: number };
    const address = { address: "5 Quay Street", postal_code: "1011 AB", city: "Amsterdam", country: "NL" };
    expect(sandbox.store.courseLocations.get(id)).toMatchObject({ name: "North", address });
  },

  "leads-of-email": async (start, { sandbox }) => {
    const lead = sandbox.store.leads.get(2);
    const expected = [...sandbox.store.leads]
      .filter(({ email }) => email === lead?.email)
      .map(({ id, status }) => ({ id, status }));
    expect(await jsonLines(start([lead?.email ?? ""]))).toEqual(expected);
  },

  subscribe: async (start, { sandbox }) => {
    const first = await json(start());
    expect(await json(start())).toEqual(first);
    const { records } = await new MainClient(sandbox).webhooks.list();
    const subscribed = records.filter(({ url }) => url === "https://hooks.example/school");
    expect(subscribed).toMatchObject([{ ...(first as object), active: true }]);
    expect([...(subscribed[0]?.events ?? [])].sort()).toEqual([
      "enrollment.created",
      "enrollment.deleted",
      "enrollment.updated",
    ]);
  },

  "business-accounts": async (start, { sandbox }) => {
    const expected = [...sandbox.store.accounts]
      .filter(({ account_type, name }) => account_type === "business" && name.includes("Ltd"))
      .slice(0, 10)
      .map(({ id, name }) => ({ id, name }));
    expect(await jsonLines(start(["Ltd"]))).toEqual(expected);
    expect(expected).toHaveLength(10);
    expect(sandbox.requests).toHaveLength(1);
  },

  departments: async (start, { sandbox }) => {
    const names = [...sandbox.store.departments].map(({ name }) => name);
    expect(await json(start())).toEqual(names);
    expect(names.length).toBeGreaterThan(0);
  },

  "starting-between": async (start, { sandbox }) => {
    const [from, until] = ["2025-03-01", "2025-09-01"];
    const expected = [...sandbox.store.plannedCourses]
      .flatMap(({ id, start_date }) =>
        start_date && start_date >= from && start_date <= until ? [{ id, start_date }] : [],
      )
      .sort((one, other) => (one.start_date < other.start_date ? -1 : 1));
    const printed = await jsonLines(start([from, until]));
    expect(printed.map(({ start_date }) => start_date)).toEqual(expected.map(({ start_date }) => start_date));
    expect(printed.map(({ id }) => id).sort()).toEqual(expected.map(({ id }) => id).sort());
    expect(expected.length).toBeGreaterThan(5);
  },

  "orders-since": async (start, { sandbox }) => {
    const since = "2025-06-01T00:00:00.000Z";
    const expected = [...sandbox.store.orders]
      .filter(({ created_at }) => created_at > since)
      .sort((one, other) => (one.created_at < other.created_at ? 1 : -1))
      .map(({ id, status }) => ({ id, status }));
    expect(await jsonLines(start([since]))).toEqual(expected);
    expect(expected.length).toBeGreaterThan(20);
  },

  "price-of-course": async (start, { sandbox }) => {
    const { code = "", cost } = sandbox.store.courses.get(3) ?? {};
    expect(await json(start([code]))).toEqual({ code, cost });
    expect(await json(start(["NO-SUCH-CODE"]))).toBe(null);
  },
};
