import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { ROOT } from "../lib/generated.ts";

export type Json = Record<string, unknown>;
export const APIS = ["main", "admin", "organization"] as const;
export type ApiName = (typeof APIS)[number];

/** A field or parameter; the type is written as in the contract data, such as `array<integer>|null`. */
export interface Spec {
  readonly type: string;
  readonly optional?: boolean;
  readonly required?: boolean;
  readonly deprecated?: boolean;
  /** The description in one line; the contract data has none. */
  readonly text?: string;
}
export type Specs = Readonly<Record<string, Spec>>;

export interface OperationFacts {
  readonly id: string;
  readonly text?: string;
  readonly method: string;
  readonly path: string;
  readonly query: Specs;
  readonly body: Specs | null;
  readonly response: string | null;
  readonly scopes: readonly string[];
  readonly beta: boolean;
  readonly feature: string | null;
  readonly deprecated: boolean;
  readonly status: number;
  /** How a list is paginated, in the words of the tables; null for an operation without a list. */
  readonly paged: "cursor+page" | "cursor" | "none" | null;
}

/** The facts of one API, by name. A record with several variants has one field, `(forms)`. */
export interface Contract {
  readonly operations: Readonly<Record<string, OperationFacts>>;
  readonly records: Readonly<Record<string, Specs>>;
  readonly payloads: Readonly<Record<string, Specs>>;
  readonly values: Readonly<Record<string, readonly string[]>>;
}
export type Contracts = Readonly<Partial<Record<ApiName, Contract>>>;

/** Reads published OpenAPI documents, or the folder of the contract. */
export function readContracts(paths: readonly string[]): Contracts {
  const [folder = ""] = paths;
  if (existsSync(`${folder}/records.json`)) return readFolder(folder);
  return Object.fromEntries(paths.map((path) => readDocument(path, readFileSync(path, "utf8"))));
}

/** The documents that this project writes from its tables. */
export function ownDocuments(read: (path: string) => string = (path) => readFileSync(ROOT + path, "utf8")): Contracts {
  return Object.fromEntries(APIS.map((api) => readDocument(`${api}.json`, read(`openapi/${api}.json`))));
}

/** Reads one OpenAPI document. Its file name or its title must contain the name of the API. */
export function readDocument(path: string, text: string): [ApiName, Contract] {
  const document = JSON.parse(text) as Json;
  const title = String((document.info as Json | undefined)?.title);
  const names = [basename(path), title].map((name) => name.toLowerCase());
  const api = names.flatMap((name) => APIS.filter((one) => name.includes(one)))[0];
  if (!api || !document.paths)
    throw new Error(`${path} is not an OpenAPI document of the Main, Admin or Organization API`);
  return [api, new Document(document).read()];
}

const PAGING = /^(cursor|page|per_page)$/;

function pagedOf(method: string, response: string | null, query: readonly string[]): OperationFacts["paged"] {
  if (method !== "GET" || !response?.startsWith("array<")) return null;
  return query.includes("page") ? "cursor+page" : query.includes("cursor") ? "cursor" : "none";
}

const SIMPLE: Readonly<Record<string, string>> = { "date-time": "datetime", date: "date", decimal: "decimal" };

class Document {
  readonly #document: Json;
  readonly #components: Record<string, Json>;

