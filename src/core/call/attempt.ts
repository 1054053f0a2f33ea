import { waitUntil } from "../clock.js";
import type { Credentials } from "../credentials.js";
import { ConfigurationError } from "../errors.js";
import { notify, type OperationEvent } from "../events.js";
import type { Governor, Permit } from "../limits/rate-limiter.js";
import type { Operation } from "../operation.js";
import type { Priority } from "../options.js";
import { redact, secretsOf } from "../redact.js";
import type { Patience, Settings } from "../settings.js";
import { type Body, readBody, requestIdOf, type WireAnswer } from "./answer.js";
import { BodyCut, BodyTooLarge, readText } from "./body.js";
import type { BuiltRequest } from "./request.js";
import { type AttemptFailure, backoff, connectionOutcome, failureOutcome, mayRetry, retryAfterMs } from "./retry.js";
import type { RetryQuota } from "./retry-quota.js";

/** An attempt that gave no usable answer. Internal: the transport makes the public error of it. */
export class AttemptError extends Error {
  readonly failure: AttemptFailure;
  constructor(failure: AttemptFailure, cause?: unknown) {
    super(failure.kind, { cause });
    this.failure = failure;
  }
}

/** An answer that sends the caller somewhere its token must not go. */
export class RedirectRefused extends Error {}

/** What one call needs of its client. */
export interface ExchangeContext {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly quota: RetryQuota;
  governor(token: string): Governor | null | Promise<Governor | null>;
}

const MOST_REDIRECTS = 5;

/**
 * One call on its way: the attempts, what they wait for, and what is known after each. ky owns the loop; it calls
 * `attempt` as its fetch and asks `retries` whether to go on. Every wait runs on the client's clock and ends with the
 * call's signal.
 */
export class Exchange {
  /** Where it goes. */
  readonly url: string;
  /** How many times the request was sent. */
  attempts = 0;
  /** Milliseconds spent waiting. */
  waitedMs = 0;
  /** The token of the last attempt, to keep it out of errors. */
  token: string | null = null;
  /** The last answer. */
  answer: WireAnswer | null = null;
  body: Body = { kind: "empty" };
  /** True once an attempt may have been carried out without our knowing. */
  ambiguous = false;
  /** The service's wait after a 429. */
  rateLimit: { retryAfterMs: number; resetAt: Date } | null = null;
  /** Why there was no further attempt, if that is worth a sentence. */
  gaveUp: string | null = null;

  readonly #context: ExchangeContext;
  readonly #row: Operation;
  readonly #request: BuiltRequest;
  readonly #patience: Patience;
  readonly #priority: Priority;
  readonly #signal: AbortSignal;
  readonly #deadline: number | null;
  #repetitions = 0;
  #nextAt = 0;
  // Since when this call waits for its next attempt: since the last one failed, ky's own turn included.
  #pausedAt: number | null = null;
  #renewed = false;

  constructor(
    context: ExchangeContext,
    row: Operation,
    request: BuiltRequest,
    how: { url: string; patience: Patience; priority: Priority; signal: AbortSignal; deadline: number | null },
  ) {
    this.#context = context;
    this.#row = row;
    this.#request = request;
    this.url = how.url;
    this.#patience = how.patience;
    this.#priority = how.priority;
    this.#signal = how.signal;
    this.#deadline = how.deadline;
  }

