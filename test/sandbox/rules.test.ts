import { describe, expect, test } from "vitest";
import {
  AdminClient,
  ApiError,
  InputError,
  MainClient,
  NotFoundError,
  OrganizationClient,
  PermissionDeniedError,
  UnprocessableEntityError,
} from "../../src/index.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import { ask, ids } from "./support.js";

const main = (sandbox: Sandbox): MainClient => new MainClient({ ...sandbox.main, validation: "strict" });
const admin = (sandbox: Sandbox): AdminClient => new AdminClient({ ...sandbox.admin, validation: "strict" });
const small = (): Sandbox => createSandbox({ size: 40, now: "2030-06-01T12:00:00.000Z" });

async function failure(call: PromiseLike<unknown>): Promise<ApiError> {
  const error = await Promise.resolve(call).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return error as ApiError;
}

describe("writing", () => {
  test("what is created says what was sent and nothing that was not", async () => {
    const sandbox = small();
    const account = await main(sandbox).accounts.create({
      name: "Example Ltd",
      label_ids: [5],
      custom: { sector: "care" },
      address_attributes: { address: "Main Street 1", postal_code: "1000 AA", city: "Exampletown", country: "NL" },
    });
    expect(account).toMatchObject({
      id: 41,
      name: "Example Ltd",
      account_type: "business",
      email: null,
      phone: null,
      label_ids: [5],
      users_count: 0,
      slug: "example-ltd-41",
      custom: { sector: "care" },
      address: {
        addressee: null,
        address: "Main Street 1",
        postal_code: "1000 AA",
        city: "Exampletown",
        country: "NL",
      },
    });
    expect(account.created_at).toMatch(/^2030-06-01T12:00:0/);
    expect(await main(sandbox).accounts.get(41)).toEqual(account);
    expect(sandbox.store.accounts.get(41)).toEqual(account);
  });

  test("an update changes what is sent, keeps the rest, and null unsets", async () => {
    const sandbox = small();
    const before = sandbox.store.accounts.get(1);
    const { updated_at: _, ...after } = await main(sandbox).accounts.update(1, {
      name: "New Ltd",
      phone: null,
      custom: { newsletter: false },
    });
    const { updated_at: __, ...expected } = {
      ...before,
      name: "New Ltd",
      phone: null,
      custom: { ...before?.custom, newsletter: false },
    };
    expect(after).toEqual(expected);
  });

  test("an address changes in the parts that are sent, and null unsets the whole", async () => {
    const sandbox = small();
    const { courseLocations } = main(sandbox);
    const before = {
      addressee: "A",
      address: "Sample Lane 1",
      postal_code: "1000 XX",
      city: "Testhaven",
      country: "NL",
      address_line2: null,
      state_province: null,
    };
    sandbox.store.courseLocations.update(1, { address: before });
    const moved = await courseLocations.update(1, { address_attributes: { city: "Mockburg" } });
    expect(moved.address).toEqual({ ...before, city: "Mockburg" });
    expect((await courseLocations.update(1, { address_attributes: null })).address).toBeNull();
    expect((await courseLocations.update(1, { address_attributes: { city: "Testhaven" } })).address).toEqual({
      addressee: null,
      address: null,
      postal_code: null,
      city: "Testhaven",
      country: null,
      address_line2: null,
      state_province: null,
    });
  });

  test("categories count the courses, products and categories that are put into them and taken out", async () => {
    const sandbox = small();
    const { categories, courses, catalogProducts } = main(sandbox);
    const counts = async (id: number) => {
      const { courses_count, products_count, children_count } = await categories.get(id);
      return [courses_count, products_count, children_count];
    };
    const [[courses1, products1, children1], [courses2, products2, children2]] = [await counts(1), await counts(2)] as [
      [number, number, number],
      [number, number, number],
    ];
    const course = await courses.create({ category_id: 1, name: "New", code: "N", cost: "1.00" });
    const child = await categories.create({ name: "Child", parent_id: 1 });
    const product = sandbox.store.catalogProducts.find(({ category_id }) => category_id === 1) as { id: number };
    expect(await counts(1)).toEqual([courses1 + 1, products1, children1 + 1]);
    await courses.update(course.id, { category_id: 2 });
    await categories.update(child.id, { parent_id: 2 });
    await catalogProducts.update(product.id, { category_id: 2 });
    expect(await counts(1)).toEqual([courses1, products1 - 1, children1]);
    expect(await counts(2)).toEqual([courses2 + 1, products2 + 1, children2 + 1]);
    await categories.update(child.id, { parent_id: null });
    expect(await counts(2)).toEqual([courses2 + 1, products2 + 1, children2]);
  });

  test("what is deleted is gone: 404, out of the list, and nothing else moved", async () => {
    const sandbox = small();
    const { courseLocations } = main(sandbox);
    const before = ids(await courseLocations.list().toArray({ max: 100 }));
    expect(await courseLocations.delete(2)).toBeUndefined();
    await expect(courseLocations.get(2)).rejects.toBeInstanceOf(NotFoundError);
    await expect(courseLocations.delete(2)).rejects.toBeInstanceOf(NotFoundError);
    expect(ids(await courseLocations.list().toArray({ max: 100 }))).toEqual(before.filter((id) => id !== 2));
  });

  test("a body that refers to a record that does not exist is refused, with the field", async () => {
    const error = await failure(main(small()).invoices.create({ account_id: 999 }));
    expect(error).toBeInstanceOf(UnprocessableEntityError);
    expect(error.errors).toEqual({ account_id: ["refers to a record that does not exist"] });
    const nested = await failure(
      main(small()).invoices.create({
        account_id: 1,
        invoice_items_attributes: [{ name: "x", units: 1, unit_price: "1.00", invoice_vat_id: 77 }],
      }),
    );
    expect(nested.errors).toEqual({
      "invoice_items_attributes[0].invoice_vat_id": ["refers to a record that does not exist"],
    });
  });

  test("fields that do not exist, miss or have the wrong type are refused with 422 and their names", async () => {
    const sandbox = small();
    const send = (body: string) => ask(sandbox, "api/v1/affiliations", { method: "POST", body });
    expect((await send(JSON.stringify({ user_id: 1, account_id: 1, extra: 1 }))).body).toMatchObject({
      code: 422,
      errors: { extra: ["is not a known field"] },
    });
    expect((await send(JSON.stringify({ user_id: "1" }))).body).toMatchObject({
      code: 422,
      errors: { user_id: [expect.any(String)], account_id: [expect.any(String)] },
    });
    expect((await send("{")).body).toMatchObject({ code: 400, message: "The body is not JSON" });
    expect((await send("[]")).status).toBe(422);
    expect((await send("")).status).toBe(422);
  });
});

