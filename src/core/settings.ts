import { type Clock, systemClock } from "./clock.js";
import { type ApiKey, checkToken } from "./credentials.js";
import { ConfigurationError } from "./errors.js";
import type { Observers } from "./events.js";
import type { RateLimitStore } from "./limits/rate-limit-store.js";
import type { RateLimit } from "./limits/rate-limiter.js";
import { METHODS, type Operation } from "./operation.js";
import type {
  ArrayFormat,
  ClientOptions,
  FetchLike,
  RequestOptions,
  RetryOptions,
  RouteOverride,
  ValidationMode,
} from "./options.js";

/** How patient one call is. */
export interface Patience {
  readonly timeout: number;
  readonly totalTimeout: number | null;
  readonly retryLimit: number;
  readonly backoffLimit: number;
  readonly validation: ValidationMode;
  readonly headers: Readonly<Record<string, string>>;
}

/** A client's options, checked and filled in. */
export interface Settings extends Patience {
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
  readonly clock: Clock;
}

/**
 * Checks a client's options and fills in the defaults.
 * @throws ConfigurationError naming the option; never echoes the key.
 */
export function resolveSettings(options: ClientOptions): Settings {
  if (typeof options !== "object" || options === null) throw new ConfigurationError("The options must be an object");
  const baseUrl = resolveBaseUrl(
    options.baseUrl ?? environment("EDUCATION_ADMIN_BASE_URL"),
    flag("allowInsecureHttp", options.allowInsecureHttp),
  );
  const apiKey = options.apiKey ?? environment("EDUCATION_ADMIN_API_KEY") ?? "";
  if (typeof apiKey !== "function") checkToken(apiKey, "The option apiKey");
  const { fetch, on = {}, routes = {} } = options;
  if (fetch !== undefined && typeof fetch !== "function") throw ConfigurationErrorAt("fetch", "must be a function");
  if (fetch === undefined && typeof globalThis.fetch !== "function") {
    throw new ConfigurationError("This platform has no fetch: pass one as the option fetch");
  }
  return {
    baseUrl: baseUrl.href.replace(/\/+$/, ""),
    origin: baseUrl.origin,
    apiKey,
    // Looked up at each call, so that a fetch patched later (mocks, instrumentation) is seen.
    fetch: fetch ?? ((input, init) => globalThis.fetch(input, init)),
    ...resolvePatience(options, DEFAULTS, ConfigurationErrorAt),
    headers: checkHeaders(options.headers, ConfigurationErrorAt),
    rateLimit: resolveRateLimit(options.rateLimit),
    store: options.rateLimit ? options.rateLimit.store : undefined,
    pageSize: whole("pageSize", options.pageSize ?? 100, 1, 100, ConfigurationErrorAt),
    arrayFormat: oneOf(
      "arrayFormat",
      options.arrayFormat ?? "repeat",
      ["repeat", "brackets", "comma"],
      ConfigurationErrorAt,
    ),
    routes: record("routes", routes, ConfigurationErrorAt),
    on: checkObservers(on),
    readOnly: flag("readOnly", options.readOnly),
    clock: options.clock ?? systemClock,
  };
}

/**
 * Puts a call's options over the client's.
 * @param fail makes the error that is thrown for a wrong option.
 */
export function resolvePatience(
  options: RequestOptions | ClientOptions | undefined,
  base: Patience,
  fail: Fail,
): Patience {
  if (!options) return base;
  const retry: RetryOptions =
    options.retry === false ? { limit: 0 } : record("retry", options.retry ?? {}, fail, " or false");
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
 * Checks the `routes` option against the operations a client has.
 * @throws ConfigurationError for unknown ids and missing placeholders.
 */
export function checkRoutes(routes: Settings["routes"], operations: readonly Operation[]): void {
  for (const [id, route] of Object.entries(routes)) {
    const row = operations.find((operation) => operation.id === id);
    if (!row) throw new ConfigurationError(`routes: this client has no operation "${id}"`);
    const { method, path } = record(`routes["${id}"]`, route, ConfigurationErrorAt);
    if (method !== undefined && !METHODS.includes(method)) {
      throw new ConfigurationError(`routes["${id}"]: the method must be one of ${METHODS.join(", ")}`);
    }
    if (path === undefined) continue;
    if (!/^[\w{}./-]+$/.test(path) || path.split("/").some((part) => part === "" || /^\.\.?$/.test(part))) {
      throw new ConfigurationError(
        `routes["${id}"]: the path must be relative to the API's prefix, such as "${row.path}"`,
      );
    }
    const missing = placeholders(row.path).filter((name) => !placeholders(path).includes(name));
    const unknown = placeholders(path).filter((name) => !placeholders(row.path).includes(name));
    if (missing.length + unknown.length > 0) {
      throw new ConfigurationError(
        `routes["${id}"]: the path must have the placeholders of "${row.path}"; missing: ${list(missing)}; unknown: ${list(unknown)}`,
      );
    }
  }
}

/** Names in braces of a path template. */
export function placeholders(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string);
}