  /**
   * Makes one attempt: waits for its time and for leave, sends, reads the body to the end. A refused token is renewed
   * and the request sent once more within the same attempt.
   * @throws AttemptError when there is no usable answer or one that asks for another attempt.
   */
  async attempt(): Promise<Response> {
    const { credentials } = this.#context;
    await this.#pause();
    for (;;) {
      this.token = await this.#orAbort(credentials.token());
      const permit = await this.#admit(this.token);
      // It may have been renewed while this call waited; never forgotten, so that nothing waits here.
      this.token = await credentials.token();
      const response = await this.#send(this.token, permit);
      if ((response.status === 401 || response.status === 403) && !this.#renewed) {
        this.#renewed = true;
        if ((await this.#orAbort(credentials.renewed(this.token))) !== null) continue;
      }
      const failure = this.#failureOf(response.status);
      if (failure && mayRetry(this.#row, failure)) throw this.#failed(failure);
      if (!failure) this.#context.quota.earn(this.#repetitions > 0);
      return response;
    }
  }

  /** ky's question after a failed attempt. Says why when it is no, and notes when the next attempt is due. */
  retries(error: unknown): boolean {
    if (!(error instanceof AttemptError) || this.#signal.aborted) return false;
    const { failure } = error;
    const { clock, on } = this.#context.settings;
    if (!mayRetry(this.#row, failure)) return false;
    const limited = isRefused(failure);
    const delayMs =
      limited && this.rateLimit
        ? this.rateLimit.retryAfterMs
        : (this.#statusDelay() ?? backoff(this.#repetitions + 1, this.#patience.backoffLimit, Math.random()));
    const now = clock.now();
    const due = now + delayMs;
    if (this.#deadline !== null && due > this.#deadline) {
      this.gaveUp = "The next attempt would come after totalTimeout";
      return false;
    }
    if (!limited && !this.#context.quota.spend()) {
      this.gaveUp = "Not tried again: too many requests of this client failed lately";
      return false;
    }
    this.#repetitions++;
    this.#pausedAt = now;
    this.#nextAt = due;
    const reason = failure.kind === "status" ? String(failure.status) : failure.kind;
    notify(on, "retry", { ...this.#event(), attempt: this.attempts, reason, delayMs });
    return true;
  }

  // 503 and its kin may carry Retry-After as well.
  #statusDelay(): number | null {
    return this.answer
      ? retryAfterMs(this.answer.headers.get("retry-after"), this.#context.settings.clock.now())
      : null;
  }

  // A key function that never answers must not outlast the call.
  #orAbort<T>(work: T | Promise<T>): T | Promise<T> {
    if (!(work instanceof Promise)) return work;
    const signal = this.#signal;
    return new Promise((resolve, reject) => {
      const onAbort = () => reject(signal.reason);
      if (signal.aborted) onAbort();
      signal.addEventListener("abort", onAbort, { once: true });
      work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
    });
  }

  #event(): OperationEvent {
    return { operation: this.#row.id, method: this.#row.method, path: this.#row.path };
  }

  async #pause(): Promise<void> {
    if (this.#signal.aborted) throw this.#signal.reason;
    if (this.#pausedAt === null) return;
    const { clock } = this.#context.settings;
    if (this.#nextAt > clock.now()) await waitUntil(clock, this.#nextAt, this.#signal);
    this.waitedMs += clock.now() - this.#pausedAt;
    this.#pausedAt = null;
  }

  async #admit(token: string): Promise<Permit | null> {
    const { settings } = this.#context;
    const { rateLimit, on } = settings;
    if (rateLimit === null) return null;
    const governor = await this.#context.governor(token);
    if (governor === null) return null;
    const permit = await governor.admit({
      limit: rateLimit,
      priority: this.#priority,
      signal: this.#signal,
      deadline: this.#deadline,
      leaseMs: rateLimit.windowMs + this.#patience.timeout,
    });
    this.waitedMs += permit.waitedMs;
    if (permit.reason !== null && permit.waitedMs > 0) {
      notify(on, "wait", { ...this.#event(), reason: permit.reason, waitedMs: permit.waitedMs });
    }
    return permit;
  }

  async #noteRateLimit(headers: Headers): Promise<void> {
    const { clock } = this.#context.settings;
    const waitMs =
      retryAfterMs(headers.get("retry-after"), clock.now()) ??
      backoff(this.#repetitions + 1, this.#patience.backoffLimit, Math.random());
    const until = clock.now() + waitMs;
    this.rateLimit = { retryAfterMs: waitMs, resetAt: new Date(until) };
    const governor = this.token === null ? null : await this.#context.governor(this.token);
    await governor?.block(until);
  }

  /**
   * Lets go of what came. The platform holds on to a request's signal, and through it to ky's options and this
   * exchange, until the next full garbage collection: records would pile up and be moved about meanwhile.
   */
  forget(): void {
    this.answer = null;
    this.body = { kind: "empty" };
  }

  // Noted here and not when asked whether to go on: ky does not ask once the limit is reached.
  #failed(failure: AttemptFailure, cause?: unknown): AttemptError {
    if (failureOutcome(failure) === "unknown" && !isRefused(failure)) this.ambiguous = true;
    return new AttemptError(failure, cause);
  }

  // A service may say back what it was told in any header; an event must not.
  #requestId(headers: Headers): string | null {
    const id = requestIdOf(headers);
    return id === null ? null : redact(id, secretsOf(this.token, this.#patience.headers));
  }

  #failureOf(status: number): AttemptFailure | null {
    if (status >= 400) return { kind: "status", status };
    // A record or list was due and what came breaks off: as good as no answer.
    return this.body.kind === "cut" && this.#row.response ? { kind: "body" } : null;
  }

  async #send(token: string, permit: Permit | null): Promise<Response> {
    const { settings } = this.#context;
    const { clock, on } = settings;
    const controller = new AbortController();
    // A fetch of the caller's own may not listen to the signal; the attempt must end all the same.
    let stop: (reason: unknown) => void = () => undefined;
    const stopped = new Promise<never>((_, reject) => {
      stop = (reason) => {
        controller.abort(reason);
        reject(reason);
      };
    });
    let timedOut = false;
    const timer = clock.setTimeout(() => {
      timedOut = true;
      stop(new Error("timeout"));
    }, this.#patience.timeout);
    const onAbort = () => stop(this.#signal.reason);
    this.#signal.addEventListener("abort", onAbort, { once: true });
    const started = clock.now();
    let sent = true;
    let response: Response | null = null;
    this.answer = null;
    this.attempts++;
    if (on.request) notify(on, "request", { ...this.#event(), attempt: this.attempts });
    try {
      if (this.#signal.aborted) throw this.#signal.reason;
      response = await Promise.race([this.#fetch(token, controller.signal), stopped]);
      const text = await Promise.race([readText(response), stopped]);
      this.answer = answerOf(response, text);
      this.body = readBody(this.answer);
      // Before the place is given back: the next in the queue would still slip through.
      if (response.status === 429) await Promise.race([this.#noteRateLimit(response.headers), stopped]);
      if (on.response) {
        notify(on, "response", {
          ...this.#event(),
          attempt: this.attempts,
          status: response.status,
          requestId: this.#requestId(response.headers),
          durationMs: clock.now() - started,
        });
      }
      return response;
    } catch (error) {
      controller.abort(error);
      if (this.#signal.aborted) {
        this.ambiguous = true;
        throw this.#signal.reason;
      }
      if (timedOut) throw this.#failed({ kind: "timeout" });
      if (error instanceof RedirectRefused || error instanceof BodyTooLarge || error instanceof ConfigurationError) {
        throw error;
      }
      if (response) {
        this.answer = answerOf(response, error instanceof BodyCut ? error.text : "");
        throw this.#failed({ kind: "body" }, error instanceof BodyCut ? error.cause : error);
      }
      const { outcome } = connectionOutcome(error);
      sent = outcome === "unknown";
      throw this.#failed({ kind: "connection", outcome }, error);
    } finally {
      clock.clearTimeout(timer);
      this.#signal.removeEventListener("abort", onAbort);
      permit?.settle(sent);
    }
  }

  // Follows redirects itself: only a GET, only within the origin. The token goes nowhere else.
  async #fetch(token: string, signal: AbortSignal): Promise<Response> {
    const { settings } = this.#context;
    const headers: Record<string, string> = {
      ...this.#patience.headers,
      accept: "application/json",
      authorization: `Bearer ${token}`,
    };
    const { body } = this.#request;
    if (body !== null) headers["content-type"] = "application/json";
    let url = this.url;
    for (let redirects = 0; ; redirects++) {
      const init: RequestInit = { method: this.#row.method, headers, signal, redirect: "manual" };
      const response = await settings.fetch(url, body === null ? init : { ...init, body });
      checkResponse(this.#row, response);
      if (response.type !== "opaqueredirect" && !isRedirect(response)) return response;
      const location = response.headers.get("location");
      const target = location === null ? null : URL.parse(location, url);
      const text = response.type === "opaqueredirect" ? "" : await readText(response);
      if (this.#row.method !== "GET" || target?.origin !== settings.origin || redirects >= MOST_REDIRECTS) {
        this.answer = answerOf(response, text);
        throw new RedirectRefused(target?.origin === settings.origin ? "same" : "other");
      }
      url = target.href;
    }
  }
}

// What a fetch of the caller's own may get wrong, most of all in tests; trying again would not help.
function checkResponse({ id }: Operation, response: Response | null | undefined): void {
  if (typeof response?.status !== "number" || typeof response.headers?.get !== "function") {
    throw new ConfigurationError(`${id}: the option fetch must answer a Response`, { operation: id });
  }
  if (response.bodyUsed) {
    throw new ConfigurationError(
      `${id}: the option fetch answered a Response whose body was read already; it must make a new one for each call`,
      { operation: id },
    );
  }
}

function answerOf({ status, headers, type }: Response, text: string): WireAnswer {
  // Only browsers have this type: the page is on another origin than the service.
  return { status, headers, text, filtered: type === "cors" };
}

function isRedirect({ status }: Response): boolean {
  return status >= 301 && status <= 308 && status !== 304 && status !== 305 && status !== 306;
}

function isRefused(failure: AttemptFailure): boolean {
  return failure.kind === "status" && failure.status === 429;
}
