import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { jsonIssues } from "../../src/core/call/input-issues.js";
import { isPlainObject } from "../../src/core/json.js";

class Draft {
  readonly name: unknown;
  constructor(name: unknown) {
    this.name = name;
  }
}

describe("a plain object", () => {
  it.each([
    ["a literal", { a: 1 }],
    ["an empty one", {}],
    ["one without a prototype", Object.create(null)],
    ["an instance of a caller's class", new Draft("A")],
    ["one of another realm", runInNewContext("({ a: 1 })")],
  ])("is %s", (_, value) => {
    expect(isPlainObject(value)).toBe(true);
  });

  it.each([
    ["null", null],
    ["undefined", undefined],
    ["text", "a"],
    ["a number", 1],
    ["an array", []],
    ["a function", () => ({})],
    ["a date", new Date()],
    ["a map", new Map()],
    ["a promise", Promise.resolve({})],
    ["a form", new FormData()],
  ])("is not %s", (_, value) => {
    expect(isPlainObject(value)).toBe(false);
  });
});

/** Nests a value in `depth` objects. */
function nest(depth: number, inner: unknown = "innermost"): unknown {
  let value = inner;
  for (let level = 0; level < depth; level++) value = { in: value };
  return value;
}

describe("a body that JSON can carry", () => {
  const same = { name: "A" };

  it.each([
    ["no body", undefined],
    ["null", null],
    ["text", "Ada"],
    ["nothing but primitive values", { a: "text", b: 1, c: true, d: null, e: undefined }],
    ["lists in lists", { rows: [["a"], [1, null], []] }],
    ["dates", { on: new Date(0) }],
    ["an instance of a class", new Draft("A")],
    ["what writes itself, whatever it holds", { amount: { minor: 1n, toJSON: () => "0.01" } }],
    ["what writes itself without being a plain object", { at: new URL("https://school.example") }],
    ["100 levels", nest(100)],
    ["the same object in two places", [same, same]],
  ])("has no issue: %s", (_, body) => {
    expect(jsonIssues(body)).toEqual([]);
  });
});

describe("a body that JSON cannot carry", () => {
  const cycle: Record<string, unknown> = {};
  cycle.again = [cycle];

  it.each<[what: string, body: unknown, path: string, reason: string]>([
    ["a BigInt", { amount: 1n }, "amount", "it is a BigInt; send text or a number"],
    ["a function", { name: () => "A" }, "name", "it is a function"],
    ["a symbol", { name: Symbol("A") }, "name", "it is a symbol"],
    ["a map", { custom: new Map([["a", 1]]) }, "custom", "it is a Map, not a plain object"],
    ["a set in a list", { ids: [1, new Set([2])] }, "ids[1]", "it is a Set, not a plain object"],
    ["a promise", { name: Promise.resolve("A") }, "name", "it is a Promise, not a plain object"],
    ["bytes", { file: new Uint8Array(2) }, "file", "it is binary data"],
    ["a Buffer, although it has a toJSON", { file: Buffer.from("A") }, "file", "it is binary data"],
    ["NaN", { amount: Number.NaN }, "amount", "it is NaN, and would become null"],
    ["Infinity in a list", { amounts: [1, -Infinity] }, "amounts[1]", "it is -Infinity, and would become null"],
    ["an invalid Date", { on: new Date("soon") }, "on", "it is an invalid Date"],
    ["undefined in a list", { ids: [1, undefined] }, "ids[1]", "it is undefined, and would become null"],
    ["a hole of a list", { ids: [1].concat(Array(1)) }, "ids[1]", "it is undefined, and would become null"],
    ["the body itself", 1n, "", "it is a BigInt; send text or a number"],
    ["an element of a list of objects", [{ a: [1n] }], "[0].a[0]", "it is a BigInt; send text or a number"],
    ["a field deep inside", { a: { b: { c: 1n } } }, "a.b.c", "it is a BigInt; send text or a number"],
    ["101 levels", nest(101), Array(101).fill("in").join("."), "it nests too deeply or contains itself"],
  ])("is refused with the path and the reason: %s", (_, body, path, reason) => {
    expect(jsonIssues(body)).toEqual([{ path, message: `cannot be sent as JSON: ${reason}` }]);
  });

  it.each<[what: string, given: string, copy: unknown, path: string]>([
    ["at the top", '{"__proto__":"x"}', {}, "__proto__"],
    ["inside", '{"custom":[{"a":{"__proto__":"x"}}]}', { custom: [{ a: {} }] }, "custom[0].a.__proto__"],
  ])("is refused if a copy lost a field named like the prototype: %s", (_, given, copy, path) => {
    expect(jsonIssues(copy, JSON.parse(given))).toEqual([{ path, message: "cannot be the name of a field" }]);
    expect(jsonIssues(JSON.parse(given))).toEqual([]);
  });

  it("is refused when it contains itself", () => {
    const [issue, ...others] = jsonIssues(cycle);
    expect(others).toEqual([]);
    expect(issue?.path).toMatch(/^again\[0\]\.again\[0\]/);
    expect(issue?.message).toContain("contains itself");
  });

  it("is reported only at the first invalid path", () => {
    expect(jsonIssues({ fine: 1, first: 1n, second: 2n }).map(({ path }) => path)).toEqual(["first"]);
  });
});
