import ky from "ky";
import { errorBodyOf, hiddenHeadersOf, requestIdOf } from "./call/answer.js";
import { Exchange, type ExchangeContext } from "./call/attempt.js";
import { Call, type ResponseInfo, type WithResponse } from "./call/call.js";
import { answeredError, formatError, publicError } from "./call/failure.js";
import type { Answer, Prepared } from "./call/prepared.js";
import { type RawRequest, readRawRequest } from "./call/raw-request.js";
import { type BuiltRequest, inputError, type OperationParts, RequestBuilder } from "./call/request.js";
import { RetryQuota } from "./call/retry-quota.js";
import { Credentials } from "./credentials.js";
import { type Governor, governorFor } from "./limits/rate-limiter.js";
import { Pages } from "./lists/pages.js";
import type { Method, Operation, OperationInput, OperationOutput } from "./operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "./options.js";
import { redact, secretsOf } from "./redact.js";
import { checkRoutes, oneOf, resolvePatience, resolveSettings, type Settings } from "./settings.js";
import { sha256 } from "./sha256.js";
import { type ResponseValidation, ResponseValidator } from "./validation/response-validator.js";

/** The state of a client's request budget, for dashboards and logs. */
export interface RateLimitState {
  /** Requests a window holds; null when the client has no limit. */
  readonly limit: number | null;
  /** Places of the window taken now. */
  readonly used: number;
  /** When the next place frees up, or a 429's Retry-After ends; null when all are free. */
  readonly resetAt: Date | null;
  /** Calls waiting for their turn. */
  readonly queued: number;
}

const PREFIX = { main: "api/v1", admin: "api/v1", organization: "api/organization" } as const;

const RETRIED_BY_KY = ["get", "post", "put", "patch", "delete"] as const;

/** The one road to the service: every operation of every resource goes through `call` or `pages`. */
export class Transport {
  readonly #settings: Settings;
  readonly #builder: RequestBuilder;
  readonly #validator: ResponseValidator;
  readonly #context: ExchangeContext;
  readonly #neverAborted = new AbortController().signal;
  readonly #overridden = new WeakMap<Operation, Operation>();
  #governor: { token: string; governor: Governor } | null = null;

  /**
   * @param operations what `routes` may override.
   * @throws ConfigurationError naming the option that is wrong.
   */
  constructor(options: ClientOptions, operations: readonly Operation[] = []) {
    this.#settings = resolveSettings(options);
    checkRoutes(this.#settings.routes, operations);
    this.#builder = new RequestBuilder(this.#settings.arrayFormat);
    this.#validator = new ResponseValidator(this.#settings.on);
    this.#context = {
      settings: this.#settings,
      credentials: new Credentials(this.#settings.apiKey),
      quota: new RetryQuota(),
      governor: async (token) => this.#governorOf(token),
    };
  }

  /** The service's address, as configured. */
  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  /** How much of the request budget is used. */
  get rateLimit(): RateLimitState {
    const { rateLimit } = this.#settings;
    // Another client with this token may have used it before this one sent anything.
    const token = this.#context.credentials.current;
    const governor = rateLimit === null || token === null ? null : this.#governorOf(token);
    const { used, resetAt } = governor?.usage ?? { used: 0, resetAt: null };
    return {
      limit: rateLimit?.requests ?? null,
      used,
      resetAt: resetAt === null ? null : new Date(resetAt),
      queued: governor?.queued ?? 0,
    };
  }

  /** Carries out an operation that answers one record or nothing. */
  call<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: RequestOptions,
  ): Call<OperationOutput<Row>> {
    return new Call(this.#call(row, input as OperationParts, options) as Promise<WithResponse<OperationOutput<Row>>>);
  }

  /** Prepares a list; nothing is sent until it is awaited or iterated. */
  pages<Row extends Operation>(row: Row, input: OperationInput<Row>, given?: ListOptions): Pages<OperationOutput<Row>> {
    const options = given ?? {};
    return new Pages({
      row,
      options,
      observers: this.#settings.on,
      pageSize: this.#settings.pageSize,
      baseUrl: this.#settings.baseUrl,
      prepare: (perPage) => this.#prepare(row, withPageSize(input as OperationParts, perPage), options),
      send: (prepared) => this.#send(prepared, options),
    });
  }

  /**
   * Sends a request by hand down the same road: limits, retries, errors, drift.
   * @example
   * const courses = await client.request({ method: "GET", path: "api/v1/courses", query: { per_page: 10 } });
   */
  request(request: RawRequest, options?: RequestOptions): Call<unknown> {
    return new Call(
      (async () => {
        const { row, built } = readRawRequest(request, this.#settings.arrayFormat);
        return this.#send(this.#ready(row, built, options), options, true);
      })(),
    );
  }

  async #call(row: Operation, input: OperationParts, options?: RequestOptions): Promise<Answer> {
    return this.#send(this.#prepare(row, input, options), options);
  }

  #prepare(row: Operation, input: OperationParts, options?: RequestOptions): Prepared {
    const path = this.#settings.routes[row.id]?.path ?? row.path;
    const built = this.#builder.build(row, path, input);
    const prefix = PREFIX[row.apis[0] ?? "main"];
    return this.#ready(row, { ...built, path: `${prefix}/${built.path}` }, options);
  }

