import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { buildRawRequest, prepareRawList, type RawRequest } from "../../src/clients/raw-request.js";
import { InputError } from "../../src/core/errors.js";
import { accountSchema } from "../../src/schemas.js";

const GET = { method: "GET", path: "api/v1/rooms" } as const;

/** The issues of a refused request. */
function issuesOf(request: unknown): [path: string, message: string][] {
  try {
    buildRawRequest(request as RawRequest, "repeat");
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).issues.map(({ path, message }) => [path, message]);
  }
  return [];
}

const METHOD = "must be one of GET, POST, PUT, PATCH, DELETE";
const PATH =
  "must be a plain, URL-encoded path below the base URL, without %2F or %5C; put the query into the `query` option";
const QUERY = "must be text, a number, true or false, or an array of those";
const SCHEMA = "must be a Standard Schema, such as a zod schema";

describe("a raw request", () => {
  it("has the parts that the caller passed, and is named by its method and path", () => {
    const body = { name: "A" };
    const built = buildRawRequest(
      { method: "POST", path: "/api/v1/rooms", query: { q: "x", ids: [1, 2] }, body },
      "comma",
    );
    expect(built).toEqual({
      operation: { id: "POST /api/v1/rooms", method: "POST", path: "/api/v1/rooms", apis: [] },
      path: "api/v1/rooms",
      params: {},
      query: [
        ["q", "x"],
        ["ids", "1,2"],
      ],
      body,
      raw: true,
      validate: undefined,
    });
  });

  it("needs no query and no body", () => {
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"] as const) {
      expect(buildRawRequest({ method, path: "api/v1/rooms" }, "repeat")).toMatchObject({ query: [], body: undefined });
    }
  });

  it("accepts every kind of value in a query except undefined and an empty array", () => {
    const query = { a: "x", b: 1.5, c: false, e: ["x", 2] };
    expect(buildRawRequest({ ...GET, query }, "brackets").query).toEqual([
      ["a", "x"],
      ["b", "1.5"],
      ["c", "false"],
      ["e[]", "x"],
      ["e[]", "2"],
    ]);
    for (const none of [undefined, []]) {
      expect(() => buildRawRequest({ ...GET, query: { none } }, "repeat")).toThrow(
        "leave the filter out to ask for all",
      );
    }
  });

  it("is validated like an operation if its schema is one of the library, otherwise by the schema itself", () => {
    const withSchema = buildRawRequest({ ...GET, response: accountSchema }, "repeat");
    expect(withSchema.operation.response).toBe(accountSchema);
    expect(withSchema.validate).toBeUndefined();
    const other = buildRawRequest({ ...GET, response: z.object({ id: z.int() }) }, "repeat");
    expect(other.operation.response).toBeUndefined();
    expect(other.validate).toBeTypeOf("function");
    expect(buildRawRequest(GET, "repeat").validate).toBeUndefined();
  });
});

