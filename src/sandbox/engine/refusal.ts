/** Refuses a request with a status and the service's error body. @internal */
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

// assumes: `message` is a short English sentence, and `errors` names the fields of the body or the parameters of the query.

/** The service's error body (service description, Errors): `errors`, `code`, `message`. @internal */
export function errorBody(status: number, message: string, errors: object = {}): object {
  return { errors, code: status, message };
}

/** The refusal of a body: 422, with the invalid field. @internal */
export function unprocessable(field: string, message: string): Refusal {
  return new Refusal(422, "The request could not be processed", { errors: { [field]: [message] } });
}

/** The refusal of an unknown identifier: 404. @internal */
export function notFound(): Refusal {
  return new Refusal(404, "Not Found");
}

/** Leads the caller to another address, which may be relative to that of the request: 302. @internal */
export function redirect(location: string): Refusal {
  return new Refusal(302, "Found", { headers: { location } });
}
