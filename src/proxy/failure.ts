import { ApiError, InputError, isEducationAdminError, RateLimitError, RequestTimeoutError } from "../core/errors.js";
import type { Operation } from "../core/operation.js";
import { badParameters, notFound, Refusal } from "./refusal.js";

// What a page is asked to wait when neither the service nor the rate limiter names a time.
const WAIT_MS = 5_000;

/** What a page sees of an error: never the service's own words, which may speak of the key or repeat what was sent. */
export function refusalOf(error: unknown, row: Operation | null): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof InputError) return badParameters(error.issues);
  if (error instanceof RateLimitError) return rateLimited(error);
  if (error instanceof ApiError) return answered(error, row);
  if (error instanceof RequestTimeoutError) {
    // Nothing was sent: too many calls were waiting in front of this one.
    return error.attempts === 0 ? busy() : new Refusal(504, "The service did not answer in time");
  }
  if (isEducationAdminError(error, "response_format") || isEducationAdminError(error, "response_validation")) {
    return unexpected();
  }
  return isEducationAdminError(error)
    ? new Refusal(502, "The service could not be reached")
    : new Refusal(500, "Internal Server Error");
}

/** Refuses a visitor because the proxy's share of the budget is used up. */
export function shareUsedUp(retryAfterMs: number): Refusal {
  return new Refusal(429, "Too Many Requests", { retryAfterMs });
}

function rateLimited({ attempts, retryAfterMs }: RateLimitError): Refusal {
  // Nothing was sent and no time is known: the queue is full.
  if (attempts === 0 && retryAfterMs === null) return busy();
  return shareUsedUp(retryAfterMs ?? WAIT_MS);
}

function answered(error: ApiError, row: Operation | null): Refusal {
  // A success can hide an error body, whose code then is the status.
  const status = error.status < 400 ? (error.apiCode ?? 502) : error.status;
  if (status === 404 || (status === 403 && row?.path.includes("{"))) return notFound();
  if (status === 400 || status === 422) return new Refusal(status, "The service refused the request");
  // 401, and 403 for a list, mean that the server's key is wrong; its owner learns it from onError.
  return unexpected();
}

function busy(): Refusal {
  return new Refusal(503, "Service Unavailable", { retryAfterMs: WAIT_MS });
}

function unexpected(): Refusal {
  return new Refusal(502, "The service gave an unexpected response");
}
