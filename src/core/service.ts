import { type ApiKey, checkToken } from "./credentials.js";
import { ConfigurationError } from "./errors.js";
import { configurationError } from "./option-checks.js";
import type { ClientOptions } from "./options.js";

export interface Service {
  /** The origin and any path before `api/…`, without a trailing slash. */
  readonly baseUrl: string;
  readonly origin: string;
  readonly apiKey: ApiKey;
}

/**
 * Checks the options at once, and returns a function that gives the service's address and the API key. Only it
 * reads the environment: frameworks load modules during a build, without the environment of the running server.
 */
export function serviceOf(
  { baseUrl, apiKey }: ClientOptions,
  allowInsecureHttp: boolean,
  allowKey: boolean,
): () => Service {
  const url = baseUrl === undefined ? null : resolveBaseUrl(baseUrl, allowInsecureHttp);
  const key = apiKey === undefined ? undefined : resolveKey(apiKey, allowKey);
  const read = () => {
    const address = url ?? resolveBaseUrl(environment("EDUCATION_ADMIN_BASE_URL"), allowInsecureHttp);
    const found = key === undefined ? resolveKey(keyFor(address), allowKey) : key;
    return { baseUrl: address.href.replace(/\/+$/, ""), origin: address.origin, apiKey: found };
  };
  let service: ReturnType<typeof read> | null = null;
  return () => {
    service ??= read();
    return service;
  };
}

// The workers of a page or an extension have no document; only a user agent that begins with Mozilla identifies them.
function isBrowser(): boolean {
  const { document, navigator } = globalThis as { document?: object; navigator?: { userAgent?: unknown } };
  return !!document || String(navigator?.userAgent).startsWith("Mozilla/");
}

function resolveKey(given: ApiKey | undefined, allowKey: boolean): ApiKey {
  const apiKey = typeof given === "function" || given === null ? given : checkToken(given);
  if (apiKey !== null && !allowKey && isBrowser()) {
    throw configurationError(
      "apiKey",
      "would show the key to every visitor of this page: pass null for public data, use createProxyHandler (docs/guides/browser.md), or set dangerouslyAllowBrowser",
    );
  }
  return apiKey;
}

function resolveBaseUrl(value: string | URL | undefined, allowInsecureHttp: boolean): URL {
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
  if (url.protocol === "https:") return url;
  if (url.protocol === "http:" && (allowInsecureHttp || isLoopback(url.hostname))) return url;
  const why =
    url.protocol === "http:"
      ? "would send the key in the clear: use https, a loopback host, or allowInsecureHttp: true"
      : "is not supported: use https";
  throw new ConfigurationError(`The option baseUrl uses ${url.protocol}//, which ${why}`);
}

export function isLoopback(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * The key from the environment, which is sent only to the host of EDUCATION_ADMIN_BASE_URL. @throws ConfigurationError
 * for any other host.
 */
function keyFor({ origin }: URL): string | undefined {
  const key = environment("EDUCATION_ADMIN_API_KEY");
  const address = environment("EDUCATION_ADMIN_BASE_URL");
  if (key && address && !(URL.canParse(address) && new URL(address).origin === origin)) {
    throw new ConfigurationError(
      "No API key for the option baseUrl: EDUCATION_ADMIN_API_KEY was not used, because EDUCATION_ADMIN_BASE_URL names another host. Pass the option apiKey",
    );
  }
  return key;
}

export function environment(name: string): string | undefined {
  // Runs in browsers and Workers too: no import from `node:`, and `process` may be missing.
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return process?.env?.[name] || undefined;
}
