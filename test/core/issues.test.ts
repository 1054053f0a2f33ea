import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { check, formatPath, isRefused, NOT_SHOWN, toInputIssue } from "../../src/core/schema/issues.js";
import type { Schema } from "../../src/core/schema/traits.js";

/** Lists the differences between a value and a schema as `kind path: message`. */
const findIssues = (schema: Schema, value: unknown, most?: number) =>
  check(schema, value, most).mismatches.map(({ path, kind, message }) => `${kind} ${formatPath(path)}: ${message}`);

test("a valid value is returned as its schema parses it, an invalid one unchanged", () => {
  const schema = z.pipe(
    z.string(),
    z.transform((text) => text.length),
  );
  expect(check(schema, "abc")).toEqual({ value: 3, mismatches: [] });
  expect(check(schema, 7)).toEqual({ value: 7, mismatches: [expect.objectContaining({ kind: "wrong_type" })] });
});

describe("the message of a difference", () => {
  it.each<[what: string, schema: () => Schema, value: unknown, said: string]>([
    ["text", () => z.string(), 7, "wrong_type : must be text"],
    ["a number", () => z.number(), "7", "wrong_type : must be a number"],
    ["a whole number", () => z.int(), 1.5, "wrong_type : must be a whole number"],
    ["a flag", () => z.boolean(), "true", "wrong_type : must be true or false"],
    ["an array", () => z.array(z.int()), {}, "wrong_type : must be an array"],
    ["an object", () => z.object({}), [], "wrong_type : must be an object"],
    ["an object with any keys", () => z.record(z.string(), z.int()), [], "wrong_type : must be an object"],
    ["a date", () => z.date(), "today", "wrong_type : must be a date"],
    ["a kind of value without a name of its own", () => z.bigint(), 7, "wrong_type : must be bigint"],
    ["a missing field", () => z.object({ a: z.int() }), {}, "missing_field a: is missing"],
    ["a field that is undefined", () => z.object({ a: z.int() }), { a: undefined }, "missing_field a: is missing"],
    ["null", () => z.object({ a: z.int() }), { a: null }, "unexpected_null a: must not be null"],
    ["an unknown text", () => z.enum(["a", "b"]), "c", "unknown_value : must be one of: a, b"],
    ["no text where one of some is expected", () => z.enum(["a", "b"]), 7, "wrong_type : must be one of: a, b"],
    ["null where one of some is expected", () => z.enum(["a"]), null, "unexpected_null : must not be null"],
    ["another value than the only one", () => z.literal("a"), "b", "unknown_value : must be one of: a"],
    ["too short a text", () => z.string().check(z.minLength(2)), "a", "wrong_type : must have a length of at least 2"],
    ["too long a text", () => z.string().check(z.maxLength(2)), "abc", "wrong_type : must have a length of at most 2"],
    ["too small a number", () => z.number().check(z.gte(2)), 1, "wrong_type : must be at least 2"],
    ["too large a number", () => z.number().check(z.lte(2)), 3, "wrong_type : must be at most 2"],
    [
      "what a rule without a message refuses",
      () => z.string().check(z.refine(() => false)),
      "a",
      "wrong_type : is not valid",
    ],
    [
      "what a rule with a message refuses",
      () => z.string().check(z.refine(() => false, "must be a name")),
      "a",
      "wrong_type : must be a name",
    ],
    ["text that has no format", () => z.iso.date(), "x", "wrong_type : is not valid"],
    [
      "the message of a whole body's rule for what is missing",
      () =>
        z.object({ a: z.optional(z.int()) }).check(({ issues, value }) => {
          issues.push({ code: "custom", path: ["a"], message: "must be known", input: value.a });
        }),
      {},
      "missing_field a: must be known",
    ],
    [
      "a missing value, not what it would hold",
      () => z.object({ a: z.int("must be 7") }),
      {},
      "missing_field a: is missing",
    ],
    [
      "null, not what it would hold",
      () => z.object({ a: z.int("must be 7") }),
      { a: null },
      "unexpected_null a: must not be null",
    ],
    ["an unknown value of an incomplete list", () => z.enum(["a"], NOT_SHOWN), "b", `unknown_value : ${NOT_SHOWN}`],
    ["no text in such a list", () => z.enum(["a"], NOT_SHOWN), 7, "wrong_type : must be one of: a"],
    ["null in such a list", () => z.enum(["a"], NOT_SHOWN), null, "unexpected_null : must not be null"],
    ["nothing in such a list", () => z.object({ a: z.enum(["a"], NOT_SHOWN) }), {}, "missing_field a: is missing"],
  ])("%s", (_, schema, value, said) => {
    expect(findIssues(schema(), value)).toEqual([said]);
  });

  it("is reported for each unknown field", () => {
    const schema = z.object({ inner: z.strictObject({ a: z.int() }) });
    expect(findIssues(schema, { inner: { a: 1, b: 2, c: 3 } })).toEqual([
      "unknown_field inner.b: is not a known field",
      "unknown_field inner.c: is not a known field",
    ]);
  });

  it("stops at the given maximum, among unknown fields and among others", () => {
    const schema = z.strictObject({ a: z.int(), b: z.int(), c: z.int() });
    const value = { a: "", b: "", c: "", d: 1, e: 1 };
    expect(findIssues(schema, value)).toHaveLength(5);
    for (const most of [0, 1, 2, 3, 4, 5, 6])
      expect(findIssues(schema, value, most)).toEqual(findIssues(schema, value).slice(0, most));
  });
});

