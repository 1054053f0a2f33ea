import { describe, expect, test } from "vitest";
import * as z from "zod/mini";
import { buildRequest } from "../../src/core/call/build-request.js";
import type { InputIssue } from "../../src/core/error-details.js";
import { formatPath } from "../../src/core/schema/issues.js";
import { fieldsOf, isSchema, type Schema } from "../../src/core/schema/traits.js";
import { InputError } from "../../src/index.js";
import { allOperations } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { drawCases } from "../support/amount.js";

const exported = Object.entries(schemas as Record<string, unknown>).filter((entry): entry is [string, Schema] =>
  isSchema(entry[1]),
);
const names = new Map(exported.map(([name, schema]) => [schema, name]));
const WRONG = [
  undefined,
  null,
  "",
  "x",
  -1,
  1.5,
  true,
  [],
  [{}],
  [null, "x", -1],
  {},
  { id: "x" },
  new Date(Number.NaN),
];

// Takes each schema once per part of a request, because rows that share a schema give the same messages.
const inputs = [
  ...new Map(
    allOperations
      .flatMap((row) => (["query", "body", "params"] as const).map((part) => ({ row, part, schema: row[part] })))
      .flatMap(({ row, part, schema }) => {
        const name = schema && names.get(schema);
        return name === undefined ? [] : [[name, { name, row, part, schema }] as const];
      }),
  ).values(),
];

describe("an exported schema and the client give the same message for every wrong field", () => {
  test("inputs to check exist", () => expect(inputs.length).toBeGreaterThan(100));

  test.each(drawCases(inputs, 30))("$name", ({ row, part, schema }) => {
    const alone = { id: row.id, method: row.method, apis: row.apis, path: "x", [part]: schema };
    const closed = schemas.closed(schema as Schema);
    for (const field of Object.keys(fieldsOf(schema))) {
      for (const value of WRONG) {
        const given = { [field]: value };
        // Schemas check neither whether a value can be sent as JSON nor whether a list without a filter would return
        // all records. Only a closed schema rejects unknown fields.
        const told = issuesOf(() => buildRequest(alone, { [part]: given }, "repeat")).filter(
          ({ message }) => !/^cannot be sent as JSON|would ask for all records/.test(message),
        );
        const own = told.filter(({ message }) => !message.startsWith("is not a known field"));
        const said = `${field}: ${JSON.stringify(value)}`;
        expect(bySafeParse(schema as Schema, given), said).toEqual(own);
        expect(byStandardSchema(schema as Schema, given), said).toEqual(own);
        expect(bySafeParse(closed, given), `closed ${said}`).toEqual(withoutHints(told));
      }
    }
  });
});

describe("every exported schema has a more specific message than that its input is invalid", () => {
  test.each(drawCases(exported, 100))("%s", (_, schema) => {
    const values = Object.keys(fieldsOf(schema)).flatMap((field) => WRONG.map((value) => ({ [field]: value })));
    for (const value of [...WRONG, ...values]) {
      for (const { message } of bySafeParse(schema, value)) expect(message).not.toMatch(/^$|^Invalid/);
    }
  });
});

describe("the client's messages", () => {
  const { nameless, missing } = { nameless: { name: 3 }, missing: [{ path: "name", message: "is missing" }] };

  test("are kept by schemas derived from an exported one", () => {
    const checked = schemas.accountCreateSchema.check(z.refine(({ name }) => name !== "x", "is taken"));
    expect(bySafeParse(checked, {})).toEqual(missing);
    expect(bySafeParse(checked, { name: "x" })).toEqual([{ path: "", message: "is taken" }]);
    expect(bySafeParse(z.pick(schemas.accountCreateSchema, { name: true }), {})).toEqual(missing);
    expect(bySafeParse(z.array(schemas.accountCreateSchema), [{}])).toEqual([
      { path: "[0].name", message: "is missing" },
    ]);
  });

  test("are kept with asynchronous checks", async () => {
    const checked = schemas.accountCreateSchema.check(z.refine(async () => true));
    const { error } = await z.safeParseAsync(checked, {});
    expect(error?.issues.map(({ message }) => message)).toEqual(["is missing"]);
  });

  test("are not given to a caller's schema with nothing to close", () => {
    const own = z.string("ours");
    expect(schemas.closed(own)).toBe(own);
  });

  test("are replaced by messages that the caller passes", () => {
    const { error } = z.safeParse(schemas.accountCreateSchema, nameless, { error: () => "moet tekst zijn" });
    expect(error?.issues.map(({ message }) => message)).toEqual(["moet tekst zijn"]);
  });

  test("leave zod's codes and expectations unchanged", () => {
    const { error } = z.safeParse(schemas.accountCreateSchema, nameless);
    expect(error?.issues[0]).toMatchObject({ code: "invalid_type", expected: "string", message: "must be text" });
  });
});

function bySafeParse(schema: Schema, value: unknown): InputIssue[] {
  const { error } = z.safeParse(schema, value);
  return (error?.issues ?? []).flatMap((issue) => {
    // zod names all unknown fields in one issue; the client reports each separately.
    const keys = issue.code === "unrecognized_keys" ? issue.keys.map((key) => [...issue.path, key]) : [issue.path];
    return keys.map((path) => ({ path: formatPath(path), message: issue.message }));
  });
}

function byStandardSchema(schema: Schema, value: unknown): InputIssue[] {
  const result = schema["~standard"].validate(value);
  if (result instanceof Promise) throw new Error("must not be asynchronous");
  return (result.issues ?? []).map(({ path = [], message }) => ({ path: formatPath(path as PropertyKey[]), message }));
}

function issuesOf(build: () => unknown): readonly InputIssue[] {
  try {
    build();
    return [];
  } catch (error) {
    if (error instanceof InputError) return error.issues;
    throw error;
  }
}

// The client adds a hint to a misspelled name, which a schema cannot.
function withoutHints(issues: readonly InputIssue[]): InputIssue[] {
  return issues.map(({ path, message }) => ({ path, message: message.replace(/^(is not a known field).*/, "$1") }));
}
