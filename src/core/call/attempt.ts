import { traceRequest } from "#platform";
import { onAbort, raceAbort } from "../abort.js";
import { BodyTooLarge, BodyTruncated, readBytes } from "../bounded-body.js";
import type { Clock } from "../clock.js";
import type { Credentials } from "../credentials.js";
import { ConfigurationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import type { AcquireOptions, Permit, RateLimiter, Refusal } from "../limits/rate-limiter.js";
import type { FetchInit } from "../options.js";
import { redact } from "../redact.js";
import type { Settings } from "../settings.js";
import { type Body, parseBody, requestIdOf, statusOf, type WireResponse } from "./body.js";
import { type AttemptOutcome, isComplete, type RedirectProblem } from "./outcome.js";
import type { CallRequest } from "./request.js";
import { backoff, connectionOutcome, isRateLimited, retryAfterMs } from "./retry.js";
import { sensitiveValues } from "./sensitive-values.js";
import { type RequestMessage, tell } from "./trace.js";

/** What attempts need of their client. */
export interface AttemptContext {
  readonly settings: Settings;
  readonly credentials: Credentials;
  /** The rate limiter of a token; null when the client has no limit. */
  limiter(token: string): RateLimiter | null | Promise<RateLimiter | null>;
}

/** One attempt of a call. */
export interface Attempt {
  readonly request: CallRequest;
  /** As ky built it: address, headers and body. */
  readonly wire: Request;
  /** Requests this call has sent before. */
  readonly attempts: number;
  /** Retries made before. */
  readonly retries: number;
  /** Ends the attempt: the caller's signal and `totalTimeout`. */
  readonly signal: AbortSignal | undefined;
  /** When the call must end; null without `totalTimeout`. */
  readonly deadline: number | null;
}

/** What one attempt gave. */
export interface Attempted {
  readonly outcome: AttemptOutcome;
  /** The platform's response, its body already read; null where there was none. */
  readonly response: Response | null;
  /** The address of the last request. */
  readonly url: string;
  /** Milliseconds from sending the last request to the end of its body. */
  readonly durationMs: number;
  /** Requests sent: more than one after a renewed key or a redirect. */
  readonly sends: number;
  /** Milliseconds spent waiting for the rate limiter. */
  readonly waitedMs: number;
  /** The token it was sent with, which errors must not show. */
  readonly token: string | null;
}

const MOST_REDIRECTS = 5;

// Far beyond any page of 100 records or invoice PDF.
const LARGEST_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Makes one attempt: waits for the rate limiter, sends, and reads the whole body. A refused key is renewed and a redirect
 * of a GET within the origin followed within the same attempt; each request takes a place of the rate limit.
 * Whatever goes wrong is an outcome, also a failing `apiKey` or `fetch` function of the caller.
 */
export async function attempt(spec: Attempt, context: AttemptContext): Promise<Attempted> {
  const { request, wire, signal } = spec;
  const { credentials } = context;
  const body = wire.method === "GET" ? null : (await wire.text()) || null;
  // Callers cannot replace these: the library reads JSON and writes nothing else.
  const headers: Record<string, string> = { ...Object.fromEntries(wire.headers), accept: "application/json" };
  if (body) headers["content-type"] = "application/json";
  let { url } = wire;
  let redirects = 0;
  let isRenewed = false;
  let sends = 0;
  let waitedMs = 0;
  let token: string | null = null;
  let last: Exchanged | null = null;
  const ended = (outcome: AttemptOutcome): Attempted => ({
    outcome,
    response: last?.response ?? null,
    url,
    durationMs: last?.durationMs ?? 0,
    sends,
    waitedMs,
    token,
  });
  try {
    for (;;) {
      token = await settled(credentials.token(), spec, context);
      const asked = acquire(token, spec, context);
      const acquired = asked instanceof Promise ? await asked : asked;
      if (acquired && "refused" in acquired) {
        return ended({ kind: "rate_limited", reason: acquired.refused, retryAt: acquired.retryAt });
      }
      waitedMs += acquired?.waitedMs ?? 0;
      // The key may have been renewed while this attempt waited.
      if (asked instanceof Promise) token = await settled(credentials.token(), spec, context);
      headers.authorization = `Bearer ${token}`;
      sends++;
      const next = { ...spec, url, headers, body, number: spec.attempts + sends };
      const admission = { token, permit: acquired, waitedMs: acquired?.waitedMs ?? 0 };
      last = await traceRequest(request.trace, next.number, (message) =>
        exchange({ ...next, within: message?.within }, admission, context),
      );
      const { outcome } = last;
      if (outcome.kind !== "response") return ended(outcome);
      if ((outcome.status === 401 || outcome.status === 403) && !isRenewed) {
        isRenewed = true;
        if ((await tokenAfterRefusal(token, outcome.status, spec, context)) !== null) continue;
      }
      if (!isRedirect(outcome.response)) return ended(outcome);
      const location = outcome.response.headers.get("location");
      const target = location === null ? null : URL.parse(location, url);
      const problem = outcome.response.opaqueRedirect
        ? "hidden"
        : redirectProblem(request, target, context.settings.origin, ++redirects);
      if (problem !== null) return ended({ kind: "redirect", response: outcome.response, problem });
      url = (target as URL).href;
    }
  } catch (error) {
    if (signal?.aborted) return ended({ kind: "aborted", sent: "no" });
    if (error instanceof ConfigurationError) return ended({ kind: "misconfigured", error, sent: "no" });
    throw error;
  }
}

// The token to repeat a refused request with. Where the key function fails, the error says why it was called.
async function tokenAfterRefusal(
  refused: string,
  status: number,
  spec: Attempt,
  context: AttemptContext,
): Promise<string | null> {
  try {
    return await settled(context.credentials.renewed(refused), spec, context);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { message, cause } = error;
    throw new ConfigurationError(`${message}. It was called because the service answered ${status}`, { cause });
  }
}

function settled<T>(key: T | Promise<T>, spec: Attempt, context: AttemptContext): T | Promise<T> {
  return key instanceof Promise ? settledInTime(key, spec, context) : key;
}

// A key function that never settles must not hold up the call for longer than the service may.
async function settledInTime<T>(
  key: Promise<T>,
  { request, signal }: Attempt,
  { settings: { clock } }: AttemptContext,
): Promise<T> {
  const { timeout } = request.settings;
  let timer: unknown;
  const late = new Promise<never>((_, reject) => {
    const error = () => new ConfigurationError(`The apiKey function did not settle within timeout (${timeout} ms)`);
    timer = clock.setTimeout(() => reject(error()), timeout);
  });
  try {
    return await raceAbort(Promise.race([key, late]), signal);
  } finally {
    clock.clearTimeout(timer);
  }
}

function acquire(
  token: string,
  spec: Attempt,
  context: AttemptContext,
): Permit | null | Promise<Permit | Refusal | null> {
  const { rateLimit, on } = context.settings;
  const limiter = rateLimit && context.limiter(token);
  if (!limiter) return null;
  const { operation, settings, priority, trace } = spec.request;
  const options: AcquireOptions = {
    limit: rateLimit,
    priority,
    signal: spec.signal,
    deadline: spec.deadline,
    leaseMs: rateLimit.windowMs + settings.timeout,
    onWait:
      on.wait || trace
        ? (reason, until) => tell(on, trace, "wait", { ...eventOf(operation), reason, expectedAt: dateOf(until) })
        : undefined,
  };
  return limiter instanceof Promise
    ? limiter.then((found) => found?.acquire(options) ?? null)
    : limiter.acquire(options);
}

interface Exchange extends Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
  /** 1 for the first request of the call. */
  readonly number: number;
  /** What a subscriber of the diagnostics channel calls `fetch` within. */
  readonly within: RequestMessage["within"];
}

