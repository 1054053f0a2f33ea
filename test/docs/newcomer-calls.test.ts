// Fifteen calls written from llms-full.txt alone, by somebody who had not seen the sources. What did not compile, or was refused,
// has been mended in llms-full.txt; a call here changes only with what that file says.
import { expect, test } from "vitest";
import { AdminClient, isEducationAdminError, MainClient } from "../../src/index.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { pickInput, userUpdateSchema } from "../../src/schemas.js";

const main = new MainClient(createSandbox());
const admin = new AdminClient(createSandbox());

test("1. business accounts with a name that contains a text", async () => {
  const accounts = await main.accounts.list({ account_type: "business", search: "a" }).toArray({ max: 10 });
  expect(accounts.every(({ account_type }) => account_type === "business")).toBe(true);
});

test("2. an account with an address", async () => {
  const account = await main.accounts.create({
    name: "Example Ltd",
    email: "billing@example.com",
    address_attributes: { address: "1 High Street", postal_code: "AB1 2CD", city: "Oxford", country: "GB" },
  });
  expect(account.address?.city).toBe("Oxford");
});

test("3. a planned course with a price", async () => {
  const planned = await main.plannedCourses.create({
    course_id: 1,
    type: "FixedPlannedCourse",
    start_date: "2030-09-02",
    end_date: "2030-09-06",
    cost: 450.5,
    max_participants: 12,
  });
  expect(planned.cost).toMatch(/^450\.50?$/);
});

test("4. a meeting of it, in a room", async () => {
  const meeting = await main.meetings.createForPlannedCourse(1, {
    name: "Day one",
    start_date_time: new Date("2030-09-02T08:00:00Z"),
    end_date_time: "2030-09-02T15:00:00.000Z",
    meeting_location_id: 1,
    teacher_ids: [],
  });
  expect([meeting.planned_course_id, meeting.start_date_time]).toEqual([1, "2030-09-02T08:00:00.000Z"]);
});

test("5. a student and an order, approved", async () => {
  const student = await main.users.create({ first_name: "Ada", last_name: "Example", email: "ada@example.org" });
  const order = await main.orders.create({ catalog_variant_id: 1, creator_id: student.id, student_ids: [student.id] });
  expect((await main.orders.approve(order.id)).status).toBe("active");
});

test("6. an attendance", async () => {
  const [enrollment] = await main.enrollments.list({ status: ["active"] }).toArray({ max: 1 });
  if (!enrollment) throw new Error("no active enrollment");
  const [meeting] = await main.meetings.list({ planned_course_id: enrollment.planned_course_id }).toArray({ max: 1 });
  if (!meeting) throw new Error("no meeting");
  const set = await main.attendances.set({ meeting_id: meeting.id, enrollment_id: enrollment.id, state: "late" });
  expect(set.state).toBe("late");
});

test("7. a grade for an enrollment", async () => {
  // No document lists the kinds: llms-full.txt says to take that of another grade.
  const { gradeable_id, gradeable_type } = await main.grades.get(7);
  const grade = await main.grades.create({ grade: "good", score: 8, gradeable_id, gradeable_type });
  expect([grade.grade, typeof grade.score]).toEqual(["good", "string"]);
});

test("8. an invoice that is opened and paid", async () => {
  const draft = await main.invoices.create({
    account_id: 7,
    invoice_items_attributes: [{ name: "First aid", units: 2, unit_price: "125.00", invoice_vat_id: 1 }],
  });
  const invoice = await main.invoices.open(draft.id);
  const payment = await main.payments.createForInvoice(invoice.id, {
    amount: invoice.total_open,
    payment_method_id: 1,
  });
  await main.payments.deleteForInvoice({ invoice_id: invoice.id, id: payment.id });
  expect(invoice.status).toBe("open");
});

test("9. a lead for a product", async () => {
  const lead = await main.leads.create({
    title: "Wants a course",
    first_name: "Jo",
    last_name: "Fox",
    email: "jo@example.com",
    quality: 3,
    status: "prospect",
    lead_products: [{ catalog_product_id: 1 }],
  });
  expect(lead.lead_products[0]?.catalog_product_id).toBe(1);
});

test("10. who is enrolled where, without a request for each row", async () => {
  const rows = main.enrollments.list({ status: "active" }).with({ student: true, planned_course: true });
  for await (const { student, planned_course } of rows) {
    expect([student?.email, planned_course?.type]).toEqual([expect.any(String), expect.any(String)]);
    break;
  }
});

test("11. the labels of a user, added to", async () => {
  const user = await main.users.get(7);
  const label = await main.labels.create({ name: "Alumni", model_type: "User" });
  const body = { ...pickInput(userUpdateSchema, user), label_ids: [...user.label_ids, label.id] };
  expect((await main.users.update(user.id, body)).label_ids).toContain(label.id);
});

test("12. an option of a custom field", async () => {
  const path = { object_type: "users", field_slug: "diet" } as const;
  const created = await main.customFieldOptions.create(path, { value: "vegan", enabled: true }).catch((error) => error);
  // The sandbox may have no such field; the service then answers 404.
  expect(isEducationAdminError(created) ? created.code : created.value).toMatch(/^(vegan|api)$/);
});

test("13. an edition of a program in the Admin API", async () => {
  const program = await admin.programs.create({ name: "Nursing", category_id: 1, cost_scheme: "student", cost: 900 });
  const edition = await admin.programEditions.create({
    name: "Autumn",
    program_id: program.id,
    cost: 850.5,
    start_date: "2030-09-01",
  });
  expect(edition.start_date).toBe("2030-09-01");
});

test("14. an e-mail to a user, and a certificate", async () => {
  await admin.emails.send(7, { from: "office@school.example", subject: "Welcome", body: "<p>Hello</p>" });
  await admin.enrollments.awardCertificate(1, { certificate_template_id: 1 });
  expect(await admin.certificates.list().toArray({ max: 1 })).toHaveLength(1);
});

test("15. what the Organization API has, and what a webhook could not deliver", async () => {
  const { records } = await main.organization.courseEditions.list({ status: "planned" });
  expect(records.every(({ status }) => status === "planned")).toBe(true);
  const webhook = await main.webhooks.create({ url: "https://hooks.school.example/x", events: ["invoice.created"] });
  const failed = main.webhooks.listFailedNotifications(webhook.id, { start: new Date("2030-01-01T00:00:00Z") });
  expect(await failed.toArray({ max: 5 })).toEqual([]);
});
