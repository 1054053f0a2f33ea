import { type Clock, systemClock } from "./clock.js";
import { type ApiKey, checkToken } from "./credentials.js";
import { ConfigurationError } from "./errors.js";
import type { Observers } from "./events.js";
import { isPlainObject } from "./json.js";
import type { RateLimit } from "./limits/queue.js";
import type { RateLimitStore } from "./limits/rate-limit-store.js";
import type { Operation } from "./operation.js";
import {
  checkNames,
  configurationError,
  type Fail,
  flag,
  group,
  type Names,
  oneOf,
  positive,
  record,
  whole,
} from "./option-checks.js";
import type {
  ArrayFormat,
  ClientOptions,
  FetchLike,
  HeadersOption,
  ListOptions,
  RateLimitOptions,
  RequestOptions,
  RetryOptions,
  RouteOverride,
  ValidationMode,
} from "./options.js";
import type { SchoolChecks } from "./school.js";

/** The settings of one call: the client's, with the call's options over them. */
export interface CallSettings {
  readonly timeout: number;
  /** Milliseconds the whole call may take; null without a limit. */
  readonly totalTimeout: number | null;
  readonly retryLimit: number;
  readonly backoffLimit: number;
  readonly validation: ValidationMode;
  /** The client's and the call's headers, lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A client's options, checked and filled in. */
export interface Settings extends CallSettings {
  /** Origin and prefix, without a slash at the end. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly apiKey: ApiKey;
  readonly fetch: FetchLike;
  readonly rateLimit: RateLimit | null;
  readonly store: RateLimitStore | undefined;
  readonly pageSize: number;
  readonly arrayFormat: ArrayFormat;
  readonly routes: Readonly<Record<string, RouteOverride>>;
  readonly on: Observers;
  readonly readOnly: boolean;
  readonly dedupe: boolean;
  readonly school: SchoolChecks | undefined;
  readonly clock: Clock;
}

/** Marks a sandbox, which can be passed as options; its value lists the names that are not options. */
export const SANDBOX = /* @__PURE__ */ Symbol.for("education-admin-sdk.sandbox");

const RETRY_OPTIONS: Names<RetryOptions> = { limit: 1, backoffLimit: 1 };
const RATE_LIMIT_OPTIONS: Names<RateLimitOptions> = {
  requests: 1,
  windowMs: 1,
  reserve: 1,
  concurrency: 1,
  queueLimit: 1,
  store: 1,
};
/** The options of calls. */
export const REQUEST_OPTIONS: Names<RequestOptions> = {
  signal: 1,
  timeout: 1,
  totalTimeout: 1,
  headers: 1,
  retry: 1,
  query: 1,
  validation: 1,
  priority: 1,
};
/** The options of calls and lists. */
export const LIST_OPTIONS: Names<ListOptions> = {
  ...REQUEST_OPTIONS,
  resume: 1,
  prefetch: 1,
  maxPages: 1,
  onInvalid: 1,
};
/** The options of clients. */
export const CLIENT_OPTIONS: Names<ClientOptions> = {
  baseUrl: 1,
  apiKey: 1,
  dangerouslyAllowBrowser: 1,
  fetch: 1,
  headers: 1,
  timeout: 1,
  totalTimeout: 1,
  retry: 1,
  rateLimit: 1,
  pageSize: 1,
  validation: 1,
  arrayFormat: 1,
  routes: 1,
  on: 1,
  readOnly: 1,
  dedupe: 1,
  school: 1,
  allowInsecureHttp: 1,
  clock: 1,
};
const OBSERVERS: Names<Observers> = {
  request: 1,
  response: 1,
  failure: 1,
  retry: 1,
  wait: 1,
  page: 1,
  drift: 1,
  deprecated: 1,
};

/**
 * Checks a client's options and fills in the defaults.
 * @throws ConfigurationError naming the option; never echoes the key.
 */
export function resolveSettings(options: ClientOptions): Settings {
  if (!isPlainObject(options as unknown)) throw new ConfigurationError("The options must be a plain object");
  const { [SANDBOX]: more } = options as { readonly [SANDBOX]?: Readonly<Record<string, 1>> };
  checkNames(options, more ? { ...CLIENT_OPTIONS, ...more } : CLIENT_OPTIONS, configurationError);
  const baseUrl = resolveBaseUrl(
    options.baseUrl ?? environment("EDUCATION_ADMIN_BASE_URL"),
    flag("allowInsecureHttp", options.allowInsecureHttp),
  );
  const { apiKey: given = environment("EDUCATION_ADMIN_API_KEY") } = options;
  const apiKey =
    typeof given === "function" || given === null ? given : checkToken(given, "The option apiKey contains");
  // A sandbox's key is no secret.
  const allowed = flag("dangerouslyAllowBrowser", options.dangerouslyAllowBrowser) || more;
  if (apiKey !== null && !allowed && (globalThis as { document?: object }).document) {
    throw configurationError(
      "apiKey",
      "shows every visitor of this page the key: pass null, read through createProxyHandler (docs/guides/browser.md), or set dangerouslyAllowBrowser",
    );
  }
  const { fetch, on = {}, routes = {}, school } = options;
  if (school !== undefined && !school?.connect) throw configurationError("school", "must be made by defineSchool");
  if (fetch !== undefined && typeof fetch !== "function") throw configurationError("fetch", "must be a function");
  if (fetch === undefined && typeof globalThis.fetch !== "function") {
    throw new ConfigurationError("This platform has no fetch: pass one as the option fetch");
  }
  return {
    baseUrl: baseUrl.href.replace(/\/+$/, ""),
    origin: baseUrl.origin,
    apiKey,
    // Looked up at each call, so that a fetch patched later (mocks, instrumentation) is seen.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    ...resolveCallSettings(options, DEFAULTS, configurationError),
    headers: checkHeaders(options.headers, configurationError),
    rateLimit: resolveRateLimit(options.rateLimit),
    store: options.rateLimit ? options.rateLimit.store : undefined,
    pageSize: whole("pageSize", options.pageSize ?? 100, 1, 100, configurationError),
    arrayFormat: oneOf(
      "arrayFormat",
      options.arrayFormat ?? "repeat",
      ["repeat", "brackets", "comma"],
      configurationError,
    ),
    routes: record("routes", routes, configurationError),
    on: checkObservers(on),
    readOnly: flag("readOnly", options.readOnly),
    dedupe: flag("dedupe", options.dedupe),
    school: school?.connect(),
    clock: checkMethods("clock", options.clock ?? systemClock, "now", "setTimeout", "clearTimeout"),
  };
}

/**
 * Puts a call's options over the client's.
 * @param fail makes the error that is thrown for a wrong option.
 */
export function resolveCallSettings(
  options: RequestOptions | ClientOptions,
  base: CallSettings,
  fail: Fail,
): CallSettings {
  // Most calls have no options.
  if (Object.keys(options).length === 0) return base;
  const retry: RetryOptions =
    options.retry === false ? { limit: 0 } : group("retry", options.retry ?? {}, RETRY_OPTIONS, fail, " or false");
  return {
    timeout: positive("timeout", options.timeout ?? base.timeout, fail),
    totalTimeout:
      options.totalTimeout === undefined ? base.totalTimeout : positive("totalTimeout", options.totalTimeout, fail),
    retryLimit: whole("retry.limit", retry.limit ?? base.retryLimit, 0, 1000, fail),
    backoffLimit: positive("retry.backoffLimit", retry.backoffLimit ?? base.backoffLimit, fail),
    validation: oneOf("validation", options.validation ?? base.validation, ["report", "strict", "off"], fail),
    headers: options.headers ? { ...base.headers, ...checkHeaders(options.headers, fail) } : base.headers,
  };
}

/**
 * Checks the options of one call that are not settings.
 * @throws what `fail` makes, for unknown names and wrong values.
 */
export function checkCallOptions(
  options: ListOptions,
  { paged }: { readonly paged?: Operation["paged"] | undefined },
  fail: Fail,
): void {
  if (!isPlainObject(options as unknown)) throw fail("", "the options must be a plain object");
  for (const _ in options) {
    checkNames(options, paged ? LIST_OPTIONS : REQUEST_OPTIONS, fail);
    break;
  }
  const { signal, priority } = options;
  if (
    signal !== undefined &&
    !(typeof signal?.addEventListener === "function" && typeof signal.aborted === "boolean")
  ) {
    throw fail("signal", "must be an AbortSignal");
  }
  if (priority !== undefined) oneOf("priority", priority, ["interactive", "batch"], fail);
}

const DEFAULTS: CallSettings = {
  timeout: 30_000,
  totalTimeout: null,
  retryLimit: 5,
  backoffLimit: 20_000,
  validation: "report",
  headers: {},
};

function resolveBaseUrl(value: string | URL | undefined, allowInsecureHttp: boolean | undefined): URL {
  if (value === undefined || value === "") {
    throw new ConfigurationError(
      "No base URL: pass the option baseUrl or, in Node, set the environment variable EDUCATION_ADMIN_BASE_URL",
    );
  }
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    throw new ConfigurationError("The option baseUrl must be an absolute URL, such as https://school.example");
  }
  const api = /\/(api\/(?:v\d+|organization))\/*$/.exec(url.pathname);
  if (api) {
    throw new ConfigurationError(
      `The option baseUrl ends in "/${api[1]}": leave that out, because the library adds it`,
    );
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("The option baseUrl must be an origin and a path, without user, query or fragment");
  }
  const safe =
    url.protocol === "https:" || (url.protocol === "http:" && (isLoopback(url.hostname) || allowInsecureHttp));
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    throw new ConfigurationError(`The option baseUrl uses ${url.protocol}//, which is not possible: use https`);
  }
  if (!safe) {
    throw new ConfigurationError(
      `The option baseUrl uses ${url.protocol}//, which would send the key in the clear: use https, a loopback host, or allowInsecureHttp: true`,
    );
  }
  return url;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

function resolveRateLimit(option: ClientOptions["rateLimit"]): RateLimit | null {
  if (option === false) return null;
  const given = group("rateLimit", option ?? {}, RATE_LIMIT_OPTIONS, configurationError, " or false");
  const { requests = 500, windowMs = 300_000, reserve = 0.1, concurrency = 10, queueLimit = 100_000 } = given;
  if (!(typeof reserve === "number" && reserve >= 0 && reserve < 1)) {
    throw configurationError("rateLimit.reserve", "must be a share from 0 to below 1");
  }
  if (given.store !== undefined) checkMethods("rateLimit.store", given.store, "reserve", "settle", "block");
  return {
    requests: whole("rateLimit.requests", requests, 1, 1_000_000_000, configurationError),
    windowMs: positive("rateLimit.windowMs", windowMs, configurationError),
    reserve,
    concurrency: whole("rateLimit.concurrency", concurrency, 1, 10_000, configurationError),
    queueLimit: whole("rateLimit.queueLimit", queueLimit, 1, 10_000_000, configurationError),
  };
}

// Headers that platforms refuse or that frame the message: the failed connection would look like a lost response.
const FRAMING = /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

function checkHeaders(headers: HeadersOption | undefined, fail: Fail): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of headerPairs(headers ?? {}, fail)) {
    const key = String(name).toLowerCase();
    if (key === "authorization") throw fail("headers", "cannot replace authorization: the key comes from apiKey");
    if (FRAMING.test(key)) throw fail("headers", `cannot contain ${key}: the connection decides it`);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key) || typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail("headers", `contains an invalid header name or value: ${JSON.stringify(key)}`);
    }
    checked[key] = value;
  }
  return checked;
}

function headerPairs(headers: HeadersOption, fail: Fail): Iterable<readonly [unknown, unknown]> {
  const iterable = typeof (headers as Iterable<unknown>)[Symbol.iterator] === "function";
  if (!iterable) return Object.entries(record("headers", headers, fail, ", a Headers or an array of pairs"));
  const pairs = [...(headers as Iterable<unknown>)];
  if (pairs.every((pair): pair is [unknown, unknown] => Array.isArray(pair) && pair.length === 2)) return pairs;
  throw fail("headers", "must be a plain object, a Headers or an array of pairs");
}

function checkObservers(on: Observers): Observers {
  for (const [name, observer] of Object.entries(group("on", on, OBSERVERS, configurationError))) {
    if (observer !== undefined && typeof observer !== "function") {
      throw configurationError(`on.${name}`, "must be a function");
    }
  }
  return on;
}

function checkMethods<T>(option: string, value: T, ...names: readonly [keyof T, keyof T, keyof T]): T {
  if (names.every((name) => typeof value?.[name] === "function")) return value;
  const [first, second, third] = names;
  throw configurationError(option, `must have the methods ${String(first)}, ${String(second)} and ${String(third)}`);
}

// No import of node: and no assumption about process: browsers and Workers come through here too.
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
