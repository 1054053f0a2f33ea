import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { sensitiveValues } from "../../src/core/call/sensitive-values.js";
import type { Operation } from "../../src/core/operation.js";
import { enumeration, model, variantsInput } from "../../src/core/schema/model.js";
import { callRequest } from "../support/requests.js";

const settings = (headers: Record<string, string>) => ({ ...callRequest().settings, headers });

const inBody = (body: unknown, of: Partial<Operation> = {}) => sensitiveValues(callRequest(of, { body }), null);

describe("the sensitive values of a call", () => {
  it("are the token and the texts of query, path, body and headers, each once", () => {
    const request = callRequest(
      {},
      {
        query: [["search", "from the query"]],
        params: { slug: "from-the-path" },
        body: { name: "from the body", again: "from the query" },
        settings: settings({ "x-tenant": "from a header" }),
      },
    );
    expect(sensitiveValues(request, "the-token").sort()).toEqual([
      "from a header",
      "from the body",
      "from the query",
      "from-the-path",
      "the-token",
    ]);
  });

  it("exclude values too short to identify anyone", () => {
    expect(sensitiveValues(callRequest(), "abc")).toEqual([]);
    expect(sensitiveValues(callRequest(), "abcd")).toEqual(["abcd"]);
    expect(inBody({ a: "abc", b: "abcd" })).toEqual(["abcd"]);
    expect(inBody({ a: 99_999, b: 123_456 })).toEqual(["123456"]);
    expect(inBody({ a: 1.25, b: -1_234.5 })).toEqual(["-1234.5"]);
  });

  it("include only texts and numbers", () => {
    expect(inBody({ a: true, b: null, c: undefined, d: [], e: {} })).toEqual([]);
    expect(inBody(undefined)).toEqual([]);
    expect(inBody("text alone")).toEqual(["text alone"]);
  });

  it("are found at any depth, and in all elements of lists", () => {
    let deep: unknown = "innermost";
    for (let depth = 0; depth < 5_000; depth++) deep = depth % 2 ? [deep] : { a: deep };
    expect(inBody({ deep, list: [["first"], { name: "second" }] }).sort()).toEqual(["first", "innermost", "second"]);
  });

  it("are found however many values there are", () => {
    const many = Array.from({ length: 200_000 }, () => 0);
    expect(inBody({ a: many, b: { c: "found" } })).toEqual(["found"]);
  });
});

describe("identifiers", () => {
  it.each([
    ["id", 123_456_789],
    ["user_id", "123456789"],
    ["label_ids", [123_456_789]],
    ["label_ids[]", "123456789"],
    ["ids", 123_456_789],
  ])("are kept, because they identify no one: %s", (name, value) => {
    expect(inBody({ [name]: value })).toEqual([]);
    expect(sensitiveValues(callRequest({}, { query: [[name, String(value)]] }), null)).toEqual([]);
  });

  it.each([
    ["paid", 123_456_789],
    ["id_number", 123_456_789],
    ["user_id_card", "123456789"],
    ["user_id[]s", "123456789"],
    ["user_id", "abc-123456"],
    ["user_id", "123456789x"],
    ["user_id", "x123456789"],
  ])("exclude other numbers and texts: %s", (name, value) => {
    expect(inBody({ [name]: value })).toEqual([String(value)]);
  });

  it("are recognized in the path", () => {
    expect(sensitiveValues(callRequest({}, { params: { user_id: 123_456_789, slug: 123_456_789 } }), null)).toEqual([
      "123456789",
    ]);
  });
});

describe("headers", () => {
  it.each(["x-request-id", "x-requestid", "x-correlation-id", "traceparent"])(
    "that callers look for in logs are kept: %s",
    (name) => {
      expect(sensitiveValues(callRequest({}, { settings: settings({ [name]: "trace-0123" }) }), null)).toEqual([]);
    },
  );
});

describe("words that the service uses itself", () => {
  const Kind = enumeration(["internal", "external"]);
  const address = () => model(() => ({ city: z.string(), floor: z.nullable(enumeration(["ground"]).schema) }));
  const body = model(() => ({
    title: z.string(),
    kind: z.optional(Kind.schema),
    places: z.optional(z.array(address())),
    either: z.union([z.literal("neither"), model(() => ({ inside: z.string() }))]),
    contact: variantsInput("by", [z.object({ by: z.literal("phone"), extension: z.string() })]),
    upper: z.pipe(
      z.enum(["before"]),
      z.transform((text) => text.toUpperCase()),
    ),
  }));
  const query = model(() => ({ status: enumeration(["archived"]).schema }));

  it.each([
    ["a name of a field", "title"],
    ["a name of a field in a list", "city"],
    ["a name of a field of one of several forms", "inside"],
    ["a value of an enumeration", "internal"],
    ["a value of an enumeration that may be null", "ground"],
    ["a name of a field of one variant", "extension"],
    ["a value that tells variants apart", "phone"],
    ["a value of an enumeration of the query", "archived"],
    ["a name of a filter", "status"],
    ["a literal among several forms", "neither"],
    ["a value that is converted", "before"],
    ["a word of the path", "rooms"],
  ])("are kept even if they were sent: %s", (_, word) => {
    expect(inBody({ anything: word }, { body, query })).toEqual([]);
    expect(inBody({ anything: `${word}!` }, { body, query })).toEqual([`${word}!`]);
  });

  it("are those of the called operation", () => {
    expect(inBody({ a: "internal", b: "title", c: "meetings" }, { path: "meetings/{id}" })).toEqual([
      "internal",
      "title",
    ]);
  });

  it("are found in a schema that contains itself", () => {
    const loop: z.ZodMiniType = model(() => ({ again: z.optional(z.array(loop)), title: z.string() }));
    expect(inBody({ a: "title", b: "Jansen" }, { body: loop })).toEqual(["Jansen"]);
  });
});
