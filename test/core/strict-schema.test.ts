import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { enumeration, model, openModel, variants } from "../../src/core/model.js";
import { check, formatPath } from "../../src/core/validation/issues.js";
import {
  limitedSchema,
  ReportedDifferences,
  type StrictKind,
  StrictSchemas,
  strictSchema,
} from "../../src/core/validation/strict-schema.js";
import type { Schema } from "../../src/core/validation/traits.js";

const KINDS: readonly StrictKind[] = ["report", "strict", "input", "received"];

const found = (schema: Schema, value: unknown) =>
  check(schema, value).mismatches.map(({ path, kind }) => `${kind} ${formatPath(path)}`);

/** What is wrong with a value for each of some kinds of schemas; kinds that say the same are not repeated. */
const foundBy = (schema: Schema, value: unknown, kinds = KINDS) =>
  Object.fromEntries(kinds.map((kind) => [kind, found(strictSchema(schema, kind), value)]));

const room = () => model(() => ({ id: z.int() }));
const refused = (said: string) => ({ report: [said], strict: [said], input: [said], received: [said] });

describe("a new field", () => {
  const grown = { id: 1, added: 1 };
  const closed = {
    report: ["unknown_field added"],
    strict: [],
    input: ["unknown_field added"],
    received: ["unknown_field added"],
  };

  it.each<[where: string, schema: () => Schema, value: unknown, place: string]>([
    ["an object", () => room(), grown, ""],
    ["an object that may be null", () => z.nullable(room()), grown, ""],
    ["an object that may be left out", () => z.optional(room()), grown, ""],
    ["the objects of an array", () => z.array(room()), [{ id: 1 }, grown], "[1]."],
    ["the objects below arbitrary keys", () => z.record(z.string(), room()), { a: grown }, "a."],
    ["an object in another one", () => model(() => ({ room: room() })), { room: grown }, "room."],
    ["one form of several", () => z.union([z.int(), room()]), grown, ""],
  ])("in %s is accepted by strict validation alone", (_, schema, value, place) => {
    const expected = Object.fromEntries(
      Object.entries(closed).map(([kind, said]) => [kind, said.map((text) => text.replace("added", `${place}added`))]),
    );
    expect(foundBy(schema(), value)).toEqual(expected);
  });

  it("is accepted where the object is open", () => {
    expect(
      foundBy(
        openModel(() => ({ id: z.int() })),
        grown,
      ),
    ).toEqual({ report: [], strict: [], input: [], received: [] });
  });
});

describe("a wrong value is refused by every kind", () => {
  it.each<[where: string, schema: () => Schema, value: unknown, said: string]>([
    ["an object", () => room(), { id: "1" }, "wrong_type id"],
    ["an array", () => z.array(z.int()), [1, "2"], "wrong_type [1]"],
    ["arbitrary keys", () => z.record(z.string(), z.int()), { a: "1" }, "wrong_type a"],
    ["null where none may be", () => z.array(room()), [null], "unexpected_null [0]"],
    ["a rule of the object", () => room().check(z.refine(({ id }) => id > 5)), { id: 1 }, "wrong_type "],
    ["a rule of an array", () => z.array(z.int()).check(z.minLength(2)), [1], "wrong_type "],
    ["a rule of a union", () => z.union([z.int(), room()]).check(z.refine(() => false)), { id: 1 }, "wrong_type "],
  ])("%s", (_, schema, value, said) => {
    expect(foundBy(schema(), value)).toEqual(refused(said));
  });

  it("and what fits by none", () => {
    const schema = z.nullable(z.optional(z.array(z.nullable(room()))));
    for (const value of [null, undefined, [], [null], [{ id: 1 }]]) {
      expect(foundBy(schema, value)).toEqual({ report: [], strict: [], input: [], received: [] });
    }
  });
});

