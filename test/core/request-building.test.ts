import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { buildRequest } from "../../src/core/call/build-request.js";
import { inputError, targetOf, writeQuery } from "../../src/core/call/request.js";
import { InputError } from "../../src/core/errors.js";
import type { Operation } from "../../src/core/operation.js";
import { model } from "../../src/core/schema/model.js";
import { callRequest, operation } from "../support/requests.js";

const params = model(() => ({ id: z.int(), slug: z.optional(z.string()) }));
const body = model(() => ({ name: z.string(), custom: z.optional(z.record(z.string(), z.unknown())) }));
const query = model(() => ({ search: z.optional(z.string()), status: z.optional(z.array(z.string())) }));

const build = (of: Partial<Operation>, parts: object, format: "repeat" | "brackets" | "comma" = "repeat") =>
  buildRequest(operation(of), parts, format);

/** The issues of a refused request. */
function issuesOf(of: Partial<Operation>, parts: object): [path: string, message: string][] {
  try {
    build(of, parts);
  } catch (error) {
    expect(error).toBeInstanceOf(InputError);
    return (error as InputError).issues.map(({ path, message }) => [path, message]);
  }
  return [];
}

describe("a built request", () => {
  it("has every part that is sent", () => {
    const of = operation({ method: "PUT", params, body, query });
    const parts = { params: { id: 7 }, body: { name: "A" }, query: { search: "x", status: ["a", "b"] } };
    expect(buildRequest(of, parts, "brackets")).toEqual({
      operation: of,
      path: "api/v1/rooms/7",
      params: { id: 7 },
      query: [
        ["search", "x"],
        ["status[]", "a"],
        ["status[]", "b"],
      ],
      body: { name: "A" },
      raw: false,
    });
  });

  it("has no parts that its operation does not accept", () => {
    expect(build({ path: "rooms" }, { params: { id: 7 }, body: { name: "A" } })).toMatchObject({
      path: "api/v1/rooms",
      params: {},
      query: [],
      body: undefined,
    });
    expect(build({ path: "rooms", query }, {}).query).toEqual([]);
  });

  it("has a path of one segment for each parameter", () => {
    const path = (slug: string) => build({ path: "rooms/{id}/x/{slug}", params }, { params: { id: 7, slug } }).path;
    expect(path("a b?c")).toBe("api/v1/rooms/7/x/a%20b%3Fc");
    for (const slug of ["...", ".a", "a..", "%2", "100%", "%20"]) {
      expect(path(slug)).toBe(`api/v1/rooms/7/x/${encodeURIComponent(slug)}`);
    }
  });
});

describe("a request that is refused", () => {
  it.each(["", ".", "..", "a/b", "/", "a\\b", "%2f", "a%2Fb", "%5C", "%2E", "..%2fx", "\ud800"])(
    "has a path parameter that leads elsewhere: %j",
    (slug) => {
      const issues = issuesOf({ path: "rooms/{slug}", params }, { params: { id: 7, slug } });
      expect(issues).toEqual([["slug", expect.stringMatching(/^is not a valid path segment/)]]);
    },
  );

  it("lacks a path parameter", () => {
    const loose = model(() => ({ slug: z.nullable(z.optional(z.string())) }));
    for (const given of [{}, { slug: null }]) {
      expect(issuesOf({ path: "rooms/{slug}", params: loose }, { params: given })).toEqual([
        ["slug", expect.any(String)],
      ]);
    }
    expect(issuesOf({ path: "rooms/{slug}" }, {})).toEqual([["slug", expect.any(String)]]);
  });

  it("has parts that are not plain objects, each named", () => {
    const of: Partial<Operation> = { params, body, query };
    expect(issuesOf(of, { params: new Map(), body: new Date(), query: new URLSearchParams() })).toEqual([
      ["", "the path parameters must be a plain object"],
      ["", "the query must be a plain object"],
      ["", "the body must be a plain object"],
    ]);
    expect(issuesOf(of, { params: { id: 7 }, body: [] })).toEqual([["", "the body must be an object"]]);
    expect(issuesOf(of, { params: { id: 7 }, body: null })).toEqual([["", "the body must not be null"]]);
    expect(issuesOf(of, { params: { id: 7 }, body: "A" })).toEqual([["", "the body must be an object"]]);
  });

  it("has an invalid field, named with its part", () => {
    const issues = issuesOf({ params, body, query }, { params: { id: "7" }, body: { name: 1 }, query: { search: 2 } });
    expect(issues.map(([path]) => path)).toEqual(["id", "search", "name"]);
  });

  it("has half a surrogate pair in its query", () => {
    const broken = "contains an unpaired surrogate (broken Unicode) and cannot be put in a URL";
    expect(issuesOf({ params, query }, { params: { id: 7 }, query: { search: "\ud800" } })).toEqual([
      ["search", broken],
    ]);
  });

  it("has a value that has no text form", () => {
    for (const search of [Symbol("x"), Object.create(null)]) {
      expect(issuesOf({ params, query }, { params: { id: 7 }, query: { search } })).toEqual([
        ["search", expect.any(String)],
      ]);
    }
  });

  it("has an invalid field, which is named once even if JSON cannot represent it either", () => {
    expect(issuesOf({ params, body }, { params: { id: 7 }, body: { name: 1n } })).toHaveLength(1);
  });

  it("has a body that JSON cannot represent", () => {
    expect(issuesOf({ params, body }, { params: { id: 7 }, body: { name: "A", custom: { amount: 1n } } })).toEqual([
      ["custom.amount", "cannot be sent as JSON: it is a BigInt; send text or a number"],
    ]);
  });

  it("has a field that the operation only returns, and the error names the one to send instead", () => {
    const row: Partial<Operation> = {
      params,
      body: model(() => ({ name: z.string(), address_attributes: z.optional(z.string()) })),
      response: model(() => ({ id: z.int(), address: z.string() })),
    };
    expect(issuesOf(row, { params: { id: 7 }, body: { name: "A", address: "x", id: 7 } })).toEqual([
      ["address", "is read-only here; send address_attributes"],
      ["id", "is read-only here; leave it out"],
    ]);
  });
});

