import { expect, test } from "vitest";
import { outOfStep } from "../../scripts/lib/generated.ts";
import { inputDescriptions } from "../../scripts/lib/input-descriptions.ts";
import { readSources } from "../../scripts/lib/source-index.ts";
import { allOperations, inputSchemaOf, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { operations } from "./support/contract-data.js";

interface Json {
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly properties?: Readonly<Record<string, Json>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Json;
  readonly items?: Json;
  readonly anyOf?: readonly Json[];
  readonly oneOf?: readonly Json[];
}

const PAGINATION = ["cursor", "per_page", "page"];

test("the descriptions match the docstrings", () => {
  const files = inputDescriptions({ operations: allOperations, notesOf }, schemas, readSources());
  expect(outOfStep(files), "run npm run generate").toEqual([]);
});

test("the contract has operations to test", () => {
  expect(operations.length).toBeGreaterThan(100);
});

test.each(operations)("$id accepts what the contract accepts, each field with type and description", (operation) => {
  for (const api of operation.apis) {
    const row = allOperations.find(({ id, apis }) => id === operation.id && apis.includes(api));
    if (!row) throw new Error(`${operation.id}: no row of ${api}`);
    const schema = inputSchemaOf(row) as Json;
    const { params, query, body } = schema.properties ?? {};
    expect(schema.description).toMatch(/^[A-Z].+\.$/);
    expect(namesOf(params)).toEqual(operation.params.map(({ name }) => name).sort());
    expect(params?.required?.toSorted() ?? []).toEqual(namesOf(params));
    expect(namesOf(query)).toEqual(
      operation.query
        .map(({ name }) => name)
        .filter((name) => name !== "page")
        .sort(),
    );
    const fields = operation.body(api) ?? [];
    expect(namesOf(body)).toEqual(fields.map(({ name }) => name).sort());
    expect([...(schema.required ?? [])].sort()).toEqual(
      [
        ...(body ? ["body"] : []),
        ...(params ? ["params"] : []),
        ...(operation.query.some(({ required }) => required) ? ["query"] : []),
      ].sort(),
    );
    expect(undescribedPaths(schema)).toEqual([]);
    // A tool sends JSON, which has no Date, and the tool never sees the library's errors.
    expect(JSON.stringify(schema)).not.toMatch(/`Date`|InputError/);
  }
});

test("a list without page parameters has none; others have those that are not deprecated", () => {
  const lists = allOperations.filter(({ paged }) => paged);
  for (const row of lists) {
    const { query } = (inputSchemaOf(row) as Json).properties ?? {};
    const pages = namesOf(query).filter((name) => PAGINATION.includes(name));
    expect(pages, row.id).toEqual(row.paged === "none" ? [] : ["cursor", "per_page"]);
  }
});

test("each schema is a copy, so a tool may change it", () => {
  const [row] = allOperations;
  if (!row) throw new Error("no operations");
  expect(inputSchemaOf(row)).toEqual(inputSchemaOf(row));
  expect(inputSchemaOf(row)).not.toBe(inputSchemaOf(row));
});

function namesOf(schema: Json | undefined): string[] {
  return Object.keys(schema?.properties ?? {}).sort();
}

/** The paths of fields without a type or without a description. */
function undescribedPaths(schema: Json, path = ""): string[] {
  const inProperties = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const here = `${path}.${name}`;
    // The three parts of the input need no description, because their fields have descriptions.
    const isPart = path === "" && ["params", "query", "body"].includes(name);
    const isTyped = field.type ?? field.enum ?? field.const ?? field.anyOf ?? field.oneOf;
    return [...(isTyped && (isPart || field.description) ? [] : [here]), ...undescribedPaths(field, here)];
  });
  const { items, anyOf = [], oneOf = [], additionalProperties } = schema;
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const inside = [...(items ? [items] : []), ...anyOf, ...oneOf, ...values];
  return [...inProperties, ...inside.flatMap((part) => undescribedPaths(part, path || "."))];
}
