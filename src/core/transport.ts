import { loadLookups } from "#lookups";
import { isTraced, traceCall } from "#platform";
import { type Answer, answerOf } from "./call/answer.js";
import { Call, type WithResponse } from "./call/call.js";
import {
  type BuiltRequest,
  type CallRequest,
  inputError,
  type OperationParts,
  RequestBuilder,
} from "./call/request.js";
import { RetryQuota } from "./call/retry-quota.js";
import { createKy, type SendContext, send } from "./call/send.js";
import type { Clock } from "./clock.js";
import { type ApiKey, Credentials } from "./credentials.js";
import { isPlainObject } from "./json.js";
import { RateLimiters, type RateLimitState } from "./limits/rate-limiters.js";
import type { PageSource } from "./lists/cursor.js";
import { Pages } from "./lists/pages.js";
import type { JoinOptions } from "./lists/references.js";
import type { InFlight } from "./lookups/in-flight.js";
import type { ClientParts, JoinClient } from "./lookups/join.js";
import type { LookupCode } from "./lookups/load-lookups.js";
import type { WritesTo } from "./lookups/types.js";
import { API_PREFIX, type Operation, type OperationInput, type OperationOutput, resourceNameOf } from "./operation.js";
import { configurationError } from "./option-checks.js";
import type { ArrayFormat, ClientOptions, ListOptions, RequestOptions } from "./options.js";
import { checkCallOptions, resolveCallSettings, resolveSettings, type Settings } from "./settings.js";
import { ResponseValidator } from "./validation/response-validator.js";

const NO_PARTS: ClientParts = { operations: () => [], references: async () => () => null };

function refuseRoutes(): never {
  throw configurationError("routes", "is for clients: a transport by itself does not know the operations");
}

/** All requests go through this class: operations through `call` and `pages`, requests by hand through `send` and `sendPages`. */
export class Transport {
  readonly #settings: Settings;
  readonly #builder: RequestBuilder;
  readonly #validator: ResponseValidator;
  readonly #context: SendContext;
  readonly #limiters: RateLimiters;
  /** Equal GETs in flight, with the option `dedupe`. */
  #inFlight: Promise<InFlight | null> | null = null;
  readonly #joins: JoinClient;
  /** Writes that this client has sent, by resource. */
  readonly #writes = new Map<string, number>();
  /** Operations that the `routes` option changes, by the row of the table. */
  readonly #routed: ReadonlyMap<Operation, Operation>;

