import type { ResponseParser } from "../drift/response-validator.js";
import type { InputIssue } from "../error-details.js";
import { InputError } from "../errors.js";
import { isPlainObject, jsonIssues } from "../json.js";
import type { Priority } from "../limits/rate-limit-store.js";
import { API_PREFIX, type Operation } from "../operation.js";
import { didYouMean } from "../option-checks.js";
import type { ArrayFormat, QueryOption } from "../options.js";
import { check, type Mismatch, toInputIssue } from "../schema/issues.js";
import { querySchema } from "../schema/query.js";
import { strictSchema } from "../schema/strict-schema.js";
import { fieldsOf, type Schema } from "../schema/traits.js";
import { type CallSettings, LIST_OPTIONS } from "../settings.js";
import type { CallMessage } from "./trace.js";

/** Query parameters as they are written, in order. */
export type Query = readonly (readonly [name: string, value: string])[];

/** The parts a caller passes to an operation. */
export interface OperationParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The content of a request, checked and serialized. */
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
  /** True for a request by hand, whose response is returned unchanged. */
  readonly raw: boolean;
  /** Validates the response if the operation has no schema for it. */
  readonly validate?: ResponseParser | undefined;
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

/**
 * Checks and writes the request of an operation.
 * @param arrayFormat how arrays are written in the query.
 * @throws InputError naming every field that is wrong; nothing was sent.
 */
export function buildRequest(operation: Operation, parts: OperationParts, arrayFormat: ArrayFormat): BuiltRequest {
  const issues: InputIssue[] = [];
  const params = checked("path parameters", operation.params, parts.params, issues);
  issues.push(...emptyFilters(parts.query));
  const query = checked("query", querySchema(operation), parts.query ?? {}, issues);
  const inBody: InputIssue[] = [];
  const body = checked("body", operation.body, parts.body, inBody);
  issues.push(...inBody.map((issue) => explainReadOnly(operation, issue)));
  // Written only once it is known to be what its schema says: other values may not even convert to text.
  const written = issues.length > 0 ? [] : writeQuery((query ?? {}) as Record<string, unknown>, arrayFormat);
  for (const [name, value] of written) {
    if (!value.isWellFormed()) issues.push({ path: name, message: BROKEN_UNICODE });
  }
  if (issues.length === 0) issues.push(...jsonIssues(body, parts.body));
  const filled = issues.length > 0 ? "" : fillPath(operation.path, (params ?? {}) as Record<string, unknown>, issues);
  if (issues.length > 0) throw inputError(operation.id, issues);
  return {
    operation,
    path: `${API_PREFIX[operation.apis[0] ?? "main"]}/${filled}`,
    params: (params ?? {}) as Record<string, unknown>,
    query: written,
    body,
    raw: false,
  };
}

function checked(what: string, schema: Schema | undefined, value: unknown, issues: InputIssue[]): unknown {
  if (!schema) return undefined;
  if (typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value)) {
    issues.push({ path: "", message: `the ${what} must be a plain object` });
    return undefined;
  }
  const { value: accepted, mismatches } = check(strictSchema(schema, "input"), value);
  for (const mismatch of mismatches) {
    const issue = withSuggestion(toInputIssue(mismatch), mismatch, schema);
    // An issue with the whole has no name of its own.
    issues.push(issue.path === "" ? { path: "", message: `the ${what} ${issue.message}` } : issue);
  }
  return accepted;
}

// Suggests a known name for a misspelt one at the top level; in nested objects the path says enough.
function withSuggestion(issue: InputIssue, { kind, path }: Mismatch, schema: Schema): InputIssue {
  if (kind !== "unknown_field" || path.length !== 1) return issue;
  const { path: name, message } = issue;
  if (Object.hasOwn(LIST_OPTIONS, name))
    return { path: name, message: `${message}; it belongs in the options, the next argument` };
  return { path: name, message: message + didYouMean(name, Object.keys(fieldsOf(schema))) };
}

// Explains a field that the operation only returns: `address` is read-only, `address_attributes` is what to send.
function explainReadOnly(row: Operation, issue: InputIssue): InputIssue {
  const { path } = issue;
  const sent = fieldsOf(row.body);
  if (path in sent || !(path in fieldsOf(row.response))) return issue;
  const counterpart = `${path}_attributes`;
  const instead = counterpart in sent ? `send ${counterpart}` : "leave it out";
  return { path, message: `is read-only here; ${instead}` };
}

/** Makes an InputError whose message names the operation and every field. */
export function inputError(operation: string, issues: readonly InputIssue[]): InputError {
  const what = issues.map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`)).join("; ");
  return new InputError(`${operation}: ${what}${what.endsWith("?") ? "" : "."} Nothing was sent.`, issues, {
    operation,
  });
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

/** The name of a query parameter, without the brackets of an array. */
export function bareName(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}

/**
 * The filters of a query that are there and have no value: sent without them, a list has all records. Whoever fills in a filter and
 * found nothing would act on everything.
 */
function emptyFilters(query: unknown, prefix = ""): InputIssue[] {
  const empty = Object.entries(isPlainObject(query) ? query : {}).filter(
    ([name, value]) => (value === undefined && !PAGING.test(name)) || (Array.isArray(value) && value.length === 0),
  );
  return empty.map(([name, value]) => ({
    path: `${prefix}${name}`,
    message: `is ${value === undefined ? "undefined" : "empty"}, which would ask for all records; leave the filter out to ask for all`,
  }));
}

const PAGING = /^(cursor|page|per_page)$/;

/** What is wrong with the query parameters of the option `query`. */
export function queryIssues(query: unknown): InputIssue[] {
  if (query !== undefined && !isPlainObject(query)) return [{ path: "query", message: "must be a plain object" }];
  const wrong = Object.entries(query ?? {})
    .filter(([name, value]) => {
      // A copy, because `every` passes over the holes of an array.
      const values: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
      return !name.isWellFormed() || (value !== undefined && !values.every(isQueryValue));
    })
    .map(([name]) => ({
      path: `query.${name}`,
      message: "must be text, a number, true or false, or an array of those",
    }));
  return [...wrong, ...emptyFilters(query, "query.")];
}

function isQueryValue(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && value.isWellFormed();
}

/**
 * The query of a request with the parameters of the option `query`.
 * @throws InputError for a parameter that the request or its operation already has: it would be unclear which one wins.
 */
export function queryWith(
  { operation, query, params }: BuiltRequest,
  own: QueryOption | undefined,
  format: ArrayFormat,
): Query {
  if (own === undefined) return query;
  const taken = {
    cursor: 1,
    page: 1,
    per_page: 1,
    ...fieldsOf(operation.query),
    ...params,
    ...Object.fromEntries(query.map(([name]) => [bareName(name), 1])),
  };
  const issues = queryIssues(own);
  for (const name of isPlainObject(own) ? Object.keys(own) : []) {
    if (Object.hasOwn(taken, bareName(name))) {
      issues.push({ path: `query.${name}`, message: "is a parameter of the operation; pass it there" });
    }
  }
  if (issues.length > 0) throw inputError(operation.id, issues);
  return [...query, ...writeQuery(own, format)];
}

/** The path and query of a request, as they follow the base URL. */
export function targetOf({ path, query }: BuiltRequest): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}
