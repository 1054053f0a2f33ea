import { describe, expect, test } from "vitest";
import type * as z from "zod/mini";
import type { Schema } from "../../src/core/schema/model.js";
import { fieldsOf } from "../../src/core/schema/traits.js";
import { AdminClient, MainClient, OrganizationClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { ask, ids } from "./support.js";

const sandbox = createSandbox({ size: 200, seed: 3, rateLimit: false, now: "2025-11-05T17:00:00.000Z" });
const client = new MainClient({ ...sandbox.main, rateLimit: false, validation: "strict" });
const organization = new OrganizationClient({ ...sandbox.main, rateLimit: false, validation: "strict" });
const { store } = sandbox;
const all = { max: 10_000 };

describe("filters", () => {
  test("accounts: search matches name and e-mail in either case", async () => {
    const account = store.accounts.insert({ name: "Zebra Crossing Ltd", email: "office@zebra.example.org" });
    expect(ids(await client.accounts.list({ search: "ZEBRA cross" }).toArray(all))).toEqual([account.id]);
    expect(ids(await client.accounts.list({ search: "office@zebra" }).toArray(all))).toEqual([account.id]);
    store.accounts.delete(account.id);
  });

  test("accounts: account_type selects one kind", async () => {
    const business = await client.accounts.list({ account_type: "business" }).toArray(all);
    const personal = await client.accounts.list({ account_type: "personal" }).toArray(all);
    expect([business.length, personal.length]).toEqual([80, 120]);
    expect(new Set(business.map((account) => account.account_type))).toEqual(new Set(["business"]));
  });

  test("accounts: user_id selects those of the user's affiliations, key_contact_user_id those with the user as key contact", async () => {
    const affiliated = store.affiliations.filter(({ user_id }) => user_id === 5).map(({ account_id }) => account_id);
    expect(affiliated.length).toBeGreaterThan(1);
    expect(ids(await client.accounts.list({ user_id: 5 }).toArray(all))).toEqual([...affiliated].sort((a, b) => a - b));
    expect(ids(await client.accounts.list({ key_contact_user_id: 1 }).toArray(all))).toEqual([1]);
    expect(ids(await client.accounts.list({ key_contact_user_id: 5 }).toArray(all))).toEqual([9]);
    expect(ids(await client.accounts.list({ key_contact_user_id: 9 }).toArray(all))).toEqual([]);
  });

  test("affiliations, credits, attendances: by the record to which they belong", async () => {
    expect((await client.affiliations.list({ account_id: 1 })).records.map(({ user_id }) => user_id)).toEqual([1, 5]);
    const [credit] = await client.credits.list().toArray(all);
    const credits = await client.credits.list({ student_id: credit?.student_id as number }).toArray(all);
    expect(new Set(credits.map(({ student_id }) => student_id))).toEqual(new Set([credit?.student_id]));
    const attendances = await client.attendances.list({ meeting_id: 1 }).toArray(all);
    expect(attendances.length).toBeGreaterThan(0);
    expect(new Set(attendances.map(({ meeting_id }) => meeting_id))).toEqual(new Set([1]));
  });

  test("published selects published courses, categories and products", async () => {
    for (const list of [client.courses, client.categories, client.catalogProducts]) {
      const every = await list.list().toArray(all);
      const published = await list.list({ published: "published" }).toArray(all);
      expect(published.length).toBeGreaterThan(0);
      expect(ids(published)).toEqual(ids(every.filter(({ is_published }) => is_published)));
    }
  });

  test("courses: id accepts several values, in each of the three array formats", async () => {
    for (const arrayFormat of ["repeat", "brackets", "comma"] as const) {
      const { courses } = new MainClient({ ...sandbox.main, rateLimit: false, arrayFormat });
      expect(ids(await courses.list({ id: [2, 4] }).toArray(all))).toEqual([2, 4]);
    }
  });

  test("catalog products: category, kind and search", async () => {
    const products = await client.catalogProducts.list({ category_id: 2 }).toArray(all);
    expect(new Set(products.map(({ category_id }) => category_id))).toEqual(new Set([2]));
    const programs = await client.catalogProducts.list({ productable_type: "Program::Program" }).toArray(all);
    expect(programs.length).toBeGreaterThan(0);
    expect(new Set(programs.map(({ productable_type }) => productable_type))).toEqual(new Set(["Program::Program"]));
    const found = await client.catalogProducts.list({ search: "program" }).toArray(all);
    for (const { name } of found) expect(name).toMatch(/program/i);
    expect(found.length).toBeGreaterThan(0);
  });

  test("catalog variants: by product, by the record that they offer, and by kind", async () => {
    const planned = await client.catalogVariants
      .list({ variantable_type: "planned_course", variantable_id: 1 })
      .toArray(all);
    expect(planned.map(({ variantable_type, variantable_id }) => [variantable_type, variantable_id])).toEqual([
      ["PlannedCourse", 1],
    ]);
    const editions = await client.catalogVariants.list({ variantable_type: "program_edition" }).toArray(all);
    expect(new Set(editions.map(({ variantable_type }) => variantable_type))).toEqual(new Set(["Program::Edition"]));
    const ofProduct = await client.catalogVariants.list({ product_id: 1 }).toArray(all);
    expect(new Set(ofProduct.map(({ product_id }) => product_id))).toEqual(new Set([1]));
  });

  test("catalog variants: published_public selects published ones whose planned course is planned or in progress", async () => {
    const shown = await client.catalogVariants.list({ published_public: "published_public" }).toArray(all);
    const statuses = shown
      .filter(({ variantable_type }) => variantable_type === "PlannedCourse")
      .map(({ variantable_id }) => store.plannedCourses.get(variantable_id)?.status);
    expect(new Set(statuses)).toEqual(new Set(["planned", "active"]));
    expect(shown.filter(({ is_published }) => !is_published)).toEqual([]);
    expect(shown.map(({ variantable_type }) => variantable_type)).toContain("Program::Edition");
    const every = await client.catalogVariants.list().toArray(all);
    const expected = every.filter(({ is_published, variantable_type, variantable_id }) => {
      const status = store.plannedCourses.get(variantable_id)?.status;
      return is_published && (variantable_type !== "PlannedCourse" || status === "planned" || status === "active");
    });
    expect(ids(shown)).toEqual(ids(expected));
  });

  test("enrollments: student, planned course and several statuses", async () => {
    const mine = await client.enrollments.list({ student_id: 12 }).toArray(all);
    expect(mine.map(({ student_id }) => student_id)).toEqual([12]);
    const course = await client.enrollments.list({ planned_course_id: 1 }).toArray(all);
    expect(new Set(course.map(({ planned_course_id }) => planned_course_id))).toEqual(new Set([1]));
    const some = await client.enrollments.list({ status: ["canceled", "confirmed"] }).toArray(all);
    expect(new Set(some.map(({ status }) => status))).toEqual(new Set(["canceled", "confirmed"]));
  });

  test("enrollments: canceled ones are listed unless with_canceled is false", async () => {
    const every = await client.enrollments.list().toArray(all);
    const without = await client.enrollments.list({ with_canceled: false }).toArray(all);
    const canceled = every.filter(({ status }) => status === "canceled").length;
    expect(canceled).toBeGreaterThan(0);
    expect(without).toHaveLength(every.length - canceled);
    expect(await client.enrollments.list({ with_canceled: true }).toArray(all)).toHaveLength(every.length);
  });

  test("invoices: account and several statuses", async () => {
    const account = store.invoices.at(0)?.account_id as number;
    const mine = await client.invoices.list({ account_id: account }).toArray(all);
    expect(new Set(mine.map(({ account_id }) => account_id))).toEqual(new Set([account]));
    const some = await client.invoices.list({ status: ["paid", "expired"] }).toArray(all);
    expect(new Set(some.map(({ status }) => status))).toEqual(new Set(["paid", "expired"]));
  });

  test("labels: kind, search and identifiers", async () => {
    expect(ids(await client.labels.list({ model_type: "Order" }).toArray(all))).toEqual([2, 10]);
    expect(ids(await client.labels.list({ search: "follow" }).toArray(all))).toEqual([9, 10, 11, 12, 13, 14, 15, 16]);
    expect(ids(await client.labels.list({ id: [3, "9"] }).toArray(all))).toEqual([3, 9]);
  });

  test("meetings: start selects those that end after it, end those that start before it", async () => {
    const [meeting] = await client.meetings.list({ planned_course_id: 3 }).toArray(all);
    const { start_date_time: from, end_date_time: until } = meeting as {
      start_date_time: string;
      end_date_time: string;
    };
    const during = await client.meetings.list({ start: from, end: until }).toArray(all);
    expect(ids(during)).toContain(meeting?.id);
    expect(during.filter((each) => each.end_date_time <= from || each.start_date_time >= until)).toEqual([]);
    expect(ids(await client.meetings.list({ start: until }).toArray(all))).not.toContain(meeting?.id);
    expect(ids(await client.meetings.list({ end: from }).toArray(all))).not.toContain(meeting?.id);
  });

  test("meetings: those of a student's planned courses, and those from a day on", async () => {
    const enrollment = store.enrollments.at(0);
    const mine = await client.meetings.list({ for_student_id: enrollment?.student_id as number }).toArray(all);
    expect(new Set(mine.map((each) => each.planned_course_id))).toEqual(new Set([enrollment?.planned_course_id]));
    const later = await client.meetings.listForPlannedCourse(3, { date_from: "2100-01-01" });
    expect(later.records).toEqual([]);
  });

  test("orders: by creator, by course, and created after a time", async () => {
    const order = store.orders.at(5);
    const mine = await client.orders.list({ creator_id: order?.creator_id as number }).toArray(all);
    expect(new Set(mine.map(({ creator_id }) => creator_id))).toEqual(new Set([order?.creator_id]));
    const after = await client.orders.list({ created_at_after: order?.created_at as string }).toArray(all);
    expect(after.length).toBeGreaterThan(0);
    expect(after.filter(({ created_at }) => !((created_at as string) > (order?.created_at as string)))).toEqual([]);
    const ofCourse = await client.orders.list({ course_id: [1] }).toArray(all);
    const courses = ofCourse.map((each) => store.plannedCourses.get(each.planned_course_id as number)?.course_id);
    expect(new Set(courses)).toEqual(new Set([1]));
  });

  test("authentications of a user: one kind of provider", async () => {
    expect(await client.authentications.listForUser(10).toArray(all)).toHaveLength(2);
    const native = await client.authentications.listForUser(10, { provider: "native" }).toArray(all);
    expect(ids(native)).toEqual([10]);
  });

  test("course editions: a status, and an end after a day or any flexible edition", async () => {
    const completed = await organization.courseEditions.list({ status: "completed" }).toArray(all);
    expect(new Set(completed.map(({ status }) => status))).toEqual(new Set(["completed"]));
    const day = "2025-12-01";
    const later = await organization.courseEditions.list({ end_date_from: day }).toArray(all);
    const every = await organization.courseEditions.list().toArray(all);
    expect(ids(later)).toEqual(ids(every.filter(({ end_date }) => end_date === null || end_date > day)));
    expect(later.map(({ end_date }) => end_date)).toContain(null);
    expect(later.length).toBeLessThan(every.length);
  });

  test("course enrollments: edition, and start and end days", async () => {
    const every = await organization.courseEnrollments.list().toArray(all);
    const day = "2025-10-01";
    const cases = [
      [{ start_date_from: day }, (each: (typeof every)[number]) => (each.start_date ?? "") > day],
      [{ start_date_until: day }, (each: (typeof every)[number]) => (each.start_date ?? "9") < day],
      [{ end_date_from: day }, (each: (typeof every)[number]) => (each.end_date ?? "") > day],
      [{ end_date_until: day }, (each: (typeof every)[number]) => (each.end_date ?? "9") < day],
      [{ course_edition_id: 4 }, (each: (typeof every)[number]) => each.course_edition_id === 4],
    ] as const;
    for (const [query, fits] of cases) {
      const found = await organization.courseEnrollments.list(query).toArray(all);
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(every.length);
      expect(ids(found)).toEqual(ids(every.filter(fits)));
    }
  });

  test("attendance records, meetings and program enrollments of the organization", async () => {
    const records = await organization.attendanceRecords.list({ course_enrollment_id: 2 }).toArray(all);
    expect(new Set(records.map(({ enrollment_id }) => enrollment_id))).toEqual(new Set([2]));
    expect(records.length).toBe(3);
    const edition = records[0]?.course_edition_id as number;
    const ofEdition = await organization.attendanceRecords
      .list({ course_edition_id: edition, meeting_id: records[0]?.meeting_id as number })
      .toArray(all);
    expect(ids(ofEdition)).toContain(records[0]?.id);
    const meetings = await organization.meetings
      .list({ attendance_status: ["excluded", "incomplete"], start: "2026-01-01T00:00:00.000Z" })
      .toArray(all);
    expect(meetings.filter((each) => each.attendance_status === "complete")).toEqual([]);
    expect(meetings.filter((each) => each.end_date_time <= "2026-01-01")).toEqual([]);
    expect(meetings.length).toBeGreaterThan(0);
    const [touched] = (await organization.meetings.list({ per_page: 1 })).records;
    const midway = new Date(Date.parse(touched?.start_date_time as string) + 3_600_000).toISOString();
    expect(ids(await organization.meetings.list({ start: midway }).toArray(all))).toContain(touched?.id);
    const before = await organization.meetings.list({ end: "2025-02-01T00:00:00.000Z" }).toArray(all);
    expect(before.filter((each) => each.start_date_time >= "2025-02-01")).toEqual([]);
    const programs = await organization.programEnrollments.list({ program_edition_id: 2 }).toArray(all);
    expect(new Set(programs.map((each) => each.program_edition_id))).toEqual(new Set([2]));
  });

  test("comments on orders: only those on orders", async () => {
    const admin = new AdminClient({ ...sandbox.admin, rateLimit: false });
    const comments = await admin.comments.listForOrders().toArray(all);
    const expected = store.comments.filter(({ commentable_type }) => commentable_type === "Order");
    expect(ids(comments)).toEqual(ids(expected));
    expect(comments[0]).not.toHaveProperty("commentable_id");
  });
});

describe("unknown filters", () => {
  const lists = allOperations.filter(({ paged }) => paged);

  test.each(lists)("$id refuses an unknown filter", async (row) => {
    const prefix = row.apis.includes("organization") ? "api/organization" : "api/v1";
    const path = row.path
      .replace("{object_type}", "users")
      .replace("{field_slug}", "diet")
      .replace("{object_slug}", "partners")
      .replace(/\{\w+\}/g, "1");
    const { status, body } = await ask(sandbox, `${prefix}/${path}?include=everything`);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 400, errors: { include: ["is not a known field"] } });
  });

  test("a filter with an unknown value is refused", async () => {
    for (const path of [
      "accounts?account_type=club",
      "accounts?user_id=me",
      "enrollments?with_canceled=perhaps",
      "invoices?status=open&status=lost",
      "meetings?start=tomorrow",
    ]) {
      const { status } = await ask(sandbox, `api/v1/${path}`);
      expect(status, path).toBe(400);
    }
  });

  test("every other filter has the name of the field that it compares", () => {
    // These filters have special meanings, which the tests above and those of sign-up questions and webhooks cover.
    const unknown = lists.flatMap((row) => {
      const filters = Object.keys((row.query as z.ZodMiniObject | undefined)?.shape ?? {});
      const fields = Object.keys(fieldsOf(row.response as Schema));
      return filters.filter((name) => !fields.includes(name)).map((name) => `${row.id} ${name}`);
    });
    expect([...new Set(unknown)].sort()).toEqual([
      "accounts.list key_contact_user_id",
      "accounts.list search",
      "accounts.list user_id",
      "authentications.listForUser provider",
      "catalogProducts.list published",
      "catalogProducts.list search",
      "catalogProducts.list sort",
      "catalogVariants.list published_public",
      "categories.list published",
      "categories.list sort",
      "courses.list published",
      "enrollments.list with_canceled",
      "labels.list search",
      "meetings.list date_from",
      "meetings.list end",
      "meetings.list for_student_id",
      "meetings.list start",
      "meetings.listForPlannedCourse date_from",
      "meetings.listForPlannedCourse for_student_id",
      "meetings.listForPlannedCourse sort",
      "orders.list course_id",
      "orders.list created_at_after",
      "orders.list sort",
      "organization.attendanceRecords.list course_enrollment_id",
      "organization.courseEditions.list end_date_from",
      "organization.courseEnrollments.list end_date_from",
      "organization.courseEnrollments.list end_date_until",
      "organization.courseEnrollments.list start_date_from",
      "organization.courseEnrollments.list start_date_until",
      "organization.meetings.list end",
      "organization.meetings.list start",
      "plannedCourses.list parents_published",
      "plannedCourses.list published_public",
      "plannedCourses.list search",
      "plannedCourses.list sort",
      "plannedCourses.list start_date_from",
      "plannedCourses.list start_date_until",
      "plannedCourses.listForCourse parents_published",
      "plannedCourses.listForCourse published_public",
      "plannedCourses.listForCourse search",
      "plannedCourses.listForCourse sort",
      "plannedCourses.listForCourse start_date_from",
      "plannedCourses.listForCourse start_date_until",
      "signupQuestions.list for_account",
      "signupQuestions.list for_user",
      "teachers.list label_id",
      "teachers.list search",
      "users.list label_id",
      "users.list role",
      "users.list sort",
      "webhooks.listFailedNotifications end",
      "webhooks.listFailedNotifications start",
    ]);
  });
});
