import { describe, expect, it, test, vi } from "vitest";
import * as z from "zod/mini";
import { check } from "../../src/core/schema/issues.js";
import { dictionary, enumeration, model, openModel } from "../../src/core/schema/model.js";
import { strictSchema } from "../../src/core/schema/strict-schema.js";
import { isModel, isSchema, requiredFields, type Schema, traitsOf, unwrap } from "../../src/core/schema/traits.js";
import { textIdentifier } from "../../src/models/ids.js";

const closed = model(() => ({ id: z.int(), name: z.optional(z.string()), note: z.nullable(z.string()) }));
const open = openModel(() => ({ id: z.int() }));
const Colour = enumeration(["red", "blue"]);
const Shade = enumeration(["dark"], { complete: false });

describe("the traits of a schema", () => {
  test.each<[string, Schema, object]>([
    ["a model", closed, { kind: "object", open: false }],
    ["an open model", open, { kind: "object", open: true }],
    [
      "a reading enumeration",
      Colour.open,
      { kind: "enumeration", values: ["red", "blue"], complete: true, open: true },
    ],
    ["a sending enumeration", Colour.schema, { kind: "enumeration", complete: true, open: false }],
    ["an incomplete enumeration", Shade.open, { kind: "enumeration", values: ["dark"], complete: false, open: true }],
    ["an array", z.array(z.int()), { kind: "array", item: expect.anything() }],
    ["a record", z.record(z.string(), z.unknown()), { kind: "record" }],
    ["a dictionary", dictionary(z.int()), { kind: "record" }],
    ["an optional one", z.optional(z.int()), { kind: "optional" }],
    ["a nullable one", z.nullable(z.int()), { kind: "nullable" }],
    ["a union", z.union([z.int(), z.string()]), { kind: "union" }],
    ["a conversion", textIdentifier(), { kind: "converted" }],
    ["text", z.string(), { kind: "text" }],
    ["a number", z.int(), { kind: "number" }],
    ["a flag", z.boolean(), { kind: "boolean" }],
    ["anything", z.unknown(), { kind: "anything" }],
    ["a date", z.date(), { kind: "other", type: "date" }],
    ["a closed object of a caller", z.object({}), { kind: "object", open: false }],
    ["a loose object of a caller", z.looseObject({}), { kind: "object", open: true }],
    ["a strict object of a caller", z.strictObject({}), { kind: "object", open: false }],
  ])("%s", (_, schema, expected) => {
    expect(traitsOf(schema)).toMatchObject(expected);
  });

  it("name the fields of an object without building its shape before it is read", () => {
    const shape = vi.fn(() => ({ id: z.int() }));
    const traits = traitsOf(model(shape));
    expect(shape).not.toHaveBeenCalled();
    expect(traits.kind === "object" && Object.keys(traits.fields)).toEqual(["id"]);
  });

  it("distinguish required fields from optional ones", () => {
    expect(requiredFields(closed)).toEqual(["id", "note"]);
    expect(requiredFields(model(() => ({ a: z.nullable(z.optional(z.int())) })))).toEqual([]);
    expect(requiredFields(z.array(closed))).toEqual([]);
    expect(requiredFields(undefined)).toEqual([]);
  });

  it("see through optional and nullable", () => {
    expect(traitsOf(unwrap(z.optional(z.nullable(z.int())))).kind).toBe("number");
  });

  it("distinguish schemas and models from other values", () => {
    expect([closed, z.int(), {}, null, "text"].map(isSchema)).toEqual([true, true, false, false, false]);
    expect([closed, open, z.object({})].map(isModel)).toEqual([true, true, false]);
  });
});

test("are the same for the models and enumerations of a second copy of the library", async () => {
  vi.resetModules();
  const other = await import("../../src/core/schema/strict-schema.js");
  expect(other.strictSchema).not.toBe(strictSchema);
  const holder = model(() => ({ closed, open, colour: Colour.schema }));
  const value = { closed: { id: 1, note: null, extra: 1 }, open: { id: 1, extra: 1 }, colour: "green" };
  const { mismatches } = check(other.strictSchema(holder, "input"), value);
  expect(mismatches.map(({ path }) => path.join("."))).toEqual(["closed.extra", "colour"]);
});
