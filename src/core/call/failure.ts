import { CONNECTION_HINTS } from "#platform";
import type { ApiErrorDetails, Outcome } from "../error-details.js";
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
import { redactCause, redactStart } from "../redact.js";
import { statusText } from "../status-text.js";
import { browserHint, fieldProblems, likelyReasons } from "./advice.js";
import { errorBodyOf, hiddenHeadersOf, requestIdOf, type WireResponse } from "./body.js";
import type { AttemptOutcome, RedirectProblem } from "./outcome.js";
import type { Sent } from "./send.js";
import { sensitiveValues } from "./sensitive-values.js";

/** Why a response is not what the service sends. */
export type FormatProblem =
  | "truncated"
  | "notJson"
  | "empty"
  | "not_a_list"
  | "not_a_record"
  | "too_large"
  | "unexpected_status"
  | `redirect_${RedirectProblem}`;

const FORMAT_PROBLEMS: Readonly<Record<FormatProblem, string>> = {
  truncated: "returned truncated JSON",
  notJson: "returned something other than JSON; the response probably came from a proxy or login page",
  empty: "returned an empty body where one was expected",
  not_a_list: "did not return a list",
  not_a_record: "did not return a record",
  too_large: "returned a body over the size limit",
  unexpected_status: "is not a status of the service",
  redirect_write: "redirects a write, and only a GET is redirected; check baseUrl",
  redirect_other_origin: "redirects to another origin, which must not receive the token; check baseUrl",
  redirect_no_location: "redirects without a Location header",
  redirect_too_many: "redirects once more after five redirects; they probably form a loop",
  redirect_hidden: "redirects, which browsers do not let scripts follow with a token; check baseUrl",
};

/**
 * Makes the error of a call that gave no data: one case per kind of outcome.
 * @param problem what is wrong with a response that is not an error of the service.
 * @param now the client's time.
 */
export function errorOf(sent: Sent, now: number, problem?: FormatProblem): EducationAdminError {
  const { outcome } = sent;
  switch (outcome.kind) {
    case "response":
      return problem === undefined
        ? apiError(sent, outcome, now)
        : formatError(sent, outcome.response, problem, bodyCause(outcome));
    case "redirect":
      return formatError(sent, outcome.response, `redirect_${outcome.problem}`);
    case "too_large":
      return formatError(sent, outcome.response, "too_large");
    case "connection":
      return connectionError(sent, outcome);
    case "timeout":
      return timeoutError(sent, outcome.scope);
    case "rate_limited":
      return notSentError(sent, outcome, now);
    case "misconfigured":
      return misconfiguredError(sent, outcome.error);
    case "aborted":
      throw new Error("an aborted call rejects with its signal's reason");
  }
}

/** The token and the values sent, which must not appear in the error of a call. */
export function sensitiveValuesOf({ request, token }: Sent): string[] {
  return sensitiveValues(request, token);
}

function bodyCause({ body }: AttemptOutcome & { kind: "response" }): unknown {
  return body.kind === "truncated" ? body.cause : undefined;
}

// Whether the service may have changed something: asked only of writes.
function writeOutcome({ request, maybeApplied }: Sent): Outcome | null {
  return maybeApplied && request.operation.method !== "GET" ? "unknown" : null;
}

const CHECK_FIRST = "The service may have processed it; check before sending it again";

function afterwards(sent: Sent, unknown = writeOutcome(sent) === "unknown"): string {
  const warning = unknown ? ` ${CHECK_FIRST}.` : "";
  return `${warning}${sent.gaveUp === null ? "" : ` ${sent.gaveUp}.`}`;
}

function attemptsOf({ attempts }: Sent): string {
  return attempts === 1 ? "1 attempt" : `${attempts} attempts`;
}

