/** Metadata of the response to a call. */
export interface ResponseInfo {
  /** HTTP status. */
  readonly status: number;
  /** Response headers. In browsers, only those the service exposes to other origins. */
  readonly headers: Headers;
  /** The service's identifier of the request, from `x-request-id`; null when it sent none or CORS hides it. */
  readonly requestId: string | null;
  /**
   * Headers this library looks for in such a response and the browser does not show: sent or not, CORS hides
   * all but those the service exposes to other origins. Always empty outside browsers.
   */
  readonly hiddenHeaders: readonly string[];
  /** True when the service redirected the request, which only a GET follows, and only within the origin. */
  readonly redirected: boolean;
  /** How many times the request was sent. */
  readonly attempts: number;
  /** Milliseconds spent waiting: in the rate limit's queue, for Retry-After and between attempts. */
  readonly waitedMs: number;
}

/** Why a promise was rejected, typed as the platform does, so that handlers may declare their own type: `(error: Error) => …`. @hidden */
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
export class Call<out T> {
  // A function instead of a private field, hidden from printouts: a call must work behind a Proxy.
  declare private readonly promise: () => Promise<WithResponse<T>>;

  /** @hidden */
  constructor(promise: Promise<WithResponse<T>>) {
    Object.defineProperty(this, "promise", { value: () => promise, configurable: true });
    // Not a member with a computed key: bundlers would keep the class for its sake.
    Object.defineProperty(this, Symbol.for("nodejs.util.inspect.custom"), {
      value: () => "Call { <await it for the data> }",
    });
  }

  get [Symbol.toStringTag](): string {
    return "Call";
  }

  /** The data together with status, headers, request id, attempts and waits. */
  withResponse(): Promise<WithResponse<T>> {
    return this.promise();
  }

  then<Fulfilled = T, Rejected = never>(
    onFulfilled?: ((value: T) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: RejectionReason) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.promise()
      .then(({ data }) => data)
      .then(onFulfilled, onRejected);
  }

  catch<Rejected = never>(
    onRejected?: ((reason: RejectionReason) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<T | Rejected> {
    return this.then(null, onRejected);
  }

  finally(onFinally?: (() => void) | null): Promise<T> {
    return this.then().finally(onFinally);
  }
}

/** To linters and type checks a call is a promise: one that is not awaited is reported. */
export interface Call<out T> extends Promise<T> {}