describe("the message of an InputError", () => {
  it("names the operation and every field, and states that nothing was sent", () => {
    const issues = [
      { path: "name", message: "is missing" },
      { path: "", message: "the body is odd" },
    ];
    const error = inputError("rooms.create", issues);
    expect(error.message).toBe("rooms.create: name is missing; the body is odd. Nothing was sent.");
    expect(error).toMatchObject({ operation: "rooms.create", issues, attempts: 0 });
  });
});

describe("the pagination parameters of a list", () => {
  const issuesIn = (paged: Operation["paged"], value: object) =>
    issuesOf({ path: "rooms", ...(paged && { paged }) }, { query: value });

  it.each([
    ["cursor+page", ["cursor", "per_page", "page"]],
    ["cursor", ["cursor", "per_page"]],
    ["none", []],
    [undefined, []],
  ] as const)("are those that it accepts: %s", (paged, names) => {
    const all = { cursor: "c", per_page: 50, page: 2 };
    const refused = Object.keys(all).filter((name) => !(names as readonly string[]).includes(name));
    expect(issuesIn(paged, all).map(([path]) => path)).toEqual(refused);
  });

  it("have limits", () => {
    for (const fits of [{ cursor: "c" }, { per_page: 1 }, { per_page: 100 }, { page: 1 }, {}]) {
      expect(issuesIn("cursor+page", fits)).toEqual([]);
    }
    for (const wrong of [{ cursor: "" }, { per_page: 0 }, { per_page: 101 }, { per_page: 1.5 }, { page: 0 }]) {
      expect(issuesIn("cursor+page", wrong)).toHaveLength(1);
    }
  });

  it("can be combined with the filters", () => {
    const parts = { query: { search: "x", per_page: 5 } };
    expect(build({ path: "rooms", query, paged: "cursor" }, parts).query).toEqual([
      ["search", "x"],
      ["per_page", "5"],
    ]);
    const list = operation({ path: "rooms", query, paged: "cursor" });
    for (let page = 1; page <= 2; page++) {
      expect(buildRequest(list, { query: { per_page: page } }, "repeat").query).toEqual([["per_page", String(page)]]);
    }
  });
});

describe("a query", () => {
  it("is written in order, without unset values", () => {
    const given = { b: 1, a: true, none: null, gone: undefined, empty: "", zero: 0 };
    expect(writeQuery(given, "repeat")).toEqual([
      ["b", "1"],
      ["a", "true"],
      ["empty", ""],
      ["zero", "0"],
    ]);
  });

  it.each([
    [
      "repeat",
      [
        ["ids", "1"],
        ["ids", "2"],
      ],
    ],
    [
      "brackets",
      [
        ["ids[]", "1"],
        ["ids[]", "2"],
      ],
    ],
    ["comma", [["ids", "1,2"]]],
  ] as const)("contains lists in the client's format: %s", (format, pairs) => {
    expect(writeQuery({ ids: [1, 2], none: [] }, format)).toEqual(pairs);
  });

  it("follows the path, encoded", () => {
    const target = (pairs: [string, string][]) => targetOf(callRequest({}, { query: pairs }));
    expect(target([])).toBe("api/v1/rooms/7");
    expect(
      target([
        ["a[]", "x y&z"],
        ["b", "ü"],
      ]),
    ).toBe("api/v1/rooms/7?a%5B%5D=x%20y%26z&b=%C3%BC");
  });
});
