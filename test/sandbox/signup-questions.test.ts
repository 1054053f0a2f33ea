import { describe, expect, test } from "vitest";
import { AdminClient, MainClient, UnprocessableEntityError } from "../../src/index.js";
import { CUSTOM_KINDS } from "../../src/models/custom-kinds.js";
import { allOperations } from "../../src/operations.js";
import { forTypeOf, problemOf } from "../../src/sandbox/custom/fields.js";
import type { Collection, Identified } from "../../src/sandbox/data/collection.js";
import { createSandbox, type Sandbox } from "../../src/sandbox/index.js";
import type { SignupQuestion } from "../../src/schemas.js";

const all = { max: 10_000 };
const clientOf = (sandbox: Sandbox) => new MainClient({ ...sandbox.main, validation: "strict" });

async function refusal(call: PromiseLike<unknown>): Promise<unknown> {
  const error = await Promise.resolve(call).then(
    () => expect.fail("it was not refused"),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(UnprocessableEntityError);
  return (error as UnprocessableEntityError).errors;
}

describe("sign-up questions", () => {
  const sandbox = createSandbox({ size: 60, seed: 4 });
  const client = clientOf(sandbox);

  test("are the same in both APIs, in the order of their position", async () => {
    const questions = await client.signupQuestions.list().toArray(all);
    const admin = new AdminClient({ ...sandbox.admin, validation: "strict" });
    expect(await admin.signupQuestions.list().toArray(all)).toEqual(questions);
    expect(questions.map(({ position }) => position)).toEqual(questions.map((_, at) => at + 1));
    expect(questions.find(({ slug }) => slug === "newsletter")).toEqual({
      id: 2,
      position: 2,
      field_type: "boolean",
      title: "May we send you our newsletter?",
      slug: "newsletter",
      required: false,
      for_type: "account",
      visibility: ["student", "customer"],
      for_student: true,
      for_customer: true,
      choices: [],
      system_name: null,
      use_as_duplicate_indicator: false,
    });
    for (const { visibility, for_student, for_customer } of questions) {
      expect([for_student, for_customer]).toEqual([visibility.includes("student"), visibility.includes("customer")]);
    }
  });

  test("can be filtered by person, kind of record, place and duplicates", async () => {
    const slugs = async (query: Parameters<typeof client.signupQuestions.list>[0]) =>
      (await client.signupQuestions.list(query).toArray(all)).map(({ slug }) => slug);
    expect(await slugs({ for_user: "for_user" })).toEqual(["diet", "size", "born"]);
    expect(await slugs({ for_account: "for_account" })).toEqual(["sector", "newsletter"]);
    expect(await slugs({ for_type: "order" })).toEqual(["purchase_order"]);
    expect(await slugs({ visibility: "student" })).toEqual(["newsletter", "diet", "size", "born"]);
    expect(await slugs({ use_as_duplicate_indicator: true })).toEqual([]);
    expect((await slugs({ use_as_duplicate_indicator: false })).length).toBe(sandbox.store.signupQuestions.count);
  });

  test("have the currently available options of the custom field as choices", async () => {
    const otherSandbox = createSandbox({ size: 5 });
    const { customFieldOptions, signupQuestions } = clientOf(otherSandbox);
    const field = { object_type: "accounts", field_slug: "sector" } as const;
    const choices = async () => (await signupQuestions.list({ for_account: "for_account" }).toArray(all))[0]?.choices;
    for (const { id } of await customFieldOptions.list(field).toArray(all)) {
      await customFieldOptions.update({ ...field, option_id: id }, { enabled: true });
    }
    expect(await choices()).toEqual(["industry", "care", "education"]);
    const { id } = await customFieldOptions.create(field, { value: "retail", enabled: true });
    await customFieldOptions.update({ ...field, option_id: 1 }, { enabled: false });
    expect(await choices()).toEqual(["care", "education", "retail"]);
    await customFieldOptions.delete({ ...field, option_id: id });
    expect(await choices()).toEqual(["care", "education"]);
  });
});

describe("consistency", () => {
  const sandbox = createSandbox({ size: 80, seed: 9 });
  const { store } = sandbox;
  const kinds = Object.keys(CUSTOM_KINDS)
    .filter((resource) => resource in store)
    .map((resource) => [resource, forTypeOf(resource)] as const);

  test.each(kinds)("the seeded values of %s are valid for the questions for %s", (resource, forType) => {
    const records = (store as unknown as Record<string, Collection<Identified & { custom?: object }>>)[resource];
    const questions = store.signupQuestions.filter(({ for_type }) => for_type === forType);
    expect(questions.length).toBeGreaterThan(0);
    for (const { custom = {} } of records ?? []) {
      for (const [slug, value] of Object.entries(custom)) {
        const question = questions.find((candidate) => candidate.slug === slug);
        expect(question && problemOf(value, question, store), `${resource}: ${slug}`).toBeNull();
      }
    }
  });

  test("accounts, users, courses, products, variants and orders have a value for each question", () => {
    for (const resource of ["accounts", "users", "courses", "catalogProducts", "catalogVariants", "orders"] as const) {
      const slugs = store.signupQuestions
        .filter(({ for_type }) => for_type === forTypeOf(resource))
        .map(({ slug }) => slug);
      expect(Object.keys(store[resource].get(3)?.custom ?? {}), resource).toEqual(slugs);
    }
  });

  test("every operation that writes custom fields has a kind of record with known questions", () => {
    const writers = allOperations.filter(
      ({ body }) => body && "custom" in (body as unknown as { shape: object }).shape,
    );
    expect(writers.length).toBeGreaterThan(4);
    expect(
      writers.map(({ id }) => id.slice(0, id.indexOf("."))).filter((resource) => !(resource in CUSTOM_KINDS)),
    ).toEqual([]);
  });

  test("every option belongs to a question, and every question with choices has its options", async () => {
    const client = clientOf(sandbox);
    for (const { object_type, field_slug } of store.customFieldOptions) {
      const question = store.signupQuestions.find(
        ({ for_type, slug }) => `${for_type}s` === object_type && slug === field_slug,
      );
      expect(question?.field_type, `${object_type} ${field_slug}`).toBe("select");
    }
    for (const { for_type, slug, choices } of store.signupQuestions.filter(({ choices: some }) => some.length > 0)) {
      const field = { object_type: `${for_type}s` as "accounts", field_slug: slug };
      const options = await client.customFieldOptions.list(field).toArray(all);
      expect(options.map(({ value }) => value)).toEqual(choices);
    }
  });
});

describe("written values", () => {
  const sandbox = createSandbox({ size: 20 });
  const client = clientOf(sandbox);

  test("with an unknown option, another type or an unknown field are refused with 422", async () => {
    const { accounts, courses, catalogProducts } = client;
    const before = sandbox.store.accounts.get(1);
    expect(await refusal(accounts.update(1, { name: "A", custom: { sector: "banking" } }))).toEqual({
      "custom.sector": ["is not one of the options: industry, care, education"],
    });
    expect(await refusal(accounts.update(1, { name: "A", custom: { newsletter: "yes" } }))).toEqual({
      "custom.newsletter": ["must be true or false"],
    });
    expect(await refusal(accounts.create({ name: "A", custom: { colour: "red" } }))).toEqual({
      "custom.colour": ["is not a custom field of this kind of record"],
    });
    expect(await refusal(courses.update(1, { custom: { language: ["en"] } }))).toEqual({
      "custom.language": ["must be one of the options"],
    });
    expect(await refusal(catalogProducts.update(1, { custom: { sector: "care" } }))).toEqual({
      "custom.sector": ["is not a custom field of this kind of record"],
    });
    expect(sandbox.store.accounts.get(1)).toEqual(before);
    expect(sandbox.store.accounts.count).toBe(20);
  });

  test("that the definitions allow are stored, null clears, and a record's disabled option may be sent back", async () => {
    const field = { object_type: "accounts", field_slug: "sector" } as const;
    const added = await client.customFieldOptions.create(field, { value: "retail", enabled: true });
    const write = async (custom: Record<string, string | boolean | null>) =>
      (await client.accounts.update(2, { name: "A", custom })).custom;
    expect(await write({ sector: "retail", newsletter: true })).toEqual({ sector: "retail", newsletter: true });
    await client.customFieldOptions.update({ ...field, option_id: added.id }, { enabled: false });
    expect(await write({ sector: "retail", newsletter: null })).toEqual({ sector: "retail", newsletter: null });
    await client.customFieldOptions.delete({ ...field, option_id: added.id });
    expect(await refusal(client.accounts.update(2, { name: "A", custom: { sector: "retail" } }))).toBeDefined();
  });

  test("of a new account's answers become its custom fields; an unknown question is refused", async () => {
    const answer = (slug: string, value: string) => ({
      signup_question_id: sandbox.store.signupQuestions.find((question) => question.slug === slug)?.id ?? 0,
      value,
    });
    const create = (...signup_answers_attributes: { signup_question_id: number; value: string }[]) =>
      client.accounts.create({ name: "A", custom: { sector: "care" }, signup_answers_attributes });
    const { custom } = await create(answer("newsletter", "true"), answer("diet", "vegan"));
    expect(custom).toEqual({ sector: "care", newsletter: true });
    expect((await create(answer("sector", "industry"))).custom).toEqual({ sector: "industry" });
    expect(await refusal(create(answer("newsletter", "perhaps")))).toEqual({
      "custom.newsletter": ["must be true or false"],
    });
    expect(await refusal(create(answer("sector", "care"), { signup_question_id: 999, value: "x" }))).toEqual({
      "signup_answers_attributes[1].signup_question_id": ["refers to a record that does not exist"],
    });
  });

  test("may use a question added to the store, whose options can be added through the API", async () => {
    const otherSandbox = createSandbox({ size: 5 });
    const { accounts, customFieldOptions } = clientOf(otherSandbox);
    otherSandbox.store.signupQuestions.insert({
      for_type: "account",
      slug: "interests",
      field_type: "multiselect",
      choices: ["a", "b"],
    });
    expect((await accounts.update(1, { name: "A", custom: { interests: ["a", "b"] } })).custom.interests).toEqual([
      "a",
      "b",
    ]);
    expect(await refusal(accounts.update(1, { name: "A", custom: { interests: "a" } }))).toEqual({
      "custom.interests": ["must be a list of options"],
    });
    const field = { object_type: "accounts", field_slug: "interests" } as const;
    await customFieldOptions.create(field, { value: "c", enabled: true });
    expect(await refusal(accounts.update(1, { name: "A", custom: { interests: ["a"] } }))).toEqual({
      "custom.interests": ["is not one of the options: c"],
    });
  });

  test("are all accepted in a sandbox without questions", async () => {
    const client = clientOf(createSandbox({ empty: true }));
    expect((await client.accounts.create({ name: "A", custom: { colour: "red" } })).custom).toEqual({ colour: "red" });
  });

  test.each([
    ["boolean", true, "true"],
    ["datepicker", "2030-02-28", "2030-02-30"],
    ["datepicker", "2030-02-28", "28-02-2030"],
    ["decimal", "12.50", "12,50"],
    ["decimal", 12.5, true],
    ["decimal", "-3", ["3"]],
    ["phone", "+44 1632 960000", 441632],
    ["select", "x", "y"],
    ["multiselect", ["x"], ["x", "y"]],
    ["string", "text", 7],
    ["text", "", false],
    ["vat_number", "NL1", ["NL1"]],
    ["ssn", "123", 123],
  ] as const)("a %s accepts %j and refuses %j", (field_type, good, bad) => {
    const question = { field_type, slug: "unknown", for_type: "order", choices: ["x"] } as unknown as SignupQuestion;
    expect(problemOf(good, question, sandbox.store)).toBeNull();
    expect(problemOf(null, question, sandbox.store)).toBeNull();
    expect(problemOf(bad, question, sandbox.store)).toMatch(/^(must be|is not one of)/);
  });
});

describe("referrals", () => {
  test("are identical in both APIs, each once", async () => {
    const sandbox = createSandbox({ size: 5 });
    const admin = new AdminClient({ ...sandbox.admin, validation: "strict" });
    const referrals = await clientOf(sandbox).referrals.list().toArray(all);
    expect(referrals.length).toBeGreaterThan(3);
    expect(new Set(referrals.map(({ name }) => name)).size).toBe(referrals.length);
    expect(await admin.referrals.list().toArray(all)).toEqual(referrals);
  });
});