function apiError(sent: Sent, outcome: AttemptOutcome & { kind: "response" }, now: number): ApiError {
  const { request, attempts } = sent;
  const { operation } = request;
  const { response, body, status } = outcome;
  const values = sensitiveValuesOf(sent);
  const value = body.kind === "json" ? body.value : response.text;
  const found = errorBodyOf(value);
  const apiMessage = found?.message ?? messageOf(value);
  const id = requestIdOf(response.headers);
  const hiddenHeaders = hiddenHeadersOf(response, operation);
  const details: ApiErrorDetails = {
    operation: operation.id,
    attempts,
    status: response.status,
    apiCode: found?.code ?? null,
    apiMessage,
    errors: found?.errors ?? null,
    body: value,
    headers: response.headers,
    requestId: id === null ? null : redactStart(id, values, LONGEST_HEADER),
    hiddenHeaders,
    method: operation.method,
    path: operation.path,
    outcome: writeOutcome(sent),
  };
  const clean = (text: string, length: number) => redactStart(text, values, length).replace(CONTROL_CHARACTERS, " ");
  const problems = fieldProblems(found?.errors, clean);
  const words = apiMessage === null ? excerptOf(outcome, values) : clean(apiMessage, LONGEST_WORDS);
  const what =
    `${operation.id}: ${status} ${statusText(status)}`.trimEnd() +
    (status === response.status ? "" : ` (in a ${response.status} response)`);
  const said = words === "" || words === statusText(status) ? what : `${what}: ${words.replace(/\.$/, "")}`;
  const resetAt = status === 429 && outcome.retryAfterMs !== null ? new Date(now + outcome.retryAfterMs) : null;
  const sentences = [
    problems === "" ? said : `${said} (${problems})`,
    resetAt === null ? null : `Retry after ${resetAt.toISOString()}`,
    likelyReasons(request, status, found !== null),
    hiddenHeaders.includes("retry-after")
      ? "The browser does not show whether the service sent Retry-After, because CORS does not expose it: the wait is a guess"
      : null,
    details.outcome === "unknown" ? CHECK_FIRST : null,
    sent.gaveUp,
  ].filter((sentence) => sentence !== null);
  const requestId = details.requestId === null ? "" : `, request ${details.requestId}`;
  const message = `${sentences.join(". ")} (${operation.method} ${operation.path}, ${attemptsOf(sent)}${requestId})`;
  if (status === 429) return new RateLimitError(message, { ...details, retryAfterMs: outcome.retryAfterMs, resetAt });
  return new (errorClass(status))(message, details);
}

function formatError(sent: Sent, response: WireResponse, problem: FormatProblem, cause?: unknown): ResponseFormatError {
  const { operation } = sent.request;
  const values = sensitiveValuesOf(sent);
  const contentType = contentTypeOf(response.headers, values);
  const start = excerpt(response.text, values);
  const facts = `content type ${contentType ?? "none"}, ${attemptsOf(sent)}`;
  // Such a response does not say whether a write was processed.
  const end = afterwards(sent, operation.method !== "GET");
  return new ResponseFormatError(
    `${operation.id}: ${response.status} ${FORMAT_PROBLEMS[problem]} (${facts})${start === "" ? "" : `: ${start}`}${end === "" ? "" : `.${end}`}`,
    {
      operation: operation.id,
      attempts: sent.attempts,
      status: response.status,
      contentType,
      excerpt: start,
      cause: redactCause(cause, values),
    },
  );
}

// There was a connection, unlike what "could not connect" would say.
const CLOSED_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set(["UND_ERR_SOCKET", "ECONNRESET", "EPIPE"]);

function connectionError(
  sent: Sent,
  { cause, code, sent: reached }: AttemptOutcome & { kind: "connection" },
): ConnectionError {
  const { request, attempts } = sent;
  const values = sensitiveValuesOf(sent);
  const named = code === null ? "" : ` (${redactStart(code, values, LONGEST_CODE)})`;
  const { origin } = new URL(sent.url);
  const what =
    code !== null && CLOSED_CODES.has(code)
      ? `the connection to ${origin} closed before a response arrived`
      : `could not connect to ${origin}`;
  const hint = code === null ? browserHint(sent.url) : (CONNECTION_HINTS[code] ?? "");
  // An earlier attempt may have reached the service although this one did not.
  const outcome = sent.maybeApplied || reached === "maybe" ? "unknown" : "not_sent";
  return new ConnectionError(
    `${request.operation.id}: ${what}${named} after ${attemptsOf(sent)}.${hint}${afterwards(sent)}`,
    { operation: request.operation.id, attempts, cause: redactCause(cause, values), outcome },
  );
}