interface Admission {
  readonly token: string;
  readonly permit: Permit | null;
  readonly waitedMs: number;
}

interface Exchanged {
  readonly outcome: AttemptOutcome;
  readonly response: Response | null;
  readonly durationMs: number;
}

// One request and its response, the body included, within the time limit of an attempt.
async function exchange(spec: Exchange, admission: Admission, context: AttemptContext): Promise<Exchanged> {
  const { settings } = context;
  const { clock, on } = settings;
  const { request, signal, number } = spec;
  const event = () => ({ ...eventOf(request.operation), attempt: number });
  const controller = new AbortController();
  // A fetch of the caller's own may ignore the signal; the attempt must end all the same.
  let stop: (reason: unknown) => void = () => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = (reason) => {
      controller.abort(reason);
      reject(reason);
    };
  });
  stopped.catch(() => undefined);
  let timedOut = false;
  const timer = clock.setTimeout(() => {
    timedOut = true;
    stop(new Error("timeout"));
  }, request.settings.timeout);
  const unlisten = onAbort(signal, () => stop(signal?.reason));
  const started = clock.now();
  // The machine's date may be set back meanwhile.
  const elapsed = () => Math.max(0, clock.now() - started);
  let sent = true;
  let response: Response | null = null;
  const ended = (outcome: AttemptOutcome): Exchanged => ({ outcome, response, durationMs: elapsed() });
  try {
    if (on.request) notify(on, "request", event());
    // The observer may have aborted it.
    if (signal?.aborted) {
      sent = false;
      return ended({ kind: "aborted", sent: "no" });
    }
    const init: FetchInit = {
      method: request.operation.method,
      headers: { ...spec.headers },
      signal: controller.signal,
      redirect: "manual",
    };
    const fetch = () => settings.fetch(spec.url, spec.body === null ? init : { ...init, body: spec.body });
    const sending = spec.within ? spec.within(fetch) : fetch();
    const received = (await Promise.race([sending, stopped])) as Response;
    checkResponse(request.operation.id, received);
    response = received;
    const limited = received.status === 429;
    const waitMs = limited
      ? await noteRateLimit(received, spec, admission.token, context)
      : retryAfter(received, clock);
    let outcome = await readOutcome(received, request, waitMs, stopped);
    if (outcome.kind === "response" && isRateLimited(outcome) && !limited) {
      outcome = { ...outcome, retryAfterMs: await noteRateLimit(received, spec, admission.token, context) };
    }
    if (on.response && isComplete(outcome)) {
      notify(on, "response", {
        ...event(),
        status: received.status,
        requestId: cleanRequestId(received.headers, admission.token, request),
        durationMs: elapsed(),
        waitedMs: admission.waitedMs,
      });
    }
    return ended(outcome);
  } catch (error) {
    controller.abort(error);
    if (error instanceof ConfigurationError) return ended({ kind: "misconfigured", error, sent: "maybe" });
    if (signal?.aborted) return ended({ kind: "aborted", sent: "maybe" });
    if (timedOut) return ended({ kind: "timeout", scope: "attempt", sent: "maybe" });
    const outcome = connectionOutcome(error);
    sent = outcome.sent === "maybe";
    return ended(outcome);
  } finally {
    clock.clearTimeout(timer);
    unlisten();
    admission.permit?.settle(sent);
  }
}

