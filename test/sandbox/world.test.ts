import { describe, expect, test } from "vitest";
import { isPlainObject } from "../../src/core/json.js";
import { createSandbox, type SandboxSize, type Store } from "../../src/sandbox/index.js";

const DAY_MS = 86_400_000;
// Midnight at the school, in whose time zone its weeks begin.
const MONDAY = Date.parse("2031-03-03T00:00:00.000+01:00");
const dayAt = (time: number) => new Intl.DateTimeFormat("en-CA", { timeZone: "Europe/Amsterdam" }).format(time);
const TIMES = [MONDAY, MONDAY + 3.4 * DAY_MS, MONDAY + 7 * DAY_MS - 1];

const at = (time: number, size: SandboxSize = "small") => createSandbox({ size, now: new Date(time) });

// Fields that record a past time; planned times, such as the end of a course, may lie ahead.
const HAPPENED = /^(created_at|updated_at|opened_at|completed_at|sent_at|date|graduation_date)$/;

function timesIn(value: unknown, name = ""): string[] {
  if (Array.isArray(value)) return value.flatMap((part) => timesIn(part, name));
  if (isPlainObject(value)) return Object.entries(value).flatMap(([field, part]) => timesIn(part, field));
  return typeof value === "string" && HAPPENED.test(name) ? [value] : [];
}

function recordsOf({ organization: _, ...collections }: Store): unknown[] {
  return Object.values(collections).flatMap((records) => [...(records as Iterable<unknown>)]);
}

function countValues(values: readonly unknown[]): ReadonlyMap<unknown, number> {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe("the seeded records", () => {
  test.each(TIMES)("contain nothing that happened after %i", (time) => {
    const { store } = at(time);
    const times = timesIn(recordsOf(store));
    expect(times.length).toBeGreaterThan(500);
    expect(times.filter((each) => each > new Date(time).toISOString())).toEqual([]);
  });

  test.each(TIMES)("include past, current and future courses at %i", (time) => {
    const { store } = at(time, "medium");
    const today = dayAt(time);
    const dated = store.plannedCourses.filter(({ type }) => type === "FixedPlannedCourse");
    for (const { status, start_date: start, end_date: end } of dated) {
      if (start === null || end === null) throw new Error("a fixed planned course has dates");
      if (status === "completed") expect(end < today, `${end} < ${today}`).toBe(true);
      if (status === "active") expect(start <= today && today <= end, `${start} <= ${today} <= ${end}`).toBe(true);
      if (status === "planned") expect(start > today, `${start} > ${today}`).toBe(true);
    }
    const statuses = countValues(dated.map(({ status }) => status));
    for (const status of ["completed", "active", "planned", "canceled"]) {
      expect(statuses.get(status)).toBeGreaterThan(3);
    }
    const isRecent = (when: string) => Date.parse(when) > time - 31 * DAY_MS;
    expect(store.enrollments.find((row) => row.status === "canceled" && isRecent(row.updated_at))).toBeDefined();
  });

  test.each(TIMES)("include open invoices that are not yet due, and overdue ones, at %i", (time) => {
    const { store } = at(time);
    const today = dayAt(time);
    const due = (status: string) =>
      store.invoices.filter((row) => row.status === status).map((row) => row.expiration_date);
    expect(due("open").length).toBeGreaterThan(3);
    expect(due("expired").length).toBeGreaterThan(1);
    for (const date of due("open")) expect((date ?? "") >= today, `${date} >= ${today}`).toBe(true);
    for (const date of due("expired")) expect((date ?? "") < today, `${date} < ${today}`).toBe(true);
  });

  test("are the same on all days of a week, and move with the next week", () => {
    const [early, late, next] = [at(MONDAY), at(MONDAY + 7 * DAY_MS - 1), at(MONDAY + 7 * DAY_MS)];
    expect(recordsOf(late.store)).toEqual(recordsOf(early.store));
    const [before, after] = [early, next].map(({ store }) => timesIn(recordsOf(store)).map((each) => Date.parse(each)));
    expect(after).toEqual(before?.map((each) => each + 7 * DAY_MS));
  });

  test("stay in their week while the clock runs, and are in a snapshot", async () => {
    const earlier = at(MONDAY);
    const before = recordsOf(earlier.store);
    await earlier.clock.advance(30 * DAY_MS);
    expect(recordsOf(earlier.store)).toEqual(before);
    const snapshot = JSON.parse(JSON.stringify(earlier.snapshot()));
    const later = at(MONDAY + 70 * DAY_MS);
    const laterRecords = recordsOf(later.store);
    later.restore(snapshot);
    expect(recordsOf(later.store)).toEqual(before);
    later.reset();
    expect(recordsOf(later.store)).toEqual(laterRecords);
  });
});

describe.each(["small", 300, "medium"] as const)("a %s sandbox is uneven: it has", (size) => {
  const { store } = at(MONDAY, size);
  const enrollments = store.enrollments.filter(() => true);

  test("students with no, one and five enrollments, and accounts with no, one and five orders", () => {
    const students = countValues(enrollments.map(({ student_id }) => student_id));
    const accounts = countValues(store.orders.filter(() => true).map(({ account_id }) => account_id));
    for (const counts of [students, accounts]) {
      expect(counts.size).toBeLessThan(store.users.count * 0.7);
      expect([...counts.values()]).toContain(1);
      expect(Math.max(...counts.values())).toBeGreaterThanOrEqual(5);
    }
  });

  test("future courses below their minimum, without participants and full", () => {
    const coming = store.plannedCourses.filter(({ status }) => status === "planned");
    const below = coming.filter((row) => row.current_participants < (row.min_participants ?? 0));
    expect(below.length).toBeGreaterThan(0);
    expect(below.length).toBeLessThan(coming.length);
    expect(coming.find((row) => row.current_participants === 0)).toBeDefined();
    expect(coming.find((row) => !row.available_places && row.current_participants > 0)).toBeDefined();
  });

  test("two users with the same name and different addresses, and in a school of 44 two with one address", () => {
    const names = countValues(
      store.users.filter(() => true).map((row) => `${row.first_name} ${row.middle_name} ${row.last_name}`),
    );
    expect([...names.values()]).toContain(2);
    const emails = store.users.filter(() => true).map(({ email }) => email);
    expect(new Set(emails).size).toBe(emails.length < 44 ? emails.length : emails.length - 1);
  });

  test("a user without an account", () => {
    const has = new Set(store.affiliations.filter(() => true).map(({ user_id }) => user_id));
    const personalUserIds = new Set(store.accounts.filter(() => true).map((row) => row.personal_user_id));
    expect(store.users.find(({ id }) => !has.has(id) && !personalUserIds.has(id))).toBeDefined();
  });

  test("an order of three students, each with an enrollment", () => {
    const order = store.orders.find((row) => row.number_of_students === 3);
    const students = enrollments.filter(({ order_id }) => order_id === order?.id).map(({ student_id }) => student_id);
    expect(new Set(students).size).toBe(3);
    expect(order?.order_items?.map(({ student_id }) => student_id)).toEqual(students);
  });

  test("a student who canceled and enrolled again in the same planned course", () => {
    const pairs = enrollments.filter(({ id, planned_course_id, student_id, status }) => {
      if (status === "canceled") return false;
      return enrollments.some(
        (other) =>
          other.id < id &&
          other.status === "canceled" &&
          other.student_id === student_id &&
          other.planned_course_id === planned_course_id,
      );
    });
    expect(pairs.length).toBeGreaterThan(0);
  });
});