  #ready(row: Operation, request: BuiltRequest, given?: RequestOptions): Prepared {
    const options = given ?? {};
    const signal = options.signal ?? undefined;
    const fail = (path: string, message: string) => inputError(row.id, [{ path, message }]);
    if (
      signal !== undefined &&
      !(typeof signal.addEventListener === "function" && typeof signal.aborted === "boolean")
    ) {
      throw fail("signal", "must be an AbortSignal");
    }
    const routed = this.#routed(row);
    const { method } = routed;
    if (this.#settings.readOnly && method !== "GET") {
      throw fail("", `the client is readOnly and ${method} would write`);
    }
    return {
      row: routed,
      request,
      patience: resolvePatience(options, this.#settings, fail),
      priority: oneOf("priority", options.priority ?? "interactive", ["interactive", "batch"], fail),
      signal,
    };
  }

  // The row with the method `routes` puts in its place; made once, as what is known of a row is kept by its identity.
  #routed(row: Operation): Operation {
    const method = this.#settings.routes[row.id]?.method;
    if (method === undefined || method === row.method) return row;
    let routed = this.#overridden.get(row);
    if (!routed) {
      routed = { ...row, method };
      this.#overridden.set(row, routed);
    }
    return routed;
  }

  async #send(prepared: Prepared, options?: ListOptions, raw = false): Promise<Answer> {
    const { row, request, patience, priority, signal } = prepared;
    const { clock } = this.#settings;
    if (signal?.aborted) throw signal.reason;
    // Only a total limit needs a signal of its own.
    const total = patience.totalTimeout === null ? null : new AbortController();
    const onAbort = () => total?.abort(signal?.reason);
    if (total) signal?.addEventListener("abort", onAbort, { once: true });
    const deadline = patience.totalTimeout === null ? null : clock.now() + patience.totalTimeout;
    let expired = false;
    const timer =
      patience.totalTimeout === null
        ? undefined
        : clock.setTimeout(() => {
            expired = true;
            total?.abort(new Error("totalTimeout"));
          }, patience.totalTimeout);
    const url = this.#urlOf(request);
    const exchange = new Exchange(this.#context, row, request, {
      url,
      patience,
      priority,
      signal: total?.signal ?? signal ?? this.#neverAborted,
      deadline,
    });
    try {
      await sendThroughKy(exchange, row.method, patience.retryLimit);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw publicError(error, exchange, prepared, { expired, now: clock.now() });
    } finally {
      if (total) signal?.removeEventListener("abort", onAbort);
      if (timer !== undefined) clock.clearTimeout(timer);
    }
    try {
      return this.#read(exchange, prepared, options, raw);
    } finally {
      exchange.forget();
    }
  }

  // What came back is an answer: of the service, an error of the service, or of somebody else.
  #read(exchange: Exchange, prepared: Prepared, options: ListOptions | undefined, raw: boolean): Answer {
    const { row, patience } = prepared;
    const { answer, body, attempts } = exchange;
    if (!answer) throw new Error("an exchange that ended well has an answer");
    const response: ResponseInfo = {
      status: answer.status,
      headers: answer.headers,
      requestId: requestIdOf(answer.headers),
      hiddenHeaders: hiddenHeadersOf(answer, row),
      attempts,
      waitedMs: exchange.waitedMs,
    };
    // An earlier attempt may have deleted it without our knowing; now it is gone, which is what was asked for.
    const gone = answer.status === 404 && row.method === "DELETE" && exchange.ambiguous;
    if (gone) return { data: undefined, response };
    if (answer.status >= 400 || (body.kind === "json" && errorBodyOf(body.value, row.response) !== null)) {
      throw answeredError(exchange, prepared);
    }
    // A page of somebody else, a login or a proxy's, says nothing about what was asked, also where no body is due.
    if (body.kind === "foreign" || (body.kind === "cut" && (row.response || raw))) {
      throw formatError(exchange, prepared, body.kind);
    }
    if (body.kind === "empty" && (answer.status >= 300 || (row.paged && !isBodiless(answer.status)))) {
      // Taken for an empty list it would end the list too early; a 3xx is neither success nor error.
      throw formatError(exchange, prepared, "nothing");
    }
    if (body.kind !== "json" || (!row.response && !raw)) return { data: row.paged ? [] : undefined, response };
    if (!row.response) return { data: body.value, response };
    const { value } = body;
    const validation: ResponseValidation = {
      mode: patience.validation,
      onInvalid: options?.onInvalid ?? "throw",
      attempts,
      clean: (text) => redact(text, secretsOf(exchange.token)),
    };
    if (row.paged) {
      if (!Array.isArray(value)) throw formatError(exchange, prepared, "no_list");
      return { data: this.#validator.records(row, value, validation), response };
    }
    if (!raw && (typeof value !== "object" || value === null || Array.isArray(value))) {
      throw formatError(exchange, prepared, "no_record");
    }
    return { data: this.#validator.record(row, value, validation), response };
  }

  #urlOf({ path, query }: BuiltRequest): string {
    const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    return `${this.#settings.baseUrl}/${path}${search === "" ? "" : `?${search}`}`;
  }

  #governorOf(token: string): Governor {
    if (this.#governor?.token === token) return this.#governor.governor;
    const { clock, store } = this.#settings;
    // The hash names the budget without holding the token: the key goes to stores that processes share.
    const key = `${new URL(this.#settings.baseUrl).host} ${sha256(token)}`;
    const governor = governorFor(key, clock, store);
    this.#governor = { token, governor };
    return governor;
  }
}

