import { BodyTooLarge, BodyTruncated, readBytes } from "../bounded-body.js";
import type { Clock } from "../clock.js";
import { ConfigurationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import type { FetchInit } from "../options.js";
import { momentOf, TimeLimit } from "../time.js";
import { type Attempt, type AttemptResult, type EndedAttempt, isComplete } from "./attempt-result.js";
import { type Body, parseBody, requestIdOf, statusOf, type WireResponse } from "./body.js";
import type { CallContext } from "./context.js";
import type { WrongResponse } from "./failure.js";
import type { CallRequest } from "./request.js";
import { backoff, connectionResult, isRateLimited, retryAfterMs } from "./retry.js";
import type { RequestMessage } from "./trace.js";
import { explain } from "./words.js";

export interface Exchange extends Attempt {
  readonly redirected: boolean;
  /** Null without a key. */
  readonly token: string | null;
  /** Milliseconds this request waited for the rate limiter. */
  readonly waitedMs: number;
  /** A diagnostics-channel subscriber's function, inside which `fetch` must be called. */
  readonly within: RequestMessage["within"];
}

/** Sends one request and reads its response to the end, within the time limit of an attempt. Never rejects. */
export async function exchange(sent: Exchange, context: CallContext): Promise<EndedAttempt> {
  const { request, ticket, url, body, redirected, token, waitedMs, within } = sent;
  const { signal } = ticket.call;
  const { settings } = context;
  const { clock, on } = settings;
  const { id, method } = request.operation;
  const event = () => ({ ...eventOf(request.operation), attempt: ticket.requests });
  const limit = new TimeLimit(clock, request.settings.timeout, signal);
  const started = momentOf(clock);
  const elapsedMs = () => Math.round(momentOf(clock) - started);
  let response: Response | null = null;
  const endWith = (result: AttemptResult) => ({ result, response, url, redirected, token, durationMs: elapsedMs() });
  try {
    if (on.request) notify(on, "request", event());
    // The observer may have aborted the call.
    if (signal?.aborted) return endWith({ kind: "aborted", received: "no" });
    const init: FetchInit = { method, headers: headersOf(sent), signal: limit.signal, redirect: "manual" };
    const fetch = () => settings.fetch(url, body === null ? init : { ...init, body });
    // A custom `fetch` may ignore the signal; the attempt must end anyway.
    const given = (await limit.race(within ? within(fetch) : fetch())) as Response;
    const mistake = mistakeIn(given);
    if (mistake !== null) {
      const message = await explain((words) => words.wrongResponse(mistake));
      throw new ConfigurationError(`${id}: ${message}`, { operation: id });
    }
    response = given;
    const result = await resultOf(response, sent, limit, context);
    if (on.response && isComplete(result)) {
      const durationMs = elapsedMs();
      const received = requestIdOf(response.headers);
      // Redacted, because the service may repeat sent values in any header.
      const requestId = received && (await context.clean(received, request, token));
      notify(on, "response", { ...event(), status: response.status, requestId, durationMs, waitedMs });
    }
    return endWith(result);
  } catch (error) {
    // Aborts only a request that got a response: Node crashes when a request that has already failed is aborted.
    if (response) limit.abort(error);
    return endWith(failedResult(error, limit, signal));
  } finally {
    limit.end();
  }
}

// Callers cannot override `accept` or `content-type`, because the library reads and writes only JSON.
function headersOf({ request, body, token }: Exchange): Record<string, string> {
  const headers: Record<string, string> = { ...request.settings.headers, accept: "application/json" };
  if (body !== null) headers["content-type"] = "application/json";
  if (token !== null) headers.authorization = `Bearer ${token}`;
  return headers;
}

async function resultOf(
  response: Response,
  sent: Exchange,
  limit: TimeLimit,
  context: CallContext,
): Promise<AttemptResult> {
  const limited = response.status === 429;
  const waitMs = limited ? await noteRateLimit(response, sent, context) : retryAfter(response, context.settings.clock);
  const result = await readResult(response, sent.request, waitMs, limit, context.settings.maxBodyBytes);
  // The error body may contain the code 429 although the HTTP status is 200.
  if (limited || result.kind !== "response" || !isRateLimited(result)) return result;
  return { ...result, retryAfterMs: await noteRateLimit(response, sent, context) };
}

function failedResult(error: unknown, limit: TimeLimit, signal: AbortSignal | undefined): AttemptResult {
  if (error instanceof ConfigurationError) return { kind: "misconfigured", error, received: "maybe" };
  if (signal?.aborted) return { kind: "aborted", received: "maybe" };
  // React and Next end a prerender with an error that has a digest. The call must reject with this error; nothing was
  // sent.
  if (error instanceof Error && "digest" in error) return { kind: "aborted", received: "no", reason: error };
  if (isMistake(error)) {
    const words = "The fetch function failed because of a mistake in its code; see the cause";
    return { kind: "misconfigured", error: new ConfigurationError(words, { cause: error }), received: "maybe" };
  }
  if (limit.expired) return { kind: "timeout", scope: "attempt", received: "maybe" };
  return connectionResult(error);
}

// Matches the messages with which JavaScript engines report mistakes in code. A failed connection is also a TypeError,
// but its messages differ.
const MISTAKE =
  /is not a function|is not a constructor|is not iterable|is not defined|of (undefined|null)|(undefined|null) is not/;

function isMistake(error: unknown): boolean {
  return (error instanceof TypeError || error instanceof ReferenceError) && !error.cause && MISTAKE.test(error.message);
}

// Blocks the queue before the body is read: otherwise the next call would still be sent while the body of a 429 stalls.
async function noteRateLimit(
  response: Response,
  { request, ticket, token }: Exchange,
  { line, settings: { clock } }: CallContext,
): Promise<number> {
  const { backoffLimit, maxRetryAfter } = request.settings;
  const waitMs = retryAfter(response, clock) || backoff(ticket.retries + 1, backoffLimit, Math.random());
  await line.block(ticket, token, Math.min(waitMs, maxRetryAfter));
  return waitMs;
}

function retryAfter({ headers }: Response, clock: Clock): number | null {
  return retryAfterMs(headers.get("retry-after"), clock.now(), headers.get("date"));
}

// An error response is usable even without its body, because its status is enough; a success without its body is a
// failure.
async function readResult(
  response: Response,
  { operation }: CallRequest,
  retryAfter: number | null,
  limit: TimeLimit,
  mostBytes: number,
): Promise<AttemptResult> {
  const read = (wire: WireResponse, body: Body): AttemptResult => ({
    kind: "response",
    response: wire,
    body,
    status: statusOf(wire, body, operation.response),
    retryAfterMs: retryAfter,
  });
  try {
    const bytes = await limit.race(readBytes(response, mostBytes));
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
    opaqueRedirect: type === "opaqueredirect",
    filtered: type === "cors",
  };
}

// Finds mistakes in a custom `fetch`, such as a test double: no retry would help.
function mistakeIn(response: Response | null | undefined): WrongResponse | null {
  const readable = typeof response?.body?.getReader === "function" || typeof response?.arrayBuffer === "function";
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function" || !readable) return "none";
  return response.bodyUsed ? "read" : null;
}
