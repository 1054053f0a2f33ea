import type { InputIssue } from "../errors.js";
import { METHODS, type Method, type Operation } from "../operation.js";
import type { ArrayFormat } from "../options.js";
import { isSchema } from "../validation/traits.js";
import { type BuiltRequest, inputError, writeBody, writeQuery } from "./request.js";

/** A request by hand, for what no operation covers; see `Transport.request`. */
export interface RawRequest {
  readonly method: Method;
  /** Path below the base URL, with the API's prefix: `api/v1/planned_courses`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean | readonly (string | number)[] | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Schema of the answer; a mismatch is drift, as for every operation. */
  readonly response?: Operation["response"];
}

/**
 * Makes a request by hand a row and a request like those of every operation.
 * @throws InputError naming every field that is wrong; nothing was sent.
 */
export function readRawRequest(request: RawRequest, format: ArrayFormat): { row: Operation; built: BuiltRequest } {
  const { method, path, query, body, response } = (request ?? {}) as Partial<RawRequest>;
  const issues: InputIssue[] = [];
  if (!METHODS.includes(method)) issues.push({ path: "method", message: `must be one of ${METHODS.join(", ")}` });
  if (typeof path !== "string" || !isPlainPath(path)) {
    issues.push({ path: "path", message: "must be a plain path below the base URL; put the query into query" });
  }
  if (query !== undefined && (typeof query !== "object" || query === null)) {
    issues.push({ path: "query", message: "must be an object" });
  }
  for (const [name, value] of Object.entries(query ?? {})) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (!name.isWellFormed() || !values.every(isQueryValue)) {
      issues.push({ path: `query.${name}`, message: "must be text, a number, true or false, or an array of those" });
    }
  }
  if (response !== undefined && !isSchema(response)) {
    issues.push({ path: "response", message: "must be a zod schema" });
  }
  const id = typeof method === "string" && typeof path === "string" ? `${method} ${path}` : "request";
  if (issues.length > 0) throw inputError(id, issues);
  const row = { id, method, path, apis: [], ...(response ? { response } : {}) } as Operation;
  const built: BuiltRequest = {
    path: (path as string).replace(/^\//, ""),
    query: writeQuery(query ?? {}, format),
    body: body === undefined ? null : writeBody(id, body),
  };
  return { row, built };
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
