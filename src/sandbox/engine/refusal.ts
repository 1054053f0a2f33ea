/** What a request is refused with: a status and the service's error body. @internal */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { errors?: Record<string, readonly string[]>; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? {};
    this.headers = more.headers ?? {};
  }
}

/** The service's error body (service description, Errors): `errors`, `code`, `message`. @internal */
export function errorBody(status: number, message: string, errors: object = {}): object {
  return { errors, code: status, message };
}

/** The words that go with a status. @internal */
export function statusText(status: number): string {
  return TEXTS[status] ?? (status >= 500 ? "Internal Server Error" : "Request failed");
}

const TEXTS: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  422: "Unprocessable Entity",
  429: "Too Many Requests",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** Refuses a body: 422, with the fields that are wrong. @internal */
export function unprocessable(field: string, message: string): Refusal {
  return new Refusal(422, "The request could not be processed", { errors: { [field]: [message] } });
}

/** Refuses an identifier nobody has: 404. @internal */
export function notFound(): Refusal {
  return new Refusal(404, "Not Found");
}
