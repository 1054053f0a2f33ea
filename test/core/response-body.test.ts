import { describe, expect, it } from "vitest";
import { type Body, errorBodyOf, hiddenHeadersOf, parseBody, requestIdOf, statusOf } from "../../src/core/call/body.js";
import type { Operation } from "../../src/core/operation.js";
import { accountSchema, courseSchema } from "../../src/schemas.js";
import { operation, wireResponse } from "../support/requests.js";

const EMPTY: Body = { kind: "empty" };
const TRUNCATED: Body = { kind: "truncated" };
const NOT_JSON: Body = { kind: "notJson" };

describe("the content of a body", () => {
  it.each<[what: string, status: number, text: string, type: string | null, body: Body]>([
    ["a record", 200, '{"id":7}', "application/json", { kind: "json", value: { id: 7 } }],
    ["a record under another type", 200, '{"id":7}', "text/plain", { kind: "json", value: { id: 7 } }],
    ["a record without a type", 200, '{"id":7}', null, { kind: "json", value: { id: 7 } }],
    ["a number", 200, "0", "application/json", { kind: "json", value: 0 }],
    ["null", 200, "null", "application/json", EMPTY],
    ["nothing", 200, "", "application/json", EMPTY],
    ["nothing but white space", 200, " \r\n", "text/html", EMPTY],
    ["what a 204 never has", 204, '{"id":7}', "application/json", EMPTY],
    ["what a 205 never has", 205, '{"id":7}', "application/json", EMPTY],
    ["what a 203 and a 206 may have", 206, "[]", "application/json", { kind: "json", value: [] }],
    ["a page", 200, "<html>", "text/html; charset=utf-8", NOT_JSON],
    ["a page in capitals", 200, "<html>", "TEXT/HTML", NOT_JSON],
    ["a document", 200, "{}", "application/xml", NOT_JSON],
    ["JSON that calls itself a page", 200, "{}", "text/html", NOT_JSON],
    ["truncated JSON", 200, '{"id"', "application/json; charset=utf-8", TRUNCATED],
    ["truncated JSON of a special type", 200, "tru", "application/problem+json", TRUNCATED],
    ["truncated JSON in capitals", 200, "tru", "Application/JSON", TRUNCATED],
    ["truncated text without a type", 200, "tru", null, TRUNCATED],
    ["a truncated object that calls itself text", 200, '{"id"', "text/plain", TRUNCATED],
    ["a truncated list that calls itself text", 200, " \n[1,", "text/plain", TRUNCATED],
    ["text", 200, "Bad gateway", "text/plain", NOT_JSON],
    ["text with a bracket in it", 200, "Bad {gateway}", "text/plain", NOT_JSON],
    ["text of a type whose name has json elsewhere", 200, "tru", "json/text", NOT_JSON],
    ["text of a type that mentions json in a parameter", 200, "tru", "text/plain; of=application/json", NOT_JSON],
    ["text of a type that ends in other json", 200, "tru", "application/xjson", NOT_JSON],
  ])("%s", (_, status, text, type, body) => {
    const headers: Record<string, string> = type === null ? {} : { "content-type": type };
    expect(parseBody(wireResponse(status, text, headers))).toEqual(body);
  });
});

describe("the service's error body", () => {
  const body = { errors: { name: ["is taken"] }, code: 422, message: "Invalid" };

  it("is recognized by its three fields", () => {
    expect(errorBodyOf(body)).toEqual(body);
    expect(errorBodyOf({ ...body, more: 1 })).toEqual(body);
    expect(errorBodyOf({ ...body, errors: [] })).toEqual({ ...body, errors: [] });
  });

  it("needs no errors if its code is that of an error", () => {
    for (const code of [400, 422, 599]) {
      const found = { errors: null, code, message: "Invalid" };
      expect(errorBodyOf({ code, message: "Invalid" })).toEqual(found);
      expect(errorBodyOf({ ...found, errors: null })).toEqual(found);
      expect(errorBodyOf({ ...found, errors: "taken" })).toEqual({ ...found, errors: "taken" });
      expect(errorBodyOf({ code, message: "Invalid" }, courseSchema)).toEqual(found);
      expect(errorBodyOf({ code, message: "Invalid", id: 7 }, courseSchema)).toBeNull();
    }
  });

  it("may have text as its code, or no code if it has errors", () => {
    const { code, ...rest } = body;
    expect(errorBodyOf({ ...body, code: String(code) })).toEqual(body);
    expect(errorBodyOf(rest)).toEqual({ ...body, code: null });
    expect(errorBodyOf({ ...body, code: "taken" })).toEqual({ ...body, code: null });
  });

  it.each<[what: string, value: unknown]>([
    ["null", null],
    ["nothing", undefined],
    ["text", "Invalid"],
    ["a list", [body]],
    ["one without errors whose code is no error's", { code: 399, message: "Invalid" }],
    ["one without errors whose code is beyond an error's", { code: 600, message: "Invalid" }],
    ["one without errors whose code is no number", { code: "done", message: "Invalid" }],
    ["one with null for errors, without a code", { errors: null, message: "Invalid" }],
    ["one with text for errors, without a code", { errors: "taken", message: "Invalid" }],
    ["one without code or errors", { errors: {}, message: "Done" }],
    ["one without errors whose code is no number", { errors: {}, code: "done", message: "Done" }],
    ["one without message", { errors: {}, code: 422 }],
  ])("is not %s", (_, value) => {
    expect(errorBodyOf(value)).toBeNull();
  });

  it("is not a record that has such fields beside one that every record of its kind has", () => {
    expect(errorBodyOf({ ...body, id: 7 }, accountSchema)).toBeNull();
    expect(errorBodyOf(body, accountSchema)).toEqual(body);
    expect(errorBodyOf({ ...body, id: 7 })).toEqual(body);
  });
});

