import { jsonIssues, queryIssues } from "../core/call/input-issues.js";
import { type BuiltRequest, inputError, writeQuery } from "../core/call/request.js";
import type { InputIssue } from "../core/error-details.js";
import { isPlainObject } from "../core/json.js";
import { METHODS, type Method } from "../core/method.js";
import type { Operation } from "../core/operation.js";
import { checkNames, type Names } from "../core/option-checks.js";
import type { ArrayFormat, QueryOption } from "../core/options.js";
import { isModel, isSchema } from "../core/schema/traits.js";
import { parserOf, type StandardSchema } from "./standard-schema.js";

/** A request that no operation of the library covers. */
export interface RawRequest<Schema extends StandardSchema = StandardSchema> {
  readonly method: Method;
  /** Path below the base URL, with the API's prefix, such as `api/v1/planned_courses`. */
  readonly path: string;
  readonly query?: QueryOption | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /**
   * Standard Schema (zod, valibot, arktype, …) for the response; the call resolves to the value that the schema
   * returns. With validation `report`, a response that does not match is returned unchanged; with `off`, every response
   * is. Choose `strict` for a schema that converts values: `report` can return unconverted responses.
   */
  readonly response?: Schema | undefined;
}

/** A GET request for a list; the `Link` header of each response leads to the next page. */
export interface RawListRequest<Schema extends StandardSchema = StandardSchema>
  extends Omit<RawRequest<Schema>, "method" | "body"> {
  readonly method?: "GET" | undefined;
}

/** Checks and builds a raw request. @throws InputError naming everything that is wrong; nothing was sent. */
export function buildRawRequest(request: RawRequest, arrayFormat: ArrayFormat): BuiltRequest {
  return buildFrom(request, operationOf(request), arrayFormat);
}

/** Prepares a raw list: its operation, and the function that checks and builds the request for its first page. */
export function prepareRawList(request: RawListRequest): {
  readonly operation: Operation;
  readonly build: (perPage: number | null, arrayFormat: ArrayFormat) => BuiltRequest;
} {
  const list: RawRequest = { ...request, method: "GET" };
  const operation: Operation = { ...operationOf(list), paged: "cursor" };
  const build = (perPage: number | null, arrayFormat: ArrayFormat) => {
    if (request?.method !== undefined && request.method !== "GET") {
      throw inputError(operation.id, [{ path: "method", message: "must be GET, or left out" }]);
    }
    const { query = {} } = list;
    const unsized = isPlainObject(query) && query.per_page === undefined;
    const sized = unsized ? { ...query, per_page: perPage ?? undefined } : query;
    return buildFrom({ ...list, query: sized }, operation, arrayFormat);
  };
  return { operation, build };
}

function operationOf(request: RawRequest): Operation {
  const { method, path } = (request ?? {}) as Partial<RawRequest>;
  const id = typeof method === "string" && typeof path === "string" ? `${method} ${path}` : "request";
  return { id, method, path, apis: [] } as unknown as Operation;
}

function buildFrom(request: RawRequest, operation: Operation, arrayFormat: ArrayFormat): BuiltRequest {
  const given = (isPlainObject(request) ? request : {}) as Partial<RawRequest>;
  // Otherwise a request with a misspelled `body` would be sent without a body.
  checkNames(given, NAMES, (path, message) => inputError(operation.id, [{ path, message }]));
  const { path, query, body, response } = given;
  const issues = issuesOf(given);
  if (issues.length > 0) throw inputError(operation.id, issues);
  // A schema of this library becomes the operation's model, so that new fields in responses are reported.
  const modelOf = isSchema(response) && isModel(response) ? { response } : null;
  return {
    operation: { ...operation, ...modelOf },
    path: (path as string).replace(/^\//, ""),
    params: {},
    query: writeQuery(query ?? {}, arrayFormat),
    body,
    raw: true,
    validate: modelOf || !response ? undefined : parserOf(response),
  };
}

const NAMES: Names<RawRequest> = { method: 1, path: 1, query: 1, body: 1, response: 1 };

function issuesOf({ method, path, query, body, response }: Partial<RawRequest>): InputIssue[] {
  const issues: InputIssue[] = [];
  if (!METHODS.includes(method)) issues.push({ path: "method", message: `must be one of ${METHODS.join(", ")}` });
  if (typeof path !== "string" || !isPlainPath(path)) {
    issues.push({
      path: "path",
      message:
        "must be a plain, URL-encoded path below the base URL, without %2F or %5C; put the query into the `query` option",
    });
  }
  if (method === "GET" && body !== undefined) issues.push({ path: "body", message: "is not allowed in a GET" });
  issues.push(...queryIssues(query));
  if (response !== undefined && typeof response?.["~standard"]?.validate !== "function") {
    issues.push({ path: "response", message: "must be a Standard Schema, such as a zod schema" });
  }
  const inBody = jsonIssues(body);
  return [...issues, ...inBody.map((issue) => ({ ...issue, path: issue.path === "" ? "body" : `body.${issue.path}` }))];
}

// Refuses white space and control characters, because URL parsers drop some of them: ".\t." would become "..".
function isPlainPath(path: string): boolean {
  if (/[\\?#\s\p{Cc}]|%(2f|5c)|:\/\//iu.test(path) || !path.isWellFormed()) return false;
  return path
    .replace(/^\//, "")
    .split("/")
    .every((part) => part !== "" && !/^(\.|%2e){1,2}$/i.test(part));
}
