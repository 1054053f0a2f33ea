import { traceRequest } from "#platform";
import { NoKeyYet, type Patience } from "../credentials.js";
import { ConfigurationError } from "../errors.js";
import { eventOf } from "../events.js";
import type { AcquireOptions, Permit, Refusal } from "../limits/queue.js";
import { dateOf, type Moment, momentOf } from "../time.js";
import type { AttemptResult, Exchanged } from "./attempt-result.js";
import type { CallContext } from "./context.js";
import { exchange } from "./exchange.js";
import { warnOfWait } from "./long-wait.js";
import { redirectOf } from "./redirect.js";
import type { CallRequest } from "./request.js";
import { NO_KEY } from "./retry.js";
import { tell } from "./trace.js";

export interface Attempt {
  readonly request: CallRequest;
  /** The URL that ky built. */
  readonly url: string;
  /** JSON text; null if there is none. */
  readonly body: string | null;
  /** Requests this call has sent before. */
  readonly attempts: number;
  readonly retries: number;
  /** Aborts when the caller's signal does, or when `totalTimeout` has passed. */
  readonly signal: AbortSignal | undefined;
  /** When the call must end; null without `totalTimeout`. */
  readonly deadline: Moment | null;
}

export interface EndedAttempt extends Exchanged {
  /** The address of the last request. */
  readonly url: string;
  /** True if that address differs from the call's. */
  readonly redirected: boolean;
  /** Requests sent: more than one after a renewed key or a redirect. */
  readonly requests: number;
  /** Milliseconds spent waiting for the rate limiter. */
  readonly waitedMs: number;
  /** The token that was sent, which errors must not reveal; null without a key. */
  readonly token: string | null;
  /** True if a request was refused and sent again with another key. */
  readonly isRenewed: boolean;
}

// For a key that is no longer valid, the service may answer 404 instead of 401.
const MAY_REFUSE_KEY: readonly number[] = [401, 403, 404];

/**
 * Makes one attempt: waits for the rate limiter, sends the request, and reads the whole body. Within the same attempt,
 * it renews a refused key and follows a GET's redirect within the origin; each request takes a permit of the rate
 * limit. Never rejects: if the caller's `apiKey` or `fetch` function fails, that becomes the result.
 */
export async function attempt(spec: Attempt, context: CallContext): Promise<EndedAttempt> {
  const { request, body, retries, signal } = spec;
  const { credentials, settings } = context;
  const { method } = request.operation;
  let progress: Omit<EndedAttempt, "result"> = {
    url: spec.url,
    redirected: false,
    token: null,
    isRenewed: false,
    requests: 0,
    waitedMs: 0,
    response: null,
    durationMs: 0,
  };
  let redirects = 0;
  try {
    for (;;) {
      const token = await credentials.token(patienceOf(spec, context));
      progress = { ...progress, token };
      const asked = acquire(token, spec, context);
      const permit = asked instanceof Promise ? await asked : asked;
      if (permit && "refused" in permit) {
        const { refused: reason, retryAt: at } = permit;
        const retryAt = at === null ? null : dateOf(settings.clock, at);
        return { ...progress, result: { kind: "rate_limited", reason, retryAt } };
      }
      const waitedMs = permit?.waitedMs ?? 0;
      progress = { ...progress, waitedMs: progress.waitedMs + waitedMs };
      // The key was renewed while this attempt waited, so the permit is for a request with the old key.
      if (asked instanceof Promise && credentials.current !== token) {
        permit?.settle(false);
        continue;
      }
      const { url, requests } = progress;
      const number = spec.attempts + requests + 1;
      const sending = { request, url, headers: headersOf(spec, token), body, token, number, retries, waitedMs, signal };
      const exchanged = await traceRequest(request.trace, number, (within) =>
        exchange({ ...sending, within }, context),
      );
      const { result } = exchanged;
      permit?.settle(wasSent(result));
      progress = { ...progress, ...exchanged, requests: requests + 1 };
      if (result.kind !== "response") return { ...progress, result };
      if (MAY_REFUSE_KEY.includes(result.status) && !progress.isRenewed) {
        const isRenewed = (await tokenAfterRefusal(token, result.status, spec, context)) !== null;
        progress = { ...progress, isRenewed };
        if (isRenewed) continue;
      }
      const redirect = redirectOf(result.response, { method, url, origin: settings.origin, redirects });
      if (redirect === null) return { ...progress, result };
      if ("problem" in redirect) {
        return { ...progress, result: { kind: "redirect", response: result.response, problem: redirect.problem } };
      }
      redirects++;
      progress = { ...progress, url: redirect.url, redirected: true };
    }
  } catch (error) {
    if (signal?.aborted) return { ...progress, result: { kind: "aborted", received: "no" } };
    if (error instanceof ConfigurationError)
      return { ...progress, result: { kind: "misconfigured", error, received: "no" } };
    if (!(error instanceof NoKeyYet)) throw error;
    return { ...progress, result: { kind: "connection", cause: error.cause, code: NO_KEY, received: "no" } };
  }
}

// Callers cannot override `accept` and `content-type`: the library reads and writes only JSON.
function headersOf({ request, body }: Attempt, token: string | null): Record<string, string> {
  const headers: Record<string, string> = { ...request.settings.headers, accept: "application/json" };
  if (body !== null) headers["content-type"] = "application/json";
  if (token !== null) headers.authorization = `Bearer ${token}`;
  return headers;
}

function wasSent(result: AttemptResult): boolean {
  return !("received" in result && result.received === "no");
}

// Returns the token to use when a refused request is repeated. If the key function fails, the error says why the
// function was called.
async function tokenAfterRefusal(
  refused: string | null,
  status: number,
  spec: Attempt,
  context: CallContext,
): Promise<string | null> {
  try {
    return await context.credentials.renewToken(spec.request, refused, status, patienceOf(spec, context));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const { message, cause } = error;
    throw new ConfigurationError(`${message}. It was called because the service answered ${status}`, { cause });
  }
}

function patienceOf({ request, signal }: Attempt, { settings }: CallContext): Patience {
  return { clock: settings.clock, ms: request.settings.timeout, signal };
}

function acquire(
  token: string | null,
  spec: Attempt,
  context: CallContext,
): Permit | null | Promise<Permit | Refusal | null> {
  const { clock, rateLimit, on } = context.settings;
  const limiter = rateLimit && context.limiters.of(token);
  if (!limiter) return null;
  const { operation, settings, priority, trace } = spec.request;
  const options: AcquireOptions = {
    priority,
    signal: spec.signal,
    deadline: spec.deadline,
    timeoutMs: settings.timeout,
    onWait: (reason, until) => {
      const expectedAt = until === null ? null : new Date(dateOf(clock, until));
      if (!on.wait && until !== null) warnOfWait(operation.id, until - momentOf(clock), clock);
      tell(on, trace, "wait", { ...eventOf(operation), reason, expectedAt });
    },
  };
  return limiter instanceof Promise ? limiter.then((found) => found.acquire(options)) : limiter.acquire(options);
}