describe("if a value may have one of several forms", () => {
  const union = () => z.object({ a: z.union([z.int(), z.strictObject({ b: z.int() }), z.array(z.int())]) });

  it("the form with the deepest difference counts", () => {
    expect(findIssues(union(), { a: { b: "x" } })).toEqual(["wrong_type a.b: must be a number"]);
    expect(findIssues(union(), { a: [1, "x"] })).toEqual(["wrong_type a[1]: must be a number"]);
  });

  it("the first form counts if none differs deeper", () => {
    expect(findIssues(union(), { a: "x" })).toEqual(["wrong_type a: must be a number"]);
    expect(findIssues(union(), { a: null })).toEqual(["unexpected_null a: must not be null"]);
    expect(findIssues(union(), {})).toEqual(["missing_field a: is missing"]);
  });

  it("the union's own message precedes the first form's, but not a deeper difference", () => {
    const schema = z.union([z.int(), z.strictObject({ b: z.int() })], "must be a number or a b");
    expect(findIssues(schema, "x")).toEqual(["wrong_type : must be a number or a b"]);
    expect(findIssues(schema, { b: "x" })).toEqual(["wrong_type b: must be a number"]);
  });

  it("a discriminator field with a wrong value is named", () => {
    const schema = z.object({
      a: z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("cat"), lives: z.int() }),
        z.object({ kind: z.literal("dog") }),
      ]),
    });
    expect(findIssues(schema, { a: { kind: "bird" } })).toEqual(["unknown_value a.kind: must be one of: cat, dog"]);
    expect(findIssues(schema, { a: { kind: 7 } })).toEqual(["wrong_type a.kind: must be one of: cat, dog"]);
    expect(findIssues(schema, { a: {} })).toEqual(["missing_field a.kind: is missing"]);
    expect(findIssues(schema, { a: { kind: "cat", lives: "x" } })).toEqual(["wrong_type a.lives: must be a number"]);
  });
});

test("a field that exists only on the prototype is missing", () => {
  const schema = z.object({ toString: z.string() });
  expect(findIssues(schema, { toString: 7 })).toEqual(["wrong_type toString: must be text"]);
  expect(check(z.object({ constructor: z.int() }), {}).mismatches).toMatchObject([{ kind: "missing_field" }]);
});

test("strict validation refuses everything but new fields and new values of incomplete enumerations", () => {
  const kinds = ["unknown_field", "unknown_value", "missing_field", "unexpected_null", "wrong_type"] as const;
  const refusedKinds = (message: string) => kinds.filter((kind) => isRefused({ path: [], kind, message }));
  expect(refusedKinds("must be one of: a")).toEqual([
    "unknown_value",
    "missing_field",
    "unexpected_null",
    "wrong_type",
  ]);
  expect(refusedKinds(NOT_SHOWN)).toEqual(["missing_field", "unexpected_null", "wrong_type"]);
});

test("a path uses the notation of JavaScript", () => {
  expect(formatPath([])).toBe("");
  expect(formatPath(["a"])).toBe("a");
  expect(formatPath(["items", 0, "units"])).toBe("items[0].units");
  expect(formatPath(["items", 0, "units"], true)).toBe("items[].units");
  expect(formatPath([0, 1])).toBe("[0][1]");
  expect(formatPath([0, "a"])).toBe("[0].a");
  expect(formatPath([Symbol("s"), "b"])).toBe("Symbol(s).b");
  expect(formatPath(["n".repeat(100)])).toBe("n".repeat(100));
  expect(formatPath(["a", "n".repeat(101)])).toBe(`a.${"n".repeat(100)}`);
  expect(toInputIssue({ path: ["a", 2], kind: "wrong_type", message: "must be text" })).toEqual({
    path: "a[2]",
    message: "must be text",
  });
});
