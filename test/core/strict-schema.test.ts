import { describe, expect, it, test } from "vitest";
import * as z from "zod/mini";
import { check, formatPath } from "../../src/core/schema/issues.js";
import { dictionary, enumeration, model, openModel } from "../../src/core/schema/model.js";
import { limitedSchema, type StrictKind, strictSchema } from "../../src/core/schema/strict-schema.js";
import type { Schema } from "../../src/core/schema/traits.js";

const KINDS: readonly StrictKind[] = ["report", "strict", "input", "received"];

const findIssues = (schema: Schema, value: unknown) =>
  check(schema, value).mismatches.map(({ path, kind }) => `${kind} ${formatPath(path)}`);

/** The problems that each kind of schema finds in a value. */
const foundBy = (schema: Schema, value: unknown, kinds = KINDS) =>
  Object.fromEntries(kinds.map((kind) => [kind, findIssues(strictSchema(schema, kind), value)]));

const room = () => model(() => ({ id: z.int() }));
const refusedEverywhere = (said: string) => ({ report: [said], strict: [said], input: [said], received: [said] });

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
    ["the objects below arbitrary keys", () => dictionary(room()), { a: grown }, "a."],
    ["the objects below the keys of zod's record", () => z.record(z.string(), room()), { a: grown }, "a."],
    ["an object in another one", () => model(() => ({ room: room() })), { room: grown }, "room."],
    ["one form of several", () => z.union([z.int(), room()]), grown, ""],
  ])("in %s is accepted by strict validation only", (_, schema, value, place) => {
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
    ["arbitrary keys", () => dictionary(z.int()), { a: "1" }, "wrong_type a"],
    ["null where none may be", () => z.array(room()), [null], "unexpected_null [0]"],
    ["a rule of the object", () => room().check(z.refine(({ id }) => id > 5)), { id: 1 }, "wrong_type "],
    ["a rule of an array", () => z.array(z.int()).check(z.minLength(2)), [1], "wrong_type "],
    ["a rule of a union", () => z.union([z.int(), room()]).check(z.refine(() => false)), { id: 1 }, "wrong_type "],
  ])("%s", (_, schema, value, said) => {
    expect(foundBy(schema(), value)).toEqual(refusedEverywhere(said));
  });

  it("and a valid value by none", () => {
    const schema = z.nullable(z.optional(z.array(z.nullable(room()))));
    for (const value of [null, undefined, [], [null], [{ id: 1 }]]) {
      expect(foundBy(schema, value)).toEqual({ report: [], strict: [], input: [], received: [] });
    }
  });
});

describe("an unknown text in an enumeration", () => {
  const said = ["unknown_value "];

  it("that is read is reported and, if the enumeration is complete, refused", () => {
    const reading: StrictKind[] = ["report", "strict"];
    expect(foundBy(enumeration(["a"]).open, "b", reading)).toEqual({ report: said, strict: said });
    expect(foundBy(enumeration(["a"], { complete: false }).open, "b", reading)).toEqual({ report: said, strict: [] });
    expect(foundBy(enumeration(["a"]).open, "a", reading)).toEqual({ report: [], strict: [] });
    expect(foundBy(enumeration(["a"]).open, 7, reading)).toEqual({ report: ["wrong_type "], strict: ["wrong_type "] });
  });

  it("that is sent is refused unless it was cast, and always by a server", () => {
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

test("the limited schema describes at most a hundred differences of an array, each with its position", () => {
  const wrong = Array.from({ length: 150 }, () => "x");
  expect(findIssues(strictSchema(z.array(z.int()), "report"), wrong)).toHaveLength(150);
  const limited = findIssues(limitedSchema(z.array(z.int()), "report"), [1, ...wrong]);
  expect(limited).toHaveLength(100);
  expect([limited[0], limited[99]]).toEqual(["wrong_type [1]", "wrong_type [100]"]);
  const deep = limitedSchema(z.array(room()), "report");
  expect(findIssues(deep, [{ id: 1 }, { id: "x", added: 1 }])).toEqual([
    "wrong_type [1].id",
    "unknown_field [1].added",
  ]);
  expect(findIssues(deep, [{ id: 1 }])).toEqual([]);
  expect(findIssues(limitedSchema(z.array(z.int()).check(z.minLength(2)), "report"), [1])).toEqual(["wrong_type "]);
});

test("a schema of a kind is derived once", () => {
  const roomSchema = room();
  expect(strictSchema(roomSchema, "input")).toBe(strictSchema(roomSchema, "input"));
  expect(strictSchema(roomSchema, "input")).not.toBe(roomSchema);
  expect(findIssues(strictSchema(roomSchema, "input"), { id: 1, added: 1 })).toEqual(["unknown_field added"]);
  expect(findIssues(strictSchema(roomSchema, "strict"), { id: 1, added: 1 })).toEqual([]);
});