describe("the path of a raw request", () => {
  it.each(["api/v1/rooms", "/api/v1/rooms", "a", "a.b/..c/d..", "a/.b", "a/%20", "ü/é", "a:b@c"])(
    "may be %j",
    (path) => {
      expect(issuesOf({ ...GET, path })).toEqual([]);
      expect(buildRawRequest({ ...GET, path }, "repeat").path).toBe(path.replace(/^\//, ""));
    },
  );

  it.each([
    "",
    "/",
    "//a",
    "a//b",
    "a/",
    ".",
    "..",
    "../a",
    "a/../b",
    "a/.",
    "%2e/a",
    "a/%2E%2e",
    "a/.%2e",
    "a?b",
    "a#b",
    "a\\b",
    "a b",
    "a\tb",
    "a\u0000b",
    "a%2Fb",
    "a%5cb",
    "https://other.example/a",
    "a://b",
    "\ud800",
    7,
    null,
    undefined,
  ])("may not be %j", (path) => {
    expect(issuesOf({ ...GET, path })).toEqual([["path", PATH]]);
  });
});

describe("a raw request that is refused", () => {
  it.each<[what: string, request: unknown, issues: [string, string][]]>([
    ["another method", { ...GET, method: "HEAD" }, [["method", METHOD]]],
    ["a method in small letters", { ...GET, method: "get" }, [["method", METHOD]]],
    ["no method", { path: "a" }, [["method", METHOD]]],
    [
      "nothing",
      undefined,
      [
        ["method", METHOD],
        ["path", PATH],
      ],
    ],
    [
      "null",
      null,
      [
        ["method", METHOD],
        ["path", PATH],
      ],
    ],
    [
      "text",
      "a",
      [
        ["method", METHOD],
        ["path", PATH],
      ],
    ],
    ["a misspelled part", { ...GET, querry: {} }, [["querry", 'is unknown; did you mean "query"?']]],
    ["a part of other clients", { method: "POST", path: "a", json: {} }, [["json", "is unknown"]]],
    ["a body of a GET", { ...GET, body: {} }, [["body", "is not allowed in a GET"]]],
    ["a null body of a GET", { ...GET, body: null }, [["body", "is not allowed in a GET"]]],
    ["a query that is none", { ...GET, query: new URLSearchParams("a=b") }, [["query", "must be a plain object"]]],
    ["null for a query", { ...GET, query: null }, [["query", "must be a plain object"]]],
    ["an object in the query", { ...GET, query: { a: {} } }, [["query.a", QUERY]]],
    ["null in the query", { ...GET, query: { a: null } }, [["query.a", QUERY]]],
    ["no number in the query", { ...GET, query: { a: Number.NaN } }, [["query.a", QUERY]]],
    ["no end in the query", { ...GET, query: { a: [1, Number.POSITIVE_INFINITY] } }, [["query.a", QUERY]]],
    ["a list in a list", { ...GET, query: { a: ["x", ["y"]] } }, [["query.a", QUERY]]],
    ["a BigInt in the query", { ...GET, query: { a: 1n } }, [["query.a", QUERY]]],
    ["half a character in the query", { ...GET, query: { a: "\ud800" } }, [["query.a", QUERY]]],
    ["half a character in a name", { ...GET, query: { "\ud800": "x" } }, [["query.\ud800", QUERY]]],
    ["no schema", { ...GET, response: {} }, [["response", SCHEMA]]],
    ["null for a schema", { ...GET, response: null }, [["response", SCHEMA]]],
    ["a schema that validates nothing", { ...GET, response: { "~standard": {} } }, [["response", SCHEMA]]],
    [
      "a body whose number JSON would write as null",
      { method: "POST", path: "a", body: { amount: Number.NaN } },
      [["body.amount", "cannot be sent as JSON: it is NaN, and would become null"]],
    ],
    [
      "a body that JSON cannot carry",
      { method: "POST", path: "a", body: 1n },
      [["body", "cannot be sent as JSON: it is a BigInt; send text or a number"]],
    ],
    [
      "a field that JSON cannot carry",
      { method: "POST", path: "a", body: { a: [1n] } },
      [["body.a[0]", "cannot be sent as JSON: it is a BigInt; send text or a number"]],
    ],
  ])("has %s", (_, request, issues) => {
    expect(issuesOf(request)).toEqual(issues);
  });

  it("is named in the error by method and path if it has them", () => {
    const nameOf = (request: unknown): string => {
      try {
        buildRawRequest(request as RawRequest, "repeat");
      } catch (error) {
        return String((error as InputError).operation);
      }
      return "";
    };
    expect(nameOf({ ...GET, body: {} })).toBe("GET api/v1/rooms");
    for (const request of [undefined, { method: "GET" }, { path: "a" }]) expect(nameOf(request)).toBe("request");
  });
});

describe("a raw list", () => {
  it("is a GET whose pages have a cursor", () => {
    const { operation, build } = prepareRawList({ path: "api/v1/rooms", query: { q: "x" } });
    expect(operation).toEqual({
      id: "GET api/v1/rooms",
      method: "GET",
      path: "api/v1/rooms",
      apis: [],
      paged: "cursor",
    });
    expect(build(50, "repeat")).toMatchObject({
      operation: { paged: "cursor" },
      path: "api/v1/rooms",
      query: [
        ["q", "x"],
        ["per_page", "50"],
      ],
      raw: true,
    });
  });

  it("has the page size of its query, then of the call, then of the service", () => {
    expect(prepareRawList({ path: "a", query: { per_page: 5 } }).build(50, "repeat").query).toEqual([
      ["per_page", "5"],
    ]);
    for (const request of [{ path: "a" }, { path: "a", query: {} }, { path: "a", query: { per_page: undefined } }]) {
      expect(prepareRawList(request).build(50, "repeat").query).toEqual([["per_page", "50"]]);
    }
    expect(prepareRawList({ path: "a" }).build(null, "repeat").query).toEqual([]);
  });

  it("refuses what a raw request refuses", () => {
    expect(() => prepareRawList({ path: "a", query: new Map() as never }).build(50, "repeat")).toThrow(
      "GET a: query must be a plain object. Nothing was sent.",
    );
    expect(() => prepareRawList({ path: "../a" }).build(50, "repeat")).toThrow(InputError);
    expect(() => prepareRawList({ path: "a", body: {} } as never).build(50, "repeat")).toThrow("body is not allowed");
  });
});
