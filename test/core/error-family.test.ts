import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import type { ErrorCode, ErrorJson } from "../../src/core/error-details.js";
import type { EducationAdminError as Base } from "../../src/core/errors.js";
import * as errors from "../../src/core/errors.js";

type Family = typeof errors;
type Name = Exclude<keyof Family, "isEducationAdminError" | "hiddenHeadersOf">;

const details = {
  operation: "invoices.open",
  attempts: 2,
  status: 422,
  apiCode: 422,
  apiMessage: "no",
  errors: { a: 1 },
  body: { code: 422 },
  headers: new Headers({ "x-a": "1" }),
  requestId: "req-1",
  method: "POST",
  path: "invoices/{id}/open",
  outcome: "unknown",
  retryAfterMs: 1000,
  resetAt: new Date(5000),
  scope: "attempt",
  contentType: "text/html",
  excerpt: "<html>",
  issues: [{ path: "id", message: "is missing" }],
  index: 3,
  id: 9,
  raw: { id: 9 },
} as const;

/** Each class with its code, its parents, and a function that creates an error of the class. */
const family: [name: Name, code: ErrorCode, parents: readonly Name[], make: (of: Family) => Base][] = [
  ["ConfigurationError", "configuration", [], (of) => new of.ConfigurationError("m", details)],
  ["InputError", "input", [], (of) => new of.InputError("m", details.issues, details)],
  ["ApiError", "api", [], (of) => new of.ApiError("m", details)],
  ["BadRequestError", "api", ["ApiError"], (of) => new of.BadRequestError("m", details)],
  ["AuthenticationError", "api", ["ApiError"], (of) => new of.AuthenticationError("m", details)],
  ["PermissionDeniedError", "api", ["ApiError"], (of) => new of.PermissionDeniedError("m", details)],
  ["NotFoundError", "api", ["ApiError"], (of) => new of.NotFoundError("m", details)],
  ["ConflictError", "api", ["ApiError"], (of) => new of.ConflictError("m", details)],
  ["UnprocessableEntityError", "api", ["ApiError"], (of) => new of.UnprocessableEntityError("m", details)],
  ["ServerError", "api", ["ApiError"], (of) => new of.ServerError("m", details)],
  ["RateLimitError", "rate_limited", ["ApiError"], (of) => new of.RateLimitError("m", details)],
  ["ConnectionError", "connection", [], (of) => new of.ConnectionError("m", details)],
  ["RequestTimeoutError", "timeout", [], (of) => new of.RequestTimeoutError("m", details)],
  ["ResponseFormatError", "response_format", [], (of) => new of.ResponseFormatError("m", details)],
  ["ResponseValidationError", "response_validation", [], (of) => new of.ResponseValidationError("m", details)],
  ["PaginationError", "pagination", [], (of) => new of.PaginationError("m", details)],
  ["CheckpointError", "checkpoint", [], (of) => new of.CheckpointError("m", details)],
];
const NAMES = family.map(([name]) => name);

type AnyClass = abstract new (...args: never[]) => unknown;
const classOf = (of: Family, name: Name) => of[name] as unknown as AnyClass;

/** Loads another copy of the module into this realm, as if two versions of the package were installed. */
async function secondCopy(): Promise<Family> {
  const query = "?second-copy";
  return import(/* @vite-ignore */ `../../src/core/errors.ts${query}`);
}

/** Loads the module as CommonJS into another realm, which has its own Error. */
function otherRealm(): Family {
  const source = readFileSync(new URL("../../src/core/errors.ts", import.meta.url), "utf8");
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  const { outputText } = ts.transpileModule(source, { compilerOptions });
  const context = createContext({ exports: {} });
  return runInContext(`(() => { ${outputText}\nreturn exports; })()`, context) as Family;
}

describe("the classes", () => {
  for (const [name, code, parents, make] of family) {
    it(`${name} is an EducationAdminError${parents.map((parent) => `, ${parent}`).join("")} and nothing else`, () => {
      const error = make(errors);
      expect(error).toBeInstanceOf(Error);
      expect(error).toBeInstanceOf(errors.EducationAdminError);
      expect(NAMES.filter((other) => error instanceof classOf(errors, other)).sort()).toEqual(
        [name, ...parents].sort(),
      );
      expect(error).toMatchObject({ name, code, message: "m", operation: "invoices.open", attempts: 2 });
      expect(String(error)).toBe(`${name}: m`);
      expect(Object.prototype.toString.call(error)).toBe("[object Error]");
    });
  }

  it("cover every error class that the package exports", async () => {
    const all = await import("../../src/index.js");
    const exported = Object.keys(all).filter(
      (name) => name.endsWith("Error") && !/^(EducationAdmin|Webhook|is)/.test(name),
    );
    expect(NAMES.slice().sort()).toEqual(exported.sort());
  });

  it("recognize no other value: other errors, lookalikes, null, functions", () => {
    const lookalikes = [
      new Error("m"),
      new TypeError("m"),
      { name: "InputError", code: "input" },
      null,
      undefined,
      7,
      "m",
      () => 1,
    ];
    for (const value of lookalikes) {
      expect(value).not.toBeInstanceOf(errors.EducationAdminError);
      expect(errors.isEducationAdminError(value), String(value)).toBe(false);
    }
  });

  it("let a user derive a class, which instanceof recognizes as usual", () => {
    class Mine extends errors.InputError {}
    const mine = new Mine("m", []);
    expect(mine).toBeInstanceOf(Mine);
    expect(mine).toBeInstanceOf(errors.InputError);
    expect(mine).toBeInstanceOf(errors.EducationAdminError);
    expect(new errors.InputError("m", [])).not.toBeInstanceOf(Mine);
  });
});