// 204 and 205 say themselves that no body comes.
function isBodiless(status: number): boolean {
  return status === 204 || status === 205;
}

function withPageSize(input: OperationParts, perPage: number | null): OperationParts {
  const { per_page, ...query } = (input.query ?? {}) as { per_page?: number };
  const size = per_page === undefined && perPage !== null ? { per_page: perPage } : {};
  return { ...input, query: { ...query, ...(per_page === undefined ? size : { per_page }) } };
}

// ky gets ready for a retry before it sends: it clones the Request, which costs more than the rest of what it does. So
// the first attempt goes without, and what fails is given to ky again, this time with the retries that are left.
async function sendThroughKy(exchange: Exchange, method: Method, retries: number): Promise<void> {
  const options = { method, fetch: () => exchange.attempt(), timeout: false, throwHttpErrors: false } as const;
  try {
    await ky(exchange.url, { ...options, retry: 0 });
  } catch (error) {
    if (retries === 0 || !exchange.retries(error)) throw error;
    await ky(exchange.url, {
      ...options,
      retry: {
        limit: retries - 1,
        methods: [...RETRIED_BY_KY],
        // The pause runs on the client's clock, at the start of the next attempt.
        delay: () => 0,
        shouldRetry: ({ error }) => exchange.retries(error),
      },
    });
  }
}
