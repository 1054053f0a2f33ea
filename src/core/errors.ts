import type {
  ApiErrorDetails,
  ErrorCode,
  ErrorDetails,
  ErrorJson,
  InputIssue,
  Outcome,
  RateLimitDetails,
} from "./error-details.js";
import type { Method } from "./method.js";

// A registered symbol, so that `instanceof` also recognizes errors of another copy of this library: one in another
// version, module format or realm.
const BRAND = Symbol.for("education-admin-sdk.error");

/**
 * Base class of the errors of calls, webhooks and plans. `instanceof` works across copies, realms and module systems.
 * Messages, log output and `toJSON` contain no key, and sent values are redacted in them: strings of 4 characters or
 * more, numbers of 6 digits or more. `body`, `errors`, `apiMessage` and `raw` contain the response unredacted: do not
 * log them.
 */
export class EducationAdminError extends Error {
  /** @internal */
  static readonly kind: string = "EducationAdminError";

  /** Stable code of the kind of failure. */
  readonly code: ErrorCode;
  /** Operation id, such as `invoices.open`; null outside an operation. */
  readonly operation: string | null;
  /** Number of times the request was sent; 0 if it never was. */
  readonly attempts: number;
  /**
   * Whether the service may have processed the request: `not_sent`, `unknown`, or `done` if it responded with success;
   * null if the service refused the request, or if the question does not arise, as for a pagination error.
   */
  readonly outcome: Outcome | null;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.operation = details.operation ?? null;
    this.attempts = details.attempts ?? 0;
    this.outcome = details.outcome ?? null;
    define(this, "name", (new.target as typeof EducationAdminError).kind);
  }

  /** Recognizes errors of this class from any copy of the library, in any realm. */
  static override [Symbol.hasInstance](this: unknown, value: unknown): boolean {
    if (typeof value !== "object" || value === null) return false;
    const self = this as typeof EducationAdminError;
    // A caller's subclass has no `kind` of its own, so the usual rule of instanceof applies.
    if (!Object.hasOwn(self, "kind")) return Object.prototype.isPrototypeOf.call(self.prototype, value);
    const kinds = (value as { [BRAND]?: unknown })[BRAND];
    return Array.isArray(kinds) && kinds.includes(self.kind);
  }

  /** @internal The kinds of this error, the most specific first. */
  get [BRAND](): readonly string[] {
    // An error that `fromJSON` restored without its class, such as a webhook error, keeps its kind only in its name.
    const kinds: string[] = [this.name];
    for (
      let Class = this.constructor as typeof EducationAdminError;
      typeof Class?.kind === "string";
      Class = Object.getPrototypeOf(Class)
    ) {
      if (Object.hasOwn(Class, "kind")) kinds.push(Class.kind);
    }
    return kinds;
  }

  /** Plain data for logs and queues, without the token and without values that were sent. */
  toJSON(): ErrorJson {
    const { name, code, message, operation, attempts } = this;
    return { name, code, message, operation, attempts, ...extraFields(this) };
  }

  /**
   * Restores an error from the result of `toJSON`; `instanceof` works for its class.
   * @throws TypeError when the value was not written by `toJSON`.
   */
  static fromJSON(json: ErrorJson): EducationAdminError {
    if (typeof json?.code !== "string" || typeof json.message !== "string") {
      throw new TypeError("EducationAdminError.fromJSON accepts only what toJSON of this library's errors returns");
    }
    // `BASE`, because the build would rename a class that refers to itself.
    const Kind = KINDS.find(({ kind }) => kind === json.name) ?? BASE;
    const { name, message, ...fields } = json;
    // Loggers, error trackers and structuredClone require a real error, so only the prototype is replaced.
    const error = Object.setPrototypeOf(new Error(message), Kind.prototype) as EducationAdminError;
    define(error, "name", name);
    define(error, "stack", `${name}: ${message}`);
    // Defined, not assigned: data from a queue may have a field named __proto__, which would set the prototype.
    for (const [field, written] of Object.entries(fields)) {
      // A field must not replace a member that every object has.
      if (field in Object.prototype || field === "toJSON") continue;
      const value = field === "resetAt" && typeof written === "string" ? new Date(written) : written;
      define(error, field, value, true);
    }
    return error;
  }
}

/** A client option is wrong, or a function passed as an option failed. Thrown by constructors and by calls. */
export class ConfigurationError extends EducationAdminError {
  static override readonly kind: string = "ConfigurationError";
  declare readonly code: "configuration";
  constructor(message: string, details?: ErrorDetails) {
    super("configuration", message, { outcome: "not_sent", ...details });
  }
}

/**
 * An argument, an option or a path is invalid, or a client with `readOnly` was asked to write. If `outcome` is
 * `not_sent`, nothing was sent.
 */
export class InputError extends EducationAdminError {
  static override readonly kind: string = "InputError";
  declare readonly code: "input";
  /** The problems, field by field. */
  readonly issues: readonly InputIssue[];
  constructor(message: string, issues: readonly InputIssue[], details?: ErrorDetails) {
    super("input", message, { outcome: "not_sent", ...details });
    this.issues = issues;
  }
}