// Before the body is read and the place given back: the next call in the queue would still be sent, and the body of a
// 429 may be truncated, stall or be too long.
async function noteRateLimit(
  response: Response,
  { request, retries, signal }: Exchange,
  token: string,
  context: AttemptContext,
): Promise<number> {
  const { clock } = context.settings;
  const waitMs = retryAfter(response, clock) ?? backoff(retries + 1, request.settings.backoffLimit, Math.random());
  const limiter = await context.limiter(token);
  const blocked = limiter?.block(clock.now() + waitMs);
  if (blocked) await raceAbort(blocked, signal);
  return waitMs;
}

function retryAfter({ headers }: Response, clock: Clock): number | null {
  const header = headers.get("retry-after");
  return header === null ? null : retryAfterMs(header, clock.now(), headers.get("date"));
}

// The status of an error counts, whatever becomes of its body; a success is worth nothing without it.
async function readOutcome(
  response: Response,
  { operation }: CallRequest,
  retryAfter: number | null,
  stopped: Promise<never>,
): Promise<AttemptOutcome> {
  const read = (wire: WireResponse, body: Body): AttemptOutcome => ({
    kind: "response",
    response: wire,
    body,
    status: statusOf(wire, body, operation.response),
    retryAfterMs: retryAfter,
  });
  try {
    const bytes = await Promise.race([readBytes(response, LARGEST_BODY_BYTES), stopped]);
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
function cleanRequestId(headers: Headers, token: string, request: CallRequest): string | null {
  const id = requestIdOf(headers);
  return id === null ? null : redact(id, sensitiveValues(request, token));
}

function dateOf(time: number | null): Date | null {
  return time === null ? null : new Date(time);
}
