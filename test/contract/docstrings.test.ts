import { describe, expect, test } from "vitest";
import { readSources } from "../../scripts/lib/source-index.ts";
import { API_NAME, type Api, type Operation } from "../../src/core/operation.js";
import { fieldsOf, isSchema } from "../../src/core/schema/traits.js";
import { allOperations, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { type ContractOperation, operations, records } from "./support/contract-data.js";

const PAGINATION = ["cursor", "per_page", "page"];
const sources = readSources();
const offered = allOperations.flatMap((row) => row.apis.map((api) => ({ api, id: row.id, row })));

describe("the docstring of each method mirrors its row", () => {
  test.each(offered)("$api $id", ({ api, id, row }) => {
    const method = sources.method(api, id);
    if (!method) expect.fail(`the ${api} client has no method ${id} in src`);
    expect(method.text, "a sentence").toMatch(/^[A-Z].*\.$/s);
    expect(method.example, "an example that calls it").toContain(`.${id}(`);
    expect(method.beta, "@beta").toBe(row.beta === true);
    if (Array.isArray(row.beta)) expect(method.text, "the API it is in beta in").toContain(betaIn(row.beta));
    expect(method.deprecated, "@deprecated").toBe(notesOf(row).deprecated?.[api] ?? null);
    if (row.feature) expect(method.text, "the feature flag").toContain(`\`${row.feature}\` feature flag`);
    expect(method.throws, "errors of its own, beside those of Call and Pages").toEqual([]);
    if (row.pathConfirmed === false) expect(method.text, "the way round a wrong path").toContain("`routes`");
  });
});

test.each(["Call", "Pages"])("%s lists the errors of all methods once", (name) => {
  expect(sources.class(name)?.throws).toEqual([
    expect.stringMatching(/^InputError.* if an argument is invalid/),
    expect.stringContaining("ApiError if the service responds"),
  ]);
});

// A method that several clients share has a single docstring, so the docstring says in words where the method is in
// beta.
function betaIn(apis: readonly Api[]): string {
  return `Beta in the ${apis.map((api) => API_NAME[api]).join(" and ")} API.`;
}

describe("every field of an exported schema has a comment", () => {
  const models = Object.entries(schemas as Record<string, unknown>).flatMap(([name, schema]) => {
    const names = isSchema(schema) ? Object.keys(fieldsOf(schema)) : [];
    return names.length > 0 ? [{ name, names }] : [];
  });
  test("schemas were found", () => expect(models.length).toBeGreaterThan(80));
  test.each(models)("$name", ({ name, names }) => {
    const fields = sources.schema(name)?.fields;
    for (const field of names) expect(fields?.get(field)?.text, field).toMatch(/^[A-Z`].*\.$/s);
  });
});

describe("fields are deprecated in their docstrings exactly if the contract deprecates them", () => {
  const sent = operations.flatMap((operation) => operation.apis.map((api) => ({ id: operation.id, api, operation })));
  const filters = ({ query }: ContractOperation) => query.filter(({ name }) => !PAGINATION.includes(name));
  const described = sent.filter(({ operation, api }) => operation.body(api) ?? filters(operation)[0]);
  test.each(described)("$api $id", ({ id, operation, api }) => {
    const row = rowOf(id, api);
    const due = [...filters(operation), ...(operation.body(api) ?? [])]
      .filter((field) => field.deprecated)
      .map((field) => field.name);
    const fields = sources.schema(exportOf(row.body ?? row.query))?.fields ?? new Map();
    expect(fields.size, "fields read from the source").toBeGreaterThan(0);
    const marked = [...fields].filter(([, doc]) => doc.deprecated !== null).map(([name]) => name);
    expect(marked.sort()).toEqual(due.sort());
    // All clients share the type, so a sentence describes a deprecation in only one API.
    for (const { name, deprecatedIn } of operation.body(api) ?? []) {
      if (deprecatedIn.length > 0) expect(fields.get(name)?.text, name).toContain("The Admin API has deprecated it.");
    }
  });

  test.each([...records.values()])("$name", (record) => {
    const name = record.name.charAt(0).toLowerCase() + record.name.slice(1);
    const { fields = new Map() } = sources.schema(`${name}Schema`) ?? {};
    expect(fields.size, "fields read from the source").toBeGreaterThan(0);
    const marked = [...fields].filter(([, doc]) => doc.deprecated !== null).map(([field]) => field as string);
    // Fields that only the Admin API returns are in that API's separate schema.
    const adminFields = sources.schema(`admin${record.name}Schema`)?.fields ?? new Map();
    const due = record.fields.filter((field) => field.deprecated).map((field) => field.name);
    const [ofAdmin, ofBoth] = [true, false].map((only) =>
      due.filter((field) => record.adminOnly.includes(field) === only),
    );
    expect(marked.sort()).toEqual(ofBoth?.sort());
    for (const field of ofAdmin ?? []) expect(adminFields.get(field)?.deprecated, field).toEqual(expect.any(String));
    for (const field of record.fields.filter(({ deprecatedIn }) => deprecatedIn.length > 0)) {
      expect(fields.get(field.name)?.text, field.name).toContain("The Admin API has deprecated it.");
    }
  });
});

describe("fields that need a feature flag name it in their docstrings", () => {
  const sent = operations.flatMap(({ id, apis, body }) =>
    apis.map((api) => ({ name: `${api} ${id}`, schema: exportOf(rowOrNone(id, api)?.body), fields: body(api) ?? [] })),
  );
  // If only the Admin API returns some fields of a record, the record has a separate schema there.
  const read = [...records.values()].map(({ name, fields, adminOnly }) => ({
    name,
    schema: adminOnly.length > 0 ? `admin${name}Schema` : `${name.charAt(0).toLowerCase()}${name.slice(1)}Schema`,
    fields,
  }));
  const flagged = [...sent, ...read].filter(({ fields }) => fields.some((field) => field.feature !== null));
  test.each(flagged)("$name", ({ schema, fields }) => {
    const documented = sources.schema(schema)?.fields;
    for (const { name, feature } of fields) {
      if (feature) expect(documented?.get(name)?.text, name).toContain(`\`${feature}\` feature flag`);
    }
  });
});

function rowOrNone(id: string, api: Api): Operation | undefined {
  return allOperations.find((candidate) => candidate.id === id && candidate.apis.includes(api));
}

function rowOf(id: string, api: Api): Operation {
  const row = rowOrNone(id, api);
  if (!row) throw new Error(`no row ${id} for ${api}`);
  return row;
}

function exportOf(schema: unknown): string {
  return Object.entries(schemas).find(([, value]) => value === schema)?.[0] ?? "";
}
