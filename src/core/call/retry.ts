import type { Moment } from "../time.js";
import type { AttemptResult } from "./attempt-result.js";
import type { CallRequest } from "./request.js";

/**
 * Why a call that could be retried is not retried: the next attempt would miss the deadline, too many requests have
 * failed, or the service demands too long a wait.
 */
export type GaveUp = "deadline" | "quota" | "retry_after";

/** Either how long to wait before the next attempt, or why there is none (null if that needs no explanation). */
export type Decision = { readonly delayMs: number } | { readonly gaveUp: GaveUp | null };

/** Decides whether a call makes another attempt. Pure: it reads no clock, no counter and no random number. */
export function decide(
  result: AttemptResult,
  request: CallRequest,
  state: {
    readonly retries: number;
    readonly now: Moment;
    /** When the call must end; null without `totalTimeout`. */
    readonly deadline: Moment | null;
    readonly quotaLeft: boolean;
    /** A random number from 0 to 1, for the pause. */
    readonly random: number;
  },
): Decision {
  if (!mayRetry(result, request, state.retries)) return { gaveUp: null };
  const { now, deadline, random } = state;
  const asked = result.kind === "response" ? result.retryAfterMs : null;
  if (asked !== null && asked > request.settings.maxRetryAfter) return { gaveUp: "retry_after" };
  // If the service gives no wait, or a date in the past, the library chooses the pause.
  const delayMs = asked || backoff(state.retries + 1, request.settings.backoffLimit, random);
  if (deadline !== null && now + delayMs > deadline) return { gaveUp: "deadline" };
  if (!isRateLimited(result) && !state.quotaLeft) return { gaveUp: "quota" };
  return { delayMs };
}

function mayRetry(result: AttemptResult, request: CallRequest, retries: number): boolean {
  switch (result.kind) {
    case "response":
      // The service refuses with a 429 before it does anything, so every method may be retried.
      if (isRateLimited(result)) return true;
      return (TRANSIENT_STATUSES.has(result.status) || lacksBody(result, request)) && isRepeatable(request);
    case "connection":
      if (result.code !== null && CERTIFICATE_CODE.test(result.code)) return false;
      // A mistyped host name will never resolve; one retry is enough in case the name server was busy.
      if (result.code === BAD_PORT || (result.code === "ENOTFOUND" && retries > 0)) return false;
      return result.received === "no" || isRepeatable(request);
    case "timeout":
      return result.scope === "attempt" && isRepeatable(request);
    default:
      return false;
  }
}

const TRANSIENT_STATUSES: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 500, 502, 503, 504]);

export function isRateLimited(result: AttemptResult): boolean {
  return result.kind === "response" && result.status === 429;
}

/** True if an attempt may have changed something although no response proves it. */
export function maybeApplied(result: AttemptResult, request: CallRequest): boolean {
  switch (result.kind) {
    case "response": {
      const { status } = result;
      return status === 408 || status >= 500 || lacksBody(result, request);
    }
    case "connection":
    case "timeout":
    case "misconfigured":
    case "aborted":
      return result.received === "maybe";
    case "rate_limited":
      return false;
    default:
      return true;
  }
}

/** True if a success lacks its record or list because the body is truncated, which counts as a lost response. */
export function lacksBody(result: AttemptResult & { kind: "response" }, { operation, raw }: CallRequest): boolean {
  const { response, body } = result;
  return response.status < 400 && body.kind === "truncated" && (raw || operation.response !== undefined);
}

export function isRepeatable({ operation }: Pick<CallRequest, "operation">): boolean {
  return (operation.method !== "POST" && operation.method !== "PATCH") || operation.idempotent === true;
}

// The message for ports to which fetch refuses to connect, such as 1 and 22: Node gives this error no code.
const BAD_PORT = "bad port";

/** The code for a connection that was not attempted because there is no key yet. */
export const NO_KEY = "NO_KEY";

/** Codes that prove the request was never sent: nothing listens at the address, or the host name is unknown. */
const NOT_SENT_CODES: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  BAD_PORT,
]);

// The certificate or the handshake failed, which does not change within seconds. Other TLS errors, such as a damaged
// TLS record, may occur after the request has arrived.
const CERTIFICATE_CODE = /CERT|HANDSHAKE|UNABLE_TO_(VERIFY|GET_ISSUER)/;

