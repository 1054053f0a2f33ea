import type { OperationId } from "../generated/operation-id.js";
import type { Clock } from "./clock.js";
import type { Observers } from "./events.js";
import type { Priority, RateLimitStore } from "./limits/rate-limit-store.js";
import type { Method } from "./method.js";
import type { AnySchool, NoSchool, SchoolOption } from "./school.js";

/** The second argument that the library passes to `fetch`. */
export interface FetchInit {
  method: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** JSON text; absent if there is no body. */
  body?: string;
  signal: AbortSignal;
  redirect: "manual";
}

/** The part of a response that the library uses. */
export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly bodyUsed: boolean;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/**
 * A function like the platform's `fetch`, undici's or node-fetch's. It is called with the URL as text and must return a
 * new response for each call.
 */
export type FetchLike = (input: string, init: FetchInit) => Promise<FetchResponse>;

/** Request headers: an object, a `Headers` or an array of pairs. */
export type HeadersOption = Record<string, string> | Iterable<readonly [string, string]>;

/**
 * How responses are validated. `report`: everything passes, and differences are reported through `on.drift`. `strict`:
 * a missing field, an unexpected null, a wrong type or an unknown value of a complete enumeration throws
 * `ResponseValidationError`; new fields are reported. `off`: responses are not validated.
 */
export type ValidationMode = "report" | "strict" | "off";

/** How arrays are written in a query: `a=1&a=2`, `a[]=1&a[]=2` or `a=1,2`. */
export type ArrayFormat = "repeat" | "brackets" | "comma";

/** How often failed attempts are retried, and the pauses in between. */
export interface RetryOptions {
  /** Maximum number of retries of one call. Default 5. */
  limit?: number | undefined;
  /** Longest pause in milliseconds that the library chooses; `Retry-After` may ask for a longer one. Default 20,000. */
  backoffLimit?: number | undefined;
  /**
   * Longest `Retry-After` in milliseconds that a call waits for; a longer one ends the call with the response's error.
   * Default: two windows of the rate limit, at least 600,000.
   */
  maxRetryAfter?: number | undefined;
}

/**
 * The rate limit of a client (service description, Limits: 500 requests in 5 minutes for each token). All clients in
 * the process that use the same token share one count, and each waits when that count reaches its own limit.
 */
export interface RateLimitOptions {
  /**
   * Requests per window: the client stops sending once its token has used this many, including requests of other
   * clients. Default 500.
   */
  requests?: number | undefined;
  /** Milliseconds for which a request of this client still counts after its response. Default 300,000. */
  windowMs?: number | undefined;
  /** Share of `requests` kept for interactive calls, from 0 to below 1. Default 0.1. */
  reserve?: number | undefined;
  /** Maximum number of this client's requests in flight at a time. Default 10. */
  concurrency?: number | undefined;
  /**
   * Maximum number of this client's calls that may wait; one more fails immediately with `RateLimitError`. Default
   * 100,000.
   */
  queueLimit?: number | undefined;
  /** Shares the count between processes. Default: each process counts alone. */
  store?: RateLimitStore | undefined;
}

/** Replaces an operation's method or path; see the client option `routes`. */
export interface RouteOverride {
  method?: Method | undefined;
  /** Path below the API's prefix; must have the same placeholders. */
  path?: string | undefined;
}

