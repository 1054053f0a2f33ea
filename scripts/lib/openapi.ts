import {
  API_NAME,
  API_PREFIX,
  type Api,
  isBetaIn,
  type Operation,
  resourceNameOf,
  scopesIn,
} from "../../src/core/operation.ts";
import { pathParameterText } from "../../src/input-schemas.ts";
import type { Tables } from "./from-source.ts";
import type { GeneratedFiles } from "./generated.ts";
import { type JsonSchema, JsonSchemas, sentences } from "./json-schemas.ts";
import { methodOf, type SchemaSource, type SourceIndex } from "./source-index.ts";
import { inWireWords } from "./wire-texts.ts";

type Json = Record<string, unknown>;

/** Writes `openapi/*.json`: one OpenAPI 3.0 document per API. */
export function openApiDocuments(
  tables: Tables,
  exported: Readonly<Record<string, unknown>>,
  sources: SourceIndex,
): GeneratedFiles {
  const documents = APIS.map((api) => {
    const schemas = new JsonSchemas(exported, { ...sources, schema: (name) => inApi(api, sources.schema(name)) });
    const rows = tables.operations.filter((row) => row.apis.includes(api));
    return new ApiDocument(api, rows, tables, schemas, sources).write();
  });
  const files = inWireWords(documents).map((document, index) => {
    const text = JSON.stringify(withoutSiblings(document), null, 2);
    return [`openapi/${APIS[index]}.json`, `${oneLineEach(recordNames(text))}\n`] as const;
  });
  return Object.fromEntries(files);
}

// The service names no license, so this is the license of the documents, not that of the service.
const LICENSE = { name: "MIT, for this description alone", url: "https://spdx.org/licenses/MIT.html" };

const APIS = ["main", "admin", "organization"] as const;

// OpenAPI 3.0 ignores keywords beside a reference. 3.1 does not, but many generators read only 3.0.
function withoutSiblings(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutSiblings);
  if (typeof node !== "object" || node === null) return node;
  const { $ref, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, withoutSiblings(value)]),
  );
  if ($ref === undefined) return isOnlyReference(rest) ? (rest.allOf as unknown[])[0] : rest;
  return Object.keys(rest).length > 0 ? { ...rest, allOf: [{ $ref }] } : { $ref };
}

function isOnlyReference({ allOf, ...rest }: Json): boolean {
  return Array.isArray(allOf) && allOf.length === 1 && Object.keys(rest).length === 0;
}

// In TypeScript, types that differ in the Admin API have a prefix, because the Main API's types are exported beside
// them. In the document of a single API, they have the names of the records.
function recordNames(document: string): string {
  const component = (name: string) => `\n      "${name}": {`;
  const names = [...document.matchAll(/"#\/components\/schemas\/Admin(\w+)"/g)].map(([, name = ""]) => name);
  for (const name of new Set(names)) {
    if (document.includes(component(name))) throw new Error(`two components would be called ${name}`);
    document = document
      .replaceAll(`"#/components/schemas/Admin${name}"`, `"#/components/schemas/${name}"`)
      .replace(component(`Admin${name}`), component(name));
  }
  return document;
}

// Writes one field, parameter or response per line: further indentation would make the documents a tenth larger.
function oneLineEach(document: string): string {
  return document.replace(/\n {12,}/g, " ").replace(/\n {10}([}\]])/g, " $1");
}

// A type is the same for every client, so its docstring names the API that has deprecated a field.
function inApi(api: Api, schema: SchemaSource | undefined): SchemaSource | undefined {
  const mark = ` The ${API_NAME[api]} API has deprecated it.`;
  const fields = [...(schema?.fields ?? [])].map(([name, doc]) => {
    const isMarked = doc.text.endsWith(mark);
    const replacement = "The service names no replacement.";
    return [name, isMarked ? { ...doc, text: doc.text.replace(mark, ""), deprecated: replacement } : doc] as const;
  });
  return schema && { ...schema, fields: new Map(fields) };
}

class ApiDocument {
  readonly #api: Api;
  readonly #rows: readonly Operation[];
  readonly #notesOf: Tables["notesOf"];
  readonly #schemas: JsonSchemas;
  readonly #sources: SourceIndex;

  constructor(api: Api, rows: readonly Operation[], { notesOf }: Tables, schemas: JsonSchemas, sources: SourceIndex) {
    this.#api = api;
    this.#rows = rows;
    this.#notesOf = notesOf;
    this.#schemas = schemas;
    this.#sources = sources;
  }

