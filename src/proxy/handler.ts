import type { Call, ResponseInfo } from "../core/call/call.js";
import { EducationAdminError, InputError, ResponseFormatError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { argumentsOf, type Method, methodOf } from "../core/inside-client.js";
import type { Pages } from "../core/lists/pages.js";
import { totalOf } from "../core/lists/total.js";
import type { Operation } from "../core/operation.js";
import type { RequestOptions } from "../core/options.js";
import { refusalOf, shareUsedUp } from "./failure.js";
import { rewriteLink } from "./link.js";
import { type ProxyOptions, type ProxySettings, resolveProxyOptions } from "./options.js";
import { readParams, readQuery } from "./parameters.js";
import { notAllowed, notFound, Refusal } from "./refusal.js";
import { allowedRows, type Match, matchPath, type ProxyClient } from "./routes.js";
import { RequestShare } from "./share.js";
import { SharedReads } from "./shared-reads.js";

/** Responds to a page's request. Never rejects because of a visitor's input or the service's response. */
export type ProxyHandler = (request: Request) => Promise<Response>;

/**
 * Lets web pages read exactly the operations you name, with a key that only your server has: point a client in the page
 * at the handler's address. GET and HEAD only; path, filters and page size are checked before anything is sent; none of
 * a visitor's headers reaches the service, and of the service's headers only `Link` and `Total` reach the page. Each
 * read is sent once, without retries, and its response is reused for equal reads for two seconds. Redirected responses
 * are not passed on. Errors have the service's error body: 400 for invalid parameters, 403 for operations that are not
 * allowed, 404 for records that do not exist, 405 for other methods, 429 and 503 with `Retry-After` if the budget is
 * used up, 502 and 504 if the service fails.
 * @throws ConfigurationError if an option is invalid or `allow` names an operation that the client cannot read.
 * @example
 * const handleSchool = createProxyHandler(client, { allow: ["catalogProducts.list", "courses.get"] });
 * const answer = await handleSchool(new Request("https://my-site.example/school/api/v1/catalog/products"));
 */
export function createProxyHandler(client: ProxyClient, options: ProxyOptions): ProxyHandler {
  const settings = resolveProxyOptions(options);
  const proxy = new PageProxy(client, allowedRows(client, options.allow), settings);
  return (request) => proxy.handle(request);
}

interface Read {
  readonly data: unknown;
  readonly response: ResponseInfo;
}

class PageProxy {
  readonly #client: ProxyClient;
  readonly #allowed: readonly Operation[];
  readonly #settings: ProxySettings;
  readonly #share: RequestShare;
  readonly #reads: SharedReads<Read>;

  constructor(client: ProxyClient, allowed: readonly Operation[], settings: ProxySettings) {
    this.#client = client;
    this.#allowed = allowed;
    this.#settings = settings;
    // Reads the limit for each request, because a build may create the client without its environment variables.
    const most = () => Math.max(1, Math.floor((client.rateLimit.limit ?? 500) * settings.share));
    this.#share = new RequestShare(most, settings.windowMs, settings.clock);
    this.#reads = new SharedReads(settings.clock);
  }

  async handle(request: Request): Promise<Response> {
    const headers = this.#corsHeaders(request);
    const { method } = request;
    if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...headers, allow: METHODS } });
    const answer = await this.#answer(request, headers);
    return method === "HEAD" ? new Response(null, answer) : answer;
  }

  async #answer(request: Request, headers: Readonly<Record<string, string>>): Promise<Response> {
    const url = new URL(request.url);
    let row: Operation | null = null;
    try {
      if (request.method !== "GET" && request.method !== "HEAD") throw new Refusal(405, "Method Not Allowed");
      const match = this.#match(url.pathname);
      row = match.row;
      const { data, response } = await this.#read(match, url.searchParams, request);
      const link = rewriteLink(response.headers.get("link"), url.searchParams);
      const total = totalOf(response.headers, 0);
      const pageHeaders = {
        ...this.#settings.headers,
        ...headers,
        ...(link && { link }),
        ...(total !== null && { total: String(total) }),
      };
      return data === undefined
        ? new Response(null, { status: 204, headers: pageHeaders })
        : json(200, data, pageHeaders);
    } catch (error) {
      const refusal = refusalOf(error, row);
      if (!request.signal.aborted) this.#report(error);
      return json(refusal.status, refusal, {
        ...headers,
        "cache-control": "no-store",
        ...(refusal.status === 405 && { allow: METHODS }),
        ...(refusal.retryAfter !== null && { "retry-after": String(refusal.retryAfter) }),
      });
    }
  }

  #match(pathname: string): Match {
    const { basePath } = this.#settings;
    const start =
      basePath === null
        ? Math.max(pathname.lastIndexOf("/api/v1/"), pathname.lastIndexOf("/api/organization/"))
        : pathname.startsWith(`${basePath}/`)
          ? basePath.length
          : -1;
    if (start < 0) throw notFound();
    const match = matchPath(this.#allowed, pathname.slice(start + 1));
    if (!match) throw notAllowed();
    return match;
  }

  #read({ row, params }: Match, search: URLSearchParams, request: Request): Promise<Read> {
    // `allowedRows` has checked that the method exists.
    const method = methodOf(this.#client, row.id) as Method;
    const args = argumentsOf(row, readParams(row, params), readQuery(row, search));
    return this.#reads.read(JSON.stringify([row.id, args]), request.signal, (signal) => {
      const visitor = String(this.#settings.visitor(request));
      const wait = this.#share.take(visitor);
      if (wait !== null) throw shareUsedUp(wait);
      return this.#send(row, (options) => method(...args, options), visitor, signal);
    });
  }

  async #send(
    row: Operation,
    call: (options: RequestOptions) => unknown,
    visitor: string,
    signal: AbortSignal,
  ): Promise<Read> {
    let attempts = 0;
    try {
      // Never retries, because the client in the page does.
      const { totalTimeout } = this.#settings;
      const read = await carriedOut(call({ priority: "batch", retry: false, totalTimeout, signal }), row);
      attempts = read.response.attempts;
      // A redirect may lead to data that is not allowed.
      if (read.response.redirected) throw redirectRefused(row, read.response);
      return read;
    } catch (error) {
      attempts = error instanceof EducationAdminError ? error.attempts : 1;
      throw error;
    } finally {
      this.#share.settle(visitor, attempts);
    }
  }

  #corsHeaders(request: Request): Record<string, string> {
    const { cors: origins } = this.#settings;
    if (!origins) return {};
    const origin = request.headers.get("origin") ?? "";
    const vary: Record<string, string> = origins === "*" ? {} : { vary: "origin" };
    if (origins !== "*" && !origins.has(origin)) return vary;
    const headers = { ...vary, "access-control-allow-origin": origins === "*" ? "*" : origin };
    if (request.method !== "OPTIONS")
      return { ...headers, "access-control-expose-headers": "link, retry-after, total" };
    return {
      ...headers,
      "access-control-allow-methods": "GET, HEAD",
      // The client in the page may send a key, so `authorization` is allowed; the proxy does not forward it.
      "access-control-allow-headers": "authorization, accept, content-type",
      "access-control-max-age": "7200",
    };
  }

  #report(error: unknown): void {
    // A visitor's mistake is not reported as a server error.
    if (error instanceof Refusal || error instanceof InputError) return;
    callObserver(this.#settings.onError, error);
  }
}

const METHODS = "GET, HEAD, OPTIONS";

async function carriedOut(result: unknown, row: Operation): Promise<Read> {
  if (!row.paged) return (result as Call<unknown>).withResponse();
  const page = await (result as Pages<unknown>);
  return { data: page.records, response: page.response };
}

function redirectRefused({ id }: Operation, { status, headers, attempts }: ResponseInfo): ResponseFormatError {
  const message = `${id}: the service redirects to another address, which the proxy does not follow; check baseUrl`;
  const contentType = headers.get("content-type");
  return new ResponseFormatError(message, { operation: id, status, contentType, excerpt: "", attempts });
}

function json(status: number, value: unknown, headers: Record<string, string>): Response {
  const fixed = { "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" };
  return new Response(JSON.stringify(value), { status, headers: { ...headers, ...fixed } });
}
