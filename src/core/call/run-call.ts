import ky, { type RetryOptions } from "ky";
import { ConfigurationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import { Ticket } from "../limits/ticket.js";
import { dateOf, momentOf, TimeLimit } from "../time.js";
import { attempt } from "./attempt.js";
import { type Attempt, type AttemptResult, type EndedAttempt, reasonOf } from "./attempt-result.js";
import type { CallContext } from "./context.js";
import type { EndedCall } from "./ended-call.js";
import { warnOfWait } from "./long-wait.js";
import { type CallRequest, targetOf } from "./request.js";
import { decide, type GaveUp, isRateLimited, lacksBody, maybeApplied } from "./retry.js";
import { tell } from "./trace.js";
import { explain } from "./words.js";

// Makes ky call `shouldRetry` after a failed attempt. `RunningCall` keeps the result.
class AttemptFailed extends Error {}

// The pause before a retry is part of the next attempt, which waits on the client's clock.
const RETRY: RetryOptions = { methods: ["get", "post", "put", "patch", "delete"], delay: () => 0 };

/**
 * Runs a call: its attempts, and the decisions between them. ky owns the loop and counts the attempts; `attempt` is its
 * fetch, `decide` its `shouldRetry`. docs/decisions/ky.md explains why ky's other options are off.
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
        shouldRetry: async ({ error }) => error instanceof AttemptFailed && running.retry(),
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
  readonly #ticket: Ticket;
  readonly #body: string | null;
  #last: Omit<EndedAttempt, "response"> | null = null;
  #maybeApplied = false;
  #responded = false;
  #gaveUp: GaveUp | null = null;
  /** True once the failure of the last attempt was reported to observers. */
  #reported = false;

  constructor(request: CallRequest, context: CallContext) {
    this.#request = request;
    this.#context = context;
    this.#body = request.body === undefined ? null : JSON.stringify(request.body);
    const { operation, priority, settings, signal, trace } = request;
    const { clock, on } = context.settings;
    const { timeout, totalTimeout } = settings;
    this.#total = totalTimeout === null ? null : new TimeLimit(clock, totalTimeout, signal);
    this.#ticket = new Ticket({
      priority,
      signal: this.#total?.signal ?? signal,
      deadline: this.#total?.deadline ?? null,
      timeoutMs: timeout,
      onWait: (reason, until) => {
        const expectedAt = until === null ? null : new Date(dateOf(clock, until));
        if (!on.wait && until !== null) warnOfWait(operation.id, until - momentOf(clock), clock);
        tell(on, trace, "wait", { ...eventOf(operation), reason, expectedAt });
      },
    });
  }

  isAbort(error: unknown): boolean {
    const { signal } = this.#ticket.call;
    return signal?.aborted === true && error === signal.reason;
  }

  next({ url }: Request): Attempt {
    return { request: this.#request, ticket: this.#ticket, url, body: this.#body };
  }

  /** Registers an attempt that has ended. If this returns, ky's loop ends; if it throws, ky calls `shouldRetry`. */
  recordAttempt(ended: EndedAttempt): Response {
    const request = this.#request;
    const { result, response, token } = ended;
    this.#last = ended;
    this.#reported = false;
    if ("response" in result) this.#responded = true;
    // The service sends a 429 before it changes anything.
    if (!isRateLimited(result) && maybeApplied(result, request)) this.#maybeApplied = true;
    if (response === null || isFailure(result, request)) throw new AttemptFailed();
    const { line, quota } = this.#context;
    quota.earn(this.#ticket.retries > 0);
    line.keys.noteSuccess(request, token, this.#ticket);
    return response;
  }

  /** Decides whether there is another attempt, and reports the failed one. */
  retry(): boolean {
    if (this.#last === null) return false;
    const { result } = this.#last;
    const request = this.#request;
    const ticket = this.#ticket;
    const { line, quota, settings } = this.#context;
    const { clock, on } = settings;
    const decision = decide(result, request, {
      retries: ticket.retries,
      now: momentOf(clock),
      deadline: ticket.call.deadline,
      quotaLeft: quota.left,
      random: Math.random(),
    });
    if ("gaveUp" in decision) {
      this.#gaveUp = decision.gaveUp;
      return false;
    }
    const { delayMs } = decision;
    const isLimited = isRateLimited(result);
    if (!isLimited) quota.spend();
    line.pause(ticket, isLimited ? null : delayMs);
    ticket.waitedMs += delayMs;
    this.#report(true);
    if (on.retry || request.trace) {
      const reason =
        result.kind === "response" && !lacksBody(result, request) ? String(result.status) : reasonOf(result);
      tell(on, request.trace, "retry", { ...eventOf(request.operation), attempt: ticket.requests, reason, delayMs });
    }
    if (!on.retry) warnOfWait(request.operation.id, delayMs, clock);
    ticket.retries++;
    return true;
  }

  /** Reports the failure of the last attempt; if `totalTimeout` has passed, the result becomes a timeout. */
  fail(): void {
    if (!this.#reported) this.#report(false);
    if (!this.#total?.expired) return;
    const result = { kind: "timeout", scope: "total", received: this.#maybeApplied ? "maybe" : "no" } as const;
    this.#last = { url: "", redirected: false, token: null, durationMs: 0, ...this.#last, result };
  }

  stop(): void {
    this.#total?.end();
    this.#ticket.place?.leave(this.#ticket);
  }

  end(): EndedCall {
    const last = this.#last;
    if (last === null) throw new Error("ky ended a call without an attempt");
    // The platform keeps a request's signal, and through it ky's options and this object, until the next full garbage
    // collection: without this line, records would accumulate.
    this.#last = null;
    const { url, redirected, result, token } = last;
    const { requests, waitedMs } = this.#ticket;
    const status = result.kind === "response" ? result.status : 0;
    const { keys, refusals } = this.#context.line;
    // Not for raw requests: each has an operation of its own, so their entries would accumulate.
    if (!this.#request.raw) refusals.note(this.#request.operation, status);
    return {
      request: this.#request,
      url,
      redirected,
      result,
      attempts: requests,
      waitedMs,
      maybeApplied: this.#maybeApplied,
      responded: this.#responded,
      gaveUp: this.#gaveUp,
      token,
      workedAt: keys.workedAt(this.#request.operation, token, status),
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
      attempt: this.#ticket.requests,
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