  write(): Json {
    const paths: Record<string, Json> = {};
    for (const row of this.#rows) {
      const path = `/${row.path}`;
      paths[path] = { ...paths[path], [row.method.toLowerCase()]: this.#operation(row) };
    }
    const components = sharedComponents(this.#rows);
    return {
      openapi: "3.0.3",
      info: this.#info(),
      servers: [
        {
          url: `{baseUrl}/${API_PREFIX[this.#api]}`,
          variables: {
            baseUrl: {
              default: "https://school.example",
              description: "The provider's address: origin, and any path before the API's own.",
            },
          },
        },
      ],
      security: [{ bearer: [] }],
      tags: this.#tags(),
      paths,
      components: {
        ...components,
        schemas: { ...errorSchema, ...this.#schemas.reachable(paths, bodiesOf(this.#rows)) },
      },
    };
  }

  #info(): Json {
    const name = API_NAME[this.#api];
    return {
      title: `Education administration service, ${name} API`,
      version: "1",
      license: LICENSE,
      description: [
        `The ${name} API as its descriptions show it. Lists return pages: follow the \`Link\` header with rel \`next\`.`,
        "Operations with `x-beta` may change without notice. `x-feature-flag` names the flag that must be switched on " +
          "in the environment. `x-path-confirmed: false` marks a path that the service description does not show and " +
          "that follows its neighbors. `x-page-rendering` marks operations that are shown only in the page-paginated " +
          "rendering, `x-public-documents-only` those that only public documents show. `x-scopes` names the scopes of a " +
          "token; `x-extensible-enum` lists the known values of an enumeration that may have more.",
      ].join("\n\n"),
    };
  }

  #tags(): Json[] {
    const resources = [...new Set(this.#rows.map((row) => resourceNameOf(row.id)))];
    return resources.map((resource) => {
      const description = this.#sources.resource(this.#api, resource)?.text;
      return { name: tagOf(resource), ...(description && { description }) };
    });
  }

  #operation(row: Operation): Json {
    const method = methodOf(this.#sources, this.#api, row.id);
    const notes = this.#notesOf(row);
    const deprecated = notes.deprecated?.[this.#api];
    const scopes = scopesIn(row, this.#api) ?? [];
    const [summary = ""] = method.text.split(/(?<=\.)\s|: /);
    const note = notes.note && `Note: ${notes.note.replace(/\.?$/, ".")}`;
    return {
      operationId: row.id,
      tags: [tagOf(resourceNameOf(row.id))],
      summary: summary.replace(/\.$/, ""),
      description: [sentences(method.text, deprecated), note, scopeText(scopes, row)].filter(Boolean).join("\n\n"),
      ...(deprecated !== undefined && { deprecated: true }),
      ...(isBetaIn(row, this.#api) && { "x-beta": true }),
      ...(row.feature && { "x-feature-flag": row.feature }),
      ...(row.pathConfirmed === false && { "x-path-confirmed": false }),
      ...(notes.publicOnly && { "x-public-documents-only": true }),
      ...(notes.pageRendering && { "x-page-rendering": true }),
      ...(scopes.length > 0 && { "x-scopes": scopes }),
      ...this.#parameters(row),
      ...(row.body && {
        requestBody: { required: true, content: { "application/json": { schema: this.#schemas.ref(row.body) } } },
      }),
      responses: this.#responses(row),
    };
  }

  #parameters(row: Operation): Json {
    const params = row.params ? this.#schemas.fields(row.params) : [];
    const inPath = params.map((field) =>
      parameter({ ...field, description: pathParameterText(field.name, row.path) }, "path"),
    );
    const inQuery = row.query ? this.#schemas.fields(row.query).map((field) => parameter(field, "query")) : [];
    const pages = pageParameters(row).map((name) => ({ $ref: `#/components/parameters/${name}` }));
    const all = [...inPath, ...inQuery, ...pages];
    return all.length > 0 ? { parameters: all } : {};
  }

  #responses(row: Operation): Json {
    const status = String(row.status ?? 200);
    const errors = ERRORS.filter(({ only }) => only?.(row) ?? true);
    return {
      [status]: this.#success(row),
      ...Object.fromEntries(errors.map(({ key, name }) => [key, { $ref: `#/components/responses/${name}` }])),
    };
  }

  #success(row: Operation): Json {
    if (!row.response) return { description: "Success; no response body is described." };
    const record = this.#schemas.ref(row.response);
    const schema = row.paged || row.array ? { type: "array", items: record } : record;
    return {
      description: successText(row),
      ...(row.paged && { headers: listHeaders(row) }),
      content: { "application/json": { schema } },
    };
  }
}

function bodiesOf(rows: readonly Operation[]): unknown[] {
  return rows.flatMap(({ body }) => (body ? [body] : []));
}

function successText({ paged, array }: Operation): string {
  if (array) return "The records.";
  return paged ? "The records; one page of them if the list is paginated." : "The record.";
}

function listHeaders({ paged }: Operation): Json {
  const link = { Link: { $ref: "#/components/headers/Link" } };
  return paged === "none" ? link : { ...link, Total: { $ref: "#/components/headers/Total" } };
}

function scopeText(scopes: readonly string[], { anyScope }: Operation): string {
  if (scopes.length === 0) return "";
  return `Scope: ${scopes.map((scope) => `\`${scope}\``).join(anyScope ? " or " : " and ")}.`;
}

// Operations for which the service's documents show a 409.
const CONFLICTS: ReadonlySet<string> = new Set([
  "customFieldOptions.create",
  "organizationAffiliations.create",
  "organizationAffiliations.update",
  "personalProgramElements.list",
  "planningAttendees.create",
]);

const ERRORS: readonly {
  key: string;
  name: string;
  description: string;
  headers?: Json;
  only?: (row: Operation) => boolean;
}[] = [
  { key: "401", name: "Unauthorized", description: "The API key is missing, wrong or expired." },
  {
    key: "403",
    name: "Forbidden",
    description:
      "The API key is missing, expired or without the right scope, or a feature flag the operation needs is off.",
  },
  {
    key: "404",
    name: "NotFound",
    description:
      "No such record for this provider. The service also responds with 404 to bad credentials or if a feature flag is off.",
  },
  {
    key: "409",
    name: "Conflict",
    description: "The request conflicts with the existing records.",
    only: ({ id }) => CONFLICTS.has(id),
  },
  {
    key: "422",
    name: "UnprocessableEntity",
    description: "The service refuses the request; `errors` says why.",
    only: (row) => row.method !== "GET",
  },
  {
    key: "429",
    name: "TooManyRequests",
    description: "More than 500 requests with this token in 5 minutes.",
    headers: { "Retry-After": { $ref: "#/components/headers/RetryAfter" } },
  },
  { key: "default", name: "Failure", description: "Any other failure. A proxy may respond in another format." },
];

const errorSchema = {
  ErrorBody: {
    description: "The body of the response when a request fails.",
    type: "object",
    properties: {
      errors: { description: "The problems; their structure is not described.", type: "object" },
      code: { description: "The HTTP status.", type: "integer" },
      message: { type: "string" },
    },
    required: ["errors", "code", "message"],
  },
} as const;

const pageParameter = {
  cursor: {
    name: "cursor",
    in: "query",
    description: "Opaque position, taken from a `Link` header.",
    schema: { type: "string", minLength: 1 },
  },
  perPage: {
    name: "per_page",
    in: "query",
    description: "Records per page.",
    schema: { type: "integer", minimum: 1, maximum: 100, default: 25 },
  },
  page: {
    name: "page",
    in: "query",
    description: "Page number.\n\nDeprecated: the service replaces it with `cursor`.",
    deprecated: true,
    schema: { type: "integer", minimum: 1, default: 1 },
  },
} as const;

function pageParameters({ paged }: Operation): (keyof typeof pageParameter)[] {
  if (paged === undefined || paged === "none") return [];
  return paged === "cursor" ? ["cursor", "perPage"] : ["cursor", "perPage", "page"];
}

function sharedComponents(rows: readonly Operation[]): Json {
  const body = { "application/json": { schema: { $ref: "#/components/schemas/ErrorBody" } } };
  const used = ERRORS.filter(({ only }) => rows.some((row) => only?.(row) ?? true));
  const pages = new Set(rows.flatMap(pageParameters));
  return {
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer", description: "An API key: an OAuth 2.0 access token." },
    },
    parameters: Object.fromEntries([...pages].map((name) => [name, pageParameter[name]])),
    headers: {
      Link: {
        description: "URLs of further pages, with rel `next` and `prev`; in page mode `next` and `last`.",
        schema: { type: "string" },
      },
      Total: {
        description: "Number of records in all pages; it may be missing.",
        schema: { type: "integer", minimum: 0 },
      },
      RetryAfter: { description: "Seconds to wait before the next request.", schema: { type: "integer", minimum: 0 } },
    },
    responses: Object.fromEntries(
      used.map(({ name, description, headers }) => [name, { description, ...(headers && { headers }), content: body }]),
    ),
  };
}

function parameter(
  { name, required, schema, description }: { name: string; required: boolean; schema: JsonSchema; description: string },
  where: "path" | "query",
): Json {
  const { deprecated, ...rest } = schema;
  return {
    name,
    in: where,
    ...(description && { description }),
    ...(required && { required: true }),
    ...(deprecated === true && { deprecated }),
    // Arrays repeat the name, with one value each time.
    ...(rest.type === "array" && { style: "form", explode: true }),
    schema: rest,
  };
}

function tagOf(resource: string): string {
  return resource.replace(/^organization\./, "");
}