describe("two copies of the library", () => {
  for (const [where, load] of [
    ["of another version in the tree", secondCopy],
    ["in another realm, as CommonJS", async () => otherRealm()],
  ] as const) {
    it(`recognize each other's errors: a copy ${where}`, async () => {
      const other = await load();
      expect(other.EducationAdminError).not.toBe(errors.EducationAdminError);
      for (const [name, code, parents, make] of family) {
        for (const [theirs, ours] of [
          [make(other), errors],
          [make(errors), other],
        ] as const) {
          const kinds = NAMES.filter((kind) => theirs instanceof classOf(ours, kind));
          expect(kinds.sort(), name).toEqual([name, ...parents].sort());
          expect(theirs, name).toBeInstanceOf(ours.EducationAdminError);
          expect(ours.isEducationAdminError(theirs), name).toBe(true);
          expect(ours.isEducationAdminError(theirs, code), name).toBe(true);
          expect(ours.isEducationAdminError(theirs, code === "input" ? "api" : "input"), name).toBe(false);
        }
      }
    });
  }
});

describe("toJSON and fromJSON", () => {
  for (const [name, , parents, make] of family) {
    it(`carry a ${name} through a queue`, () => {
      const error = make(errors);
      const text = JSON.stringify(error);
      const again = errors.EducationAdminError.fromJSON(JSON.parse(text) as ErrorJson);
      expect(NAMES.filter((kind) => again instanceof classOf(errors, kind)).sort()).toEqual([name, ...parents].sort());
      expect(again).toBeInstanceOf(errors.EducationAdminError);
      expect(again).toBeInstanceOf(Error);
      expect(JSON.stringify(again)).toBe(text);
      expect(String(again)).toBe(String(error));
      expect(again.stack).toContain("m");
      expect(Object.prototype.toString.call(again)).toBe("[object Error]");
    });
  }

  it("keep the properties of each class, with their types", () => {
    const json = JSON.parse(JSON.stringify(new errors.RateLimitError("m", details)));
    expect(json).toMatchObject({ status: 422, apiCode: 422, requestId: "req-1", method: "POST", retryAfterMs: 1000 });
    const again = errors.EducationAdminError.fromJSON(json) as errors.RateLimitError;
    expect(again.resetAt).toEqual(new Date(5000));
    expect(JSON.parse(JSON.stringify(new errors.InputError("m", details.issues)))).toMatchObject({
      issues: details.issues,
    });
  });

  it("leave out the service's message and the parsed body, which may repeat sent values", () => {
    const json = JSON.stringify(new errors.ApiError("m", { ...details, cause: new Error("why") }));
    expect(Object.keys(JSON.parse(json)).sort()).toEqual(
      [
        "name",
        "code",
        "message",
        "operation",
        "attempts",
        "status",
        "apiCode",
        "requestId",
        "method",
        "path",
        "outcome",
      ].sort(),
    );
    expect(JSON.stringify(new errors.ResponseValidationError("m", details))).not.toContain("raw");
    const later = Object.assign(new errors.InputError("m", details.issues), { cause: "given later" });
    expect(later.toJSON()).not.toHaveProperty("cause");
  });

  it("treat fields absent from the JSON as absent, without an error", () => {
    const json = JSON.parse(JSON.stringify(new errors.ApiError("m", details)));
    const again = errors.EducationAdminError.fromJSON(json) as errors.ApiError;
    expect([again.body, again.errors, again.apiMessage]).toEqual([undefined, null, null]);
    expect([again.hiddenHeaders, new errors.ApiError("m", details).hiddenHeaders]).toEqual([[], []]);
    expect([...again.headers]).toEqual([]);
  });

  it("keep the properties that every object has, however a queue changes the JSON", () => {
    const json = { name: "ApiError", code: "api", message: "m", operation: null, attempts: 0 } as const;
    const forged = JSON.parse(`{ ${JSON.stringify(json).slice(1, -1)}, "constructor": 1, "toString": 1, "toJSON": 1 }`);
    const error = errors.EducationAdminError.fromJSON(forged);
    expect(error).toBeInstanceOf(errors.ApiError);
    expect(String(error)).toBe("ApiError: m");
    expect(error.toJSON()).toMatchObject(json);
  });

  it("refuse data that no error produced, and read an unknown name as the base class", () => {
    for (const value of [null, undefined, {}, { code: "input" }, { message: "m" }, "x"]) {
      expect(() => errors.EducationAdminError.fromJSON(value as unknown as ErrorJson)).toThrow(TypeError);
    }
    for (const name of ["FutureError", "toString", "__proto__", "constructor"]) {
      const json = { name, code: "api" as const, message: "m", operation: null, attempts: 0 };
      const error = errors.EducationAdminError.fromJSON(json);
      expect(error).toBeInstanceOf(errors.EducationAdminError);
      expect(error).not.toBeInstanceOf(errors.ApiError);
      expect(error.name).toBe(name);
    }
  });
});
