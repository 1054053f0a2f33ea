import * as z from "zod/mini";
import { InputError, type InputIssue } from "../errors.js";
import { isPlainObject, jsonIssues } from "../json.js";
import type { Priority } from "../limits/rate-limit-store.js";
import { METHODS, type Method } from "../method.js";
import { model } from "../model.js";
import type { Operation } from "../operation.js";
import type { ArrayFormat } from "../options.js";
import { explainReadOnly } from "../read-only-fields.js";
import type { CallSettings } from "../settings.js";
import { check, toInputIssue } from "../validation/issues.js";
import type { StandardSchema } from "../validation/standard-schema.js";
import { StrictSchemas } from "../validation/strict-schema.js";
import { fieldsOf, isModel, isSchema, type Schema } from "../validation/traits.js";
import type { CallMessage } from "./trace.js";

/** Query parameters as they are written, in order. */
export type Query = readonly (readonly [name: string, value: string])[];

/** The parts a caller passes to an operation. */
export interface OperationParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** What is sent, checked and written. */
export interface BuiltRequest {
  /** With the API's prefix; `routes` are applied. */
  readonly operation: Operation;
  /** Path below the base URL, parameters filled in and encoded. */
  readonly path: string;
  /** The path parameters, as passed. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Query;
  /** Sent as JSON; undefined when there is none. */
  readonly body: unknown;
  /** True for a request by hand, whose response passes as it is. */
  readonly raw: boolean;
  /** What a request by hand validates its response with. */
  readonly schema?: StandardSchema | undefined;
}

/** A request of one call: what is sent, and how. */
export interface CallRequest extends BuiltRequest {
  readonly settings: CallSettings;
  readonly priority: Priority;
  /** The caller's signal. */
  readonly signal: AbortSignal | undefined;
  /** True for the page of a list that a checkpoint leads to. */
  readonly resumed?: boolean;
  /** What subscribers of the diagnostics channels see of the call; absent while there are none. */
  readonly trace?: CallMessage;
}

/** A request by hand, for what no operation covers. */
export interface RawRequest<Schema extends StandardSchema = StandardSchema> {
  readonly method: Method;
  /** Path below the base URL, with the API's prefix: `api/v1/planned_courses`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Standard Schema (zod, valibot, arktype, …) of the response; the call resolves to the value it parses. */
  readonly response?: Schema;
}

/** A list requested by hand: a GET whose `Link` headers are followed. */
export interface RawListRequest<Schema extends StandardSchema = StandardSchema>
  extends Omit<RawRequest<Schema>, "method" | "body"> {
  readonly method?: "GET";
}

/** Checks and writes requests. */
export class RequestBuilder {
  readonly #strict = new StrictSchemas("input");
  readonly #queries = new WeakMap<Operation, Schema>();
  readonly #arrayFormat: ArrayFormat;

  constructor(arrayFormat: ArrayFormat) {
    this.#arrayFormat = arrayFormat;
  }

