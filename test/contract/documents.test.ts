import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { outOfStep, ROOT } from "../../scripts/lib/generated.ts";
import { openApiDocuments } from "../../scripts/lib/openapi.ts";
import { operationsDoc } from "../../scripts/lib/operations-doc.ts";
import { readSources } from "../../scripts/lib/source-index.ts";
import type { Api } from "../../src/core/operation.js";
import { allOperations, notesOf } from "../../src/operations.js";
import * as schemas from "../../src/schemas.js";
import { amount } from "../support/amount.js";
import {
  betaIn,
  type ContractApi,
  type ContractOperation,
  fieldsIn,
  operations,
  records,
  unions,
} from "./support/contract-data.js";
import type { Field } from "./support/contract-types.js";

const sources = readSources();
const tables = { operations: allOperations, notesOf };
const run = promisify(execFile);

describe("docs/operations.md", () => {
  const files = operationsDoc(tables, schemas, sources);
  const text = files["docs/operations.md"] ?? "";

  test("matches the tables", () => {
    expect(outOfStep(files), "run npm run generate").toEqual([]);
  });

  test("has one line for every operation of the contract, with its request and clients", () => {
    const names = { main: "Main", admin: "Admin", organization: "Organization" };
    const prefixes = { main: "api/v1", admin: "api/v1", organization: "api/organization" };
    for (const { id, method, path, apis } of operations) {
      const lines = text.split("\n").filter((line) => new RegExp(`^\\| \`\\w+\\.${id}\\(`).test(line));
      expect(lines, id).toHaveLength(1);
      const request = `| \`${method} ${prefixes[apis[0] ?? "main"]}/${path}\` |`;
      expect(lines[0]).toContain(`${request} ${apis.map((api) => names[api]).join(", ")} |`);
    }
  });

  test("names the filters, the required input and the record of every operation", () => {
    for (const operation of operations) {
      const { id, query, response } = operation;
      const line = text.split("\n").find((line) => new RegExp(`^\\| \`\\w+\\.${id}\\(`).test(line)) ?? "";
      const [, , , input = "", answer = ""] = line.split(" | ");
      for (const { name } of query.filter(({ name }) => !["cursor", "per_page", "page"].includes(name))) {
        expect(input.split("required:")[0], id).toContain(`\`${name}\``);
      }
      const required = (operation.body(operation.apis[0] ?? "main") ?? []).filter((field) => field.required);
      for (const { name } of required) {
        // Either grade or score is enough, which a list of required fields cannot express.
        if (id !== "grades.create" || !["grade", "score"].includes(name)) expect(input, id).toContain(`\`${name}\``);
      }
      if (response === null) expect(answer, id).toBe("–");
      else
        expect(answer, id).toMatch(
          new RegExp(`${response.record}${response.list || response.array ? "\\[\\]" : ""}\``),
        );
    }
  });

  test("has no links to lines of the source, which move with every change", () => {
    expect(text).not.toMatch(/#L\d/);
  });
});

describe("openapi/*.json", () => {
  const files = openApiDocuments(tables, schemas, sources);
  const documents = new Map(Object.entries(files).map(([file, text]) => [file, JSON.parse(text) as Document]));

  test("matches the tables, schemas and docstrings", () => {
    expect(outOfStep(files), "run npm run generate").toEqual([]);
  });

  // The linter takes seconds to start.
  test.each(["clean"].slice(0, amount(0, 1)))("is %s according to the linter", async () => {
    const cli = createRequire(import.meta.url).resolve("@redocly/cli/bin/cli.js");
    const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
    const { stdout, stderr } = await run(process.execPath, [cli, "lint", "--format=json"], { cwd: ROOT, env });
    const totals = [...stdout.matchAll(/"totals": (\{[^}]*\})/g)].map(([, json = ""]) => JSON.parse(json) as unknown);
    // One more than the generated documents: the description of the sandbox's control interface, which is written by
    // hand.
    expect(totals, stderr).toEqual(Array(documents.size + 1).fill({ errors: 0, warnings: 0, ignored: 0 }));
  });

  test("describes requests and responses, not the library", () => {
    const words = /`Date`|Error`|`routes`|Buffer|Uint8Array|\.cast|\bthrown\b|\bclient\b|\blibrary\b|TypeScript|npm/;
    for (const [file, text] of Object.entries(files)) {
      const texts = [...text.matchAll(/"(?:description|summary)": "((?:[^"\\]|\\.)*)"/g)].map(
        ([, words = ""]) => words,
      );
      expect(texts.length, file).toBeGreaterThan(100);
      expect(texts.filter((text) => words.test(text))).toEqual([]);
    }
  });

  describe.each(["main", "admin", "organization"] as const)("%s.json", (api) => {
    const document = documents.get(`openapi/${api}.json`) as Document;
    const offered = operations.filter((operation) => operation.apis.includes(api));

    test("has the contract's operations and no others", () => {
      const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map((item) => item.operationId));
      expect(ids.sort()).toEqual(offered.map((operation) => operation.id).sort());
    });

    test.each(offered)("$id has the contract's parameters, body and response", (operation) => {
      compare(document, operation, api);
    });
  });
});

interface Document {
  paths: Record<string, Record<string, OperationItem>>;
  components: { schemas: Record<string, ObjectSchema>; parameters?: Record<string, Parameter> };
}

interface OperationItem {
  operationId: string;
  deprecated?: boolean;
  "x-beta"?: boolean;
  "x-feature-flag"?: string;
  "x-path-confirmed"?: boolean;
  parameters?: (Parameter | { $ref: string })[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
}

interface Parameter {
  name: string;
  description?: string;
  in: string;
  required?: boolean;
  deprecated?: boolean;
}

type Content = { "application/json": { schema: { $ref?: string; items?: { $ref: string } } } };

interface ObjectSchema {
  properties?: Record<string, { deprecated?: boolean }>;
  required?: string[];
}

function compare(document: Document, operation: ContractOperation, api: ContractApi): void {
  const item = document.paths[`/${operation.path}`]?.[operation.method.toLowerCase()];
  if (!item) expect.fail(`the document has no ${operation.method} /${operation.path}`);
  expect(item.operationId).toBe(operation.id);
  expect({
    beta: item["x-beta"] ?? false,
    feature: item["x-feature-flag"],
    confirmed: item["x-path-confirmed"] ?? true,
    deprecated: item.deprecated ?? false,
  }).toEqual({
    beta: betaIn(operation, api),
    feature: operation.feature,
    confirmed: operation.path_source !== "guess",
    deprecated: operation.deprecated_in?.includes(api) ?? false,
  });
  const parameters = (item.parameters ?? []).map((entry) =>
    "$ref" in entry ? sharedParameter(document, entry.$ref) : entry,
  );
  expect(parameters.filter(({ description }) => !description)).toEqual([]);
  expect(parameters.map(parameterFacts).sort()).toEqual(
    [
      ...operation.params.map((field) => parameterFacts({ ...field, in: "path" })),
      ...operation.query.map((field) => parameterFacts({ ...field, in: "query" })),
    ].sort(),
  );
  const body = operation.body(api);
  const sent = item.requestBody?.content["application/json"].schema.$ref;
  if (body) expect(fieldsOf(document, sent)).toEqual(fieldFacts(api, body, ({ required }) => required));
  else expect(sent).toBeUndefined();
  const answer = item.responses[String(operation.success_status ?? 200)];
  expect(answer, "an answer under the contract's status").toBeDefined();
  const { $ref, items } = answer?.content?.["application/json"].schema ?? {};
  if (!operation.response) expect(answer?.content).toBeUndefined();
  else {
    const { record, list, array } = operation.response;
    expect(list || array ? items?.$ref : $ref).toBe(`#/components/schemas/${record}`);
    const union = unions.get(record);
    if (union) {
      const mapping = Object.entries(union.variants).map(([kind, name]) => [kind, `#/components/schemas/${name}`]);
      expect(document.components.schemas[record]).toMatchObject({
        oneOf: mapping.map(([, variant]) => ({ $ref: variant })),
        discriminator: { propertyName: union.discriminator, mapping: Object.fromEntries(mapping) },
      });
      return;
    }
    const shown = records.get(record);
    if (!shown) throw new Error(`the contract does not describe ${record}`);
    const facts = fieldFacts(api, fieldsIn(shown, api), (field) => !field.optional);
    expect(fieldsOf(document, `#/components/schemas/${record}`)).toEqual(facts);
  }
}

function sharedParameter(document: Document, ref: string): Parameter {
  const found = document.components.parameters?.[ref.split("/").at(-1) ?? ""];
  if (!found) throw new Error(`${ref} leads nowhere`);
  return found;
}

function parameterFacts({ name, in: where, required, deprecated }: Parameter): string {
  return `${where} ${name}${required ? " required" : ""}${deprecated ? " deprecated" : ""}`;
}

function fieldsOf(document: Document, ref: string | undefined): string[] {
  const schema = document.components.schemas[ref?.split("/").at(-1) ?? ""];
  return Object.entries(schema?.properties ?? {})
    .map(([name, { deprecated }]) => fact(name, schema?.required?.includes(name) ?? false, deprecated ?? false))
    .sort();
}

function fieldFacts(api: Api, fields: readonly Field[], required: (field: Field) => boolean): string[] {
  const isDeprecated = ({ deprecated, deprecatedIn }: Field) => deprecated || deprecatedIn.includes(api);
  return fields.map((field) => fact(field.name, required(field), isDeprecated(field))).sort();
}

function fact(name: string, required: boolean, deprecated: boolean): string {
  return `${name}${required ? " required" : ""}${deprecated ? " deprecated" : ""}`;
}
