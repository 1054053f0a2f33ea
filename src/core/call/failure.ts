import {
  ConnectionError,
  type EducationAdminError,
  type Outcome,
  RateLimitError,
  RequestTimeoutError,
  ResponseFormatError,
} from "../errors.js";
import { AdmissionRefused } from "../limits/rate-limiter.js";
import { redactCause, redactStart, secretsOf } from "../redact.js";
import { apiError, contentTypeOf, excerpt } from "./answer.js";
import { AttemptError, type Exchange, RedirectRefused } from "./attempt.js";
import { BodyTooLarge } from "./body.js";
import type { Prepared } from "./prepared.js";
import { connectionOutcome } from "./retry.js";

/** The error of an answer that is the service's own error. */
export function answeredError(exchange: Exchange, prepared: Prepared): EducationAdminError {
  const { answer, body, attempts, ambiguous, rateLimit, gaveUp } = exchange;
  if (!answer) throw new Error("an API error has an answer");
  const secrets = secretsIn(exchange, prepared);
  return apiError(answer, body, { row: prepared.row, attempts, secrets, ambiguous, rateLimit, gaveUp });
}

/** The error of an answer that is not what the service sends. */
export function formatError(
  exchange: Exchange,
  prepared: Prepared,
  why: keyof typeof WHY_FORMAT,
  found?: unknown,
): ResponseFormatError {
  const { answer, attempts, gaveUp } = exchange;
  const secrets = secretsIn(exchange, prepared);
  const contentType = answer === null ? null : contentTypeOf(answer.headers, secrets);
  const status = answer?.status ?? 0;
  const start = excerpt(answer?.text ?? "", secrets);
  const facts = `content type ${contentType ?? "none"}, attempt ${attempts}`;
  const end = `${warning(exchange, prepared)}${gaveUp === null ? "" : ` ${gaveUp}.`}`;
  return new ResponseFormatError(
    `${prepared.row.id}: ${status} answered ${WHY_FORMAT[why]} (${facts})${start === "" ? "" : `: ${start}`}${end === "" ? "" : `.${end}`}`,
    { operation: prepared.row.id, attempts, status, contentType, excerpt: start, cause: redactCause(found, secrets) },
  );
}

/**
 * Makes what ended a call an error of the family. ky hands our own failures back untouched, so this is the one place
 * that maps them; what is no failure of a request (a bug, a key function's error) passes.
 */
export function publicError(
  error: unknown,
  exchange: Exchange,
  prepared: Prepared,
  { expired, now }: { expired: boolean; now: number },
): unknown {
  if (expired) return totalTimeoutError(exchange, prepared);
  if (error instanceof AdmissionRefused) return refusedError(error, exchange, prepared, now);
  if (error instanceof RedirectRefused) {
    return formatError(exchange, prepared, error.message === "same" ? "redirect" : "foreign_redirect");
  }
  if (error instanceof BodyTooLarge) return formatError(exchange, prepared, "too_large");
  return error instanceof AttemptError ? attemptError(error, exchange, prepared) : error;
}

function attemptError(
  { failure, cause: found }: AttemptError,
  exchange: Exchange,
  prepared: Prepared,
): EducationAdminError {
  const { row, patience } = prepared;
  const { attempts, gaveUp } = exchange;
  const operation = row.id;
  if (failure.kind === "status") return answeredError(exchange, prepared);
  if (failure.kind === "body") return formatError(exchange, prepared, "cut", found);
  const end = `${warning(exchange, prepared)}${gaveUp === null ? "" : ` ${gaveUp}.`}`;
  const secrets = secretsIn(exchange, prepared);
  const cause = redactCause(found, secrets);
  if (failure.kind === "timeout") {
    const message = `${operation}: no complete answer within ${patience.timeout} ms (attempt ${attempts}).${end}`;
    return new RequestTimeoutError(message, { operation, attempts, scope: "attempt", outcome: "unknown", cause });
  }
  const { code } = connectionOutcome(found);
  const outcome = exchange.ambiguous ? "unknown" : failure.outcome;
  const hint = code === null ? browserHint(exchange.url) : (HINTS[code] ?? "");
  const named = code === null ? "" : ` (${redactStart(code, secrets, LONGEST_CODE)})`;
  const message = `${operation}: no connection${named} (attempt ${attempts}).${hint}${end}`;
  return new ConnectionError(message, { operation, attempts, cause, outcome });
}