/** The service returned an error (service description, Errors). */
export class ApiError extends EducationAdminError {
  static override readonly kind: string = "ApiError";
  // Private, so that it is not logged; absent in an error made by fromJSON.
  readonly #response: Pick<ApiErrorDetails, "apiMessage" | "errors" | "body" | "headers" | "hiddenHeaders">;
  /** HTTP status of the response; a 2xx when the service returned its error body with a success status. */
  readonly status: number;
  /** `code` of the error body; null when there was none. */
  readonly apiCode: number | null;
  /** The service's text, `message` of the error body. Not shown in logs, as it may repeat values that were sent. */
  get apiMessage(): string | null {
    return #response in this ? this.#response.apiMessage : null;
  }
  /** `errors` of the error body; its structure is not documented. Not shown in logs. */
  get errors(): unknown {
    return #response in this ? this.#response.errors : null;
  }
  /** The whole response body. Not shown in logs. */
  get body(): unknown {
    return #response in this ? this.#response.body : undefined;
  }
  /** Response headers. Not shown in logs. */
  get headers(): Headers {
    return #response in this ? this.#response.headers : new Headers();
  }
  /** The service's identifier for the request; null when it sent none or CORS hides it. */
  readonly requestId: string | null;
  /** Headers that the browser hides; see `ResponseInfo.hiddenHeaders`. Not shown in logs. */
  get hiddenHeaders(): readonly string[] {
    return #response in this ? (this.#response.hiddenHeaders ?? []) : [];
  }
  readonly method: Method;
  /** Path template, such as `invoices/{id}`. */
  readonly path: string;
  /**
   * `unknown` if the service may have processed a write despite this response (408, 5xx), `not_sent` if the client sent
   * nothing, because the rate limit was used up or its queue was full; null otherwise.
   */
  declare readonly outcome: Exclude<Outcome, "done"> | null;
  declare readonly code: "api" | "rate_limited";

  constructor(message: string, details: ApiErrorDetails, code: ErrorCode = "api") {
    super(code, message, details);
    this.status = details.status;
    this.apiCode = details.apiCode;
    this.requestId = details.requestId;
    this.method = details.method;
    this.path = details.path;
    this.#response = details;
  }
}

/** 400: the service did not understand the request. */
export class BadRequestError extends ApiError {
  static override readonly kind: string = "BadRequestError";
}
/** 401: the key is missing, wrong or expired. */
export class AuthenticationError extends ApiError {
  static override readonly kind: string = "AuthenticationError";
}
/** 403: no valid key, a missing scope, a record of another school, or a feature flag that is off. */
export class PermissionDeniedError extends ApiError {
  static override readonly kind: string = "PermissionDeniedError";
}
/** 404: the record does not exist or this key may not see it. The service also returns 404 for bad credentials. */
export class NotFoundError extends ApiError {
  static override readonly kind: string = "NotFoundError";
}
/** 409: the request conflicts with the state of the record. */
export class ConflictError extends ApiError {
  static override readonly kind: string = "ConflictError";
}
/** 422: the service refused a value. */
export class UnprocessableEntityError extends ApiError {
  static override readonly kind: string = "UnprocessableEntityError";
}
/** 5xx: the service failed. */
export class ServerError extends ApiError {
  static override readonly kind: string = "ServerError";
}

/**
 * The service responded 429, or the client did not send a request, because the wait for the rate limit would exceed
 * `totalTimeout` or the queue is full.
 */
export class RateLimitError extends ApiError {
  static override readonly kind: string = "RateLimitError";
  declare readonly code: "rate_limited";
  /** Milliseconds to wait before the next call; null when unknown. */
  readonly retryAfterMs: number | null;
  /** When to call again; null when unknown. */
  readonly resetAt: Date | null;
  constructor(message: string, details: RateLimitDetails) {
    super(message, details, "rate_limited");
    this.retryAfterMs = details.retryAfterMs;
    this.resetAt = details.resetAt;
  }
}

/** There was no response: the host was not found or refused the connection, or the connection broke. */
export class ConnectionError extends EducationAdminError {
  static override readonly kind: string = "ConnectionError";
  declare readonly code: "connection";
  /** Whether the service may have processed the request; null if it refused all earlier attempts, as with a 429. */
  declare readonly outcome: Exclude<Outcome, "done"> | null;
  constructor(message: string, details: ErrorDetails & Pick<ConnectionError, "outcome">) {
    super("connection", message, details);
  }
}

/** An attempt or the whole call took longer than its limit. */
export class RequestTimeoutError extends EducationAdminError {
  static override readonly kind: string = "RequestTimeoutError";
  /** Which limit was exceeded: `timeout` of one attempt, or `totalTimeout`. */
  readonly scope: "attempt" | "total";
  declare readonly code: "timeout";
  /** Whether the service may have processed the request; null if it refused all earlier attempts, as with a 429. */
  declare readonly outcome: Exclude<Outcome, "done"> | null;
  constructor(message: string, details: ErrorDetails & Pick<RequestTimeoutError, "scope" | "outcome">) {
    super("timeout", message, details);
    this.scope = details.scope;
  }
}