/** Makes the result of a failed `fetch`: the error's code shows whether the request may have reached the service. */
export function connectionResult(cause: unknown): AttemptResult & { kind: "connection" } {
  const code = codeOf(cause);
  const unsent = code !== null && (NOT_SENT_CODES.has(code) || CERTIFICATE_CODE.test(code));
  return { kind: "connection", cause, code, received: unsent ? "no" : "maybe" };
}

const CODE = /^[A-Z](?:[A-Z\d_]{1,39}|[A-Za-z]{2,31})$/;

// fetch wraps the reason in its own error; for a host with several addresses, it is also inside an AggregateError.
function codeOf(error: unknown): string | null {
  for (let cause = error, depth = 0; cause && depth < 5; depth++) {
    const { code, message, errors, cause: next } = cause as Error & { code?: unknown; errors?: unknown[] };
    // Only text in the form of an error code counts: events contain the code, and other text may come from a proxy
    // that repeats sent values.
    if (typeof code === "string" && CODE.test(code)) return code;
    if (message === BAD_PORT) return message;
    cause = next ?? errors?.[0];
  }
  return null;
}

const FIRST_BACKOFF_MS = 100;
const BACKOFF_FACTOR = 3;

/**
 * Milliseconds to wait before the next attempt if the service gives no time: exponential with full jitter.
 * @param attempt the number of the failed attempt, starting at 1.
 * @param random a number from 0 to 1.
 */
export function backoff(attempt: number, limitMs: number, random: number): number {
  return Math.round(Math.min(limitMs, FIRST_BACKOFF_MS * BACKOFF_FACTOR ** (attempt - 1)) * random);
}

// Caps the wait, because JavaScript cannot represent dates that are too far in the future.
const LONGEST_RETRY_AFTER_MS = 365 * 24 * 3_600_000;

// The three date formats of RFC 9110, 5.6.7. Date.parse accepts much other text, such as "-5" and "soon 2099".
const HTTP_DATE =
  /^[a-z]{3,9},? (?:\d{1,2}[ -][a-z]{3}[ -]\d{2,4}|[a-z]{3} {1,2}\d{1,2}) \d\d:\d\d:\d\d(?: \d{4})?( gmt| utc)?$/i;

// Several header fields with the same name arrive as one field, joined by commas. A date contains a comma too, after
// the day of the week.
const EACH_VALUE = /\s*(?:[a-z]{3,9},)?[^,]+/gi;

/**
 * Reads `Retry-After`: seconds or a date. If a proxy and the service both send it, the longest wait counts.
 * @param date the response's `Date` header: a date in `Retry-After` is compared with it, because the service's clock
 * may differ from ours.
 * @returns milliseconds from now; null when the header is absent, negative or unreadable.
 */
export function retryAfterMs(header: string | null, now: number, date: string | null = null): number | null {
  const waits = (header?.match(EACH_VALUE) ?? []).map((value) => waitMs(value.trim(), now, date));
  const readable = waits.filter((ms) => ms !== null);
  return readable.length > 0 ? Math.max(...readable) : null;
}

function waitMs(text: string, now: number, date: string | null): number | null {
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), LONGEST_RETRY_AFTER_MS);
  const time = httpDate(text);
  if (time === null) return null;
  const start = httpDate(date?.trim() ?? "") ?? now;
  return Math.min(Math.max(0, time - start), LONGEST_RETRY_AFTER_MS);
}

function httpDate(text: string): number | null {
  const date = HTTP_DATE.exec(text);
  if (!date) return null;
  // All three formats are in GMT, although not all of them mention it.
  const time = Date.parse(date[1] ? text : `${text} GMT`);
  return Number.isNaN(time) ? null : time;
}

const CAPACITY = 500;
const COST = 5;

/**
 * Limits how many retries a client may make: each retry costs part of the quota, and each success earns a little of it
 * back, more if it followed a retry. In an outage the quota runs out and calls fail after their first attempt, so that
 * retries do not multiply the load on a failing service.
 */
export class RetryQuota {
  #left = CAPACITY;

  get left(): boolean {
    return this.#left >= COST;
  }

  spend(): void {
    this.#left -= COST;
  }

  earn(retried: boolean): void {
    this.#left = Math.min(CAPACITY, this.#left + (retried ? COST : 1));
  }
}
