import type { ResponseParser } from "../drift/response-validator.js";
import type { InputIssue } from "../error-details.js";
import { InputError } from "../errors.js";
import { isJson, isPlainObject } from "../json.js";
import type { Priority } from "../limits/rate-limit-store.js";
import { API_PREFIX, type Operation } from "../operation.js";
import type { ArrayFormat, QueryOption } from "../options.js";
import { parse } from "../schema/issues.js";
import { querySchema } from "../schema/query.js";
import { strictSchema } from "../schema/strict-schema.js";
import { fieldsOf, type Schema } from "../schema/traits.js";
import type { CallSettings } from "../settings.js";
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

/** Says what is wrong with input: `input-issues.ts`, which browsers load with the first. */
export interface InputWords {
  inputIssues(operation: Operation, parts: OperationParts, arrayFormat: ArrayFormat): InputIssue[];
  queryIssues(query: unknown, taken?: object): InputIssue[];
  jsonIssues(value: unknown): InputIssue[];
}

/** Input breaks a rule; nothing was sent. `explained` makes an InputError of it. */
export class WrongInput extends Error {
  readonly operation: string;
  readonly issues: (words: InputWords) => readonly InputIssue[];

  constructor(operation: string, issues: WrongInput["issues"]) {
    super();
    this.operation = operation;
    this.issues = issues;
  }
}

/**
 * Checks and writes the request of an operation.
 * @param arrayFormat how arrays are written in the query.
 * @throws WrongInput
 */
export function buildRequest(operation: Operation, parts: OperationParts, arrayFormat: ArrayFormat): BuiltRequest {
  const refuse = () => new WrongInput(operation.id, (words) => words.inputIssues(operation, parts, arrayFormat));
  const read = (schema: Schema | undefined, value: unknown) => {
    if (!schema) return undefined;
    const result = isOtherObject(value) ? null : parse(strictSchema(schema, "input"), value);
    if (!result?.success) throw refuse();
    return result.data;
  };
  const params = (read(operation.params, parts.params) ?? {}) as Record<string, unknown>;
  const query = writeQuery(read(querySchema(operation), parts.query ?? {}) as Record<string, unknown>, arrayFormat);
  const body = read(operation.body, parts.body);
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (!isSegment(params[name])) throw refuse();
    return encodeURIComponent(String(params[name]));
  });
  if (hasEmptyFilter(parts.query) || !query.every(([, value]) => value.isWellFormed()) || !isJson(body, parts.body)) {
    throw refuse();
  }
  return { operation, path: `${API_PREFIX[operation.apis[0] ?? "main"]}/${path}`, params, query, body, raw: false };
}

/** An object whose content would be lost. */
export function isOtherObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value);
}

/** Makes an InputError whose message names the operation and every field. */
export function inputError(operation: string, issues: readonly InputIssue[]): InputError {
  const what = issues.map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`)).join("; ");
  return new InputError(`${operation}: ${what}${what.endsWith("?") ? "" : "."} Nothing was sent.`, issues, {
    operation,
  });
}

// A path parameter that ends or leaves its segment would reach another endpoint. Encoded forms are refused as well: some
// servers decode before they route.
const LEAVES_SEGMENT = /^\.{1,2}$|[/\\]|%(2f|5c|2e)/i;

/** Whether a path parameter fills one segment of the path. */
export function isSegment(value: unknown): boolean {
  const text = value === undefined || value === null ? "" : String(value);
  return text !== "" && !LEAVES_SEGMENT.test(text) && text.isWellFormed();
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
 * A filter that is there and has no value: sent without it, a list has all records. Whoever fills in a filter and found nothing would act
 * on everything.
 */
export function isEmptyFilter([name, value]: readonly [string, unknown]): boolean {
  return (value === undefined && !PAGING.test(name)) || (Array.isArray(value) && value.length === 0);
}

const PAGING = /^(cursor|page|per_page)$/;

function hasEmptyFilter(query: unknown): boolean {
  return isPlainObject(query) && Object.entries(query).some(isEmptyFilter);
}

/** Whether something can be sent as query parameters. */
export function isQuery(query: unknown): query is QueryOption | undefined {
  if (query === undefined) return true;
  return isPlainObject(query) && Object.entries(query).every(isParameter) && !hasEmptyFilter(query);
}

/** Whether something can be sent as one query parameter. */
export function isParameter([name, value]: readonly [string, unknown]): boolean {
  // A copy, because `every` passes over the holes of an array.
  const values: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  return name.isWellFormed() && (value === undefined || values.every(isQueryValue));
}

function isQueryValue(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && value.isWellFormed();
}

/**
 * The query of a request with the parameters of the option `query`.
 * @throws WrongInput, also for a parameter that the request or its operation already has: it would be unclear which one wins.
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
  if (!isQuery(own) || Object.keys(own).some((name) => Object.hasOwn(taken, bareName(name)))) {
    throw new WrongInput(operation.id, (words) => words.queryIssues(own, taken));
  }
  return [...query, ...writeQuery(own, format)];
}

/** The path and query of a request, as they follow the base URL. */
export function targetOf({ path, query }: BuiltRequest): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}