describe("an operation whose record shares a field with the error body", () => {
  it("gets an error from an error body with 200, and a record from a record with all three fields", () => {
    const body = { errors: { name: ["is taken"] }, code: 422, message: "Invalid" };
    const read = (value: object) => statusOf(wireResponse(200, ""), { kind: "json", value }, courseSchema);
    expect(read(body)).toBe(422);
    expect(read({ ...body, id: 7 })).toBe(200);
  });
});

describe("the effective status of a response", () => {
  const stands = (status: number, code: number, more: object = {}) => {
    const response = wireResponse(status, JSON.stringify({ errors: {}, code, message: "Invalid", ...more }));
    return statusOf(response, parseBody(response), accountSchema);
  };

  it.each([
    ["its own, in an error", 400, 422, 400],
    ["that of an error in a success", 200, 422, 422],
    ["that of an error in a redirect", 399, 422, 422],
    ["the first of an error", 200, 400, 400],
    ["the last of an error", 200, 599, 599],
    ["500 for a code that is no status", 200, 4221, 500],
    ["500 for a code beyond", 200, 600, 500],
    ["500 for a code that names no error", 200, 399, 500],
  ])("is %s", (_, status, code, expected) => {
    expect(stands(status, code)).toBe(expected);
  });

  it.each([
    { errors: { name: ["taken"] } },
    { errors: ["taken"] },
    { error: "invalid" },
    { message: "Too long" },
    { message: "Too long", errors: [] },
    { errors: {}, code: 422 },
    { code: 500 },
    { code: "forbidden", message: "Not you" },
    { error: "Unauthorized", message: "No key", status: 401 },
  ])("is that of an error if %j stands in for a record", (value) => {
    const response = wireResponse(200, JSON.stringify(value));
    expect(statusOf(response, parseBody(response), accountSchema)).toBeGreaterThanOrEqual(422);
    // A complete record may contain such fields too.
    const record = wireResponse(200, JSON.stringify({ ...value, id: 7 }));
    expect(statusOf(record, parseBody(record), accountSchema)).toBe(200);
    if (!("errors" in value || value.code === 500)) expect(errorBodyOf(value)).toBeNull();
  });

  it.each([{}, { code: 200, message: "Saved" }, { name: "Foxes" }])(
    "is the HTTP status if %j stands in for a record",
    (value) => {
      const response = wireResponse(200, JSON.stringify(value));
      expect(statusOf(response, parseBody(response), accountSchema)).toBe(200);
    },
  );

  it("is the HTTP status if there is a record or no JSON", () => {
    expect(stands(200, 422, { id: 7 })).toBe(200);
    for (const text of ["", "{", "null"]) {
      const response = wireResponse(200, text);
      expect(statusOf(response, parseBody(response), accountSchema)).toBe(200);
    }
  });
});

it("reads the service's identifier of a request", () => {
  expect(requestIdOf(new Headers({ "X-Request-Id": "req-7" }))).toBe("req-7");
  expect(requestIdOf(new Headers())).toBeNull();
});

describe("headers that a browser may hide", () => {
  it.each<[what: string, status: number, of: Partial<Operation>, hidden: string[]]>([
    ["of a record", 200, {}, ["x-request-id"]],
    ["of a list, whose next page is in Link", 200, { paged: "cursor" }, ["x-request-id", "link"]],
    ["of a refused list", 400, { paged: "cursor" }, ["x-request-id"]],
    ["of a redirected list", 399, { paged: "cursor" }, ["x-request-id", "link"]],
    ["of a 429", 429, {}, ["x-request-id", "retry-after"]],
    ["of a 503", 503, { paged: "cursor" }, ["x-request-id", "retry-after"]],
    ["of a 500", 500, {}, ["x-request-id"]],
  ])("%s", (_, status, of, hidden) => {
    expect(hiddenHeadersOf(wireResponse(status, "", {}, true), operation(of))).toEqual(hidden);
    // Without CORS, an absent header was not sent, so none is hidden.
    expect(hiddenHeadersOf(wireResponse(status, "", {}, false), operation(of))).toEqual([]);
  });

  it("are not those that it exposes", () => {
    const shown = { "x-request-id": "req-7", link: "</next>; rel=next", "retry-after": "1" };
    for (const status of [200, 429]) {
      expect(hiddenHeadersOf(wireResponse(status, "", shown, true), operation({ paged: "cursor" }))).toEqual([]);
    }
  });
});