function totalTimeoutError(exchange: Exchange, prepared: Prepared): RequestTimeoutError {
  const { row, patience } = prepared;
  const { attempts } = exchange;
  const outcome: Outcome = exchange.ambiguous ? "unknown" : "not_sent";
  return new RequestTimeoutError(
    `${row.id}: not done within totalTimeout (${patience.totalTimeout} ms, ${attempts} attempts).${warning(exchange, prepared)}`,
    { operation: row.id, attempts, scope: "total", outcome },
  );
}

// The governor's refusals: nothing was sent this time, though an earlier attempt may have been carried out.
function refusedError(
  { reason, retryAt }: AdmissionRefused,
  { attempts, ambiguous }: Exchange,
  { row }: Prepared,
  now: number,
): RateLimitError {
  const resetAt = retryAt === null ? null : new Date(retryAt);
  const what =
    reason === "queue_full"
      ? "too many calls are waiting already (rateLimit.queueLimit)"
      : `its turn comes at ${resetAt?.toISOString()}, after totalTimeout`;
  return new RateLimitError(`${row.id}: not sent, because ${what}`, {
    operation: row.id,
    attempts,
    status: 429,
    apiCode: null,
    apiMessage: null,
    errors: null,
    body: null,
    headers: new Headers(),
    requestId: null,
    method: row.method,
    path: row.path,
    outcome: ambiguous && row.method !== "GET" ? "unknown" : null,
    retryAfterMs: retryAt === null ? null : Math.max(0, retryAt - now),
    resetAt,
  });
}

function warning({ ambiguous }: Exchange, { row }: Prepared): string {
  return ambiguous && row.method !== "GET" ? " It may have been carried out: look before sending it again." : "";
}

function secretsIn(exchange: Exchange, { row, request, patience }: Prepared): string[] {
  const body: unknown = request.body === null ? null : JSON.parse(request.body);
  const query = request.query.map(([, value]) => value);
  return secretsOf(exchange.token, body, query, patience.headers, pathValues(row.path, request.path));
}

// What was filled into a path: its segments that the template does not have. Identifiers are numbers and say nothing.
function pathValues(template: string, path: string): string[] {
  const known = new Set(template.split("/"));
  const filled = path.split("/").filter((part) => !known.has(part) && !/^(api|v1|organization|\d+)$/.test(part));
  return filled.map((part) => decodeURIComponent(part));
}

const LONGEST_CODE = 60;

const WHY_FORMAT = {
  cut: "JSON that breaks off",
  foreign: "something else than JSON, so it is probably not the service that answered",
  nothing: "no body where one was due",
  no_list: "no array where a list was due",
  no_record: "no object where a record was due",
  too_large: "more than any answer of the service holds",
  redirect: "a redirect, which is not followed for writes; check baseUrl",
  foreign_redirect:
    "a redirect to another origin, which is not followed because the token would go there; check baseUrl",
} as const;

// Browsers keep from scripts why a request failed: offline, nobody there and not allowed look the same. What they do
// tell is whether they are online, and whose page this is.
function browserHint(url: string): string {
  const { navigator, location } = globalThis as { navigator?: { onLine?: boolean }; location?: { origin: string } };
  if (navigator?.onLine === undefined) return "";
  if (!navigator.onLine) return " The browser is offline.";
  if (!location || location.origin === new URL(url).origin) return " The browser is online: check baseUrl.";
  return ` The browser is online, and the page is on another origin (${location.origin}): most likely the service does not allow requests from it (CORS). Ask the service's support to add your domain, or go through your own server; else check baseUrl.`;
}

const HINTS: Record<string, string> = {
  ENOTFOUND: " The host name is not known: check baseUrl.",
  EAI_AGAIN: " The name service did not answer: check the network.",
  "bad port": " fetch never connects to this port: check baseUrl.",
  ECONNREFUSED: " Nobody listens there: check baseUrl and the network.",
};
