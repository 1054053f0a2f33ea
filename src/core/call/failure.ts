import type { ApiErrorDetails, ErrorDetails, Outcome, RateLimitDetails } from "../error-details.js";
import {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConfigurationError,
  ConflictError,
  ConnectionError,
  type EducationAdminError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
  ServerError,
  UnprocessableEntityError,
} from "../errors.js";
import type { redact } from "../redact.js";
import type { redactCause } from "../redact-cause.js";
import type { AttemptResult, RedirectProblem } from "./attempt-result.js";
import { errorBodyOf, hiddenHeadersOf, requestIdOf, type WireResponse } from "./body.js";
import type { EndedCall } from "./ended-call.js";
import { NO_KEY } from "./retry.js";
import type { sensitiveValues } from "./sensitive-values.js";

export type FormatProblem =
  | "truncated"
  | "notJson"
  | "empty"
  | "not_a_list"
  | "not_a_record"
  | "too_large"
  | "unexpected_status"
  | `redirect_${RedirectProblem}`;

/** The properties of an error except its message. */
export interface Facts extends ErrorDetails, Partial<Omit<RateLimitDetails, "outcome">> {
  contentType?: string | null;
}

/** Why the next page cannot be fetched. */
export interface Obstacle {
  readonly kind: "torn" | "hidden" | "loop" | "empty";
  /** Number of the page that contains the link; for `empty`, the number of consecutive pages without a record. */
  readonly page: number;
  /** For `loop`, the number of the page that the link leads back to. */
  readonly seen?: number;
}

/** How a caller's `fetch` went wrong: it returned no response, or one whose body was already read. */
export type WrongResponse = "none" | "read";

/**
 * The functions that write and redact an error's text: `failure-words.ts`, which browsers load when the first error
 * occurs.
 */
interface ErrorWords {
  readonly redact: typeof redact;
  readonly redactCause: typeof redactCause;
  readonly sensitiveValues: typeof sensitiveValues;
  messageOf(ended: EndedCall, facts: Facts, problem: FormatProblem | undefined, values: readonly string[]): string;
  excerpt(text: string, values: readonly string[]): string;
}

const LONGEST_HEADER = 200;

/**
 * Makes the error of a failed call: the last attempt decides its class and properties, and `words` writes its message.
 * @param words null if the code could not be loaded: the message then names only the operation and the status.
 * @param problem why the response is unusable; absent for an error that the service returned.
 */
export function errorOf(
  ended: EndedCall,
  now: number,
  words: ErrorWords | null,
  problem?: FormatProblem,
): EducationAdminError {
  const { request, result, attempts } = ended;
  const { operation } = request;
  const values = words?.sensitiveValues(request, ended.token) ?? [];
  const basic = { operation: operation.id, attempts };
  const say = (facts: Facts, why = problem) => words?.messageOf(ended, facts, why, values) ?? fallbackMessage(ended);
  const clean = (text: string | null) => text && (words?.redact(text, values).slice(0, LONGEST_HEADER) ?? null);
  const causedBy = (cause: unknown) => ({ cause: words?.redactCause(cause, values) });
  const formatError = (response: WireResponse, why: FormatProblem, cause?: unknown) => {
    // Only a 201 proves a write: the service sends it after it has created the record. A truncated 200 may contain an
    // error body.
    const done = operation.method !== "GET" && response.status === 201 && why !== "notJson";
    const facts = {
      ...basic,
      ...causedBy(cause),
      status: response.status,
      contentType: clean(response.headers.get("content-type")),
      excerpt: words?.excerpt(response.text, values) ?? "",
      outcome: done ? ("done" as const) : ("unknown" as const),
    };
    return new ResponseFormatError(say(facts, why), facts);
  };
  switch (result.kind) {
    case "response": {
      const { body } = result;
      if (problem === undefined) return apiError(ended, result, now, clean, say);
      return formatError(result.response, problem, body.kind === "truncated" ? body.cause : undefined);
    }
    case "redirect":
      return formatError(result.response, `redirect_${result.problem}`);
    case "too_large":
      return formatError(result.response, "too_large");
    case "connection": {
      // An earlier attempt may have reached the service although this one did not.
      const outcome = result.received === "maybe" ? "unknown" : outcomeOf(ended);
      const cause = result.code === NO_KEY ? { cause: result.cause } : causedBy(result.cause);
      return new ConnectionError(say(basic), { ...basic, ...cause, outcome });
    }
    case "timeout":
      return new RequestTimeoutError(say(basic), { ...basic, scope: result.scope, outcome: outcomeOf(ended) });
    case "rate_limited": {
      const { retryAt } = result;
      // This attempt was not sent, though an earlier one may have been processed.
      const facts = {
        ...basic,
        status: 429,
        apiCode: null,
        apiMessage: null,
        errors: null,
        body: null,
        headers: new Headers(),
        requestId: null,
        method: operation.method,
        path: operation.path,
        outcome: attempts === 0 ? ("not_sent" as const) : writeOutcome(ended),
        retryAfterMs: retryAt === null ? null : Math.max(0, retryAt - now),
        resetAt: retryAt === null ? null : new Date(retryAt),
      };
      return new RateLimitError(say(facts), facts);
    }
    case "misconfigured": {
      const outcome = attempts === 0 ? "not_sent" : writeOutcome(ended);
      return new ConfigurationError(say(basic), { ...basic, cause: result.error.cause, outcome });
    }
    case "aborted":
      throw new Error("an aborted call rejects with its signal's reason");
  }
}

