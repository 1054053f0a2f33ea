export class Refusal extends Error {
  readonly status: number;
  readonly errors: Readonly<Record<string, readonly string[]>>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { errors?: Readonly<Record<string, readonly string[]>>; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? {};
    this.headers = more.headers ?? {};
  }
}

// rule: `message` is a short English sentence, and `errors` names the fields of the body or the parameters of the
// query.

/** The service's error body (service description, Errors). */
export function errorBody(status: number, message: string, errors: object = {}): object {
  return { errors, code: status, message };
}

export function unprocessable(field: string, message: string): Refusal {
  return new Refusal(422, "The request could not be processed", { errors: { [field]: [message] } });
}

export function conflict(field: string, message: string): Refusal {
  return new Refusal(409, "Conflict", { errors: { [field]: [message] } });
}

/** Thrown by a create that responds with an existing record instead of a new one. */
export class Existing extends Error {
  readonly record: object;

  constructor(record: object) {
    super("The record already exists");
    this.record = record;
  }
}

export function notFound(): Refusal {
  return new Refusal(404, "Not Found");
}

/** @param location a URL, which may be relative to that of the request. */
export function redirect(location: string): Refusal {
  return new Refusal(302, "Found", { headers: { location } });
}
