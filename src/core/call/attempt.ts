import type { KyInstance } from "ky";
import { traceRequest } from "#platform";
import { raceAbort } from "../abort.js";
import { BodyTooLarge, BodyTruncated, readBytes } from "../bounded-body.js";
import { type Clock, inTime, TimeLimit } from "../clock.js";
import type { Credentials } from "../credentials.js";
import { ConfigurationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import type { AcquireOptions, Permit, Refusal } from "../limits/queue.js";
import type { RateLimiters } from "../limits/rate-limiters.js";
import type { FetchInit } from "../options.js";
import type { Settings } from "../settings.js";
import { type AttemptResult, isComplete, type RedirectProblem } from "./attempt-result.js";
import { type Body, parseBody, requestIdOf, statusOf, type WireResponse } from "./body.js";
import type { CallRequest } from "./request.js";
import type { RetryQuota } from "./retry.js";
import { backoff, connectionResult, isRateLimited, retryAfterMs } from "./retry.js";
import { type RequestMessage, tell } from "./trace.js";

/** What the calls of a client have in common. */
export interface CallContext {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly limiters: RateLimiters;
  readonly quota: RetryQuota;
  readonly ky: KyInstance;
  /** Removes from a text what was sent; null where the code for it cannot be loaded. */
  readonly clean: (text: string, request: CallRequest, token: string | null) => Promise<string | null>;
}

/** One attempt of a call. */
export interface Attempt {
  readonly request: CallRequest;
  /** As ky built it: address, headers and body. */
  readonly wire: Request;
  /** Requests this call has sent before. */
  readonly attempts: number;
  readonly retries: number;
  /** Ends the attempt: the caller's signal and `totalTimeout`. */
  readonly signal: AbortSignal | undefined;
  /** When the call must end; null without `totalTimeout`. */
  readonly deadline: number | null;
}

/** What came of an attempt. */
export interface AttemptAnswer {
  result: AttemptResult;
  /** The platform's response, its body already read; null where there was none. */
  response: Response | null;
  /** The address of the last request. */
  url: string;
  /** Milliseconds from sending the last request to the end of its body. */
  durationMs: number;
  /** Requests sent: more than one after a renewed key or a redirect. */
  requests: number;
  /** Milliseconds spent waiting for the rate limiter. */
  waitedMs: number;
  /** The token it was sent with, which errors must not show; null without a key. */
  token: string | null;
}

const MOST_REDIRECTS = 5;

// Far beyond any page of 100 records or invoice PDF.
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Makes one attempt: waits for the rate limiter, sends, and reads the whole body. A refused key is renewed and a redirect
 * of a GET within the origin followed within the same attempt; each request takes a place of the rate limit.
 * Whatever goes wrong is the result, also a failing `apiKey` or `fetch` function of the caller.
 */
export async function attempt(spec: Attempt, context: CallContext): Promise<AttemptAnswer> {
  const { request, wire, signal } = spec;
  const { credentials } = context;
  const body = wire.method === "GET" ? null : (await wire.text()) || null;
  // Callers cannot replace these: the library reads JSON and writes nothing else.
  const headers: Record<string, string> = { ...Object.fromEntries(wire.headers), accept: "application/json" };
  if (body) headers["content-type"] = "application/json";
  let redirects = 0;
  let isRenewed = false;
  const answer: AttemptAnswer = {
    result: { kind: "aborted", received: "no" },
    response: null,
    url: wire.url,
    durationMs: 0,
    requests: 0,
    waitedMs: 0,
    token: null,
  };
  const ended = (result: AttemptResult) => Object.assign(answer, { result });
  try {
    for (;;) {
      answer.token = await settled(credentials.token(), spec, context);
      const asked = acquire(answer.token, spec, context);
      const permit = asked instanceof Promise ? await asked : asked;
      if (permit && "refused" in permit) {
        return ended({ kind: "rate_limited", reason: permit.refused, retryAt: permit.retryAt });
      }
      answer.waitedMs += permit?.waitedMs ?? 0;
      // The key was renewed while this attempt waited, and the permit is for a request with the old one.
      if (asked instanceof Promise && credentials.current !== answer.token) {
        permit?.settle(false);
        continue;
      }
      const { token, url } = answer;
      if (token !== null) headers.authorization = `Bearer ${token}`;
      const number = spec.attempts + ++answer.requests;
      await traceRequest(request.trace, number, answer, (message) =>
        exchange(spec, { headers, body, number, token, permit, within: message?.within }, answer, context),
      );
      const { result } = answer;
      if (result.kind !== "response") return answer;
      if ((result.status === 401 || result.status === 403) && !isRenewed) {
        isRenewed = true;
        if ((await tokenAfterRefusal(token, result.status, spec, context)) !== null) continue;
      }
      if (!isRedirect(result.response)) return answer;
      const location = result.response.headers.get("location");
      const target = location === null ? null : URL.parse(location, url);
      const problem = result.response.opaqueRedirect
        ? "hidden"
        : redirectProblem(request, target, context.settings.origin, ++redirects);
      if (problem !== null) return ended({ kind: "redirect", response: result.response, problem });
      answer.url = (target as URL).href;
    }
  } catch (error) {
    if (signal?.aborted) return ended({ kind: "aborted", received: "no" });
    if (error instanceof ConfigurationError) return ended({ kind: "misconfigured", error, received: "no" });
    throw error;
  }
}

// The token to repeat a refused request with. Where the key function fails, the error says why it was called.
async function tokenAfterRefusal(
  refused: string | null,
  status: number,
  spec: Attempt,
  context: CallContext,
): Promise<string | null> {
  try {
    return await settled(context.credentials.renewed(refused), spec, context);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { message, cause } = error;
    throw new ConfigurationError(`${message}. It was called because the service answered ${status}`, { cause });
  }
}

// A key function that never settles must not hold up the call for longer than the service may.
function settled<T>(key: T | Promise<T>, { request, signal }: Attempt, { settings }: CallContext): T | Promise<T> {
  if (!(key instanceof Promise)) return key;
  const { timeout } = request.settings;
  const { clock } = settings;
  // A test's clock must not skip the time that the function takes.
  const settling = clock.during?.(() => key) ?? key;
  return inTime(clock, timeout, raceAbort(settling, signal), () => {
    throw new ConfigurationError(`The apiKey function did not settle within timeout (${timeout} ms)`);
  });
}

function acquire(
  token: string | null,
  spec: Attempt,
  context: CallContext,
): Permit | null | Promise<Permit | Refusal | null> {
  const { rateLimit, on } = context.settings;
  const limiter = rateLimit && context.limiters.of(token);
  if (!limiter) return null;
  const { operation, settings, priority, trace } = spec.request;
  const options: AcquireOptions = {
    priority,
    signal: spec.signal,
    deadline: spec.deadline,
    leaseMs: rateLimit.windowMs + settings.timeout,
    onWait:
      on.wait || trace
        ? (reason, until) => {
            const expectedAt = until === null ? null : new Date(until);
            tell(on, trace, "wait", { ...eventOf(operation), reason, expectedAt });
          }
        : undefined,
  };
  return limiter instanceof Promise ? limiter.then((found) => found.acquire(options)) : limiter.acquire(options);
}

// One request and its response, the body included, within the time limit of an attempt. What came of it goes into the answer.
async function exchange(
  { request, retries, signal }: Attempt,
  sending: {
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string | null;
    /** 1 for the first request of the call. */
    readonly number: number;
    readonly token: string | null;
    readonly permit: Permit | null;
    /** What a subscriber of the diagnostics channel calls `fetch` within. */
    readonly within: RequestMessage["within"];
  },
  answer: AttemptAnswer,
  context: CallContext,
): Promise<void> {
  const { headers, body, number, token, permit, within } = sending;
  const { settings } = context;
  const { clock, on } = settings;
  const event = () => ({ ...eventOf(request.operation), attempt: number });
  const limit = new TimeLimit(clock, request.settings.timeout, signal);
  const started = clock.now();
  // The machine's date may be set back meanwhile.
  const elapsed = () => Math.max(0, clock.now() - started);
  let sent = true;
  const ended = (result: AttemptResult) => {
    answer.result = result;
    answer.durationMs = elapsed();
  };
  answer.response = null;
  try {
    if (on.request) notify(on, "request", event());
    // The observer may have aborted it.
    if (signal?.aborted) {
      sent = false;
      return ended({ kind: "aborted", received: "no" });
    }
    const init: FetchInit = {
      method: request.operation.method,
      headers: { ...headers },
      signal: limit.signal,
      redirect: "manual",
    };
    const fetch = () => settings.fetch(answer.url, body === null ? init : { ...init, body });
    const sending = within ? within(fetch) : fetch();
    // A fetch of the caller's own may ignore the signal; the attempt must end all the same.
    const response = (await limit.race(sending)) as Response;
    checkResponse(request.operation.id, response);
    answer.response = response;
    const noteLimit = () => noteRateLimit(response, request, retries, signal, token, context);
    const limited = response.status === 429;
    const waitMs = limited ? await noteLimit() : retryAfter(response, clock);
    let result = await readResult(response, request, waitMs, limit);
    if (result.kind === "response" && isRateLimited(result) && !limited) {
      result = { ...result, retryAfterMs: await noteLimit() };
    }
    if (on.response && isComplete(result)) {
      const durationMs = elapsed();
      notify(on, "response", {
        ...event(),
        status: response.status,
        requestId: await cleanRequestId(response.headers, token, request, context),
        durationMs,
        waitedMs: permit?.waitedMs ?? 0,
      });
    }
    ended(result);
  } catch (error) {
    // Only what is still open: Node ends the process when a request that has failed by itself is aborted.
    if (answer.response) limit.abort(error);
    if (error instanceof ConfigurationError) return ended({ kind: "misconfigured", error, received: "maybe" });
    if (signal?.aborted) return ended({ kind: "aborted", received: "maybe" });
    if (limit.expired) return ended({ kind: "timeout", scope: "attempt", received: "maybe" });
    const result = connectionResult(error);
    sent = result.received === "maybe";
    ended(result);
  } finally {
    limit.end();
    permit?.settle(sent);
  }
}

// Blocks the queue before the body is read: otherwise the next call still goes out, and a 429's body may stall.
async function noteRateLimit(
  response: Response,
  request: CallRequest,
  retries: number,
  signal: AbortSignal | undefined,
  token: string | null,
  { limiters, settings: { clock } }: CallContext,
): Promise<number> {
  const waitMs = retryAfter(response, clock) ?? backoff(retries + 1, request.settings.backoffLimit, Math.random());
  const limiter = await limiters.of(token);
  const blocked = limiter.block(clock.now() + waitMs);
  if (blocked) await raceAbort(blocked, signal);
  return waitMs;
}

function retryAfter({ headers }: Response, clock: Clock): number | null {
  const header = headers.get("retry-after");
  return header === null ? null : retryAfterMs(header, clock.now(), headers.get("date"));
}

// An error counts by its status alone; a success without its body is a failure.
async function readResult(
  response: Response,
  { operation }: CallRequest,
  retryAfter: number | null,
  limit: TimeLimit,
): Promise<AttemptResult> {
  const read = (wire: WireResponse, body: Body): AttemptResult => ({
    kind: "response",
    response: wire,
    body,
    status: statusOf(wire, body, operation.response),
    retryAfterMs: retryAfter,
  });
  try {
    const bytes = await limit.race(readBytes(response, LARGEST_BODY_BYTES));
    const wire = wireResponse(response, new TextDecoder().decode(bytes));
    return read(wire, parseBody(wire));
  } catch (error) {
    const truncated = error instanceof BodyTruncated;
    const wire = wireResponse(response, truncated ? new TextDecoder().decode(error.bytes) : "");
    if (response.status >= 400) return read(wire, { kind: "truncated", cause: error });
    if (error instanceof BodyTooLarge) return { kind: "too_large", response: wire };
    if (!truncated) throw error;
    return read(wire, { kind: "truncated", cause: error.cause ?? error });
  }
}

function wireResponse({ status, headers, type }: Response, text: string): WireResponse {
  return {
    status,
    headers,
    text,
    // In a browser, a redirect that is not followed shows neither status nor headers.
    opaqueRedirect: type === "opaqueredirect",
    filtered: type === "cors",
  };
}

// What a fetch of the caller's own may get wrong, most of all in tests; a retry would not help.
function checkResponse(operation: string, response: Response | null | undefined): void {
  const readable = typeof response?.body?.getReader === "function" || typeof response?.arrayBuffer === "function";
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function" || !readable) {
    throw new ConfigurationError(`${operation}: the \`fetch\` option must return a Response`, { operation });
  }
  if (response.bodyUsed) {
    throw new ConfigurationError(
      `${operation}: the \`fetch\` option returned a Response whose body was already read; it must create a new one for each call`,
      { operation },
    );
  }
}

function isRedirect({ status, opaqueRedirect }: WireResponse): boolean {
  return opaqueRedirect || (status >= 301 && status <= 308 && status !== 304 && status !== 305 && status !== 306);
}

// The token must not reach another origin, and a write must not be sent twice.
function redirectProblem(
  { operation }: CallRequest,
  target: URL | null,
  origin: string,
  redirects: number,
): RedirectProblem | null {
  if (operation.method !== "GET") return "write";
  if (target === null) return "no_location";
  if (target.origin !== origin) return "other_origin";
  return redirects > MOST_REDIRECTS ? "too_many" : null;
}

// The service may echo request data in any header, so it is redacted before it reaches an event.
async function cleanRequestId(
  headers: Headers,
  token: string | null,
  request: CallRequest,
  { clean }: CallContext,
): Promise<string | null> {
  const id = requestIdOf(headers);
  return id && clean(id, request, token);
}