/** The response is incomplete or not from the service: not JSON, truncated, of the wrong type, or a redirect. */
export class ResponseFormatError extends EducationAdminError {
  static override readonly kind: string = "ResponseFormatError";
  readonly status: number;
  readonly contentType: string | null;
  /** First 200 characters of a body such as an HTML page; empty for JSON, which may hold personal data. */
  readonly excerpt: string;
  declare readonly code: "response_format";
  /** `done` for a write whose 201 response lacks the record; otherwise `unknown`: the response proves nothing. */
  declare readonly outcome: "unknown" | "done";
  constructor(
    message: string,
    details: ErrorDetails & {
      status: number;
      contentType: string | null;
      excerpt: string;
      outcome?: "unknown" | "done";
    },
  ) {
    super("response_format", message, { outcome: "unknown", ...details });
    this.status = details.status;
    this.contentType = details.contentType;
    this.excerpt = details.excerpt;
  }
}

/**
 * A record does not match its schema; thrown only with strict validation. After a write, `outcome` is `done`, because
 * the service responded with success; the record is in `raw`.
 */
export class ResponseValidationError extends EducationAdminError {
  static override readonly kind: string = "ResponseValidationError";
  declare readonly code: "response_validation";
  readonly #raw: unknown;
  /** The differences, field by field, without values. */
  readonly issues: readonly InputIssue[];
  /** Position of the record on its page; null for a single record. */
  readonly index: number | null;
  /** `id` of the record, if it has one. */
  readonly id: number | string | null;
  /** The record as the service sent it. Not shown in logs. */
  get raw(): unknown {
    return #raw in this ? this.#raw : undefined;
  }
  constructor(
    message: string,
    details: ErrorDetails & {
      issues: readonly InputIssue[];
      index: number | null;
      id: number | string | null;
      raw: unknown;
    },
  ) {
    super("response_validation", message, details);
    this.issues = details.issues;
    this.index = details.index;
    this.id = details.id;
    this.#raw = details.raw;
  }
}

/** A list cannot continue: its cursor repeats, there is no further page, or CORS hides the address of the next page. */
export class PaginationError extends EducationAdminError {
  static override readonly kind: string = "PaginationError";
  declare readonly code: "pagination";
  constructor(message: string, details?: ErrorDetails) {
    super("pagination", message, details);
  }
}

/** A checkpoint cannot be resumed: it belongs to another list or other filters, or the service refused its cursor. */
export class CheckpointError extends EducationAdminError {
  static override readonly kind: string = "CheckpointError";
  declare readonly code: "checkpoint";
  constructor(message: string, details?: ErrorDetails) {
    super("checkpoint", message, details);
  }
}

/** The error class for each code. */
export interface ErrorsByCode {
  configuration: ConfigurationError;
  input: InputError;
  api: ApiError & { readonly code: "api" };
  rate_limited: RateLimitError;
  connection: ConnectionError;
  timeout: RequestTimeoutError;
  response_format: ResponseFormatError;
  response_validation: ResponseValidationError;
  pagination: PaginationError;
  checkpoint: CheckpointError;
  /** Errors of the package entry `./bulk`, which exports their class. */
  bulk: EducationAdminError & { readonly code: "bulk" };
  /** Errors of the package entry `./schools`, which exports their class. */
  school: EducationAdminError & { readonly code: "school" };
  /** Errors of the package entry `./webhooks`, which exports their class. */
  webhook: EducationAdminError & { readonly code: "webhook" };
}

/** Any error of this library; compare `code` to tell the errors apart. */
export type AnyEducationAdminError = ErrorsByCode[ErrorCode];

/**
 * Returns true for an error of any copy of this library; if a code is given, only for errors with this code. Narrows
 * the type to the class of that code, or to the union of all errors, which `switch (error.code)` narrows further.
 * @example
 * try {
 *   await client.accounts.get(7);
 * } catch (error) {
 *   if (!isEducationAdminError(error, "rate_limited")) throw error;
 *   console.log(error.operation, error.retryAfterMs);
 * }
 */
export function isEducationAdminError<Code extends ErrorCode = ErrorCode>(
  value: unknown,
  code?: Code,
): value is ErrorsByCode[Code] {
  return value instanceof EducationAdminError && (code === undefined || value.code === code);
}

const BASE = EducationAdminError;

const KINDS: readonly { readonly kind: string; readonly prototype: EducationAdminError }[] = [
  ConfigurationError,
  InputError,
  ApiError,
  BadRequestError,
  AuthenticationError,
  PermissionDeniedError,
  NotFoundError,
  ConflictError,
  UnprocessableEntityError,
  ServerError,
  RateLimitError,
  ConnectionError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
  PaginationError,
  CheckpointError,
];

// Properties are not enumerable by default, which keeps them out of logs.
function define(target: object, name: string, value: unknown, enumerable = false): void {
  Object.defineProperty(target, name, { value, enumerable, configurable: true, writable: true });
}

function extraFields(error: EducationAdminError): Record<string, unknown> {
  return Object.fromEntries(Object.entries(error).filter(([name]) => name !== "cause"));
}
