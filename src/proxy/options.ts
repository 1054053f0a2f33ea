import { type Clock, systemClock } from "../core/clock.js";
import {
  acceptAny,
  callable,
  configurationError,
  type Fail,
  type Filled,
  finite,
  must,
  type OptionTable,
  positive,
  readOptions,
} from "../core/option-checks.js";
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
  /** Maximum wait of a visitor, in milliseconds; after that the response is 503 or 504. Default 10,000. */
  readonly totalTimeout?: number | undefined;
  /**
   * Share of the client's request budget that visitors may use up, above 0 and at most 1, counted in this process. Once
   * it is used up, the response is 429, and nothing is sent. Default 0.5.
   */
  readonly share?: number | undefined;
  /**
   * Returns text that identifies the visitor behind a request: a visitor gets at most half of the share that other
   * visitors have not used. Return "" for an unknown visitor, who is limited only by the share. Default: the last
   * address in `X-Forwarded-For`, which the server in front of yours writes.
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

const OPTIONS = {
  // Checked later, against the operations of the client.
  allow: [acceptAny],
  basePath: [checkBasePath, null],
  headers: [checkHeaders],
  cors: [checkCors],
  totalTimeout: [positive, 10_000],
  share: [
    /* @__PURE__ */ must(
      (share) => typeof share === "number" && share > 0 && share <= 1,
      "must be above 0 and at most 1",
    ),
    0.5,
  ],
  windowMs: [finite, 300_000],
  visitor: [callable<(request: Request) => string>, forwardedFor],
  onError: [callable<(error: unknown) => void>, () => undefined],
  clock: [acceptAny<Clock>, systemClock],
} satisfies OptionTable<ProxyOptions>;

export type ProxySettings = Filled<typeof OPTIONS>;

/** @throws ConfigurationError naming the invalid option. */
export function resolveProxyOptions(options: ProxyOptions): ProxySettings {
  return readOptions(options, OPTIONS, configurationError);
}

function forwardedFor({ headers }: Request): string {
  return headers.get("x-forwarded-for")?.split(",").at(-1)?.trim() ?? "";
}

function checkBasePath(option: string, path: string, fail: Fail): string {
  if (typeof path === "string" && /^(?:\/[^\s/?#]+)*\/?$/.test(path)) return path.replace(/\/$/, "");
  throw fail(option, 'must be a path such as "/school"');
}

function checkHeaders(option: string, headers: Readonly<Record<string, string>>, fail: Fail): Record<string, string> {
  let checked: [string, string][];
  try {
    checked = [...new Headers(headers)];
  } catch {
    throw fail(option, "has a name or value that is not allowed");
  }
  const [reserved] =
    checked.find(([name]) => /^access-control-|^(?:content-type|content-length|link|vary)$/.test(name)) ?? [];
  if (reserved === undefined) return Object.fromEntries(checked);
  throw fail(option, `cannot replace ${reserved}, which the proxy writes itself`);
}

function checkCors(option: string, cors: ProxyCors | "*", fail: Fail): ReadonlySet<string> | "*" {
  const origins = cors === "*" ? cors : cors?.origins;
  if (origins === "*") return origins;
  if (Array.isArray(origins) && origins.every(isOrigin)) return new Set(origins);
  throw fail(option, 'must be "*" or { origins: […] } with origins such as "https://www.school.example"');
}

function isOrigin(value: unknown): boolean {
  return typeof value === "string" && URL.parse(value)?.origin === value;
}
