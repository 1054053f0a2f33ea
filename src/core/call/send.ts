import ky, { type KyInstance, type RetryOptions } from "ky";
import { onAbort } from "../abort.js";
import { wait } from "../clock.js";
import { eventOf, notify } from "../events.js";
import type { Settings } from "../settings.js";
import { type AttemptContext, type Attempted, attempt } from "./attempt.js";
import { type AttemptOutcome, reasonOf } from "./outcome.js";
import { type CallRequest, targetOf } from "./request.js";
import { decide, isRateLimited, lacksBody, maybeApplied } from "./retry.js";
import type { RetryQuota } from "./retry-quota.js";
import { tell } from "./trace.js";

/** What calls need of their client. */
export interface SendContext extends AttemptContext {
  readonly ky: KyInstance;
  readonly quota: RetryQuota;
}

/** A request that was sent, or tried to be, with the outcome of its last attempt. */
export interface Sent {
  readonly request: CallRequest;
  readonly url: string;
  readonly outcome: AttemptOutcome;
  /** Requests sent. */
  readonly attempts: number;
  /** Milliseconds spent waiting for the rate limiter and between attempts. */
  readonly waitedMs: number;
  /** True when an attempt may have changed something without proof of it. */
  readonly maybeApplied: boolean;
  /** Why there was no further attempt, where that deserves a sentence. */
  readonly gaveUp: string | null;
  /** The token of the last attempt, which errors must not show. */
  readonly token: string | null;
}

// Thrown through ky, so that its loop asks whether to retry. Whoever catches it reads the outcome from the call.
class AttemptFailed extends Error {}

/** A call in progress. Only `send` and the ky options of that call hold it. */
interface Progress {
  readonly signal: AbortSignal | undefined;
  outcome: AttemptOutcome | null;
  attempts: number;
  retries: number;
  waitedMs: number;
  maybeApplied: boolean;
  gaveUp: string | null;
  token: string | null;
  url: string;
  /** Milliseconds the last request took. */
  durationMs: number;
  /** Whether the last attempt's failure was reported. */
  reported: boolean;
}

/**
 * Makes the ky instance of a client: its address and headers.
 * docs/decisions/ky.md gives the reason for each option that is switched off.
 */
export function createKy(settings: Settings): KyInstance {
  return ky.create({ prefix: settings.baseUrl, headers: settings.headers, timeout: false, throwHttpErrors: false });
}

// The pause before a retry is ours: it runs on the client's clock.
const RETRY: RetryOptions = { methods: ["get", "post", "put", "patch", "delete"], delay: () => 0 };

/**
 * Sends a request: attempts, and the waits and decisions between them. ky builds the request and owns the loop and its
 * count; `attempt` is its fetch, `decide` its `shouldRetry`.
 * @throws the reason of the caller's signal. Whatever else goes wrong is the outcome.
 */
export async function send(request: CallRequest, context: SendContext): Promise<Sent> {
  const { operation, settings, signal: callerSignal } = request;
  if (callerSignal?.aborted) throw callerSignal.reason;
  const total = settings.totalTimeout === null ? null : startTotal(settings.totalTimeout, callerSignal, context);
  const signal = total?.signal ?? callerSignal;
  const deadline = total?.deadline ?? null;
  const progress: Progress = {
    signal,
    outcome: null,
    attempts: 0,
    retries: 0,
    waitedMs: 0,
    maybeApplied: false,
    gaveUp: null,
    token: null,
    url: "",
    durationMs: 0,
    reported: false,
  };
  try {
    await context.ky(targetOf(request), {
      method: operation.method,
      ...(settings.headers !== context.settings.headers && { headers: settings.headers }),
      ...(request.body !== undefined && { json: request.body }),
      fetch: async (wire) => {
        const { attempts, retries } = progress;
        const attempted = await attempt(
          { request, wire: wire as Request, attempts, retries, signal, deadline },
          context,
        );
        note(progress, attempted, request);
        // ky's loop asks `shouldRetry` about what is thrown and ends with what is returned.
        if (attempted.response === null || isFailure(attempted.outcome, request)) throw new AttemptFailed();
        context.quota.earn(progress.retries > 0);
        return attempted.response;
      },
      retry: {
        ...RETRY,
        limit: settings.retryLimit,
        shouldRetry: async ({ error }) => {
          const delayMs = error instanceof AttemptFailed ? retryDelay(progress, request, deadline, context) : null;
          if (delayMs === null) return false;
          await pause(delayMs, progress, context);
          return true;
        },
      },
    });
  } catch (error) {
    const ended = error instanceof AttemptFailed || (signal?.aborted === true && error === signal.reason);
    if (!ended) throw error;
    if (!progress.reported) reportFailure(progress, request, context, false);
    if (total?.expired)
      progress.outcome = { kind: "timeout", scope: "total", sent: progress.maybeApplied ? "maybe" : "no" };
  } finally {
    total?.stop();
  }
  if (callerSignal?.aborted) throw callerSignal.reason;
  return sentBy(progress, request);
}