function timeoutError(sent: Sent, scope: "attempt" | "total"): RequestTimeoutError {
  const { request, attempts } = sent;
  const { timeout, totalTimeout } = request.settings;
  const limit =
    scope === "attempt"
      ? `did not get a complete response within timeout (${timeout} ms, ${attemptsOf(sent)})`
      : `did not finish within totalTimeout (${totalTimeout} ms, ${attemptsOf(sent)})`;
  const outcome: Outcome = sent.maybeApplied ? "unknown" : "not_sent";
  return new RequestTimeoutError(`${request.operation.id}: ${limit}.${afterwards(sent)}`, {
    operation: request.operation.id,
    attempts,
    scope,
    outcome,
  });
}

// What the caller's own functions did wrong, beside what the service may have done before or meanwhile.
function misconfiguredError(sent: Sent, { message, cause }: ConfigurationError): ConfigurationError {
  const { request, attempts } = sent;
  const outcome = attempts === 0 ? "not_sent" : writeOutcome(sent);
  return new ConfigurationError(`${message}.${attempts === 0 ? " Nothing was sent." : afterwards(sent)}`, {
    operation: request.operation.id,
    attempts,
    cause,
    outcome,
  });
}

// This attempt was not sent, though an earlier one may have been processed.
function notSentError(
  sent: Sent,
  { reason, retryAt }: AttemptOutcome & { kind: "rate_limited" },
  now: number,
): RateLimitError {
  const { operation } = sent.request;
  const resetAt = retryAt === null ? null : new Date(retryAt);
  const why =
    reason === "queue_full"
      ? "the queue is full (rateLimit.queueLimit)"
      : `the rate limit would hold it until ${resetAt?.toISOString()}, later than totalTimeout allows`;
  return new RateLimitError(
    `${operation.id}: not sent${sent.attempts === 0 ? "" : " again"}, because ${why}.${afterwards(sent)}`,
    {
      operation: operation.id,
      attempts: sent.attempts,
      status: 429,
      apiCode: null,
      apiMessage: null,
      errors: null,
      body: null,
      headers: new Headers(),
      requestId: null,
      method: operation.method,
      path: operation.path,
      outcome: sent.attempts === 0 ? "not_sent" : writeOutcome(sent),
      retryAfterMs: retryAt === null ? null : Math.max(0, retryAt - now),
      resetAt,
    },
  );
}

// Errors are read by people and kept in logs, so their length is bounded.
const LONGEST_WORDS = 1_000;
const LONGEST_HEADER = 200;
const LONGEST_EXCERPT = 200;
const LONGEST_CODE = 60;
// Line breaks and escape sequences of terminals would let the service write lines of a log.
const CONTROL_CHARACTERS = /\p{Cc}+/gu;

function excerpt(text: string, values: readonly string[]): string {
  return redactStart(text, values, LONGEST_EXCERPT).replace(/\s+/g, " ").trim();
}

function contentTypeOf(headers: Headers, values: readonly string[]): string | null {
  const type = headers.get("content-type");
  return type === null ? null : redactStart(type, values, LONGEST_HEADER);
}

function excerptOf({ response, body }: AttemptOutcome & { kind: "response" }, values: readonly string[]): string {
  if (body.kind === "empty" || body.kind === "json") return "";
  const type = contentTypeOf(response.headers, values) ?? "an unnamed type";
  return `not the service's error body but ${type}: ${excerpt(response.text, values)}`;
}

// The value is never null: a body of null counts as empty.
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
