import { type Clock, systemClock } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { checkNames, type Fail, finite, flag, group, type Names, oneOf } from "../core/option-checks.js";
import type { ClientOptions, FetchLike, RateLimitOptions } from "../core/options.js";
import { readSecret } from "../core/secret.js";
import { resolveSettings } from "../core/settings.js";
import { raceTimeout } from "../core/time.js";
import type { TokenStore } from "../stores/token-store.js";
import type { Application } from "./protocol.js";

/** An event that concerns a school. */
export interface SchoolEvent {
  /** The address of the school. */
  readonly school: string;
}

/** Functions called for events of schools. Their exceptions and rejections are ignored. */
export interface SchoolObservers {
  /** The school was connected. */
  connected?(event: SchoolEvent): void;
  /** This process refreshed the school's tokens. */
  refreshed?(event: SchoolEvent): void;
  /** The school's tokens no longer work. Called once per `connect`, by only one of the processes. */
  reconnectNeeded?(event: SchoolEvent): void;
  /** `all` skipped the school; `error` is the reason. */
  skipped?(event: SchoolEvent & { readonly error: unknown }): void;
}

/** The school for which `redirectUri` returns an address. */
export interface ConnectingSchool {
  /** The address of the school. */
  readonly school: string;
  /** The school's address as a path segment, such as `school.example`. */
  readonly id: string;
}

/** Options that the clients of all schools share. */
export type SchoolClientOptions = Omit<
  ClientOptions,
  "baseUrl" | "apiKey" | "rateLimit" | "fetch" | "clock" | "allowInsecureHttp" | "dangerouslyAllowBrowser" | "school"
>;

