import type { Operation, OperationRow } from "../operation.js";
import { requiredFields } from "../schema/traits.js";

/** A response with the text of its body. */
export interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** True for a redirect in a browser, which shows neither its status nor its headers. */
  readonly opaqueRedirect: boolean;
  /** True when a browser shows only the headers that the service exposes to other origins. */
  readonly filtered: boolean;
}

export type Body =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly value: unknown }
  /** JSON that ends early, or a body that a broken connection cut off. */
  | { readonly kind: "truncated"; readonly cause?: unknown }
  /** Something other than JSON, so probably not from the service. */
  | { readonly kind: "notJson" };

export function parseBody({ status, headers, text }: WireResponse): Body {
  if (isBodiless(status) || text.trim() === "") return { kind: "empty" };
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (/html|xml/.test(type)) return { kind: "notJson" };
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? { kind: "empty" } : { kind: "json", value };
  } catch {
    // A body that was meant to be JSON but cannot be parsed counts as truncated. So does text that begins like JSON,
    // because a Response constructed from a string has the type text/plain.
    const meant = type === "" || /^[^/]+\/(?:.*\+)?json/.test(type) || /^\s*[[{]/.test(text);
    return { kind: meant ? "truncated" : "notJson" };
  }
}

export function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

/** True if the response is an array: a page of a list, or a whole list. */
export function holdsRecords({ paged, array }: Operation): boolean {
  return paged !== undefined || array === true;
}

/** The service's error body (service description, Errors: `errors` object, `code` integer, `message` string). */
export interface ErrorBody {
  /** Null if it is missing. */
  readonly errors: unknown;
  /** Null if it is missing or not a number. */
  readonly code: number | null;
  /** Null if it is missing. */
  readonly message: string | null;
}

/**
 * Recognizes the service's error body, even in a 2xx response.
 * @param response schema of the expected record. A value with one of its required fields, other than `errors`, `code`
 * and `message`, is the record. Otherwise a failure code, `errors` or a message makes it an error; if no such field is
 * required, a message and one of the other two.
 */
export function errorBodyOf(value: unknown, response?: OperationRow["response"]): ErrorBody | null {
  if (typeof value !== "object" || value === null) return null;
  const { errors, code, message, error } = value as Readonly<Record<string, unknown>>;
  const recordFields = requiredFields(response).filter((field) => !ERROR_FIELDS.test(field));
  if (recordFields.some((field) => Object.hasOwn(value, field))) return null;
  const number = numberOf(code);
  const text = typeof message === "string" ? message : null;
  // Without a failure status in `code`, `errors` shows the failure.
  const showsFailure =
    isFailure(number) ||
    (typeof errors === "object" && errors !== null && (number !== null || Object.keys(errors).length > 0));
  const hasWords = number === null && typeof (text ?? error) === "string";
  const isError = recordFields.length > 0 ? showsFailure || hasWords : showsFailure && text !== null;
  return isError ? { errors: errors ?? null, code: number, message: text } : null;
}

// Error bodies have these fields too: the `code` of a course, for example, does not prove that a value is a course.
const ERROR_FIELDS = /^(errors|code|message)$/;

function numberOf(code: unknown): number | null {
  if (typeof code === "string") return /^\d{1,9}$/.test(code) ? Number(code) : null;
  return typeof code === "number" ? code : null;
}

function isFailure(code: number | null): code is number {
  return code !== null && code >= 400 && code < 600;
}

/** The effective status of a response: its own, or the status in an error body that came with a success status. */
export function statusOf({ status }: WireResponse, body: Body, expected: OperationRow["response"]): number {
  const hidden = status < 400 && body.kind === "json" ? errorBodyOf(body.value, expected) : null;
  if (hidden === null) return status;
  return isFailure(hidden.code) ? hidden.code : 500;
}

export function requestIdOf(headers: Headers): string | null {
  return headers.get("x-request-id");
}

/**
 * Headers that the browser may be hiding from this response: a header that CORS does not expose looks the same as a
 * header that was not sent.
 */
export function hiddenHeadersOf({ status, headers, filtered }: WireResponse, operation: Operation): readonly string[] {
  if (!filtered) return [];
  const wanted = ["x-request-id"];
  if (operation.paged && status < 400) wanted.push("link");
  if (status === 429 || status === 503) wanted.push("retry-after");
  return wanted.filter((name) => !headers.has(name));
}