const DEFAULTS: Patience = {
  timeout: 30_000,
  totalTimeout: null,
  retryLimit: 5,
  backoffLimit: 20_000,
  validation: "report",
  headers: {},
};

/** Makes the error for an option that breaks a rule. */
export type Fail = (option: string, rule: string) => Error;
const ConfigurationErrorAt: Fail = (option, rule) => new ConfigurationError(`The option ${option} ${rule}`);

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
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigurationError("The option baseUrl must be an origin and a path, without user, query or fragment");
  }
  const safe =
    url.protocol === "https:" || (url.protocol === "http:" && (isLoopback(url.hostname) || allowInsecureHttp));
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
  const {
    requests = 500,
    windowMs = 300_000,
    reserve = 0.1,
    concurrency = 10,
    queueLimit = 100_000,
  } = record("rateLimit", option ?? {}, ConfigurationErrorAt, " or false");
  if (!(reserve >= 0 && reserve < 1)) {
    throw ConfigurationErrorAt("rateLimit.reserve", "must be a share from 0 to below 1");
  }
  return {
    requests: whole("rateLimit.requests", requests, 1, 1_000_000_000, ConfigurationErrorAt),
    windowMs: positive("rateLimit.windowMs", windowMs, ConfigurationErrorAt),
    reserve,
    concurrency: whole("rateLimit.concurrency", concurrency, 1, 10_000, ConfigurationErrorAt),
    queueLimit: whole("rateLimit.queueLimit", queueLimit, 1, 10_000_000, ConfigurationErrorAt),
  };
}

function checkHeaders(headers: Record<string, string> | undefined, fail: Fail): Record<string, string> {
  const checked: Record<string, string> = {};
  for (const [name, value] of Object.entries(record("headers", headers ?? {}, fail))) {
    const key = name.toLowerCase();
    if (key === "authorization") throw fail("headers", "cannot replace authorization: the key comes from apiKey");
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(key) || typeof value !== "string" || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw fail("headers", `has a name or value that cannot stand in a header: ${JSON.stringify(key)}`);
    }
    checked[key] = value;
  }
  return checked;
}

function checkObservers(on: Observers): Observers {
  for (const [name, observer] of Object.entries(record("on", on, ConfigurationErrorAt))) {
    if (observer !== undefined && typeof observer !== "function") {
      throw ConfigurationErrorAt(`on.${name}`, "must be a function");
    }
  }
  return on;
}

// Told by its tag, so that records of another realm count, and Headers, maps and arrays, whose entries would be lost, do not.
function record<T extends object>(option: string, value: T, fail: Fail, orElse = ""): T {
  if (Object.prototype.toString.call(value) !== "[object Object]")
    throw fail(option, `must be a plain object${orElse}`);
  return value;
}

function flag(option: string, value: boolean | undefined): boolean {
  if (value !== undefined && typeof value !== "boolean") throw ConfigurationErrorAt(option, "must be true or false");
  return value ?? false;
}

function positive(option: string, value: number, fail: Fail): number {
  if (!(typeof value === "number" && value > 0)) throw fail(option, "must be a number of milliseconds above 0");
  return value;
}

function whole(option: string, value: number, least: number, most: number, fail: Fail): number {
  if (!(Number.isInteger(value) && value >= least && value <= most)) {
    throw fail(option, `must be a whole number from ${least} to ${most}`);
  }
  return value;
}

/** Checks that an option has one of the values allowed. */
export function oneOf<T extends string>(option: string, value: T, allowed: readonly T[], fail: Fail): T {
  if (!allowed.includes(value)) throw fail(option, `must be one of ${allowed.join(", ")}`);
  return value;
}

function list(names: readonly string[]): string {
  return names.join(", ") || "none";
}

// No import of node: and no assumption about process: browsers and Workers come through here too.
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
