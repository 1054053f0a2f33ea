import { describe, expect, test } from "vitest";
import { createSandbox } from "../../src/sandbox/index.js";
import { admin, failure, main, small } from "./support.js";

// Inputs that the sandbox refuses although the service's description does not mention them, because no service would
// accept them.

describe("options of a custom field", () => {
  const field = { object_type: "accounts", field_slug: "sector" } as const;

  test("an existing value is a conflict", async () => {
    const sandbox = small();
    const { customFieldOptions } = main(sandbox);
    const created = await customFieldOptions.create(field, { value: "retail", enabled: true });
    const before = sandbox.store.customFieldOptions.count;
    expect(await failure(customFieldOptions.create(field, { value: "retail", enabled: true }))).toMatchObject({
      status: 409,
      errors: { value: ["already exists"] },
    });
    expect(sandbox.store.customFieldOptions.count).toBe(before);
    const other = { ...field, option_id: 1 };
    expect(await failure(customFieldOptions.update(other, { value: "retail" }))).toMatchObject({ status: 422 });
    await customFieldOptions.update({ ...field, option_id: created.id }, { value: "retail", enabled: false });
  });

  test("two custom fields may have the same value", async () => {
    const sandbox = createSandbox({
      size: 10,
      school: {
        definitions: { accounts: { one: { type: "select", options: ["a"] }, two: { type: "select", options: ["a"] } } },
      },
    });
    const created = await main(sandbox).customFieldOptions.create(
      { ...field, field_slug: "one" },
      { value: "b", enabled: true },
    );
    expect(
      (await main(sandbox).customFieldOptions.create({ ...field, field_slug: "two" }, { value: "b", enabled: true }))
        .id,
    ).toBe(created.id + 1);
  });
});

describe("properties of a custom record", () => {
  test("are the fields of its custom object", async () => {
    const sandbox = small();
    const { customRecords } = main(sandbox);
    const body = { display_name: "Beamer", properties: { weight: "3 kg", height: "1 m" } };
    expect(await failure(customRecords.create("equipment", body))).toMatchObject({
      status: 422,
      errors: { "properties.height": ["is not a field of this custom object"] },
    });
    const wrong = { ...body, properties: { weight: 3 } };
    expect(await failure(customRecords.create("equipment", wrong))).toMatchObject({
      errors: { "properties.weight": ["must be text"] },
    });
    const { id } = await customRecords.create("equipment", { ...body, properties: { weight: "3 kg" } });
    const path = { object_slug: "equipment", record_id: id };
    expect(await failure(customRecords.update(path, { properties: { height: "1 m" } }))).toMatchObject({ status: 422 });
    await customRecords.update(path, { properties: { weight: null, supplier: "Sample" } });
    expect((await customRecords.get(path)).properties).toEqual({ weight: null, supplier: "Sample" });
  });

  test("are unrestricted if the custom object has no fields", async () => {
    const sandbox = small();
    sandbox.store.customObjects.insert({ slug: "rooms", fields: [] });
    const created = await main(sandbox).customRecords.create("rooms", {
      display_name: "Room 1",
      properties: { seats: 12 },
    });
    expect(created.properties).toEqual({ seats: 12 });
  });
});

describe("grades", () => {
  test("belong to an enrollment or a program enrollment", async () => {
    const { grades } = main(small());
    const body = { gradeable_id: 1, grade: "8", gradeable_type: "Lead" };
    const message = "must be one of: Enrollment, Program::Enrollment";
    expect(await failure(grades.create(body))).toMatchObject({ status: 422, errors: { gradeable_type: [message] } });
    const { id } = await grades.create({ ...body, gradeable_type: "Program::Enrollment" });
    expect(await failure(grades.update(id, { gradeable_type: "Lead" }))).toMatchObject({ status: 422 });
    expect(await failure(grades.update(id, { gradeable_id: 9_999 }))).toMatchObject({
      errors: { gradeable_id: ["refers to a record that does not exist"] },
    });
    expect((await grades.update(id, { gradeable_id: 2 })).gradeable_id).toBe(2);
  });
});

test("an enrollment does not end before it starts", async () => {
  const sandbox = small();
  const { id, start_date } = sandbox.store.enrollments.insert({ start_date: "2030-06-10", end_date: null });
  const { enrollments } = main(sandbox);
  expect(await failure(enrollments.update(id, { end_date: "2030-06-09" }))).toMatchObject({
    status: 422,
    errors: { end_date: ["is before start_date"] },
  });
  expect((await enrollments.update(id, { end_date: start_date })).end_date).toBe(start_date);
});

test("an e-mail address is accepted and found in either case", async () => {
  const sandbox = small();
  const { users } = admin(sandbox);
  const { id } = await users.create({ first_name: "Ada", last_name: "Example", email: "Ada@Example.com" });
  expect((await users.list({ email: "ada@example.COM" })).records.map((user) => user.id)).toEqual([id]);
  const again = users.create({ first_name: "Ada", last_name: "Example", email: "ADA@example.com" });
  expect(await failure(again)).toMatchObject({ status: 422, errors: { email: ["has already been taken"] } });
});