describe("an unknown text of an enumeration", () => {
  const said = ["unknown_value "];

  it("that is read is reported and, where the enumeration is complete, refused", () => {
    const reading: StrictKind[] = ["report", "strict"];
    expect(foundBy(enumeration(["a"]).open, "b", reading)).toEqual({ report: said, strict: said });
    expect(foundBy(enumeration(["a"], { complete: false }).open, "b", reading)).toEqual({ report: said, strict: [] });
    expect(foundBy(enumeration(["a"]).open, "a", reading)).toEqual({ report: [], strict: [] });
    expect(foundBy(enumeration(["a"]).open, 7, reading)).toEqual({ report: ["wrong_type "], strict: ["wrong_type "] });
  });

  it("that is sent is refused unless it was cast, and by a server in any case", () => {
    const Colour = enumeration(["red"]);
    const sending: StrictKind[] = ["input", "received"];
    expect(foundBy(Colour.schema, "blue", sending)).toEqual({ input: said, received: said });
    Colour.cast("blue");
    expect(foundBy(Colour.schema, "blue", sending)).toEqual({ input: [], received: said });
    expect(foundBy(Colour.schema, "red", sending)).toEqual({ input: [], received: [] });
  });
});

test("a union without objects keeps its own message", () => {
  const schema = z.union([z.int(), z.string()], "must be a number or text");
  for (const kind of KINDS) {
    expect(strictSchema(schema, kind)).toBe(schema);
    expect(check(strictSchema(schema, kind), true).mismatches[0]?.message).toBe("must be a number or text");
  }
});

describe("differences that were reported are accepted from then on", () => {
  const schema = () =>
    model(() => ({
      id: z.int(),
      colour: enumeration(["red"]).open,
      items: z.array(model(() => ({ price: z.string() }))),
    }));
  const good = { id: 1, colour: "red", items: [{ price: "1" }] };

  it.each<[what: string, first: object, next: object]>([
    ["a new field", { ...good, added: 1 }, { ...good, added: "other" }],
    ["a new field called __proto__", JSON.parse('{"id":1,"colour":"red","items":[],"__proto__":1}'), good],
    ["a new field that the next record lacks", { ...good, added: 1 }, good],
    ["a new field with a value", { ...good, added: { deep: 1 } }, { ...good, added: null }],
    ["an unknown value", { ...good, colour: "blue" }, { ...good, colour: "green" }],
    ["null", { ...good, id: null }, { ...good, id: null }],
    ["a missing field", { ...good, id: undefined }, { ...good, id: undefined }],
    ["a wrong type", { ...good, id: "1" }, { ...good, id: true }],
    ["a difference of an item, in all items", { ...good, items: [{}] }, { ...good, items: [{ price: "1" }, {}, {}] }],
    [
      "a new field of an item",
      { ...good, items: [{ price: "1", a: 1 }] },
      { ...good, items: [{ price: "2" }, { price: "1", a: 2 }] },
    ],
    ["null in place of an array", { ...good, items: null }, { ...good, items: null }],
  ])("%s", (_, first, next) => {
    const reported = new ReportedDifferences();
    const before = check(strictSchema(schema(), "report"), first).mismatches;
    expect(before).toHaveLength(1);
    for (const { path, kind } of before) reported.add(path, kind);
    for (const derive of [strictSchema, limitedSchema]) {
      expect(found(derive(schema(), "report", reported), first)).toEqual([]);
      expect(found(derive(schema(), "report", reported), next)).toEqual([]);
    }
  });

  it.each<[what: string, kind: "unexpected_null" | "missing_field" | "unknown_value", path: string[], other: object]>([
    ["null does not make a missing field accepted", "unexpected_null", ["id"], { ...good, id: undefined }],
    ["a missing field does not make null accepted", "missing_field", ["id"], { ...good, id: null }],
    ["null does not make a wrong type accepted", "unexpected_null", ["id"], { ...good, id: "1" }],
    ["a value does not make a wrong type accepted", "unknown_value", ["colour"], { ...good, colour: 7 }],
    ["one field does not make another accepted", "missing_field", ["colour"], { ...good, id: undefined }],
  ])("and no others: %s", (_, kind, path, other) => {
    const reported = new ReportedDifferences();
    reported.add(path, kind);
    expect(found(strictSchema(schema(), "report", reported), other)).toHaveLength(1);
  });

  it("at the whole value too", () => {
    const reported = new ReportedDifferences();
    reported.add([], "unexpected_null");
    expect(found(strictSchema(room(), "report", reported), null)).toEqual([]);
    expect(found(strictSchema(room(), "report", reported), { id: "1" })).toEqual(["wrong_type id"]);
  });

  it("of one place without those of one field", () => {
    const reported = new ReportedDifferences();
    reported.add([], "unexpected_null");
    reported.add(["a"], "missing_field");
    reported.add(["b", 0, "c"], "wrong_type");
    reported.add(["b", 7, "c"], "unknown_value");
    const rest = reported.without("a");
    expect([...rest.kinds]).toEqual(["unexpected_null"]);
    expect([...rest.children.keys()]).toEqual(["b"]);
    expect([...(rest.children.get("b")?.children.get("[]")?.children.get("c")?.kinds ?? [])]).toEqual([
      "wrong_type",
      "unknown_value",
    ]);
    expect([...reported.children.keys()]).toEqual(["a", "b"]);
  });
});