function note(progress: Progress, attempted: Attempted, request: CallRequest): void {
  progress.outcome = attempted.outcome;
  progress.url = attempted.url;
  progress.token = attempted.token;
  progress.attempts += attempted.sends;
  progress.waitedMs += attempted.waitedMs;
  progress.durationMs = attempted.durationMs;
  progress.reported = false;
  // A 429 was refused before anything happened.
  if (!isRateLimited(attempted.outcome) && maybeApplied(attempted.outcome, request)) progress.maybeApplied = true;
}

function isFailure(outcome: AttemptOutcome, request: CallRequest): boolean {
  return outcome.kind !== "response" || outcome.status >= 400 || lacksBody(outcome, request);
}

/** Decides what follows a failed attempt and reports it: milliseconds until a retry, or null when there is none. */
function retryDelay(
  progress: Progress,
  request: CallRequest,
  deadline: number | null,
  context: SendContext,
): number | null {
  const { clock, on } = context.settings;
  const { outcome } = progress;
  if (outcome === null) return null;
  const decision = decide(outcome, request, {
    retries: progress.retries,
    now: clock.now(),
    deadline,
    backoffLimit: request.settings.backoffLimit,
    quotaLeft: context.quota.left,
    random: Math.random(),
  });
  if ("gaveUp" in decision) {
    progress.gaveUp = decision.gaveUp;
    return null;
  }
  if (!isRateLimited(outcome)) context.quota.spend();
  reportFailure(progress, request, context, true);
  if (on.retry || request.trace) {
    tell(on, request.trace, "retry", {
      ...eventOf(request.operation),
      attempt: progress.attempts,
      reason: outcome.kind === "response" && !lacksBody(outcome, request) ? String(outcome.status) : reasonOf(outcome),
      delayMs: decision.delayMs,
    });
  }
  progress.retries++;
  return decision.delayMs;
}

async function pause(ms: number, progress: Progress, { settings: { clock } }: SendContext): Promise<void> {
  const started = clock.now();
  await wait(clock, ms, progress.signal);
  progress.waitedMs += Math.max(0, clock.now() - started);
}

// An attempt that was sent and got no usable response. A response with an error status has an event of its own.
function reportFailure(progress: Progress, request: CallRequest, context: SendContext, retried: boolean): void {
  const { outcome } = progress;
  const { on } = context.settings;
  progress.reported = true;
  if (!on.failure || outcome === null || outcome.kind === "rate_limited" || outcome.kind === "misconfigured") return;
  if (outcome.kind === "aborted" && outcome.sent === "no") return;
  if (outcome.kind === "response" && !lacksBody(outcome, request)) return;
  notify(on, "failure", {
    ...eventOf(request.operation),
    attempt: progress.attempts,
    reason: reasonOf(outcome),
    code: outcome.kind === "connection" ? outcome.code : null,
    outcome: maybeApplied(outcome, request) ? "unknown" : "not_sent",
    retried,
    durationMs: progress.durationMs,
  });
}

function sentBy(progress: Progress, request: CallRequest): Sent {
  const { outcome, url, attempts, waitedMs, maybeApplied: applied, gaveUp, token } = progress;
  // The platform keeps a request's signal, and through it ky's options and this object, until the next full garbage
  // collection. Records would accumulate meanwhile.
  progress.outcome = null;
  if (outcome === null) throw new Error("ky ended a call without an attempt");
  return { request, url, outcome, attempts, waitedMs, maybeApplied: applied, gaveUp, token };
}

interface Total {
  readonly signal: AbortSignal;
  readonly deadline: number;
  /** Whether the time is up. */
  readonly expired: boolean;
  stop(): void;
}

// The time limit of the whole call, joined with the caller's signal.
function startTotal(totalTimeout: number, callerSignal: AbortSignal | undefined, { settings }: SendContext): Total {
  const { clock } = settings;
  const controller = new AbortController();
  const unlisten = onAbort(callerSignal, () => controller.abort(callerSignal?.reason));
  let expired = false;
  const timer = clock.setTimeout(() => {
    expired = true;
    controller.abort(new Error("totalTimeout"));
  }, totalTimeout);
  return {
    signal: controller.signal,
    deadline: clock.now() + totalTimeout,
    get expired() {
      return expired;
    },
    stop() {
      unlisten();
      clock.clearTimeout(timer);
    },
  };
}
