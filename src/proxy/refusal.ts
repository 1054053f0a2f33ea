import type { InputIssue } from "../core/error-details.js";
import { byField } from "../core/field-errors.js";

/** An error that a page may see: a status and the service's error body, without anything about the server behind it. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  /** Whole seconds for `Retry-After`; null omits the header. */
  readonly retryAfter: number | null;

  constructor(
    status: number,
    message: string,
    more: { errors?: Record<string, readonly string[]>; retryAfterMs?: number } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? {};
    this.retryAfter = more.retryAfterMs === undefined ? null : Math.max(1, Math.ceil(more.retryAfterMs / 1_000));
  }

  /** The service's error body (service description, Errors). */
  toJSON(): { errors: object; code: number; message: string } {
    return { errors: this.errors, code: this.status, message: this.message };
  }
}

/**
 * Refuses a record that is missing or not visible to the server's key, without revealing which. Also refuses addresses
 * outside the service.
 */
export function notFound(): Refusal {
  return new Refusal(404, "Not Found");
}

/**
 * Refuses an address that is not allowed or does not exist, without revealing which. The status is not 404, because
 * joins and lookups of the page's client would treat that as a missing record.
 */
export function notAllowed(): Refusal {
  return new Refusal(403, "The proxy does not allow this request");
}

export function badParameters(issues: readonly InputIssue[]): Refusal {
  const named = issues.map(({ path, message }) => ({ path: path || "base", message }));
  return new Refusal(400, "A parameter or filter is not allowed", { errors: Object.fromEntries(byField(named)) });
}
