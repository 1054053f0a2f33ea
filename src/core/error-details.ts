import type { Method } from "./method.js";

/** Stable codes of the library's errors; compare these when errors cross a process boundary. */
export type ErrorCode =
  | "configuration"
  | "input"
  | "api"
  | "rate_limited"
  | "connection"
  | "timeout"
  | "response_format"
  | "response_validation"
  | "pagination"
  | "checkpoint"
  | "bulk"
  | "school"
  | "webhook";

/**
 * Whether the service may have processed a request that failed: `not_sent` if it certainly did not receive it,
 * `unknown` if it may have, `done` if it responded with success. If the outcome of a write is `unknown`, check whether
 * the write took effect before you repeat it.
 */
export type Outcome = "not_sent" | "unknown" | "done";

/** Constructor details that all errors have in common. */
export interface ErrorDetails {
  /** Operation id, such as `invoices.open`; null outside an operation. */
  operation?: string | null;
  /** Number of times the request was sent. */
  attempts?: number;
  outcome?: Outcome | null;
  cause?: unknown;
}

/** The result of an error's `toJSON`, which `EducationAdminError.fromJSON` reads. */
export interface ErrorJson {
  name: string;
  code: ErrorCode;
  message: string;
  operation: string | null;
  attempts: number;
  [field: string]: unknown;
}

/** One problem with the caller's input. */
export interface InputIssue {
  /** Path of the field, such as `address_attributes.country`. */
  readonly path: string;
  readonly message: string;
}

/** Constructor details of an `ApiError`. */
export interface ApiErrorDetails extends ErrorDetails {
  status: number;
  apiCode: number | null;
  apiMessage: string | null;
  errors: unknown;
  body: unknown;
  headers: Headers;
  requestId: string | null;
  hiddenHeaders?: readonly string[];
  method: Method;
  path: string;
  outcome: Exclude<Outcome, "done"> | null;
}

/** Constructor details of a `RateLimitError`. */
export interface RateLimitDetails extends ApiErrorDetails {
  retryAfterMs: number | null;
  resetAt: Date | null;
}
