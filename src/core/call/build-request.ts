import { isPlainObject } from "../json.js";
import { API_PREFIX, type Operation } from "../operation.js";
import type { ArrayFormat, QueryOption } from "../options.js";
import { parse } from "../schema/issues.js";
import { querySchema } from "../schema/query.js";
import { strictSchema } from "../schema/strict-schema.js";
import { fieldsOf, type Schema } from "../schema/traits.js";
import { emptyFilters, inputIssues, jsonIssues, queryIssues } from "./input-issues.js";
import {
  type BuiltRequest,
  bareName,
  inputError,
  isOtherObject,
  isSegment,
  type OperationParts,
  type Query,
  writeQuery,
} from "./request.js";

/**
 * Checks the arguments of an operation and builds its request.
 * @throws InputError naming every field that is wrong; nothing was sent.
 */
export function buildRequest(operation: Operation, parts: OperationParts, arrayFormat: ArrayFormat): BuiltRequest {
  const refusal = () => inputError(operation.id, inputIssues(operation, parts, arrayFormat));
  const read = (schema: Schema | undefined, value: unknown) => {
    if (!schema) return undefined;
    const result = isOtherObject(value) ? null : parse(strictSchema(schema, "input"), value);
    if (!result?.success) throw refusal();
    return result.data;
  };
  const params = (read(operation.params, parts.params) ?? {}) as Record<string, unknown>;
  const query = writeQuery(read(querySchema(operation), parts.query ?? {}) as Record<string, unknown>, arrayFormat);
  const body = read(operation.body, parts.body);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!isSegment(params[name])) throw refusal();
    return encodeURIComponent(String(params[name]));
  });
  const isSendable = query.every(([, value]) => value.isWellFormed()) && jsonIssues(body, parts.body).length === 0;
  if (!isSendable || emptyFilters(parts.query).length > 0) throw refusal();
  return { operation, path: `${API_PREFIX[operation.apis[0] ?? "main"]}/${path}`, params, query, body, raw: false };
}

/**
 * The query of a request, with the parameters from the option `query` added.
 * @throws InputError, also for a parameter that the request or its operation already has.
 */
export function queryWith(
  { operation, query, params }: BuiltRequest,
  added: QueryOption | undefined,
  format: ArrayFormat,
): Query {
  if (added === undefined) return query;
  const taken = {
    cursor: 1,
    page: 1,
    per_page: 1,
    ...fieldsOf(operation.query),
    ...params,
    ...Object.fromEntries(query.map(([name]) => [bareName(name), 1])),
  };
  const issues = queryIssues(added, taken);
  if (issues.length > 0) throw inputError(operation.id, issues);
  return [...query, ...writeQuery(added, format)];
}

/**
 * The body of a request, with the fields from the option `body` added.
 * @throws InputError, also for a field that the request or its operation already has.
 */
export function bodyWith({ operation, body }: BuiltRequest, added: unknown): unknown {
  if (added === undefined) return body;
  const fail = (path: string, message: string) => inputError(operation.id, [{ path: `body${path}`, message }]);
  if (operation.method === "GET") throw fail("", "cannot be sent with a GET");
  if (!isPlainObject(added) || !isPlainObject(body ?? {})) throw fail("", "must be a plain object");
  const [issue] = jsonIssues(added);
  if (issue) throw fail(`.${issue.path}`, issue.message);
  const taken = { ...fieldsOf(operation.body), ...(body as object) };
  const twice = Object.keys(added).find((name) => Object.hasOwn(taken, name));
  if (twice !== undefined) throw fail(`.${twice}`, "is a field of the operation; pass it as an argument");
  return { ...(body as object), ...added };
}
