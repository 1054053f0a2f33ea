import {
  ApiError,
  type ApiErrorDetails,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  UnprocessableEntityError,
} from "../errors.js";
import type { Operation } from "../operation.js";
import { redactStart } from "../redact.js";
import { requiredFields, type Schema } from "../validation/traits.js";

/** An answer as it came over the wire, its body read to the end. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** True when a browser shows only the headers that the service exposes to other origins. */
  readonly filtered: boolean;
}

/** What a body holds. */
export type Body =
  | { readonly kind: "empty" }
  | { readonly kind: "json"; readonly value: unknown }
  /** Broken JSON where JSON was announced: most likely cut on the way. */
  | { readonly kind: "cut" }
  /** Something else than JSON. */
  | { readonly kind: "foreign" };

/** Reads a body: text first, then decide. */
export function readBody({ status, headers, text }: WireAnswer): Body {
  if (status === 204 || status === 205 || text === "" || text.trim() === "") return { kind: "empty" };
  const type = headers.get("content-type")?.toLowerCase() ?? "";
  if (/html|xml/.test(type)) return { kind: "foreign" };
  try {
    const value: unknown = JSON.parse(text);
    return value === null ? { kind: "empty" } : { kind: "json", value };
  } catch {
    // A wrong content type beside a body that is no JSON either: the answer is somebody else's, not a cut one. A
    // Response made from text calls itself text/plain, so that beginning as JSON does counts as well.
    const meant = type === "" || /^[^/]+\/(?:.*\+)?json/.test(type) || /^\s*[[{]/.test(text);
    return meant ? { kind: "cut" } : { kind: "foreign" };
  }
}

/** The service's error body (service description, Errors: `errors` object, `code` integer, `message` string). */
export interface ErrorBody {
  readonly errors: unknown;
  readonly code: number;
  readonly message: string;
}

/** Recognises the error body, also where a 2xx hides it: it has none of the fields the record must have. */
export function errorBodyOf(value: unknown, response?: Schema): ErrorBody | null {
  if (typeof value !== "object" || value === null) return null;
  const { errors, code, message } = value as Partial<ErrorBody>;
  if (typeof errors !== "object" || errors === null || typeof code !== "number" || typeof message !== "string")
    return null;
  return requiredFields(response).some((field) => Object.hasOwn(value, field)) ? null : { errors, code, message };
}

/** What an API error is made of beside the answer. */
export interface ErrorContext {
  readonly row: Operation;
  readonly attempts: number;
  readonly secrets: readonly string[];
  /** True when an earlier attempt of the same call may have been carried out. */
  readonly ambiguous: boolean;
  readonly rateLimit: { readonly retryAfterMs: number; readonly resetAt: Date } | null;
  /** Why it was not tried again, if that is worth a sentence. */
  readonly gaveUp: string | null;
}

/** Makes the error of an answer: operation, status, the service's words, the likely reasons, then where it was met. */
export function apiError(answer: WireAnswer, body: Body, context: ErrorContext): ApiError {
  const { row, attempts, secrets, rateLimit } = context;
  const value = body.kind === "json" ? body.value : answer.text;
  const found = body.kind === "json" ? errorBodyOf(body.value) : null;
  // A success that hides an error: the body's own code says what kind it is.
  const hidden = answer.status < 400 && found !== null;
  const status = hidden ? (found?.code ?? answer.status) : answer.status;
  const apiMessage = found?.message ?? messageOf(value);
  const id = requestIdOf(answer.headers);
  const details: ApiErrorDetails = {
    operation: row.id,
    attempts,
    status: answer.status,
    apiCode: found?.code ?? null,
    apiMessage,
    errors: found?.errors ?? null,
    body: value,
    headers: answer.headers,
    requestId: id === null ? null : redactStart(id, secrets, LONGEST_HEADER),
    hiddenHeaders: hiddenHeadersOf(answer, row),
    method: row.method,
    path: row.path,
    outcome: row.method !== "GET" && (context.ambiguous || status === 408 || status >= 500) ? "unknown" : null,
  };
  const words =
    apiMessage === null ? excerptOf(answer, body, secrets) : redactStart(apiMessage, secrets, LONGEST_WORDS);
  const what = `${row.id}: ${answer.status}${hidden ? ` hiding ${status}` : ""} ${STATUS_TEXT[status] ?? ""}`.trimEnd();
  const sentences = [
    words === "" ? what : `${what}: ${words.replace(/\.$/, "")}`,
    likelyReasons(row, status, rateLimit),
    details.hiddenHeaders?.includes("retry-after")
      ? "The browser does not show whether the service sent Retry-After, because CORS does not expose it: the wait is a guess"
      : null,
    context.gaveUp,
  ].filter((sentence) => sentence !== null);
  const requestId = details.requestId === null ? "" : `, request ${details.requestId}`;
  const message = `${sentences.join(". ")} (${row.method} ${row.path}, attempt ${attempts}${requestId})`;
  if (status === 429) {
    const { retryAfterMs = null, resetAt = null } = rateLimit ?? {};
    return new RateLimitError(message, { ...details, retryAfterMs, resetAt });
  }
  return new (errorClass(status))(message, details);
}

/** The service's identifier of a request. */
export function requestIdOf(headers: Headers): string | null {
  return headers.get("x-request-id");
}

/**
 * The headers this answer would be expected to have, or may have, that a browser does not show. It cannot say whether
 * they were sent: a header that CORS does not expose looks like one that is not there.
 */
export function hiddenHeadersOf({ status, headers, filtered }: WireAnswer, row: Operation): readonly string[] {
  if (!filtered) return [];
  const looked = ["x-request-id"];
  if (row.paged && status < 400) looked.push("link");
  if (status === 429 || status === 503) looked.push("retry-after");
  return looked.filter((name) => !headers.has(name));
}

// An error is read by people and kept in logs, whatever the length of what came.
const LONGEST_WORDS = 1_000;
const LONGEST_HEADER = 200;

/** The first 200 characters of a body, on one line, without secrets. */
export function excerpt(text: string, secrets: readonly string[]): string {
  return redactStart(text, secrets, 200).replace(/\s+/g, " ").trim();
}

/** The content type an answer names, as errors show it. */
export function contentTypeOf(headers: Headers, secrets: readonly string[]): string | null {
  const type = headers.get("content-type");
  return type === null ? null : redactStart(type, secrets, LONGEST_HEADER);
}

function excerptOf({ headers, text }: WireAnswer, body: Body, secrets: readonly string[]): string {
  if (body.kind === "empty" || body.kind === "json") return "";
  const type = contentTypeOf(headers, secrets) ?? "an unnamed type";
  return `not the service's error body but ${type}: ${excerpt(text, secrets)}`;
}

function messageOf(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const { message, error } = value as { message?: unknown; error?: unknown };
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : null;
}

function errorClass(status: number): new (message: string, details: ApiErrorDetails) => ApiError {
  if (status >= 500) return ServerError;
  return CLASSES[status] ?? ApiError;
}

function likelyReasons(row: Operation, status: number, rateLimit: ErrorContext["rateLimit"]): string | null {
  if (status === 429 && rateLimit) return `Ask again at ${rateLimit.resetAt.toISOString()}`;
  if (status === 412) return "The provider is not set up for this operation";
  if (status !== 401 && status !== 403 && status !== 404) return null;
  const reasons = [
    "the API key is missing, wrong, expired or without the scope this operation needs",
    row.path.includes("{")
      ? "the record does not exist or belongs to another provider"
      : "the key's owner may not do this, or a record it names belongs to another provider",
  ];
  if (row.feature) reasons.push(`the feature flag "${row.feature}" is off`);
  else reasons.push("a feature flag it needs is off");
  if (row.beta) reasons.push("the operation is in beta and may have changed");
  if (row.pathConfirmed === false) {
    reasons.push(`its path is not confirmed by the service's description; set the option routes["${row.id}"]`);
  }
  return `Likely reasons: ${reasons.join("; or ")}`;
}

const CLASSES: Record<number, new (message: string, details: ApiErrorDetails) => ApiError> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
};

const STATUS_TEXT: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};
