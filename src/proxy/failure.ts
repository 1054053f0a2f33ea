import { ApiError, InputError, isEducationAdminError, RateLimitError, RequestTimeoutError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import { badParameters, notFound, Refusal } from "./refusal.js";

// The wait if neither the service nor the rate limiter states a time.
const WAIT_MS = 5_000;

/**
 * Turns an error into the error that a page sees, without the service's text, which may mention the key or repeat the
 * request.
 */
export function refusalOf(error: unknown, row: Operation | null): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof InputError) return badParameters(error.issues);
  if (error instanceof RateLimitError) {
    const { attempts, retryAfterMs } = error;
    // Nothing was sent and the wait is unknown: the queue is full.
    return attempts === 0 && retryAfterMs === null ? busy() : shareUsedUp(retryAfterMs ?? WAIT_MS);
  }
  if (error instanceof ApiError) return refusalOfResponse(error, row);
  if (error instanceof RequestTimeoutError) {
    return error.attempts === 0 ? busy() : new Refusal(504, "The service did not answer in time");
  }
  if (isEducationAdminError(error, "response_format") || isEducationAdminError(error, "response_validation")) {
    return badGateway();
  }
  return isEducationAdminError(error)
    ? new Refusal(502, "The service could not be reached")
    : new Refusal(500, "Internal Server Error");
}

export function shareUsedUp(retryAfterMs: number): Refusal {
  return new Refusal(429, "Too Many Requests", { retryAfterMs });
}

function refusalOfResponse(error: ApiError, row: Operation | null): Refusal {
  // A successful response can contain an error body; the code in that body then counts as the status.
  const status = error.status < 400 ? (error.apiCode ?? 502) : error.status;
  if (status === 404 || (status === 403 && row?.path.includes("{"))) return notFound();
  if (status === 400 || status === 422) return new Refusal(status, "The service refused the request");
  // A 401, or a 403 for a list, means that the server's key is wrong: the page gets a 502, and `onError` reports the
  // error to the owner.
  return badGateway();
}

function busy(): Refusal {
  return new Refusal(503, "Service Unavailable", { retryAfterMs: WAIT_MS });
}

function badGateway(): Refusal {
  return new Refusal(502, "The service gave an unexpected response");
}
