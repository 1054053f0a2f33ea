import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { RecordValidator } from "../../src/core/drift/record-validator.js";
import { mismatchesOf } from "../../src/core/drift/response-validator.js";
import { check } from "../../src/core/schema/issues.js";
import { model, variants, variantsInput } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import { isModel, type Schema, traitsOf } from "../../src/core/schema/traits.js";
import { AdminClient, InputError, ResponseFormatError, ResponseValidationError } from "../../src/index.js";
import { jsonResponse, recordingFetch } from "../support/fetch.js";

interface Cat {
  kind: "cat";
  lives: number;
}
interface Dog {
  kind: "dog";
  tricks: string[];
}
const cat = model(() => ({ kind: z.literal("cat"), lives: z.int() }));
const dog = model(() => ({ kind: z.literal("dog"), tricks: z.array(z.string()) }));
const animal = variants<Cat | Dog>("kind", [cat, dog]);
const animalInput = variantsInput<Cat | Dog>("kind", [cat, dog]);

const findIssues = (schema: Schema, value: unknown) =>
  check(schema, value).mismatches.map(({ path, kind }) => `${kind} ${path.join(".")}`);

describe("a record of several forms", () => {
  test.each([
    ["read", animal, true],
    ["sent", animalInput, false],
  ])("%s is a model whose traits name its forms", (_, schema, open) => {
    expect(isModel(schema)).toBe(true);
    expect(traitsOf(schema)).toMatchObject({ kind: "variants", discriminator: "kind", options: [cat, dog], open });
  });

  test("may have an unlisted form if it is read leniently, but no wrong field of a listed form", () => {
    const bird = { kind: "bird", lives: "many" };
    expect(z.parse(animal, bird)).toEqual(bird);
    expect(z.safeParse(animal, { kind: "cat", lives: "nine" }).success).toBe(false);
    for (const wrong of [{}, { kind: 7 }, { kind: null }, null, "cat", [cat]]) {
      expect(z.safeParse(animal, wrong).success, JSON.stringify(wrong)).toBe(false);
    }
  });

  test.each(["report", "strict", "input", "received"] as const)("closed for %s names the difference", (kind) => {
    const strict = strictSchema(kind === "report" || kind === "strict" ? animal : animalInput, kind);
    expect(findIssues(strict, { kind: "cat", lives: 9 })).toEqual([]);
    expect(findIssues(strict, { kind: "cat", lives: "nine" })).toEqual(["wrong_type lives"]);
    expect(findIssues(strict, { kind: "bird" })).toEqual(["unknown_value kind"]);
    expect(findIssues(strict, { lives: 9 })).toEqual(["missing_field kind"]);
    expect(findIssues(strict, { kind: null })).toEqual(["unexpected_null kind"]);
    expect(findIssues(strict, { kind: 7 })).toEqual(["wrong_type kind"]);
    expect(findIssues(strict, "cat")).toEqual(["wrong_type "]);
    const grown = findIssues(strict, { kind: "dog", tricks: [], lives: 1 });
    expect(grown).toEqual(kind === "strict" ? [] : ["unknown_field lives"]);
    expect(check(strict, { kind: "bird" }).mismatches[0]?.message).toBe("must be one of: cat, dog");
  });

  test("is described in JSON Schema by its forms", () => {
    expect(z.toJSONSchema(animalInput).oneOf).toHaveLength(2);
    expect(() => z.toJSONSchema(animal)).not.toThrow();
  });

  // A schema is hot after 300 records: from then on, generated code checks them.
  test.each([1, 400])("is checked in the same way after %i records", (times) => {
    const validator = new RecordValidator(animal, "report");
    const kinds = (record: unknown) =>
      mismatchesOf(validator, record).map(({ path, kind }) => `${kind} ${path.join(".")}`);
    const cases = [
      [{ kind: "bird", wings: 2 }, "unknown_value kind"],
      [{ lives: 9 }, "missing_field kind"],
      [{ kind: null }, "unexpected_null kind"],
      [{ kind: "cat", lives: null }, "unexpected_null lives"],
      [{ kind: "dog", tricks: [], age: 3 }, "unknown_field age"],
    ] as const;
    for (const [record, difference] of cases) {
      for (let time = 0; time < times; time++) expect(kinds(record)).toEqual([difference]);
    }
    expect(kinds({ kind: "cat", lives: "nine" })).toEqual(["wrong_type lives"]);
    expect(kinds({ kind: 7 })).toEqual(["wrong_type kind"]);
  });
});

describe("a call that returns an array", () => {
  const elements = { elements: [{ type: "CourseElement", course_id: 1 }] } as const;
  const course = { name: "x", credits: null, element_type: "CourseElement", course_id: 1, planned_course_id: null };

  function clientAnswering(answer: unknown, options: object = {}) {
    const { fetch, calls } = recordingFetch(() => jsonResponse(answer));
    const client = new AdminClient({ baseUrl: "https://school.example", apiKey: "key", fetch, ...options });
    return { client, calls };
  }

  test("returns the records in their order", async () => {
    const records = [course, { ...course, course_id: 2 }];
    const { client, calls } = clientAnswering(records);
    expect(await client.programEditions.createElements(7, elements)).toEqual(records);
    expect(calls.map(({ url }) => url.pathname)).toEqual(["/api/v1/program/editions/7/elements_batch"]);
    expect(await clientAnswering([]).client.programEditions.createElements(7, elements)).toEqual([]);
  });

  test.each([[course], ["text"], [7]])("rejects if the response is not an array: %j", async (answer) => {
    const error = await clientAnswering(answer)
      .client.programEditions.createElements(7, elements)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResponseFormatError);
    expect(String(error)).toContain("did not return a list");
  });

  test("validates each record, and names the one that strict validation refuses", async () => {
    const drift: string[] = [];
    const wrong = [course, { ...course, course_id: "1" }];
    const on = { drift: ({ field, kind }: { field: string; kind: string }) => drift.push(`${kind} ${field}`) };
    const reporting = clientAnswering(wrong, { on });
    expect(await reporting.client.programEditions.createElements(7, elements)).toEqual(wrong);
    expect(drift).toEqual(["wrong_type course_id"]);
    const strict = clientAnswering(wrong, { validation: "strict" });
    const error = await strict.client.programEditions.createElements(7, elements).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ResponseValidationError);
    expect(error).toMatchObject({ index: 1, outcome: "done", issues: [{ path: "course_id" }] });
  });

  test("accepts only the listed forms, and names them otherwise", async () => {
    const { client, calls } = clientAnswering([]);
    const error = await client.programEditions
      .createElements(7, { elements: [{ type: "ThesisElement", course_id: 1 }] } as never)
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(InputError);
    expect((error as InputError).issues).toEqual([
      { path: "elements[0].type", message: "must be one of: BlockElement, CourseElement" },
    ]);
    expect(calls).toEqual([]);
  });
});