function fallbackMessage({ request, result }: EndedCall): string {
  const what = "response" in result ? result.response.status : "error" in result ? result.error.message : result.kind;
  return `${request.operation.id}: ${what}. The code that explains errors could not be loaded.`;
}

/** `unknown` if a write may have changed something; otherwise null, as for every read. */
export function writeOutcome({ request, maybeApplied }: EndedCall): Exclude<Outcome, "done"> | null {
  return maybeApplied && request.operation.method !== "GET" ? "unknown" : null;
}

// The outcome of a call that ended without a response; null if the service received earlier attempts and refused them
// all.
function outcomeOf({ maybeApplied, responded }: EndedCall): Exclude<Outcome, "done"> | null {
  if (maybeApplied) return "unknown";
  return responded ? null : "not_sent";
}

function apiError(
  ended: EndedCall,
  { response, body, status, retryAfterMs }: AttemptResult & { kind: "response" },
  now: number,
  clean: (text: string | null) => string | null,
  say: (facts: Facts) => string,
): ApiError {
  const { operation } = ended.request;
  const value = body.kind === "json" ? body.value : response.text;
  const found = errorBodyOf(value);
  const resetAt = status === 429 && retryAfterMs !== null ? new Date(now + retryAfterMs) : null;
  const details = {
    operation: operation.id,
    attempts: ended.attempts,
    status: response.status,
    apiCode: found?.code ?? null,
    apiMessage: found?.message ?? messageOf(value),
    errors: found?.errors ?? null,
    body: value,
    headers: response.headers,
    requestId: clean(requestIdOf(response.headers)),
    hiddenHeaders: hiddenHeadersOf(response, operation),
    method: operation.method,
    path: operation.path,
    outcome: writeOutcome(ended),
  };
  const message = say({ ...details, resetAt });
  if (status === 429) return new RateLimitError(message, { ...details, retryAfterMs, resetAt });
  return new (errorClass(status))(message, details);
}

// `value` is never null, because a body of `null` counts as empty.
function messageOf(value: unknown): string | null {
  const { message, error } = value as { message?: unknown; error?: unknown };
  if (typeof message === "string") return message;
  return typeof error === "string" ? error : null;
}

function errorClass(status: number): new (message: string, details: ApiErrorDetails) => ApiError {
  if (status >= 500) return ServerError;
  return CLASSES[status] ?? ApiError;
}

const CLASSES: Readonly<Record<number, new (message: string, details: ApiErrorDetails) => ApiError>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  422: UnprocessableEntityError,
};