describe("what the service description says of single resources", () => {
  test("courses: cost_scheme is student when a new course does not say, and then cost is needed", async () => {
    const sandbox = small();
    const { courses } = main(sandbox);
    const base = { category_id: 1, name: "First Aid", code: "FA" };
    expect(await courses.create({ ...base, cost: "10.00" })).toMatchObject({
      cost_scheme: "student",
      cost: "10.00",
      starting_price: "10.00",
    });
    expect(await courses.create({ ...base, cost_scheme: "free" })).toMatchObject({ cost_scheme: "free", cost: null });
    for (const body of [base, { ...base, cost: null }, { ...base, cost_scheme: "order" as const }]) {
      await expect(courses.create(body)).rejects.toBeInstanceOf(InputError);
      const { status } = await ask(sandbox, "api/v1/courses", { method: "POST", body: JSON.stringify(body) });
      expect(status).toBe(422);
    }
  });

  test("courses: an update cannot leave a course that is charged without a cost", async () => {
    const sandbox = small();
    sandbox.store.courses.update(1, { cost: null, cost_scheme: "free" });
    const { courses } = main(sandbox);
    expect((await failure(courses.update(1, { cost_scheme: "order" }))).errors).toEqual({
      cost: ["is required when cost_scheme is order"],
    });
    expect(await courses.update(1, { cost_scheme: "order", cost: "5.00" })).toMatchObject({ cost: "5.00" });
  });

  test("is_published becomes what is sent, on courses, products, variants and categories", async () => {
    const sandbox = small();
    const client = main(sandbox);
    for (const value of [false, true]) {
      for (const resource of [client.courses, client.catalogProducts, client.catalogVariants, client.categories]) {
        expect((await resource.update(1, { is_published: value })).is_published).toBe(value);
        expect((await resource.get(1)).is_published).toBe(value);
      }
    }
  });

  test("contents of course tabs: with the id of a content they change it, with another they are added", async () => {
    const { catalogProducts } = main(small());
    const updated = await catalogProducts.update(2, {
      course_tab_contents_attributes: [
        { id: 3, course_tab_id: 1, content: "Changed" },
        { id: 99, course_tab_id: 4, content: "Added" },
      ],
    });
    expect(updated.course_tab_contents).toEqual([
      { id: 3, course_tab_id: 1, content: "Changed" },
      { id: 4, course_tab_id: 2, content: "Bring a notebook." },
      { id: 5, course_tab_id: 4, content: "Added" },
    ]);
  });

  test("invoices: opening a concept assigns the next number; any other status stays as it is", async () => {
    const sandbox = small();
    const { invoices } = main(sandbox);
    const numbers = (await invoices.list().toArray({ max: 100 })).map(({ number_int }) => number_int ?? 0);
    const [concept] = (await invoices.list({ status: ["concept"] })).records;
    expect(concept).toMatchObject({ number: null, number_int: null, opened_at: null });
    const opened = await invoices.open(concept?.id as number);
    expect(opened).toMatchObject({
      status: "open",
      number_int: Math.max(...numbers) + 1,
      expiration_date: "2030-06-15",
    });
    expect(opened.number).toMatch(/^F\d+$/);
    for (const status of ["open", "expired", "paid"] as const) {
      const [invoice] = (await invoices.list({ status: [status] })).records;
      expect(await invoices.open(invoice?.id as number)).toEqual(invoice);
    }
  });

  test("invoices: a new one is a concept whose totals follow from its lines and their VAT", async () => {
    const sandbox = small();
    const invoice = await main(sandbox).invoices.create({
      account_id: 3,
      footnote: null,
      invoice_items_attributes: [
        { name: "Course fee", units: 3, unit_price: "100.10", invoice_vat_id: 1 },
        { name: "Book", units: 1, unit_price: "10.00", invoice_vat_id: 2 },
        { name: "Gone", units: 1, unit_price: "99.00", invoice_vat_id: 2, _destroy: true },
      ],
    });
    expect(invoice).toMatchObject({
      status: "concept",
      account_name: sandbox.store.accounts.get(3)?.name,
      total_excl: "310.30",
      total_incl: "374.26",
      total_open: "374.26",
    });
    expect(invoice.invoice_items.map(({ name }) => name)).toEqual(["Course fee", "Book"]);
  });

  test("invoices: the PDF is one, in base64", async () => {
    const { data } = await main(small()).invoices.getPdf(2);
    expect(atob(data)).toMatch(/^%PDF-1\.4\n[\s\S]*INV-000002[\s\S]*%%EOF\n$/);
  });

  test("VAT rates: has_vat says whether there is any", async () => {
    const { invoiceVats } = main(small());
    expect(await invoiceVats.create({ name: "None", percentage: "0.0" })).toMatchObject({ has_vat: false });
    expect(await invoiceVats.create({ name: "Some", percentage: "6.5" })).toMatchObject({ has_vat: true });
  });

  test("enrollments: awarding a certificate replaces the one there is", async () => {
    const sandbox = small();
    const client = admin(sandbox);
    const old = sandbox.store.certificates.at(0);
    const enrollment = old?.certifiable_id as number;
    await client.enrollments.awardCertificate(enrollment, { certificate_template_id: 2 });
    const certificates = await client.certificates.list().toArray({ max: 100 });
    expect(ids(certificates)).not.toContain(old?.id);
    const mine = certificates.filter(({ certifiable_id }) => certifiable_id === enrollment);
    expect(mine).toHaveLength(1);
    await expect(client.certificates.get(old?.id as number)).rejects.toBeInstanceOf(NotFoundError);
    await client.enrollments.awardCertificate(enrollment, { certificate_template_id: 3 });
    expect(sandbox.store.certificates.filter(({ certifiable_id }) => certifiable_id === enrollment)).toHaveLength(1);
  });

  test("enrollments: cancel, and a new last day", async () => {
    const { enrollments } = main(small());
    expect(await enrollments.cancel(30)).toMatchObject({ id: 30, status: "canceled" });
    expect(await enrollments.update(29, { end_date: "2031-01-01" })).toMatchObject({ end_date: "2031-01-01" });
    expect(await enrollments.update(29, { end_date: null })).toMatchObject({ end_date: null });
  });

  test("authentications: the last one of a user stays in the Main API, and can go in the Admin API", async () => {
    const sandbox = small();
    const error = await failure(main(sandbox).authentications.delete({ user_id: 1, id: 1 }));
    expect(error.status).toBe(422);
    expect(error.errors).toEqual({ base: ["the last authentication of a user cannot be removed"] });
    const second = await main(sandbox).authentications.create({
      user_id: 1,
      uid: "one@example.com",
      authentication_provider_type: "openid_connect",
    });
    expect(await main(sandbox).authentications.delete({ user_id: 1, id: 1 })).toBeUndefined();
    expect(await admin(sandbox).authentications.delete({ user_id: 1, id: second.id })).toBeUndefined();
    expect(await admin(sandbox).authentications.listForUser(1).toArray({ max: 10 })).toEqual([]);
  });

  test("authentications: one of another user is not found below this one", async () => {
    await expect(admin(small()).authentications.delete({ user_id: 2, id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    await expect(admin(small()).authentications.listForUser(999).toArray({ max: 10 })).rejects.toBeInstanceOf(
      NotFoundError,
    );
  });

  test("affiliations: key_contact is false unless said, and accounts count their users", async () => {
    const sandbox = small();
    const { affiliations, accounts } = main(sandbox);
    const before = (await accounts.get(4)).users_count;
    const created = await affiliations.create({ user_id: 8, account_id: 4 });
    expect(created.key_contact).toBe(false);
    expect((await accounts.get(4)).users_count).toBe(before + 1);
    expect((await affiliations.update(created.id, { key_contact: true, account_id: 5 })).key_contact).toBe(true);
    expect((await accounts.get(4)).users_count).toBe(before);
    await affiliations.delete(created.id);
    expect((await accounts.get(5)).users_count).toBe(
      sandbox.store.affiliations.filter(({ account_id }) => account_id === 5).length,
    );
  });

  test("grades: one of grade and score is needed; the score comes back as text and the enrollment carries the grade", async () => {
    const sandbox = small();
    const { grades, enrollments } = main(sandbox);
    const gradeable = { gradeable_id: 40, gradeable_type: "Enrollment" };
    expect(
      (
        await ask(sandbox, "api/v1/grades", {
          method: "POST",
          body: JSON.stringify({ ...gradeable, grade: null, score: null }),
        })
      ).status,
    ).toBe(422);
    const grade = await grades.create({ ...gradeable, score: 7.5 });
    expect(grade).toMatchObject({ score: "7.5", grade: null });
    expect((await enrollments.get(40)).grade).toEqual(grade);
    const better = await grades.update(grade.id, { score: 9, grade: "A" });
    expect(better).toMatchObject({ score: "9", grade: "A" });
    expect((await enrollments.get(40)).grade).toEqual(better);
    await grades.delete(grade.id);
    expect((await enrollments.get(40)).grade).toBeNull();
    expect((await failure(grades.create({ ...gradeable, gradeable_id: 999, score: 1 }))).errors).toHaveProperty(
      "gradeable_id",
    );
  });

  test("grades: an enrollment keeps its grade when another grade of it is deleted", async () => {
    const sandbox = small();
    const { grades, enrollments } = main(sandbox);
    const gradeable = { gradeable_id: 40, gradeable_type: "Enrollment" };
    const old = await grades.create({ ...gradeable, score: 5 });
    const current = await grades.create({ ...gradeable, score: 8 });
    await grades.delete(old.id);
    expect((await enrollments.get(40)).grade).toEqual(current);
  });

  test("meetings: materials that do not exist are refused by name", async () => {
    const body = { name: "x", start_date_time: "2030-07-01T09:00:00.000Z", end_date_time: "2030-07-01T12:00:00.000Z" };
    const error = await failure(main(small()).meetings.createForPlannedCourse(2, { ...body, material_ids: [1, 999] }));
    expect(error.errors).toEqual({ material_ids: ["refers to a record that does not exist"] });
  });

  test("attendances: set creates one where there is none and changes the one there is", async () => {
    const sandbox = small();
    const { attendances } = admin(sandbox);
    const meeting = sandbox.store.meetings.count;
    const created = await attendances.set({ meeting_id: meeting, enrollment_id: 40 });
    expect(created).toMatchObject({ state: "blanco", comment: null });
    const changed = await attendances.set({ meeting_id: meeting, enrollment_id: 40, state: "late", comment: "Train" });
    expect(changed).toMatchObject({ id: created.id, state: "late", comment: "Train" });
    expect(await attendances.get({ meeting_id: meeting, enrollment_id: 40 })).toEqual({
      meeting_id: meeting,
      enrollment_id: 40,
      state: "late",
      comment: "Train",
    });
    await expect(attendances.get({ meeting_id: meeting, enrollment_id: 1 })).rejects.toBeInstanceOf(NotFoundError);
    const organization = new OrganizationClient({ ...sandbox.admin, validation: "strict" });
    const records = await organization.attendanceRecords.list({ meeting_id: meeting }).toArray({ max: 10 });
    expect(records).toMatchObject([
      { id: created.id, attendance_state: "late", user_id: sandbox.store.enrollments.get(40)?.student_id },
    ]);
  });

  test("leads: quality comes back as text; products put the old ways to name courses out of force", async () => {
    const sandbox = small();
    const { leads } = main(sandbox);
    const lead = await leads.create({ title: "Interested", quality: 4, comment: "Call back", course_ids: [2] });
    expect(lead).toMatchObject({
      quality: "4",
      status: "prospect",
      lead_products: [],
      courses_leads: [{ course_id: 2, planned_course_id: null, lead_id: lead.id }],
    });
    expect(
      sandbox.store.comments.find(
        ({ commentable_type, commentable_id }) => commentable_type === "Lead" && commentable_id === lead.id,
      )?.content,
    ).toBe("Call back");
    const both = await leads.create({
      title: "Both",
      quality: null,
      course_ids: [2],
      lead_products: [{ catalog_product_id: 3 }],
    });
    expect(both).toMatchObject({
      quality: null,
      courses_leads: [],
      lead_products: [{ catalog_product_id: 3, catalog_variant_id: null }],
    });
  });

  test("labels: one can be put on an order", async () => {
    const sandbox = small();
    sandbox.store.orders.update(7, { label_ids: [] });
    expect(await main(sandbox).labels.addToOrder(7, { label_id: 2 })).toBeUndefined();
    expect(sandbox.store.orders.get(7)?.label_ids).toEqual([2]);
    await expect(main(sandbox).labels.addToOrder(999, { label_id: 2 })).rejects.toBeInstanceOf(NotFoundError);
    expect((await failure(main(sandbox).labels.addToOrder(7, { label_id: 999 }))).status).toBe(422);
  });

  test("comments: Main shows less of one than Admin", async () => {
    const sandbox = small();
    const body = { content: "Called", commentable_id: 3, commentable_type: "Invoice" as const };
    expect(await main(sandbox).comments.create(body)).not.toHaveProperty("commentable_id");
    expect(await admin(sandbox).comments.create(body)).toMatchObject(body);
    for (const commentable_type of ["Invoice", "Task"] as const) {
      const unknown = { ...body, commentable_type, commentable_id: 999 };
      expect((await failure(admin(sandbox).comments.create(unknown))).errors).toHaveProperty("commentable_id");
      expect(await admin(sandbox).comments.create({ ...unknown, commentable_id: 8 })).toMatchObject({
        commentable_id: 8,
      });
    }
  });

  test("catalog variants: Main wants is_published, Admin does not and has the section contents", async () => {
    const sandbox = small();
    const contents = [{ edition_description_section_id: 1, content: "New" }];
    const updated = await admin(sandbox).catalogVariants.update(1, {
      edition_description_section_contents_attributes: contents,
    });
    expect(updated.edition_description_section_contents).toEqual(contents);
    expect(await main(sandbox).catalogVariants.get(1)).not.toHaveProperty("edition_description_section_contents");
    const { status } = await ask({ ...sandbox, apiKey: sandbox.main.apiKey }, "api/v1/catalog/variants/1", {
      method: "PUT",
      body: "{}",
    });
    expect(status).toBe(422);
  });

  test("custom records: active unless said; updates and deletions answer nothing; another object does not have them", async () => {
    const sandbox = small();
    const { customRecords } = main(sandbox);
    const record = await customRecords.create("equipment", { display_name: "Crane", properties: { weight: "9 t" } });
    expect(record).toEqual({ id: record.id, active: true, display_name: "Crane", properties: { weight: "9 t" } });
    expect(
      await customRecords.update(
        { object_slug: "equipment", record_id: record.id },
        { active: false, properties: { supplier: "Sample" } },
      ),
    ).toBeUndefined();
    expect(await customRecords.get({ object_slug: "equipment", record_id: record.id })).toMatchObject({
      active: false,
      properties: { weight: "9 t", supplier: "Sample" },
    });
    await expect(customRecords.get({ object_slug: "partners", record_id: record.id })).rejects.toBeInstanceOf(
      NotFoundError,
    );
    await expect(customRecords.list("nothing").toArray({ max: 1 })).rejects.toBeInstanceOf(NotFoundError);
    expect(await customRecords.delete({ object_slug: "equipment", record_id: record.id })).toBeUndefined();
    expect(sandbox.store.customRecords.get(record.id)).toBeUndefined();
  });

  test("options of custom fields: those of the field in the path, and of no other", async () => {
    const sandbox = small();
    const { customFieldOptions } = main(sandbox);
    const field = { object_type: "accounts", field_slug: "sector" } as const;
    const option = await customFieldOptions.create(field, { value: "retail", enabled: true });
    const values = (await customFieldOptions.list(field).toArray({ max: 10 })).map(({ value }) => value);
    expect(values).toEqual(["industry", "care", "education", "retail"]);
    expect(await customFieldOptions.update({ ...field, option_id: option.id }, { enabled: false })).toBeUndefined();
    expect(await customFieldOptions.get({ ...field, option_id: option.id })).toEqual({
      id: option.id,
      value: "retail",
      enabled: false,
    });
    await expect(
      customFieldOptions.get({ object_type: "users", field_slug: "diet", option_id: option.id }),
    ).rejects.toBeInstanceOf(NotFoundError);
    await expect(
      customFieldOptions.list({ object_type: "users", field_slug: "nothing" }).toArray({ max: 1 }),
    ).rejects.toBeInstanceOf(NotFoundError);
  });

  test("meetings of a planned course: created below it, and not found below one that does not exist", async () => {
    const sandbox = small();
    const { meetings } = main(sandbox);
    const body = {
      name: "Extra",
      start_date_time: "2030-07-01T09:00:00.000Z",
      end_date_time: "2030-07-01T12:00:00.000Z",
    };
    const meeting = await meetings.createForPlannedCourse(2, body);
    expect(meeting).toMatchObject({ ...body, planned_course_id: 2, meeting_location_id: null });
    expect(ids((await meetings.listForPlannedCourse(2)).records)).toContain(meeting.id);
    await expect(meetings.createForPlannedCourse(999, body)).rejects.toBeInstanceOf(NotFoundError);
    await expect(meetings.listForPlannedCourse(999).toArray({ max: 1 })).rejects.toBeInstanceOf(NotFoundError);
  });

  test("e-mails: what was sent is in the store, tags untouched", async () => {
    const sandbox = small();
    const email = {
      from: "{{ educator.reply_to }}",
      subject: "Hello {{ user.full_name }}",
      body: '<p>"Line"\nbreak</p>',
    };
    expect(await admin(sandbox).emails.send(4, email)).toBeUndefined();
    expect([...sandbox.store.emails]).toMatchObject([{ ...email, user_id: 4 }]);
    await expect(admin(sandbox).emails.send(999, email)).rejects.toBeInstanceOf(NotFoundError);
  });
});

describe("keys", () => {
  test("no key, a wrong one, or one in another form: 403 with the error body", async () => {
    const sandbox = small();
    const attempts: RequestInit[] = [
      { headers: {} },
      { headers: { authorization: "Bearer wrong" } },
      { headers: { authorization: sandbox.apiKey } },
      { headers: { authorization: `Basic ${sandbox.apiKey}` } },
    ];
    for (const init of attempts) {
      const { status, body } = await ask(sandbox, "api/v1/accounts", init);
      expect(status).toBe(403);
      expect(body).toEqual({ errors: {}, code: 403, message: expect.any(String) });
    }
  });

  test("a key of one API does not find what only the other offers", async () => {
    const sandbox = small();
    const get = (path: string, { apiKey }: { apiKey: string }) =>
      ask({ ...sandbox, apiKey }, path).then(({ status }) => status);
    expect([await get("api/v1/invoices", sandbox.main), await get("api/v1/invoices", sandbox.admin)]).toEqual([
      200, 404,
    ]);
    expect([await get("api/v1/certificates", sandbox.main), await get("api/v1/certificates", sandbox.admin)]).toEqual([
      404, 200,
    ]);
    for (const door of [sandbox, sandbox.main, sandbox.admin])
      expect(await get("api/organization/contacts", door)).toBe(200);
    expect([await get("api/v1/invoices", sandbox), await get("api/v1/certificates", sandbox)]).toEqual([200, 200]);
  });

  test("scopes: what a key does not cover is answered with 403", async () => {
    const sandbox = small();
    const apiKey = sandbox.createKey({ scopes: ["relations:read", "invoices:read", "invoices:modify"] });
    const client = new MainClient({ ...sandbox, apiKey });
    expect((await client.accounts.list()).records.length).toBeGreaterThan(0);
    expect((await client.affiliations.list()).records.length).toBeGreaterThan(0);
    expect((await client.organization.contacts.list()).records.length).toBeGreaterThan(0);
    expect((await client.invoices.open(1)).id).toBe(1);
    await expect(client.accounts.create({ name: "x" })).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(client.courses.get(1)).rejects.toThrow("without the scope this operation needs (courses:read)");
    // Grades are under orders in the Main API, under enrollments in the Admin API; any token may read the educator.
    const reader = sandbox.createKey({ scopes: ["orders:read", "my_leads:read"] });
    expect((await new MainClient({ ...sandbox.main, apiKey: reader }).educators.get()).id).toBe(1);
    const main = sandbox.createKey({ api: "main", scopes: ["orders:read", "my_leads:read"] });
    const admin = sandbox.createKey({ api: "admin", scopes: ["orders:read", "my_leads:read"] });
    expect((await new MainClient({ ...sandbox, apiKey: main }).grades.get(1)).id).toBe(1);
    await expect(new AdminClient({ ...sandbox, apiKey: admin }).grades.get(1)).rejects.toThrow("enrollments:read");
    await expect(new MainClient({ ...sandbox, apiKey: main }).leads.list()).rejects.toThrow("leads:read");
    expect((await new AdminClient({ ...sandbox, apiKey: admin }).leads.list()).records.length).toBeGreaterThan(0);
  });

  test("a revoked key is refused from then on", async () => {
    const sandbox = small();
    const apiKey = sandbox.createKey();
    expect((await ask({ ...sandbox, apiKey }, "api/v1/accounts/1")).status).toBe(200);
    expect(sandbox.revokeKey(apiKey)).toBe(true);
    expect((await ask({ ...sandbox, apiKey }, "api/v1/accounts/1")).status).toBe(403);
  });
});

describe("feature flags", () => {
  test("an operation whose flag is off answers 403, and attributes with its badge go", async () => {
    const sandbox = createSandbox({ size: 40, disabledFeatures: ["Custom objects", "Departments"] });
    const client = admin(sandbox);
    for (const call of [
      client.customObjects.list(),
      client.customRecords.list("equipment"),
      client.customAssociations.list("users"),
      client.departments.list(),
    ]) {
      await expect(call.toArray({ max: 1 })).rejects.toBeInstanceOf(PermissionDeniedError);
    }
    expect(await client.catalogProducts.get(4)).not.toHaveProperty("custom_associations");
    expect(await admin(small()).catalogProducts.get(4)).toHaveProperty("custom_associations");
  });
});

describe("what does not exist", () => {
  const sandbox = small();

  test.each([
    ["GET", "api/v1/planned_course"],
    ["GET", "api/v1/nothing"],
    ["PATCH", "api/v1/accounts/1"],
    ["DELETE", "api/v1/accounts/1"],
    ["GET", "api/v2/accounts"],
    ["GET", "api/organization/accounts"],
    ["GET", "accounts"],
    ["GET", "api/v1/accounts/999"],
    ["GET", "api/v1/accounts/1.5"],
    ["GET", "api/v1/accounts/me"],
    ["GET", "api/v1/accounts/%E0%A4%A"],
  ])("%s %s answers 404 with the error body", async (method, path) => {
    const { status, body } = await ask(sandbox, path, { method });
    expect(status).toBe(404);
    expect(body).toEqual({ errors: {}, code: 404, message: "Not Found" });
  });
});
