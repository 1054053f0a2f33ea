/** Metadata of the response to a call. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Response headers. In browsers, only those the service exposes to other origins. */
  readonly headers: Headers;
  /** The service's identifier for the request, from `x-request-id`; null when it sent none or CORS hides it. */
  readonly requestId: string | null;
  /**
   * Headers that this library would read from the response but the browser hides. The service may or may not have sent
   * them: CORS hides all headers except those that the service exposes to other origins. Always empty outside browsers.
   */
  readonly hiddenHeaders: readonly string[];
  /** True when the request was redirected. Only a GET follows redirects, and only within the origin. */
  readonly redirected: boolean;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** Milliseconds spent waiting: in the rate limit's queue, for Retry-After and between attempts. */
  readonly waitedMs: number;
}

/**
 * The platform's type for the reason of a rejected promise, so that handlers can declare a narrower one, as in
 * `(error: Error) => …`. @hidden
 */
export type RejectionReason = Parameters<NonNullable<Parameters<PromiseLike<never>["then"]>[1]>>[0];

/** The data of a call with the metadata of its response. */
export interface WithResponse<T> {
  readonly data: T;
  readonly response: ResponseInfo;
}

/**
 * The promise of one operation's data: `await call` is the data, `await call.withResponse()` the data with status,
 * headers, request id, attempts and waits. The call starts immediately and runs once, however often it is awaited.
 * @throws InputError if an argument is invalid; nothing was sent.
 * @throws ApiError if the service responds with an error.
 */
export class Call<out T> extends Promise<T> {
  /** The data together with status, headers, request id, attempts and waits. */
  declare readonly withResponse: () => Promise<WithResponse<T>>;

  /** @hidden */
  constructor(response: Promise<WithResponse<T>>) {
    super((resolve, reject) => void response.then(({ data }) => resolve(data), reject));
    // The methods of the call return plain promises. They are defined on the instance, because a call must work behind
    // a Proxy.
    defineMember(this, "constructor", Promise);
    defineMember(this, "then", super.then.bind(this));
    defineMember(this, "withResponse", () => {
      // Marks the call itself as handled, because the promise returned here reports the failure.
      super.then(null, () => undefined);
      return response.then((whole) => whole);
    });
    // Without this, JSON would show the data of a call that was not awaited as `{}`.
    defineMember(this, "toJSON", () => {
      throw new TypeError("A call holds no data yet: await it");
    });
    // Not a member of the class, because a computed key would keep bundlers from removing the class.
    defineMember(this, Symbol.for("nodejs.util.inspect.custom"), () => "Call { <await it for the data> }");
  }
}

/** Defines a property on the object itself that is neither logged nor serialized. */
export function defineMember(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true });
}