  constructor(document: Json) {
    this.#document = document;
    this.#components = { ...((document.components as Json | undefined)?.schemas as Record<string, Json>) };
    for (const [name, schema] of Object.entries(this.#components)) this.#nameObjects(name, schema);
  }

  read(): Contract {
    const rows: OperationFacts[] = [];
    const read = new Set<string>();
    const bodies = new Set<string | null>();
    for (const [path, item] of Object.entries(this.#document.paths as Record<string, Record<string, Json>>)) {
      for (const [method, row] of Object.entries(item)) {
        if (!row.responses) continue;
        rows.push(this.#operation(method.toUpperCase(), path, row));
        this.#reach(row.responses, read);
        bodies.add(nameOf(contentOf((row.requestBody ?? {}) as Json) ?? {}));
      }
    }
    const [records, payloads, values]: Record<string, never>[] = [{}, {}, {}];
    for (const [whole, component] of Object.entries(this.#components)) {
      const name = whole.replace(/OrNull$/, "");
      if ((name !== whole && this.#components[name]) || name === "ErrorBody") continue;
      const list = component.enum ?? component["x-extensible-enum"];
      if (list) Object.assign(values as object, { [name]: (list as unknown[]).filter((one) => one !== null) });
      else if (read.has(whole)) Object.assign(records as object, { [name]: this.#fields(component, "optional") });
      else if (!bodies.has(whole)) Object.assign(payloads as object, { [name]: this.#fields(component, "required") });
    }
    const operations = Object.fromEntries(rows.map((row) => [row.id, row]));
    return { operations, records: records ?? {}, payloads: payloads ?? {}, values: values ?? {} };
  }

  // An object without a name of its own is named after its position, because each model of the sources has a name.
  #nameObjects(parent: string, { properties }: Json): void {
    for (const [field, given] of Object.entries((properties ?? {}) as Record<string, Json>)) {
      const schema = given.type === "array" ? (given.items as Json) : given;
      if (!schema?.properties) continue;
      const name = parent + field.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
      this.#components[name] ??= { ...schema, nullable: undefined };
      const named = {
        $ref: `#/components/schemas/${name}`,
        nullable: schema.nullable,
        description: schema.description,
      };
      Object.assign(properties as Json, { [field]: schema === given ? named : { ...given, items: named } });
      this.#nameObjects(name, schema);
    }
  }

  #reach(node: unknown, found: Set<string>): void {
    for (const [, name = ""] of JSON.stringify(node ?? null).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(name)) continue;
      found.add(name);
      this.#reach(this.#components[name], found);
    }
  }

  #operation(method: string, path: string, row: Json): OperationFacts {
    const parameters = ((row.parameters ?? []) as Json[]).map((one) => this.#resolve(one, "parameters"));
    const inQuery = parameters.filter((one) => one.in === "query");
    const query = inQuery.filter((one) => !PAGING.test(String(one.name)));
    const body = contentOf(this.#resolve((row.requestBody ?? {}) as Json, "requestBodies"));
    const [status = "200", response = {}] =
      Object.entries(row.responses as Record<string, Json>).find(([code]) => code.startsWith("2")) ?? [];
    const answer = contentOf(this.#resolve(response, "responses"));
    const type = answer && this.#type(answer);
    return {
      id: String(row.operationId),
      text: lineOf(String(row.summary ?? row.description ?? "")),
      method,
      path: path.replace(/^\/(api\/(v1|organization)\/)?/, ""),
      query: Object.fromEntries(
        query.map((one) => {
          const { description = one.description, ...schema } = one.schema as Json;
          return [one.name, this.#spec({ ...schema, description }, one.required, "required")];
        }),
      ),
      body: body && this.#fields(this.#resolve(body, "schemas"), "required"),
      response: type,
      scopes: (row["x-scopes"] ?? []) as string[],
      beta: row["x-beta"] === true,
      feature: (row["x-feature-flag"] ?? null) as string | null,
      deprecated: row.deprecated === true,
      status: Number(status),
      paged: pagedOf(
        method,
        type,
        inQuery.map(({ name }) => String(name)),
      ),
    };
  }

  #resolve(node: Json, kind: string): Json {
    const name = nameOf(node);
    if (name === null) return node;
    const shared = ((this.#document.components as Json)[kind] ?? {}) as Record<string, Json>;
    return shared[name] ?? {};
  }

  #fields(schema: Json, mark: "optional" | "required"): Specs {
    const forms = (schema.oneOf ?? schema.anyOf) as Json[] | undefined;
    if (forms) return { "(forms)": { type: forms.map((form) => this.#type(form)).join("|") } };
    const parts = (schema.allOf ?? []) as Json[];
    const inherited = parts.map((part) => this.#fields(this.#resolve(part, "schemas"), mark));
    const required = (schema.required ?? []) as string[];
    const own = Object.entries((schema.properties ?? {}) as Record<string, Json>).map(
      ([name, field]) => [name, this.#spec(field, required.includes(name), mark)] as const,
    );
    return Object.assign({}, ...inherited, Object.fromEntries(own)) as Specs;
  }

  #spec(schema: Json, isRequired: unknown, mark: "optional" | "required"): Spec {
    const isMarked = mark === "required" ? isRequired === true : isRequired !== true;
    return {
      ...(isMarked && { [mark]: true }),
      type: this.#type(schema),
      ...(schema.deprecated === true && { deprecated: true }),
      ...(typeof schema.description === "string" && { text: lineOf(schema.description) }),
    };
  }

  #type(schema: Json): string {
    const isNull = schema.nullable === true || [schema.type].flat().includes("null");
    const type = this.#typeWithoutNull(schema);
    return isNull && !type.endsWith("|null") ? `${type}|null` : type;
  }

  #typeWithoutNull(schema: Json): string {
    const name = nameOf(schema);
    if (name !== null) return name.endsWith("OrNull") ? `${name.slice(0, -6)}|null` : name;
    const all = (schema.allOf ?? []) as Json[];
    if (all[0]) return this.#type(all[0]);
    const forms = ((schema.anyOf ?? schema.oneOf ?? []) as Json[]).map((form) => this.#type(form));
    if (forms.length > 0) return forms.join("|");
    if (schema.enum) return (schema.enum as unknown[]).map(String).join("|");
    const type = [schema.type].flat().find((one) => one !== "null");
    if (type === "array") return `array<${this.#type((schema.items ?? {}) as Json)}>`;
    if (type === "string") return SIMPLE[String(schema.format)] ?? "string";
    if (nameOf((schema.additionalProperties ?? {}) as Json) === "CustomFieldValue") return "CustomFields";
    return String(type ?? "object");
  }
}

// A docstring must not end early, nor begin a tag.
function lineOf(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("*/", "").replaceAll("@", "").trim();
}

function nameOf({ $ref }: Json): string | null {
  return typeof $ref === "string" ? ($ref.split("/").at(-1) ?? null) : null;
}

function contentOf({ content }: Json): Json | null {
  const [media] =
    Object.entries((content ?? {}) as Record<string, Json>)
      .find(([type]) => /json/.test(type))
      ?.slice(1) ?? [];
  return ((media as Json | undefined)?.schema ?? null) as Json | null;
}

function readFolder(folder: string): Contracts {
  const read = (name: string) => JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as Record<string, never>;
  const { operations, scopes, scopes_main: scopesMain } = read("operations") as unknown as Folder;
  const { records, payloads, enumerations } = read("records") as Record<string, Record<string, Json>>;
  return Object.fromEntries(
    APIS.map((api) => [
      api,
      {
        operations: Object.fromEntries(
          operations
            .filter(({ apis }) => apis.includes(api))
            .map((row) => [row.id, rowIn(row, api, { scopes, scopesMain })]),
        ),
        records: mapValues(records ?? {}, (one) => fieldsOf(one, api)),
        payloads: mapValues(payloads ?? {}, (one) => fieldsOf({ fields: one }, api)),
        values: mapValues(enumerations ?? {}, ({ values }) => values as string[]),
      },
    ]),
  );
}

interface Folder {
  readonly operations: readonly (Json & {
    readonly id: string;
    readonly apis: readonly string[];
    readonly query: Specs;
  })[];
  readonly scopes: Readonly<Record<string, string[]>>;
  readonly scopes_main: Readonly<Record<string, string[]>>;
}

function rowIn(
  row: Folder["operations"][number],
  api: ApiName,
  given: { scopes: Folder["scopes"]; scopesMain: Folder["scopes"] },
): OperationFacts {
  const { id } = row;
  const scopes =
    (api === "main" ? (row.scopes_main ?? given.scopesMain[id]) : undefined) ?? row.scopes ?? given.scopes[id] ?? [];
  return {
    id,
    method: String(row.method),
    path: String(row.path),
    query: Object.fromEntries(Object.entries(row.query).filter(([name]) => !PAGING.test(name))),
    body: ((api === "admin" && row.body_admin) || row.body) as Specs | null,
    response: row.response as string | null,
    scopes: scopes as string[],
    beta: row.beta === true && ((row.beta_in as string[] | undefined)?.includes(api) ?? true),
    feature: (row.feature ?? null) as string | null,
    deprecated: (row.deprecated_in as string[] | undefined)?.includes(api) ?? false,
    status: Number(row.success_status ?? 200),
    paged: pagedOf(String(row.method), row.response as string | null, Object.keys(row.query)),
  };
}

function fieldsOf({ fields, union, admin_only: adminOnly = [] }: Json, api: ApiName): Specs {
  const several = (union ?? (fields as Json | undefined)?.union) as { variants: Record<string, string> } | undefined;
  if (several) return { "(forms)": { type: Object.values(several.variants).join("|") } };
  if ((fields as Json | undefined)?.map) return {};
  const shown = Object.entries((fields ?? {}) as Specs);
  return Object.fromEntries(shown.filter(([name]) => api === "admin" || !(adminOnly as string[]).includes(name)));
}

function mapValues<T, R>(of: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(of).map(([name, value]) => [name, change(value)]));
}
