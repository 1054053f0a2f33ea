import ky, { type RetryOptions } from "ky";
import { wait } from "../clock.js";
import { ConfigurationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import { momentOf, TimeLimit } from "../time.js";
import { type Attempt, attempt, type EndedAttempt } from "./attempt.js";
import { type AttemptResult, reasonOf } from "./attempt-result.js";
import type { CallContext } from "./context.js";
import type { EndedCall } from "./ended-call.js";
import { warnOfWait } from "./long-wait.js";
import { type CallRequest, targetOf } from "./request.js";
import { decide, type GaveUp, isRateLimited, lacksBody, maybeApplied } from "./retry.js";
import { tell } from "./trace.js";
import { explain } from "./words.js";

// Tells ky that the attempt failed, so that it calls `shouldRetry`. The result itself is kept on the call.
class AttemptFailed extends Error {}

// This library makes the pause before a retry itself, because it must run on the client's clock.
const RETRY: RetryOptions = { methods: ["get", "post", "put", "patch", "delete"], delay: () => 0 };

/**
 * Runs a call: its attempts, and the waits and decisions between them. ky owns the loop and counts the attempts;
 * `attempt` is its fetch, `decide` its `shouldRetry`. docs/decisions/ky.md says why its other options are off.
 * @throws the reason of the caller's signal. Every other failure is a result.
 */
export async function runCall(request: CallRequest, context: CallContext): Promise<EndedCall> {
  const { operation, settings, signal } = request;
  if (signal?.aborted) throw signal.reason;
  if (typeof globalThis.Request !== "function") {
    throw new ConfigurationError(await explain((words) => words.noRequest()));
  }
  const running = new RunningCall(request, context);
  try {
    await ky(`${context.settings.baseUrl}/${targetOf(request)}`, {
      method: operation.method,
      timeout: false,
      throwHttpErrors: false,
      fetch: async (built) => running.recordAttempt(await attempt(running.next(built as Request), context)),
      retry: {
        ...RETRY,
        limit: settings.retryLimit,
        shouldRetry: async ({ error }) => error instanceof AttemptFailed && (await running.retry()),
      },
    });
  } catch (error) {
    if (!(error instanceof AttemptFailed) && !running.isAbort(error)) throw error;
    running.fail();
  } finally {
    running.stop();
  }
  if (signal?.aborted) throw signal.reason;
  const ended = running.end();
  if (ended.result.kind === "aborted" && ended.result.reason) throw ended.result.reason;
  return ended;
}

class RunningCall {
  readonly #request: CallRequest;
  readonly #context: CallContext;
  readonly #total: TimeLimit | null;
  readonly #body: string | null;
  #last: Pick<EndedAttempt, "result" | "url" | "redirected" | "token" | "durationMs"> | null = null;
  #attempts = 0;
  #retries = 0;
  #waitedMs = 0;
  #maybeApplied = false;
  #isRenewed = false;
  #responded = false;
  #gaveUp: GaveUp | null = null;
  /** True once the failure of the last attempt was reported to observers. */
  #reported = false;

  constructor(request: CallRequest, context: CallContext) {
    this.#request = request;
    this.#context = context;
    this.#body = request.body === undefined ? null : JSON.stringify(request.body);
    const { totalTimeout } = request.settings;
    this.#total = totalTimeout === null ? null : new TimeLimit(context.settings.clock, totalTimeout, request.signal);
  }

  get #signal(): AbortSignal | undefined {
    return this.#total?.signal ?? this.#request.signal;
  }

  isAbort(error: unknown): boolean {
    return this.#signal?.aborted === true && error === this.#signal.reason;
  }

  next({ url }: Request): Attempt {
    return {
      request: this.#request,
      url,
      body: this.#body,
      attempts: this.#attempts,
      retries: this.#retries,
      signal: this.#signal,
      deadline: this.#total?.deadline ?? null,
    };
  }

  /** Records an attempt that has ended. If this returns, ky's loop ends; if it throws, ky calls `shouldRetry`. */
  recordAttempt(ended: EndedAttempt): Response {
    const request = this.#request;
    const { result, response, token } = ended;
    this.#last = ended;
    this.#attempts += ended.requests;
    this.#waitedMs += ended.waitedMs;
    this.#reported = false;
    if (ended.isRenewed) this.#isRenewed = true;
    if ("response" in result) this.#responded = true;
    // The service sends a 429 before it changes anything.
    if (!isRateLimited(result) && maybeApplied(result, request)) this.#maybeApplied = true;
    if (response === null || isFailure(result, request)) throw new AttemptFailed();
    const { credentials, quota, settings } = this.#context;
    quota.earn(this.#retries > 0);
    credentials.noteSuccess(request, token, settings.clock.now(), this.#isRenewed);
    return response;
  }

  /** Decides whether there is another attempt, reports the failed one and waits. */
  async retry(): Promise<boolean> {
    if (this.#last === null) return false;
    const { result } = this.#last;
    const request = this.#request;
    const { quota, settings } = this.#context;
    const { clock, on } = settings;
    const decision = decide(result, request, {
      retries: this.#retries,
      now: momentOf(clock),
      deadline: this.#total?.deadline ?? null,
      quotaLeft: quota.left,
      random: Math.random(),
    });
    if ("gaveUp" in decision) {
      this.#gaveUp = decision.gaveUp;
      return false;
    }
    const { delayMs } = decision;
    if (!isRateLimited(result)) quota.spend();
    this.#report(true);
    if (on.retry || request.trace) {
      const reason =
        result.kind === "response" && !lacksBody(result, request) ? String(result.status) : reasonOf(result);
      tell(on, request.trace, "retry", { ...eventOf(request.operation), attempt: this.#attempts, reason, delayMs });
    }
    if (!on.retry) warnOfWait(request.operation.id, delayMs, clock);
    this.#retries++;
    const started = momentOf(clock);
    await wait(clock, delayMs, this.#signal);
    this.#waitedMs += Math.round(momentOf(clock) - started);
    return true;
  }

  /** Handles the failure of the last attempt. */
  fail(): void {
    if (!this.#reported) this.#report(false);
    if (!this.#total?.expired) return;
    const result = { kind: "timeout", scope: "total", received: this.#maybeApplied ? "maybe" : "no" } as const;
    this.#last = { url: "", redirected: false, token: null, durationMs: 0, ...this.#last, result };
  }

  stop(): void {
    this.#total?.end();
  }

  end(): EndedCall {
    const last = this.#last;
    if (last === null) throw new Error("ky ended a call without an attempt");
    // The platform keeps a request's signal, and through it ky's options and this object, until the next full garbage
    // collection. Without this, records would pile up until then.
    this.#last = null;
    const status = last.result.kind === "response" ? last.result.status : 0;
    return {
      request: this.#request,
      url: last.url,
      redirected: last.redirected,
      result: last.result,
      attempts: this.#attempts,
      waitedMs: this.#waitedMs,
      maybeApplied: this.#maybeApplied,
      responded: this.#responded,
      gaveUp: this.#gaveUp,
      token: last.token,
      workedAt: this.#context.credentials.workedAt(this.#request.operation, last.token, status),
    };
  }

  // Reports an attempt that was sent and got no usable response. A response with an error status has its own event.
  #report(retried: boolean): void {
    this.#reported = true;
    const { on } = this.#context.settings;
    if (!on.failure || this.#last === null) return;
    const { result, durationMs } = this.#last;
    if (result.kind === "rate_limited" || result.kind === "misconfigured") return;
    if (result.kind === "aborted" && result.received === "no") return;
    if (result.kind === "response" && !lacksBody(result, this.#request)) return;
    notify(on, "failure", {
      ...eventOf(this.#request.operation),
      attempt: this.#attempts,
      reason: reasonOf(result),
      code: result.kind === "connection" ? result.code : null,
      outcome: maybeApplied(result, this.#request) ? "unknown" : "not_sent",
      retried,
      durationMs,
    });
  }
}

function isFailure(result: AttemptResult, request: CallRequest): boolean {
  return result.kind !== "response" || result.status >= 400 || lacksBody(result, request);
}
