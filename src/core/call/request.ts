import type { ResponseParser } from "../drift/response-validator.js";
import type { InputIssue } from "../error-details.js";
import { InputError } from "../errors.js";
import { isPlainObject } from "../json.js";
import type { Priority } from "../limits/rate-limit-store.js";
import type { Operation } from "../operation.js";
import type { ArrayFormat } from "../options.js";
import type { CallSettings } from "../settings.js";
import type { CallMessage } from "./trace.js";

/** Query parameters in the form and order in which they are sent. */
export type Query = readonly (readonly [name: string, value: string])[];

export interface OperationParts {
  readonly params?: unknown;
  readonly query?: unknown;
  readonly body?: unknown;
}

/** The content of a request, checked and serialized. */
export interface BuiltRequest {
  /** The operation, with `routes` applied. */
  readonly operation: Operation;
  /** Path below the base URL, with the API's prefix; parameters are filled in and encoded. */
  readonly path: string;
  /** The path parameters, as passed. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Query;
  /** The body, which is sent as JSON; undefined when there is none. */
  readonly body: unknown;
  /** True for a raw request, whose response is returned unchanged. */
  readonly raw: boolean;
  /** Validates the response if the operation has no schema for it. */
  readonly validate?: ResponseParser | undefined;
}

export interface CallRequest extends BuiltRequest {
  readonly settings: CallSettings;
  readonly priority: Priority;
  readonly signal: AbortSignal | undefined;
  /** True for the first page of a list that is resumed from a checkpoint. */
  readonly resumed?: boolean;
  /** The call as subscribers of the diagnostics channels see it; absent while there are none. */
  readonly trace?: CallMessage;
}

/** True for an object whose content JSON would lose, such as a Map. */
export function isOtherObject(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isPlainObject(value);
}

export function inputError(operation: string, issues: readonly InputIssue[]): InputError {
  const what = issues.map((issue) => (issue.path === "" ? issue.message : `${issue.path} ${issue.message}`)).join("; ");
  return new InputError(`${operation}: ${what}${what.endsWith("?") ? "" : "."} Nothing was sent.`, issues, {
    operation,
  });
}

// A path parameter that is a dot segment or contains a slash would reach another operation. So might encoded forms,
// because some servers decode the path before they route it.
const LEAVES_SEGMENT = /^\.{1,2}$|[/\\]|%(2f|5c|2e)/i;

export function isSegment(value: unknown): boolean {
  const text = value === undefined || value === null ? "" : String(value);
  return text !== "" && !LEAVES_SEGMENT.test(text) && text.isWellFormed();
}

/** Writes a query as names and values, with arrays in the given format; leaves out undefined and null. */
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

export function bareName(name: string): string {
  return name.endsWith("[]") ? name.slice(0, -2) : name;
}

/**
 * True for a filter that is present but has no value. Without the filter a list would return all records, so a program
 * whose search for the value found nothing would act on every record.
 */
export function isEmptyFilter([name, value]: readonly [string, unknown]): boolean {
  return (value === undefined && !PAGING.test(name)) || (Array.isArray(value) && value.length === 0);
}

const PAGING = /^(cursor|page|per_page)$/;

export function isParameter([name, value]: readonly [string, unknown]): boolean {
  // Spread into a copy, because `every` skips the holes of a sparse array.
  const values: readonly unknown[] = Array.isArray(value) ? [...value] : [value];
  return name.isWellFormed() && (value === undefined || values.every(isQueryValue));
}

function isQueryValue(value: unknown): boolean {
  if (typeof value === "boolean") return true;
  return typeof value === "number" ? Number.isFinite(value) : typeof value === "string" && value.isWellFormed();
}

/** The path and query of a request, to be appended to the base URL. */
export function targetOf({ path, query }: BuiltRequest): string {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
  return search === "" ? path : `${path}?${search}`;
}