/** Options of `createSchools`. */
export interface SchoolsOptions {
  /** The application's id at the service. */
  readonly clientId: string;
  /**
   * The application's secret; null for an application without one. The secret is sent to every school that is
   * connected, and to no other address.
   */
  readonly clientSecret: string | null;
  /**
   * The address to which the service sends the browser back, exactly as registered: one for all schools, or a function
   * that returns one per school. With one address, a callback must name its school (`iss`), so that no school gets a
   * code meant for another.
   */
  readonly redirectUri: string | ((school: ConnectingSchool) => string);
  /**
   * Hosts of the schools, such as `["*.service.example"]`, with a port if it is not the default. Schools on other hosts
   * cannot be connected; those already connected keep working. Default: any host.
   */
  readonly hosts?: readonly string[] | undefined;
  /**
   * `required` if callbacks must name their school (RFC 9207). Default: only if all schools share one `redirectUri`.
   */
  readonly iss?: "required" | undefined;
  /** Keeps the tokens: `sqliteTokens`, `postgresTokens`, `redisTokens`, or `memoryTokens` for tests. */
  readonly tokens: TokenStore;
  /**
   * The application's request budget, which all schools share by taking turns; false for no limit. With `store`, a
   * `rateLimitStore` that names the `application`, several processes share it too. Default: 500 requests in 300,000 ms,
   * in the memory of this process.
   */
  readonly rateLimit?: RateLimitOptions | false | undefined;
  /** Scopes to request, separated by spaces. Default: none. */
  readonly scope?: string | undefined;
  /**
   * Whether to use PKCE (RFC 7636), which proves that a callback and a login belong together. Default true; a service
   * without PKCE ignores it.
   */
  readonly pkce?: boolean | undefined;
  /** Where the secret is sent: the `Authorization` header or the body. Default `header`. */
  readonly sendSecretIn?: "header" | "body" | undefined;
  /** Time limit of a token request in milliseconds. Default 10,000. */
  readonly timeout?: number | undefined;
  /** Further options of the clients. */
  readonly client?: SchoolClientOptions | undefined;
  /** Replaces the platform's `fetch`, including in the clients. */
  readonly fetch?: FetchLike | undefined;
  /** Functions called for events of schools. */
  readonly on?: SchoolObservers | undefined;
  /** Allows http for hosts other than the loopback host. Default false. */
  readonly allowInsecureHttp?: boolean | undefined;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

export interface SchoolsSettings {
  readonly application: Application;
  /** True if a school on this host may be connected. */
  readonly isHost: (host: string) => boolean;
  readonly tokens: TokenStore;
  readonly rateLimit: RateLimitOptions | false;
  readonly timeout: number;
  readonly client: SchoolClientOptions;
  readonly fetch: FetchLike | undefined;
  readonly on: (
    name: "connected" | "refreshed" | "reconnectNeeded" | "skipped",
    school: string,
    error?: unknown,
  ) => void;
  readonly allowInsecureHttp: boolean;
  readonly clock: Clock;
}

const OPTIONS: Names<SchoolsOptions> = {
  clientId: 1,
  clientSecret: 1,
  redirectUri: 1,
  hosts: 1,
  iss: 1,
  tokens: 1,
  rateLimit: 1,
  scope: 1,
  pkce: 1,
  sendSecretIn: 1,
  timeout: 1,
  client: 1,
  fetch: 1,
  on: 1,
  allowInsecureHttp: 1,
  clock: 1,
};
const CLIENT_OPTIONS: Names<SchoolClientOptions> = {
  headers: 1,
  timeout: 1,
  totalTimeout: 1,
  retry: 1,
  maxBodyBytes: 1,
  pageSize: 1,
  validation: 1,
  arrayFormat: 1,
  routes: 1,
  on: 1,
  readOnly: 1,
};
const OBSERVERS: Names<SchoolObservers> = { connected: 1, refreshed: 1, reconnectNeeded: 1, skipped: 1 };

const fail: Fail = (option, rule) => new ConfigurationError(`createSchools: the option ${option} ${rule}`);

export function settingsOf(options: SchoolsOptions): SchoolsSettings {
  checkNames(options, OPTIONS, fail);
  const { clientId, scope, tokens, rateLimit = {}, client = {}, on = {}, clock = systemClock } = options;
  if (!isText(clientId)) throw fail("clientId", "must be text");
  const clientSecret = readSecret(options.clientSecret);
  if (clientSecret === null && options.clientSecret !== null)
    throw fail("clientSecret", "must be text, or null; is its environment variable set?");
  if (scope !== undefined && !isText(scope)) throw fail("scope", "must be text");
  for (const method of ["get", "put", "delete", "list"] as const) {
    if (typeof tokens?.[method] !== "function") throw fail("tokens", `must have the method ${method}`);
  }
  const { store } = rateLimit || {};
  if (store && "application" in store && store.application === null) {
    throw fail("rateLimit.store", "must name the application: rateLimitStore(connection, { application })");
  }
  group("on", on, OBSERVERS, fail);
  group("client", client, CLIENT_OPTIONS, fail);
  const allowInsecureHttp = flag("allowInsecureHttp", options.allowInsecureHttp ?? false, fail);
  const timeout = finite("timeout", options.timeout ?? 10_000, fail);
  const { fetch, redirectUri, hosts, iss } = options;
  if (iss !== undefined && iss !== "required") throw fail("iss", 'must be "required" or left out');
  // Checks the clients' options now, not when the first client is created.
  resolveSettings({ ...client, rateLimit, clock, fetch, baseUrl: "https://school.example", apiKey: null });
  return {
    application: {
      clientId,
      clientSecret,
      sendSecretIn: oneOf("header", "body")("sendSecretIn", options.sendSecretIn ?? "header", fail),
      redirectUri: redirectsOf(redirectUri),
      needsIss: iss !== undefined || typeof redirectUri === "string",
      scope,
      pkce: flag("pkce", options.pkce ?? true, fail),
    },
    isHost: hostsOf(hosts),
    tokens: inTime(tokens, timeout),
    rateLimit,
    timeout,
    client,
    fetch,
    on: (name, school, error) => {
      const event = { school, ...(name === "skipped" && { error }) } as SchoolEvent & { error: unknown };
      callObserver((told: typeof event) => on[name]?.(told), event);
    },
    allowInsecureHttp,
    clock,
  };
}

// Limits each store call, because a store that hangs once must not delay every later call. Uses real time, even if
// `clock` is replaced.
function inTime(tokens: TokenStore, ms: number): TokenStore {
  const soon = async <T>(ask: () => T | PromiseLike<T>): Promise<T> => {
    const answer = (async () => ask())();
    return raceTimeout(systemClock, ms, answer, () => {
      throw new Error(`Schools: the token store did not respond within ${ms} ms`);
    });
  };
  return {
    get: (key) => soon(() => tokens.get(key)),
    put: (entry, replaces) => soon(() => tokens.put(entry, replaces)),
    delete: (key, version) => soon(() => tokens.delete(key, version)),
    list: (prefix) => soon(() => tokens.list(prefix)),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

function redirectsOf(given: unknown): (school: string) => string {
  if (typeof given !== "function") {
    const uri = redirectOf(given);
    return () => uri;
  }
  const uriOf = (school: string) =>
    redirectOf(given({ school, id: encodeURIComponent(school.replace(/^https:\/\//, "")) } satisfies ConnectingSchool));
  // Schools that share a redirect address could be confused: these two must get different ones. The function may throw,
  // because it may know only its own schools.
  const probes = ["https://one.example", "https://other.example"].map((school) => {
    try {
      return uriOf(school);
    } catch {
      return school;
    }
  });
  if (probes[0] === probes[1])
    throw fail("redirectUri", "must return a different address for each school, such as one with its id");
  return uriOf;
}

// Returned unchanged, because the service compares redirect addresses as text (RFC 6749, 3.1.2.3). A query is refused,
// because it could not be distinguished from the callback's parameters.
function redirectOf(uri: unknown): string {
  const url = typeof uri === "string" ? URL.parse(uri) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "" || url.username !== "") {
    throw fail("redirectUri", "must be a URL that begins with https or http, without query, fragment and user");
  }
  return uri as string;
}

const HOST = /^(\*\.)?[a-z\d-]+(\.[a-z\d-]+)*(:\d{1,5})?$/i;

function hostsOf(hosts: unknown): (host: string) => boolean {
  if (hosts === undefined) return () => true;
  const isList = Array.isArray(hosts) && hosts.length > 0 && hosts.every((one) => HOST.test(String(one)));
  if (!isList) throw fail("hosts", 'must be a list of hosts, such as ["*.service.example"]');
  const patterns = hosts.map((one) => String(one).toLowerCase());
  return (host) =>
    patterns.some((one) =>
      one.startsWith("*.") ? host.length > one.length - 1 && host.endsWith(one.slice(1)) : host === one,
    );
}
