import type { InputIssue } from "../error-details.js";
import { DEEPEST, isInvalidDate, isPlainObject, PROTO } from "../json.js";
import type { Operation } from "../operation.js";
import { didYouMean } from "../option-checks.js";
import type { ArrayFormat } from "../options.js";
import { check, type Mismatch, toInputIssue } from "../schema/issues.js";
import { querySchema } from "../schema/query.js";
import { strictSchema } from "../schema/strict-schema.js";
import { fieldsOf, type Schema } from "../schema/traits.js";
import { LIST_OPTIONS } from "../settings.js";
import {
  bareName,
  isEmptyFilter,
  isOtherObject,
  isParameter,
  isSegment,
  type OperationParts,
  writeQuery,
} from "./request.js";

export function inputIssues(operation: Operation, parts: OperationParts, arrayFormat: ArrayFormat): InputIssue[] {
  const issues: InputIssue[] = [];
  const params = checkPart("path parameters", operation.params, parts.params, issues);
  issues.push(...emptyFilters(parts.query));
  const query = checkPart("query", querySchema(operation), parts.query ?? {}, issues);
  const inBody: InputIssue[] = [];
  const body = checkPart("body", operation.body, parts.body, inBody);
  issues.push(...inBody.map((issue) => explainReadOnly(operation, issue)));
  if (issues.length > 0) return issues;
  for (const [name, value] of writeQuery(query as Record<string, unknown>, arrayFormat)) {
    if (!value.isWellFormed()) issues.push({ path: name, message: BROKEN_UNICODE });
  }
  if (issues.length === 0) issues.push(...jsonIssues(body, parts.body));
  if (issues.length > 0) return issues;
  for (const [, name = ""] of operation.path.matchAll(/\{(\w+)\}/g)) {
    const value = (params as Record<string, unknown> | undefined)?.[name];
    if (!isSegment(value)) issues.push({ path: name, message: NO_SEGMENT });
  }
  return issues;
}

const BROKEN_UNICODE = "contains an unpaired surrogate (broken Unicode) and cannot be put in a URL";
const NO_SEGMENT = 'is not a valid path segment: it must not be empty, ".", "..", or contain slashes or broken Unicode';

function checkPart(what: string, schema: Schema | undefined, value: unknown, issues: InputIssue[]): unknown {
  if (!schema) return undefined;
  if (isOtherObject(value)) {
    issues.push({ path: "", message: `the ${what} must be a plain object` });
    return undefined;
  }
  const { value: accepted, mismatches } = check(strictSchema(schema, "input"), value);
  for (const mismatch of mismatches) {
    const issue = withSuggestion(toInputIssue(mismatch), mismatch, schema);
    issues.push(issue.path === "" ? { path: "", message: `the ${what} ${issue.message}` } : issue);
  }
  return accepted;
}

// Suggests a known name for a misspelled one at the top level; in nested objects the path is enough.
function withSuggestion(issue: InputIssue, { kind, path }: Mismatch, schema: Schema): InputIssue {
  if (kind !== "unknown_field" || path.length !== 1) return issue;
  const { path: name, message } = issue;
  if (Object.hasOwn(LIST_OPTIONS, name))
    return { path: name, message: `${message}; it belongs in the options, the next argument` };
  return { path: name, message: message + didYouMean(name, Object.keys(fieldsOf(schema))) };
}

// Explains a field that the operation only returns: for example, `address` is read-only, and `address_attributes` is
// sent instead.
function explainReadOnly(row: Operation, issue: InputIssue): InputIssue {
  const { path } = issue;
  const sent = fieldsOf(row.body);
  if (path in sent || !(path in fieldsOf(row.response))) return issue;
  const counterpart = `${path}_attributes`;
  const instead = counterpart in sent ? `send ${counterpart}` : "leave it out";
  return { path, message: `is read-only here; ${instead}` };
}

export function emptyFilters(query: unknown, prefix = ""): InputIssue[] {
  const empty = Object.entries(isPlainObject(query) ? query : {}).filter(isEmptyFilter);
  return empty.map(([name, value]) => ({
    path: `${prefix}${name}`,
    message: `is ${value === undefined ? "undefined" : "empty"}, which would ask for all records; leave the filter out to ask for all`,
  }));
}

/**
 * Lists the invalid parameters of a query that has no schema.
 * @param taken parameters that the operation already has.
 */
export function queryIssues(query: unknown, taken: object = {}): InputIssue[] {
  if (query === undefined) return [];
  if (!isPlainObject(query)) return [{ path: "query", message: "must be a plain object" }];
  const names = Object.keys(query);
  const queryIssue = (name: string, message: string) => ({ path: `query.${name}`, message });
  return [
    ...Object.entries(query)
      .filter((parameter) => !isParameter(parameter))
      .map(([name]) => queryIssue(name, "must be text, a number, true or false, or an array of those")),
    ...emptyFilters(query, "query."),
    ...names
      .filter((name) => Object.hasOwn(taken, bareName(name)))
      .map((name) => queryIssue(name, "is a parameter of the operation; pass it as an argument")),
  ];
}

/**
 * Finds the first value that JSON cannot represent.
 * @param given what the caller passed, before a schema copied it: the copy of a Map or an Error is empty.
 */
export function jsonIssues(value: unknown, given: unknown = value, path = "", depth = 0): InputIssue[] {
  const isCopy = isPlainObject(value) && !isPlainObject(given);
  const problem = isCopy ? notPlain(given) : jsonProblem(value, depth);
  if (problem !== null) return [{ path, message: `cannot be sent as JSON: ${problem}` }];
  if (typeof value !== "object" || value === null || "toJSON" in value) return [];
  // JSON.parse can create a `__proto__` key; copies that schemas make lack it, so `given` is checked.
  if (isPlainObject(given) && Object.hasOwn(given, PROTO) && !Object.hasOwn(value, PROTO)) {
    return [{ path: joinPath(path, PROTO), message: "cannot be the name of a field" }];
  }
  // Spread into a copy, because `Object.entries` skips the holes of a sparse array.
  for (const [name, child] of Object.entries(Array.isArray(value) ? [...value] : value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : joinPath(path, name);
    if (child === undefined && Array.isArray(value)) {
      return [{ path: at, message: "cannot be sent as JSON: it is undefined, and would become null" }];
    }
    const issues = jsonIssues(child, (given as Readonly<Record<string, unknown>> | null)?.[name], at, depth + 1);
    if (issues.length > 0) return issues;
  }
  return [];
}

function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

function jsonProblem(value: unknown, depth: number): string | null {
  if (typeof value === "bigint") return "it is a BigInt; send text or a number";
  if (typeof value === "number" && !Number.isFinite(value)) return `it is ${value}, and would become null`;
  if (typeof value === "function" || typeof value === "symbol") return `it is a ${typeof value}`;
  if (depth > DEEPEST) return "it nests too deeply or contains itself";
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  // Refused although a Buffer has a toJSON method, because that writes one number per byte.
  if (ArrayBuffer.isView(value)) return "it is binary data";
  if (isInvalidDate(value)) return "it is an invalid Date";
  if ("toJSON" in value || isPlainObject(value)) return null;
  return notPlain(value);
}

function notPlain(value: unknown): string {
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  return `it is ${/^[AEIO]/.test(kind) ? "an" : "a"} ${kind}, not a plain object`;
}