  /** @throws ConfigurationError naming the option that is wrong. */
  constructor(options: ClientOptions, parts: ClientParts = NO_PARTS) {
    const settings = resolveSettings(options);
    this.#settings = settings;
    this.#joins = { ...parts, transport: this, clock: settings.clock, readers: new Map() };
    const { routed = refuseRoutes } = parts;
    // Listing the operations costs time, and few clients override one.
    this.#routed = options.routes ? routed(settings.routes) : new Map();
    this.#builder = new RequestBuilder(settings.arrayFormat);
    this.#validator = new ResponseValidator(settings.on);
    this.#limiters = new RateLimiters(settings);
    this.#context = {
      settings,
      credentials: new Credentials(settings.apiKey),
      quota: new RetryQuota(),
      ky: createKy(settings),
      limiter: (token) => this.#limiters.of(token),
    };
  }

  /** Options as they are in force, for other entries of the package. @hidden */
  get settings(): {
    readonly apiKey: ApiKey;
    readonly rateLimit: { readonly requests: number; readonly windowMs: number } | null;
    readonly clock: Clock;
  } {
    return this.#settings;
  }

  /** The service's address, as configured. */
  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  /** How much of the request budget is used. */
  get rateLimit(): RateLimitState {
    return this.#limiters.state(this.#context.credentials.current);
  }

  /** Calls an operation that returns one record or nothing. */
  call<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: RequestOptions,
  ): Call<OperationOutput<Row>> {
    return this.send(() => this.#build(row, input as OperationParts), options);
  }

  /** Prepares a list; nothing is sent until it is awaited or iterated. */
  pages<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: ListOptions,
  ): Pages<OperationOutput<Row>> {
    const operation = this.#operationOf(row);
    const parts = withOwnQuery(input as OperationParts);
    const build = (perPage: number | null) => this.#build(row, withPageSize(operation, parts, perPage));
    return this.sendPages(operation, build, options);
  }

  /** Sends a request that the caller builds, through the same steps: limits, retries, errors, drift. @hidden */
  send<T>(build: (arrayFormat: ArrayFormat) => BuiltRequest, options?: RequestOptions): Call<T> {
    const answer = async () => this.#send(this.#request(build(this.#settings.arrayFormat), options));
    return new Call(answer() as Promise<WithResponse<T>>);
  }

  /**
   * Prepares a list whose requests the caller builds; nothing is sent until it is awaited or iterated.
   * @param build makes the first request; `perPage` is the page size, null where the list has no pages.
   * @hidden
   */
  sendPages<T>(
    operation: Operation,
    build: (perPage: number | null, arrayFormat: ArrayFormat) => BuiltRequest,
    given?: ListOptions,
  ): Pages<T> {
    const options = given ?? {};
    const { arrayFormat, on, pageSize, baseUrl } = this.#settings;
    const source: PageSource = {
      operation,
      options,
      observers: on,
      pageSize,
      baseUrl,
      prepare: (perPage) => this.#request(build(perPage, arrayFormat), options),
      send: (request) => this.#send(request, options.onInvalid),
      joined: (references, joinOptions) => this.#joined(source, references, joinOptions),
    };
    return new Pages<T>(source);
  }

  /** Makes a function that loads the code of lookups, which few programs need, and makes something of it. @hidden */
  lookups<T extends object>(make: (code: LookupCode, clock: Clock, writesTo: WritesTo) => T): () => Promise<T> {
    return async () => make(await loadLookups(), this.#settings.clock, (id) => this.#writesTo(id));
  }

  #noteWrite(operation: string): void {
    this.#writes.set(resourceNameOf(operation), this.#writesTo(operation) + 1);
  }

  #writesTo(operation: string): number {
    return this.#writes.get(resourceNameOf(operation)) ?? 0;
  }

  #joined(source: PageSource, references: Readonly<Record<string, true>>, given: JoinOptions): PageSource {
    const joined: PageSource = {
      ...source,
      references: [...(source.references ?? []), ...Object.keys(references ?? {})],
      send: async (request) => (await loadLookups()).sendJoined(source, request, references, given, this.#joins),
      joined: (more, options) => this.#joined(joined, more, options),
    };
    return joined;
  }

  async #send(request: CallRequest, onInvalid?: ListOptions["onInvalid"]): Promise<Answer> {
    if (!request.trace && isTraced()) {
      return traceCall(request.operation, this, (trace) => this.#send({ ...request, trace }, onInvalid));
    }
    const { id, method } = request.operation;
    const shared = this.#settings.dedupe ? await this.#shared() : null;
    const sending = shared ? shared.send(request, this.#context) : send(request, this.#context);
    // A write that was aborted may have been processed all the same.
    const sent = await (method === "GET" ? sending : sending.finally(() => this.#noteWrite(id)));
    const answer = await answerOf(sent, this.#validator, onInvalid, this.#settings.clock.now());
    this.#settings.school?.observe(request, answer.data, this.#settings.on);
    return answer;
  }

  // Null when its code cannot be loaded now, as in a page that is offline: then nothing is shared.
  #shared(): Promise<InFlight | null> {
    this.#inFlight ??= loadLookups()
      .then((code) => new code.InFlight())
      .catch(() => {
        this.#inFlight = null;
        return null;
      });
    return this.#inFlight;
  }

  #operationOf(row: Operation): Operation {
    return this.#routed.get(row) ?? row;
  }

  #build(row: Operation, parts: OperationParts): BuiltRequest {
    const operation = this.#operationOf(row);
    return this.#builder.build(operation, API_PREFIX[operation.apis[0] ?? "main"], parts);
  }

  #request(built: BuiltRequest, given: RequestOptions | undefined): CallRequest {
    const { operation } = built;
    const fail = (path: string, message: string) => inputError(operation.id, [{ path, message }]);
    const options = given ?? {};
    checkCallOptions(options, operation, fail);
    if (this.#settings.readOnly && operation.method !== "GET") {
      throw fail("", `the client is read-only; ${operation.method} requests are refused`);
    }
    this.#settings.school?.check(built);
    return {
      ...built,
      settings: resolveCallSettings(options, this.#settings, fail),
      priority: options.priority ?? "interactive",
      signal: options.signal ?? undefined,
    };
  }
}

// A list is read later, and perhaps again: what the caller does with the query meanwhile does not count.
function withOwnQuery(parts: OperationParts): OperationParts {
  const { query } = parts;
  if (!isPlainObject(query)) return parts;
  const own = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const);
  return { ...parts, query: Object.fromEntries(own) };
}

// A query that is not a plain object is left as it is: the check of the input refuses it.
function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
