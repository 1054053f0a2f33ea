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
export class Call<out T> extends Promise<T> {
  /** The data together with status, headers, request id, attempts and waits. */
  declare readonly withResponse: () => Promise<WithResponse<T>>;

  /** @hidden */
  constructor(response: Promise<WithResponse<T>>) {
    super((resolve, reject) => void response.then(({ data }) => resolve(data), reject));
    // What its methods return is a plain promise; they are its own, because a call must work behind a Proxy.
    own(this, "constructor", Promise);
    own(this, "then", super.then.bind(this));
    own(this, "withResponse", () => {
      // Whoever asks for the response gets the failure with it.
      super.then(null, () => undefined);
      return response.then((whole) => whole);
    });
    // Not a member with a computed key: bundlers would keep the class for its sake.
    own(this, Symbol.for("nodejs.util.inspect.custom"), () => "Call { <await it for the data> }");
  }
}

/** Gives an object a member of its own that neither printouts nor serializers list. */
export function own(object: object, name: PropertyKey, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true });
}
