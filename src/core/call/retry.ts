import type { Outcome } from "../errors.js";
import type { Operation } from "../operation.js";

/** What became of one attempt, as far as repeating it is concerned. */
export type AttemptFailure =
  | { readonly kind: "status"; readonly status: number }
  | { readonly kind: "connection"; readonly outcome: Outcome }
  | { readonly kind: "timeout" }
  /** The body broke off, or what came is no answer of the service. */
  | { readonly kind: "body" };

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 500, 502, 503, 504]);

/** Codes that say the request never left: nobody listened, or the name is not known. */
const NOT_SENT_CODES: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "bad port",
]);

interface FetchFailure {
  code?: unknown;
  message?: unknown;
  cause?: unknown;
  errors?: unknown[];
}

/** Reads from what `fetch` rejected with whether the request may have reached the service. */
export function connectionOutcome(error: unknown): { outcome: Outcome; code: string | null } {
  let code: string | null = null;
  // fetch hides the reason behind its own error, and a host with several addresses behind an AggregateError.
  for (let cause = error, depth = 0; cause && typeof cause === "object" && depth < 5; depth++) {
    const { code: found, message, cause: next, errors } = cause as FetchFailure;
    if (typeof found === "string") code ??= found;
    // Ports fetch never connects to, 1 and 22 among them: Node has no code for it.
    else if (message === "bad port") code ??= message;
    cause = next ?? errors?.[0];
  }
  return { outcome: code !== null && NOT_SENT_CODES.has(code) ? "not_sent" : "unknown", code };
}

/** Whether a request may be repeated without asking whether it was carried out. */
export function isRepeatable(row: Pick<Operation, "method" | "idempotent">): boolean {
  return (row.method !== "POST" && row.method !== "PATCH") || row.idempotent === true;
}

/** Decides from the row and the failure whether another attempt may be made. Pure: no clock, no count. */
export function mayRetry(row: Pick<Operation, "method" | "idempotent">, failure: AttemptFailure): boolean {
  switch (failure.kind) {
    case "status":
      // A 429 was refused before anything happened, so it may be repeated whatever the method.
      return failure.status === 429 || (TRANSIENT_STATUSES.has(failure.status) && isRepeatable(row));
    case "connection":
      return failure.outcome === "not_sent" || isRepeatable(row);
    default:
      return isRepeatable(row);
  }
}

/** Whether a failed write may have been carried out: only a status that says "refused" rules it out. */
export function failureOutcome(failure: AttemptFailure): Outcome {
  return failure.kind === "connection" ? failure.outcome : "unknown";
}

const FIRST_BACKOFF_MS = 500;

/**
 * Milliseconds before the next attempt when the service did not say: exponential with full jitter.
 * @param attempt number of the attempt that failed, from 1.
 * @param random a number from 0 to 1.
 */
export function backoff(attempt: number, limitMs: number, random: number): number {
  return Math.round(Math.min(limitMs, FIRST_BACKOFF_MS * 2 ** (attempt - 1)) * random);
}

// Beyond this the platform has no dates; nobody waits that long either.
const LONGEST_RETRY_AFTER_MS = 365 * 24 * 3_600_000;

// The three forms of RFC 9110, 5.6.7. Date.parse takes many more things for dates, "-5" and "soon 2099" among them.
const HTTP_DATE =
  /^[a-z]{3,9},? (?:\d{1,2}[ -][a-z]{3}[ -]\d{2,4}|[a-z]{3} {1,2}\d{1,2}) \d\d:\d\d:\d\d(?: \d{4})?( gmt| utc)?$/i;

/**
 * Reads `Retry-After`: seconds or a date. Absent, negative or nonsense gives null: the caller backs off instead.
 * @returns milliseconds from `now`.
 */
export function retryAfterMs(header: string | null, now: number): number | null {
  const text = header?.trim();
  if (!text) return null;
  if (/^\d{1,15}(\.\d{1,9})?$/.test(text)) return Math.min(Math.ceil(Number(text) * 1000), LONGEST_RETRY_AFTER_MS);
  const date = HTTP_DATE.exec(text);
  // All three forms are in GMT, the last one without saying so.
  const time = date ? Date.parse(date[1] ? text : `${text} GMT`) : Number.NaN;
  return Number.isNaN(time) ? null : Math.min(Math.max(0, time - now), LONGEST_RETRY_AFTER_MS);
}