/** Options of every client. */
export interface ClientOptions<S extends AnySchool = NoSchool> {
  /**
   * Origin of the service and any path before `api/…`, without `api/v1`. https, or http to a loopback host. In Node the
   * environment variable `EDUCATION_ADMIN_BASE_URL` is used if this option is absent.
   */
  baseUrl?: string | URL | undefined;
  /**
   * Bearer token, or an (async) function that returns it. The function is called once for all waiting calls, and again
   * after every 401. After a 403, or a 404 from an operation that has worked with this key, it is also called again,
   * but with pauses of 1, 2, 4, … up to 300 seconds in between, until a repeated call succeeds. `null` sends no
   * `Authorization`: enough for public data, such as published courses; the rate limit is then counted by your IP
   * address. In Node the environment variable `EDUCATION_ADMIN_API_KEY` is used if this option is absent, but only for
   * the host of `EDUCATION_ADMIN_BASE_URL`. In a web page, its workers or an extension, any value other than null needs
   * `dangerouslyAllowBrowser`.
   */
  apiKey?: string | (() => string | Promise<string>) | null | undefined;
  /** Allows a key in a web page, where every visitor can read it; see `apiKey`. Default false. */
  dangerouslyAllowBrowser?: boolean | undefined;
  /**
   * Replaces the platform's `fetch`: for a proxy, a sandbox or a recording. Its promise may reject only because the
   * request failed: a `code` such as ECONNREFUSED means that the service did not receive the request, and a POST is
   * then sent again.
   */
  fetch?: FetchLike | undefined;
  /** Headers added to every request; `authorization` cannot be replaced. */
  headers?: HeadersOption | undefined;
  /** Milliseconds that one attempt may take, including its body but not the wait for the rate limit. Default 30,000. */
  timeout?: number | undefined;
  /**
   * Milliseconds that the whole call may take, including waits, retries and the body; Infinity for no limit. Default:
   * no limit.
   */
  totalTimeout?: number | undefined;
  /** Retries, or false for none. Default `{ limit: 5, backoffLimit: 20_000 }`. */
  retry?: RetryOptions | false | undefined;
  /** The rate limit, or false for none. Default: 500 requests in 300,000 ms, 10 in flight. */
  rateLimit?: RateLimitOptions | false | undefined;
  /**
   * Maximum size of a response body in bytes; a larger one ends the call with a `ResponseFormatError`. 1 to
   * 1,073,741,824, default 8,388,608.
   */
  maxBodyBytes?: number | undefined;
  /** `per_page` for lists that set none themselves, 1 to 100. Default 100. */
  pageSize?: number | undefined;
  /** How responses are validated. Default `report`. */
  validation?: ValidationMode | undefined;
  /** How arrays are written in queries. Default `repeat`. */
  arrayFormat?: ArrayFormat | undefined;
  /** Overrides of methods and paths by operation id, for example `{ "attendances.get": { path: "…" } }`. */
  routes?: { readonly [Id in OperationId]?: RouteOverride } | undefined;
  /**
   * Observers of requests, responses, failures, retries, waits, pages, drift and deprecations; exceptions that they
   * throw are ignored.
   */
  on?: Observers | undefined;
  /** True to refuse every request other than a GET before anything is sent. Default false. */
  readOnly?: boolean | undefined;
  /**
   * The school's own fields, from the file that `npx education-admin-sdk types` writes. Their values are checked before
   * they are sent, and unknown options in responses are reported through `on.drift`. Default: any slug and any value
   * passes.
   */
  school?: SchoolOption<S> | undefined;
  /** Allows http to hosts other than the loopback host. Default false. */
  allowInsecureHttp?: boolean | undefined;
  /** The clock, replaced in tests. Default: the machine's clock. */
  clock?: Clock | undefined;
}

/** Additional query parameters; arrays are written in the client's `arrayFormat`. */
export type QueryOption = Readonly<
  Record<string, string | number | boolean | readonly (string | number | boolean)[] | undefined>
>;

/** Options of one call, passed as the last argument of every method. */
export interface RequestOptions {
  /** Ends the call with the signal's reason: in the queue, between attempts, in flight or while the body is read. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that one attempt may take. */
  timeout?: number | undefined;
  /** Milliseconds that the whole call may take; Infinity for no limit. */
  totalTimeout?: number | undefined;
  /** Headers for this call; `authorization` cannot be replaced. */
  headers?: HeadersOption | undefined;
  /** Retries for this call, or false for none. */
  retry?: RetryOptions | false | undefined;
  /**
   * Names of related records to add to each record, such as `["meetings"]` or `["course_tab_contents.course_tab"]`:
   * letters, digits and underscores, joined by dots. Only for reads; the service refuses names that it does not know.
   */
  include?: readonly string[] | undefined;
  /**
   * Query parameters that the library does not list. They are sent unchanged; a parameter that the operation, its
   * pagination or `include` already has is refused.
   */
  query?: QueryOption | undefined;
  /**
   * Fields of the body that the library does not list, such as one that the service has added. They are sent unchanged;
   * a field that the operation already has is refused, and so is every field of a GET.
   */
  body?: Readonly<Record<string, unknown>> | undefined;
  /** How this response is validated. */
  validation?: ValidationMode | undefined;
  /**
   * Decides which calls go first when the rate limit is nearly used up. Default `interactive`; pages after the first
   * are `batch`.
   */
  priority?: Priority | undefined;
}

/** Options of a list. */
export interface ListOptions extends RequestOptions {
  /** The `checkpoint` of a page: the list continues after that page. */
  resume?: string | undefined;
  /** Number of pages to fetch ahead while the consumer works. Default 1; 0 turns this off. */
  prefetch?: number | undefined;
  /** Maximum number of pages to fetch. Default: all. */
  maxPages?: number | undefined;
  /**
   * Treatment of a record that strict validation refuses: `throw` fails the page, `skip` leaves the record out and
   * reports it. Default `throw`.
   */
  onInvalid?: "throw" | "skip" | undefined;
}