  /**
   * Checks and writes the request of an operation.
   * @param prefix path of the API below the base URL.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  build(operation: Operation, prefix: string, parts: OperationParts): BuiltRequest {
    const issues: InputIssue[] = [];
    const params = this.#checked("path parameters", operation.params, parts.params, issues);
    const query = this.#checked("query", this.#querySchema(operation), parts.query ?? {}, issues);
    const inBody: InputIssue[] = [];
    const body = this.#checked("body", operation.body, parts.body, inBody);
    issues.push(...inBody.map((issue) => explainReadOnly(operation, issue)));
    // Written only once it is known to be what its schema says: other values may not even convert to text.
    const written = issues.length > 0 ? [] : writeQuery((query ?? {}) as Record<string, unknown>, this.#arrayFormat);
    for (const [name, value] of written) {
      if (!value.isWellFormed()) issues.push({ path: name, message: BROKEN_UNICODE });
    }
    if (issues.length === 0) issues.push(...jsonIssues(body));
    const filled = issues.length > 0 ? "" : fillPath(operation.path, (params ?? {}) as Record<string, unknown>, issues);
    if (issues.length > 0) throw inputError(operation.id, issues);
    return {
      operation,
      path: `${prefix}/${filled}`,
      params: (params ?? {}) as Record<string, unknown>,
      query: written,
      body,
      raw: false,
    };
  }

  /**
   * Checks and writes a request by hand.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  buildRaw(request: RawRequest, paged: boolean): BuiltRequest {
    const { method, path, query, body, response } = (isPlainObject(request) ? request : {}) as Partial<RawRequest>;
    const issues: InputIssue[] = [];
    if (!METHODS.includes(method)) issues.push({ path: "method", message: `must be one of ${METHODS.join(", ")}` });
    if (typeof path !== "string" || !isPlainPath(path)) {
      issues.push({ path: "path", message: "must be a plain path below the base URL; put the query into query" });
    }
    if (method === "GET" && body !== undefined) issues.push({ path: "body", message: "must be left out of a GET" });
    if (query !== undefined && !isPlainObject(query)) issues.push({ path: "query", message: "must be a plain object" });
    for (const [name, value] of Object.entries(isPlainObject(query) ? query : {})) {
      const values: readonly unknown[] = Array.isArray(value) ? value : [value];
      if (!name.isWellFormed() || !values.every(isQueryValue)) {
        issues.push({ path: `query.${name}`, message: "must be text, a number, true or false, or an array of those" });
      }
    }
    if (response !== undefined && typeof response?.["~standard"]?.validate !== "function") {
      issues.push({ path: "response", message: "must be a Standard Schema, such as a zod schema" });
    }
    issues.push(
      ...jsonIssues(body).map((issue) => ({ ...issue, path: issue.path === "" ? "body" : `body.${issue.path}` })),
    );
    const operation = rawOperation(request, paged);
    if (issues.length > 0) throw inputError(operation.id, issues);
    // A schema of this library is validated as for every operation: new fields are noticed.
    const own = isSchema(response) && isModel(response) ? { response } : null;
    return {
      operation: { ...operation, ...own },
      path: (path as string).replace(/^\//, ""),
      params: {},
      query: writeQuery((query ?? {}) as Record<string, unknown>, this.#arrayFormat),
      body,
      raw: true,
      schema: own ? undefined : response,
    };
  }

  #checked(what: string, schema: Schema | undefined, value: unknown, issues: InputIssue[]): unknown {
    if (!schema) return undefined;
    if (typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value)) {
      issues.push({ path: "", message: `the ${what} must be a plain object` });
      return undefined;
    }
    const checked = check(this.#strict.of(schema), value);
    for (const issue of checked.mismatches.map(toInputIssue)) {
      // An issue with the whole has no name of its own.
      issues.push(issue.path === "" ? { path: "", message: `the ${what} ${issue.message}` } : issue);
    }
    return checked.value;
  }

  // The query of a list is its filters and the pagination parameters its operation accepts.
  #querySchema(operation: Operation): Schema {
    let schema = this.#queries.get(operation);
    if (!schema) {
      schema = model(() => ({ ...(fieldsOf(operation.query) as z.core.$ZodShape), ...pageFields(operation.paged) }));
      this.#queries.set(operation, schema);
    }
    return schema;
  }
}

/** The operation that a request by hand stands for; its id is the method and the path. */
export function rawOperation(request: Partial<RawRequest> | null | undefined, paged: boolean): Operation {
  const { method, path } = request ?? {};
  const id = typeof method === "string" && typeof path === "string" ? `${method} ${path}` : "request";
  return { id, method, path, apis: [], ...(paged && { paged: "cursor" }) } as Operation;
}

/** The pagination parameters that a list accepts (service description, rule 8). */
export function pageFields(paged: Operation["paged"]): z.core.$ZodShape {
  if (!paged || paged === "none") return {};
  return {
    cursor: z.optional(z.string().check(z.minLength(1))),
    per_page: z.optional(z.int().check(z.minimum(1), z.maximum(100))),
    ...(paged === "cursor+page" && { page: z.optional(z.int().check(z.minimum(1))) }),
  };
}

/** Makes an InputError whose message names the operation and every field. */
export function inputError(operation: string, issues: readonly InputIssue[]): InputError {
  const what = issues.map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`)).join("; ");
  return new InputError(`${operation}: ${what}. Nothing was sent.`, issues, { operation });
}

const BROKEN_UNICODE = "contains an unpaired surrogate (broken Unicode) and cannot be put in a URL";

// A path parameter that ends or leaves its segment would reach another endpoint. Encoded forms are refused as well: some
// servers decode before they route.
const LEAVES_SEGMENT = /^\.{1,2}$|[/\\]|%(2f|5c|2e)/i;

function fillPath(template: string, params: Record<string, unknown>, issues: InputIssue[]): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    const text = value === undefined || value === null ? "" : String(value);
    if (text === "" || LEAVES_SEGMENT.test(text) || !text.isWellFormed()) {
      issues.push({
        path: name,
        message: 'is not a valid path segment: it must not be empty, ".", "..", or contain slashes or broken Unicode',
      });
      return "";
    }
    return encodeURIComponent(text);
  });
}

/** Writes a query as names and values, arrays in the format given; leaves undefined and null out. */
export function writeQuery(query: Record<string, unknown>, format: ArrayFormat): [string, string][] {
  const pairs: [string, string][] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) pairs.push([name, String(value)]);
    else if (format === "comma") {
      if (value.length > 0) pairs.push([name, value.map(String).join(",")]);
    } else for (const item of value) pairs.push([format === "brackets" ? `${name}[]` : name, String(item)]);
  }
  return pairs;
}

/** The path and query of a request, as ky takes them below its prefix. */
export function targetOf({ path, query }: BuiltRequest): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}

// White space and control characters are refused as well: a URL parser drops some of them, and ".\t." becomes "..".
function isPlainPath(path: string): boolean {
  if (/[\\?#\s\p{Cc}]|%(2f|5c)|:\/\//iu.test(path) || !path.isWellFormed()) return false;
  return path
    .replace(/^\//, "")
    .split("/")
    .every((part) => part !== "" && !/^(\.|%2e){1,2}$/i.test(part));
}

function isQueryValue(value: unknown): boolean {
  if (value === undefined || typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && value.isWellFormed();
}
