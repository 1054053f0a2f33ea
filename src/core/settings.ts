import { type Clock, systemClock } from "./clock.js";
import { ConfigurationError } from "./errors.js";
import type { Observers } from "./events.js";
import { isPlainObject } from "./json.js";
import type { RateLimit } from "./limits/queue.js";
import type { Priority, RateLimitStore } from "./limits/rate-limit-store.js";
import type { Operation } from "./operation.js";
import {
  acceptAny,
  type Checked,
  callable,
  checkOptions,
  configurationError,
  type Fail,
  type Filled,
  finite,
  flag,
  methods,
  must,
  type OptionTable,
  oneOf,
  positive,
  readOptions,
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
import type { SchoolChecks, SchoolOption } from "./school.js";
import { type Service, serviceOf } from "./service.js";

/** The settings of one call: the client's, overridden by the call's options. */
export interface CallSettings {
  readonly timeout: number;
  /** Milliseconds that the whole call may take; null without a limit. */
  readonly totalTimeout: number | null;
  readonly retryLimit: number;
  readonly backoffLimit: number;
  /** A `Retry-After` longer than this many milliseconds ends the call. */
  readonly maxRetryAfter: number;
  readonly validation: ValidationMode;
  readonly onInvalid: NonNullable<ListOptions["onInvalid"]>;
  /** The headers of the client and of the call, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * A client's options, checked and filled in. The first read of `baseUrl`, `origin`, `apiKey` or `on` may read the
 * environment, and throw; copying the settings does not.
 */
export interface Settings extends CallSettings, Service {
  /** The options that the environment may complete, as the caller passed them. */
  readonly given: Pick<ClientOptions, "allowInsecureHttp" | "apiKey" | "baseUrl" | "on">;
  readonly fetch: FetchLike;
  readonly rateLimit: RateLimit | null;
  readonly store: RateLimitStore | undefined;
  readonly maxBodyBytes: number;
  readonly pageSize: number;
  readonly arrayFormat: ArrayFormat;
  readonly routes: Readonly<Record<string, RouteOverride>>;
  readonly on: Observers;
  readonly readOnly: boolean;
  readonly school: SchoolChecks | undefined;
  readonly clock: Clock;
}

/** Marks a sandbox, which can be passed as options; the value lists its members that are not options. */
export const SANDBOX = /* @__PURE__ */ Symbol.for("education-admin-sdk.sandbox");

const validation = /* @__PURE__ */ oneOf<ValidationMode>("report", "strict", "off");

const RETRY_OPTIONS = {
  limit: [/* @__PURE__ */ whole(0, 1000), 5],
  backoffLimit: [finite, 20_000],
  maxRetryAfter: [positive],
} satisfies OptionTable<RetryOptions>;

const RATE_LIMIT_OPTIONS = {
  requests: [/* @__PURE__ */ whole(1, 1_000_000_000), 500],
  windowMs: [finite, 300_000],
  reserve: [
    /* @__PURE__ */ must<number>(
      (value) => typeof value === "number" && value >= 0 && value < 1,
      "must be a number from 0 to below 1",
    ),
    0.1,
  ],
  concurrency: [/* @__PURE__ */ whole(1, 10_000), 10],
  queueLimit: [/* @__PURE__ */ whole(1, 10_000_000), 100_000],
  store: [/* @__PURE__ */ methods<RateLimitStore>("reserve", "settle", "block")],
} satisfies OptionTable<RateLimitOptions>;

const OBSERVERS = {
  request: [callable],
  response: [callable],
  failure: [callable],
  retry: [callable],
  wait: [callable],
  page: [callable],
  drift: [callable],
  deprecated: [callable],
} satisfies OptionTable<Observers>;

const INCLUDABLE = /^\w+(\.\w+)*$/;

export const REQUEST_OPTIONS = {
  signal: [
    /* @__PURE__ */ must<AbortSignal>((value) => {
      const { addEventListener, aborted } = (value ?? {}) as Partial<AbortSignal>;
      return typeof addEventListener === "function" && typeof aborted === "boolean";
    }, "must be an AbortSignal"),
  ],
  timeout: [finite],
  totalTimeout: [positive],
  headers: [checkHeaders],
  retry: [checkRetry],
  include: [
    /* @__PURE__ */ must<readonly string[]>(
      (value) => Array.isArray(value) && value.length > 0 && value.every((name) => INCLUDABLE.test(name)),
      "must be an array of names",
    ),
  ],
  query: [acceptAny<NonNullable<RequestOptions["query"]>>],
  body: [acceptAny<NonNullable<RequestOptions["body"]>>],
  validation: [validation],
  priority: [/* @__PURE__ */ oneOf<Priority>("interactive", "batch"), "interactive"],
} satisfies OptionTable<RequestOptions>;

export const LIST_OPTIONS = {
  ...REQUEST_OPTIONS,
  resume: [acceptAny],
  prefetch: [/* @__PURE__ */ whole(0), 1],
  maxPages: [
    /* @__PURE__ */ must<number>(
      (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) > 0),
      "must be a positive whole number",
    ),
    Number.POSITIVE_INFINITY,
  ],
  onInvalid: [/* @__PURE__ */ oneOf<NonNullable<ListOptions["onInvalid"]>>("throw", "skip"), "throw"],
} satisfies OptionTable<ListOptions>;

export const CLIENT_OPTIONS = {
  baseUrl: [acceptAny],
  apiKey: [acceptAny],
  dangerouslyAllowBrowser: [flag, false],
  fetch: [callable],
  headers: [checkHeaders, {}],
  timeout: [finite, 30_000],
  totalTimeout: [positive, null],
  retry: [checkRetry, {}],
  rateLimit: [checkRateLimit],
  // Far larger than any page of 100 records or any invoice as a PDF.
  maxBodyBytes: [/* @__PURE__ */ whole(1, 2 ** 30), 2 ** 23],
  pageSize: [/* @__PURE__ */ whole(1, 100), 100],
  validation: [validation, "report"],
  arrayFormat: [/* @__PURE__ */ oneOf<ArrayFormat>("repeat", "brackets", "comma"), "repeat"],
  routes: [record, {}],
  on: [checkObservers, {}],
  readOnly: [flag, false],
  school: [
    /* @__PURE__ */ must<SchoolOption>(
      (value) => !!(value as SchoolOption | null)?.connect,
      "must be made by defineSchool",
    ),
  ],
  allowInsecureHttp: [flag, false],
  clock: [/* @__PURE__ */ methods<Clock>("now", "setTimeout", "clearTimeout"), systemClock],
} satisfies OptionTable<ClientOptions>;
/**
 * Checks a client's options and fills in the defaults.
 * @throws ConfigurationError naming the option; the message never contains the key.
 */
export function resolveSettings(options: ClientOptions, observed: (on: Observers) => Observers = (on) => on): Settings {
  if (!isPlainObject(options as unknown)) throw new ConfigurationError("The options must be a plain object");
  const { [SANDBOX]: more } = options as { readonly [SANDBOX]?: Readonly<Record<string, 1>> };
  const { allowInsecureHttp, dangerouslyAllowBrowser, retry, rateLimit, ...read } = readOptions(
    options,
    CLIENT_OPTIONS,
    configurationError,
    "",
    more,
  );
  const { fetch, school } = options;
  // A sandbox's key is not a secret, so a browser may have it.
  const service = serviceOf(options, allowInsecureHttp, dangerouslyAllowBrowser || more !== undefined);
  if (fetch === undefined && typeof globalThis.fetch !== "function") {
    throw new ConfigurationError("This platform has no fetch: pass one as the `fetch` option");
  }
  const { limit, backoffLimit, maxRetryAfter } = readOptions(retry, RETRY_OPTIONS, configurationError);
  const { store, ...budget } = rateLimit ?? readOptions({}, RATE_LIMIT_OPTIONS, configurationError);
  const { baseUrl: _, apiKey: __, on, ...other } = read;
  let observers: Observers | undefined;
  const fromEnvironment = {
    baseUrl: { get: () => service().baseUrl },
    origin: { get: () => service().origin },
    apiKey: { get: () => service().apiKey },
    on: { get: () => (observers ??= observed(on)) },
  };
  const settings: Omit<Settings, keyof typeof fromEnvironment> = {
    ...other,
    given: { baseUrl: options.baseUrl?.toString(), apiKey: options.apiKey, on, allowInsecureHttp },
    totalTimeout: limitOf(read.totalTimeout),
    // Looked up on each call, so that a fetch that is patched later (by mocks or instrumentation) is used.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    retryLimit: limit,
    backoffLimit,
    maxRetryAfter: maxRetryAfter ?? Math.max(LEAST_MAX_RETRY_AFTER_MS, 2 * budget.windowMs),
    onInvalid: "throw",
    rateLimit: rateLimit === null ? null : budget,
    store,
    routes: options.routes ?? {},
    school: school?.connect(),
  };
  return Object.defineProperties(settings, fromEnvironment) as Settings;
}

/** Checks the options of one call or list. @throws the error that `fail` makes, for unknown names and wrong values. */
export function checkCallOptions(
  options: ListOptions,
  { paged }: { readonly paged?: Operation["paged"] | undefined },
  fail: Fail,
): Checked<typeof LIST_OPTIONS> {
  record("options", options, fail);
  // Skips the checks in the most common case: no options.
  for (const _ in options) return checkOptions(options, paged ? LIST_OPTIONS : REQUEST_OPTIONS, fail);
  return {};
}

export function callSettings(given: Checked<typeof LIST_OPTIONS>, base: CallSettings): CallSettings {
  if (Object.keys(given).length === 0) return base;
  const { retry = {}, headers } = given;
  return {
    timeout: given.timeout ?? base.timeout,
    totalTimeout: limitOf(given.totalTimeout ?? base.totalTimeout),
    retryLimit: retry.limit ?? base.retryLimit,
    backoffLimit: retry.backoffLimit ?? base.backoffLimit,
    maxRetryAfter: retry.maxRetryAfter ?? base.maxRetryAfter,
    validation: given.validation ?? base.validation,
    onInvalid: given.onInvalid ?? base.onInvalid,
    headers: headers ? { ...base.headers, ...headers } : base.headers,
  };
}

// Infinity becomes null, so that no timer is set.
function limitOf(totalTimeout: number | null): number | null {
  return totalTimeout === Number.POSITIVE_INFINITY ? null : totalTimeout;
}

function checkRetry(option: string, value: RetryOptions | false, fail: Fail): Checked<typeof RETRY_OPTIONS> {
  if (value === false) return { limit: 0 };
  return checkOptions(record(option, value, fail, " or false"), RETRY_OPTIONS, fail, `${option}.`);
}

function checkRateLimit(
  option: string,
  value: RateLimitOptions | false,
  fail: Fail,
): Filled<typeof RATE_LIMIT_OPTIONS> | null {
  if (value === false) return null;
  return readOptions(record(option, value, fail, " or false"), RATE_LIMIT_OPTIONS, fail, `${option}.`);
}

// Headers that platforms refuse or the connection sets. A request with such a header would fail as if its response had
// been lost.
const FRAMING = /^(connection|content-length|expect|keep-alive|te|trailer|transfer-encoding|upgrade)$/;

function checkHeaders(option: string, headers: HeadersOption, fail: Fail): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of headerPairs(option, headers, fail)) {
    const key = String(name).toLowerCase();
    if (key === "authorization") throw fail(option, "cannot replace authorization: the key comes from apiKey");
    if (FRAMING.test(key)) throw fail(option, `cannot contain ${key}: the connection sets it`);
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key) || typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail(option, `contains an invalid header name or value: ${JSON.stringify(key)}`);
    }
    checked[key] = value;
  }
  return checked;
}

function headerPairs(option: string, headers: HeadersOption, fail: Fail): Iterable<readonly [unknown, unknown]> {
  const iterable = typeof (headers as Iterable<unknown> | null)?.[Symbol.iterator] === "function";
  if (!iterable) return Object.entries(record(option, headers, fail, ", a Headers or an array of pairs"));
  const pairs = [...(headers as Iterable<unknown>)];
  if (pairs.every((pair): pair is [unknown, unknown] => Array.isArray(pair) && pair.length === 2)) return pairs;
  throw fail(option, "must be a plain object, a Headers or an array of pairs");
}

function checkObservers(option: string, on: Observers, fail: Fail): Observers {
  checkOptions(on, OBSERVERS, fail, `${option}.`);
  return on;
}

// Two windows of the service's rate limit.
const LEAST_MAX_RETRY_AFTER_MS = 600_000;