describe("an object of several forms", () => {
  const cat = model(() => ({ kind: z.literal("cat"), lives: z.int() }));
  const dog = model(() => ({ kind: z.literal("dog"), tricks: z.array(z.string()) }));
  const animal = () => variants("kind", [cat, dog]);
  const having = (value: unknown) => {
    const reported = new ReportedDifferences();
    for (const { path, kind } of check(strictSchema(animal(), "report"), value).mismatches) reported.add(path, kind);
    return strictSchema(animal(), "report", reported);
  };

  it("accepts what was reported of its forms", () => {
    const grown = having({ kind: "cat", lives: 9, added: 1 });
    expect(found(grown, { kind: "cat", lives: 9, added: 1 })).toEqual([]);
    expect(found(grown, { kind: "cat", lives: "x" })).toEqual(["wrong_type lives"]);
    expect(found(grown, { kind: "bird" })).toEqual(["unknown_value kind"]);
  });

  it("accepts forms once an unknown one was reported, and still checks those it knows", () => {
    const open = having({ kind: "bird", wings: 2 });
    expect(found(open, { kind: "fish" })).toEqual([]);
    expect(found(open, { kind: "cat", lives: 9 })).toEqual([]);
    expect(found(open, { kind: "cat", lives: "x" })).not.toEqual([]);
    expect(found(open, { kind: null })).not.toEqual([]);
  });

  it.each<[what: string, value: { readonly kind?: unknown }]>([
    ["null", { kind: null }],
    ["missing", {}],
    ["of another type", { kind: 7 }],
  ])("accepts a kind that is %s once that was reported, and no unknown one", (_, value) => {
    expect(found(having(value), value)).toEqual([]);
    expect(found(having(value), { kind: "cat", lives: 9 })).toEqual([]);
    if (!("kind" in value) || value.kind !== 7) expect(found(having(value), { kind: "bird" })).not.toEqual([]);
  });
});

test("the limited schema describes at most a hundred differences of an array, each where it is", () => {
  const wrong = Array.from({ length: 150 }, () => "x");
  expect(found(strictSchema(z.array(z.int()), "report"), wrong)).toHaveLength(150);
  const limited = found(limitedSchema(z.array(z.int()), "report"), [1, ...wrong]);
  expect(limited).toHaveLength(100);
  expect([limited[0], limited[99]]).toEqual(["wrong_type [1]", "wrong_type [100]"]);
  const deep = limitedSchema(z.array(room()), "report");
  expect(found(deep, [{ id: 1 }, { id: "x", added: 1 }])).toEqual(["wrong_type [1].id", "unknown_field [1].added"]);
  expect(found(deep, [{ id: 1 }])).toEqual([]);
  expect(found(limitedSchema(z.array(z.int()).check(z.minLength(2)), "report"), [1])).toEqual(["wrong_type "]);
});

test("the schemas of one kind are derived once", () => {
  const schemas = new StrictSchemas("input");
  const own = room();
  expect(schemas.of(own)).toBe(schemas.of(own));
  expect(schemas.of(own)).not.toBe(own);
  expect(found(schemas.of(own), { id: 1, added: 1 })).toEqual(["unknown_field added"]);
  expect(found(new StrictSchemas("strict").of(own), { id: 1, added: 1 })).toEqual([]);
});
