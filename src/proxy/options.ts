import { type Clock, systemClock } from "../core/clock.js";
import { ConfigurationError } from "../core/errors.js";
import { callable, checkNames, configurationError, finite, type Names, positive } from "../core/option-checks.js";
import type { OperationId } from "../generated/operation-id.js";

/** Other origins whose pages may read through the proxy. */
export interface ProxyCors {
  /** Origins as browsers send them, such as `https://www.school.example`, or `"*"` for all. */
  readonly origins: readonly string[] | "*";
}

/** The operations that a page may read, and the settings of the proxy. */
export interface ProxyOptions {
  /** Ids of the operations that may be read, such as `"courses.list"`; at least one, and only operations that read. */
  readonly allow: readonly OperationId[];
  /**
   * Path where the handler is mounted, such as `/school`; other paths get a 404. Default: anything before `/api/v1/` or
   * `/api/organization/`.
   */
  readonly basePath?: string | undefined;
  /** Headers of successful responses, such as `{ "cache-control": "public, max-age=60" }`. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Other origins whose pages may read, or `"*"` for all. Default: only pages of the proxy's own origin. */
  readonly cors?: ProxyCors | "*" | undefined;
  /** How long a visitor waits at most, in milliseconds; after that the response is 503 or 504. Default 10,000. */
  readonly totalTimeout?: number | undefined;
  /**
   * Share of the client's request budget that visitors may use up, above 0 and at most 1, counted in this process. Once
   * it is used up, the response is 429, and nothing is sent. Default 0.5.
   */
  readonly share?: number | undefined;
  /**
   * Returns text that identifies the visitor behind a request: one visitor gets at most half of the share that the
   * others have left. Return "" for an unknown visitor, who is limited only by the share. Default: the last address in
   * `X-Forwarded-For`, which the server in front of yours writes.
   */
  readonly visitor?: ((request: Request) => string) | undefined;
  /**
   * Length of the budget's window in milliseconds: set it to the client's `rateLimit.windowMs` if you changed that.
   * Default 300,000.
   */
  readonly windowMs?: number | undefined;
  /** Called with every error from the client or the service, for logging. The page sees none of its text. */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** The clock, for tests. Default: the machine's clock. */
  readonly clock?: Clock | undefined;
}

/** The options of a proxy except `allow`, checked and with defaults filled in. */
export interface ProxySettings {
  /** Has no trailing slash; null finds the API's prefix anywhere in the path. */
  readonly basePath: string | null;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly origins: ReadonlySet<string> | "*";
  readonly totalTimeout: number;
  readonly share: number;
  readonly windowMs: number;
  readonly visitor: (request: Request) => string;
  readonly onError: (error: unknown) => void;
  readonly clock: Clock;
}

const NAMES: Names<ProxyOptions> = {
  allow: 1,
  basePath: 1,
  headers: 1,
  cors: 1,
  totalTimeout: 1,
  share: 1,
  windowMs: 1,
  visitor: 1,
  onError: 1,
  clock: 1,
};

/** Checks the options and fills in the defaults. @throws ConfigurationError naming the invalid option. */
export function resolveProxyOptions(options: ProxyOptions): ProxySettings {
  if (typeof options !== "object" || options === null) throw new ConfigurationError("The options must be an object");
  checkNames(options, NAMES, configurationError);
  const { basePath, share = 0.5, visitor = forwardedFor, onError = () => undefined, clock = systemClock } = options;
  if (basePath !== undefined && !(typeof basePath === "string" && /^(?:\/[^\s/?#]+)*\/?$/.test(basePath))) {
    throw configurationError("basePath", 'must be a path such as "/school"');
  }
  if (!(typeof share === "number" && share > 0 && share <= 1))
    throw configurationError("share", "must be above 0 and at most 1");
  return {
    basePath: basePath?.replace(/\/$/, "") ?? null,
    headers: checkHeaders(options.headers ?? {}),
    origins: checkCors(options.cors),
    totalTimeout: positive("totalTimeout", options.totalTimeout ?? 10_000, configurationError),
    share,
    windowMs: finite("windowMs", options.windowMs ?? 300_000, configurationError),
    visitor: callable("visitor", visitor, configurationError),
    onError: callable("onError", onError, configurationError),
    clock,
  };
}

function forwardedFor({ headers }: Request): string {
  return headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
}

function checkHeaders(headers: Readonly<Record<string, string>>): ProxySettings["headers"] {
  try {
    const checked = [...new Headers(headers)];
    const reserved = checked.find(([name]) =>
      /^access-control-|^(?:content-type|content-length|link|vary)$/.test(name),
    );
    if (!reserved) return checked;
    throw configurationError("headers", `cannot replace ${reserved[0]}, which the proxy writes itself`);
  } catch (error) {
    throw error instanceof ConfigurationError
      ? error
      : configurationError("headers", "has a name or value that is not allowed");
  }
}

function checkCors(cors: ProxyOptions["cors"]): ProxySettings["origins"] {
  if (cors === undefined) return new Set();
  const origins = cors === "*" ? cors : cors?.origins;
  if (origins === "*") return origins;
  if (!Array.isArray(origins) || !origins.every(isOrigin)) {
    throw configurationError(
      "cors",
      'must be "*" or { origins: […] } with origins such as "https://www.school.example"',
    );
  }
  return new Set(origins);
}

function isOrigin(value: unknown): boolean {
  return typeof value === "string" && URL.parse(value)?.origin === value;
}
