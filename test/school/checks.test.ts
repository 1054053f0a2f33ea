import { describe, expect, test } from "vitest";
import type { Operation } from "../../src/core/operation.js";
import { fieldsOf } from "../../src/core/schema/traits.js";
import type { SentSchoolRequest } from "../../src/core/school.js";
import { providerTables } from "../../src/generated/tables.js";
import { AdminClient, ConfigurationError, type DriftEvent, InputError, MainClient } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import { createSandbox } from "../../src/sandbox/index.js";
import { DefinitionChecks } from "../../src/school/checks.js";
import type { SchoolDefinitions } from "../../src/school/definitions.js";
import { defineSchool } from "../../src/school/index.js";
import { EVERY_KIND, VALUES } from "./every-kind.js";

const school = defineSchool(EVERY_KIND);
const sandbox = createSandbox({ size: "small", school, rateLimit: false });
// Without types, as in JavaScript; test/types covers the compiler.
const client = new MainClient({ ...sandbox, school, validation: "strict" });

async function refusal(call: PromiseLike<unknown>): Promise<string> {
  const before = sandbox.requests.length;
  const error = await call.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(InputError);
  expect(sandbox.requests.length).toBe(before);
  return (error as InputError).message;
}

const rowOf = (id: string): Operation => allOperations.find((row) => row.id === id) as Operation;

const custom = (values: object) => client.accounts.update(7, { name: "Example", custom: values as never });

describe("a client with a school", () => {
  test("writes and reads fields of all ten types, in every kind of record", async () => {
    const { id } = await client.accounts.update(7, { name: "Example", custom: VALUES });
    expect((await client.accounts.get(id)).custom).toEqual(VALUES);
    expect((await client.users.update(7, { custom: VALUES })).custom).toEqual(VALUES);
    expect((await client.catalogProducts.update(1, { custom: VALUES })).custom).toEqual(VALUES);
    expect((await client.courses.update(1, { custom: VALUES })).custom).toEqual(VALUES);
    const variant = await client.catalogVariants.list().first();
    expect(Object.keys(variant.records[0]?.custom ?? {}).sort()).toEqual(Object.keys(VALUES).sort());
    const order = { catalog_variant_id: 1, creator_id: 7, student_ids: [7], custom: VALUES };
    expect((await client.orders.create(order)).custom).toEqual(VALUES);
  });

  test("passes null for every field", async () => {
    const nothing = Object.fromEntries(Object.keys(VALUES).map((slug) => [slug, null]));
    expect((await custom(nothing)).custom).toEqual(nothing);
  });

  test.each([
    ["active", "yes", "custom.active must be true, false or null"],
    ["birthday", "31-12-1999", "custom.birthday must be a date (yyyy-MM-dd) or null"],
    ["birthday", "2030-02-30", "custom.birthday must be a date (yyyy-MM-dd) or null"],
    ["number", "many", 'custom.number must be a number, decimal text such as "450.00", or null'],
    ...["1.2.3", "1.", ".5", "1e3", ""].map((text): [string, unknown, string] => [
      "number",
      text,
      'custom.number must be a number, decimal text such as "450.00", or null',
    ]),
    ["mobile", 1632, "custom.mobile must be text or null"],
    ["sector", "goverment", 'custom.sector must be one of "care", "education", "industry", or null'],
    [
      "topics",
      ["safety", "other"],
      'custom.topics must be an array; each item must be one of "a \\"quoted\\" one", "safety"',
    ],
    ["topics", "safety", 'custom.topics must be an array; each item must be one of "a \\"quoted\\" one", "safety"'],
    ["ssn", true, "custom.ssn must be text or null"],
    ["size", ["XL"], "custom.size must be text or null"],
    ["remarks", 1, "custom.remarks must be text or null"],
    ["vat", 1, "custom.vat must be text or null"],
    ["sectr", "care", 'custom.sectr is not a custom field of accounts; did you mean "sector"?'],
    ["zzzzzzzzzzzz", 1, "custom.zzzzzzzzzzzz is not a custom field of accounts"],
    ["toString", "x", "custom.toString is not a custom field of accounts"],
  ])("refuses %s before sending: %j", async (slug, value, message) => {
    expect(await refusal(custom({ [slug]: value }))).toBe(
      `accounts.update: ${message}${message.endsWith("?") ? "" : "."} Nothing was sent.`,
    );
  });

  test("refuses unknown properties, objects and associations", async () => {
    const record = { display_name: "Beamer", properties: { wieght: 3 } };
    expect(await refusal(client.customRecords.create("equipment", record))).toContain(
      'properties.wieght is not a custom field of the custom object equipment; did you mean "weight"?',
    );
    expect(await refusal(client.customRecords.list("equipmnt"))).toContain(
      'object_slug is not a custom object of the school; did you mean "equipment"?',
    );
    expect(await refusal(client.courses.update(1, { custom_associations: { equipmnt: [1] } }))).toContain(
      'custom_associations.equipmnt is not a custom association of catalog products; did you mean "equipment"?',
    );
    const made = await client.customRecords.create("equipment", { display_name: "Beamer", properties: { weight: 3 } });
    expect(made.properties).toEqual({ weight: 3 });
  });

  test("does not mistake an inherited property of objects for an object or an association of the school", async () => {
    expect(await refusal(client.customRecords.list("constructor"))).toContain("is not a custom object of the school");
    expect(await refusal(client.courses.update(1, { custom_associations: { toString: [1] } }))).toContain(
      "custom_associations.toString is not a custom association",
    );
  });

  test("checks at most 1,000 records per page and reports at most 10,000 differences", () => {
    const checks = new DefinitionChecks(EVERY_KIND as SchoolDefinitions);
    const driftFields = (slugs: string[][]) => {
      const fields: string[] = [];
      const records = slugs.map((each) => ({ custom: Object.fromEntries(each.map((slug) => [slug, 1])) }));
      const operation = rowOf("accounts.list");
      const request = { operation, params: {}, settings: { validation: "report" } } as unknown as SentSchoolRequest;
      checks.observe(request, records, { drift: ({ field }) => fields.push(field) });
      return fields;
    };
    const page = Array.from({ length: 1_001 }, (_, at) => (at < 999 ? [] : [`at_${at}`]));
    expect(driftFields(page)).toEqual(["custom.at_999"]);
    const many = Array.from({ length: 10_000 }, (_, at) => `many_${at}`);
    expect(driftFields([many])).toHaveLength(9_999);
  });

  test("reports options, fields and types that are not in the definitions once, and returns the record unchanged", async () => {
    const drift: DriftEvent[] = [];
    const later = createSandbox({ size: "small", school, rateLimit: false });
    const observing = new MainClient({ ...later, school, on: { drift: (event) => drift.push(event) } });
    const values = {
      ...VALUES,
      sector: "government",
      topics: ["safety", "new"],
      number: "12.50",
      active: "yes",
      nickname: "x",
    };
    later.store.accounts.update(7, { custom: values });
    later.store.accounts.update(8, { custom: values });
    expect((await observing.accounts.get(7)).custom).toEqual(values);
    await observing.accounts.get(8);
    expect(drift.map(({ operation, field, kind }) => `${operation} ${field} ${kind}`).sort()).toEqual([
      "accounts.get custom.active wrong_type",
      "accounts.get custom.nickname unknown_field",
      "accounts.get custom.sector unknown_value",
      "accounts.get custom.topics unknown_value",
    ]);
    await observing.accounts.list().toArray();
    expect(drift).toHaveLength(8);
    const silent = new MainClient({ ...later, school, validation: "off", on: { drift: (event) => drift.push(event) } });
    await silent.accounts.get(7);
    expect(drift).toHaveLength(8);
  });

  test.each([
    [undefined, "text"],
    [50, `one of ${Array.from({ length: 50 }, (_, at) => `"${at}"`).join(", ")}`],
    [52, `one of ${Array.from({ length: 50 }, (_, at) => `"${at}"`).join(", ")} and 2 more`],
  ])("lists the options of a field, at most 50: %s", async (count, named) => {
    const options = count === undefined ? undefined : Array.from({ length: count }, (_, at) => `${at}`);
    const school = defineSchool({ accounts: { topic: { type: "select", ...(options && { options }) } } });
    const client = new MainClient({ ...createSandbox({ size: "small", school }), school });
    const refused = client.accounts.update(1, { name: "x", custom: { topic: 7 } });
    await expect(refused).rejects.toThrow(`custom.topic must be ${named}, or null. Nothing was sent.`);
  });

  test("does not check kinds of record that have no definitions", async () => {
    const part = createSandbox({ size: "small", school: defineSchool({ accounts: { a: "string" } }) });
    const admin = new AdminClient({ ...part, school: defineSchool({ accounts: { a: "string" } }) });
    expect((await admin.users.update(1, { custom: { anything: [] } })).custom).toEqual({ anything: [] });
    await expect(admin.accounts.update(1, { name: "x", custom: { b: "x" } })).rejects.toThrow(InputError);
  });

  test("only operations called create or update accept custom fields", () => {
    const takes = providerTables
      .flatMap((table): Operation[] => Object.values(table))
      .filter(({ body }) => body && "custom" in fieldsOf(body));
    const methods = takes.map(({ id }) => id.slice(id.lastIndexOf(".") + 1));
    expect([...new Set(methods)].sort()).toEqual(["create", "update"]);
  });

  test("a school not made by defineSchool is refused", () => {
    for (const wrong of [{}, EVERY_KIND, "school", null]) {
      expect(() => new MainClient({ ...sandbox, school: wrong as never }), String(wrong)).toThrow(/The option school/);
    }
    for (const wrong of [[], null, 7, "[]", "7"]) expect(() => defineSchool(wrong as never)).toThrow(/plain object/);
    expect(() => defineSchool("<<<<<<< HEAD")).toThrow(ConfigurationError);
  });

  test.each([
    [{ account: {} }, 'account is not a kind of record with custom fields; did you mean "accounts"?'],
    [{ accounts: [] }, "accounts must be a plain object"],
    [{ accounts: { a: null } }, "accounts.a must be a field type, or an object with a type"],
    [{ accounts: { a: { title: "A" } } }, "accounts.a must be a field type"],
    [{ users: { a: { type: "select", options: "care" } } }, "users.a.options must be an array of strings"],
    [{ users: { a: { type: "select", options: ["a", 1] } } }, "users.a.options must be an array of strings"],
    [{ users: { a: { type: "select", option: [] } } }, 'users.a.option is unknown; did you mean "options"?'],
    [{ users: { a: { type: "select", required: "yes" } } }, "users.a.required has the wrong type"],
    [{ objects: { rooms: 7 } }, "objects.rooms must be a plain object"],
    [{ objects: { rooms: { seats: 7 } } }, "objects.rooms.seats must be a field type"],
    [
      { associations: { user: {} } },
      'associations.user is not a kind of record with custom fields; did you mean "users"?',
    ],
    [{ associations: { users: { rooms: 7 } } }, "associations.users.rooms must be the slug of a custom object"],
  ])("invalid definitions are refused: %j", (definitions, message) => {
    for (const given of [definitions, JSON.stringify(definitions)]) {
      expect(() => defineSchool(given as never)).toThrow(`defineSchool: ${message}`);
    }
  });

  test("a school can be made from the JSON of its definitions", () => {
    expect(defineSchool(JSON.stringify(EVERY_KIND)).definitions).toEqual(EVERY_KIND);
  });
});
