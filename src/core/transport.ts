import { isTraced, traceCall } from "#platform";
import { type Answer, answerOf } from "./call/answer.js";
import { Call, type WithResponse } from "./call/call.js";
import {
  type BuiltRequest,
  type CallRequest,
  inputError,
  type OperationParts,
  type RawListRequest,
  type RawRequest,
  RequestBuilder,
  rawOperation,
} from "./call/request.js";
import { RetryQuota } from "./call/retry-quota.js";
import { createKy, type SendContext, send } from "./call/send.js";
import type { Clock } from "./clock.js";
import { type ApiKey, Credentials } from "./credentials.js";
import { isPlainObject } from "./json.js";
import type { RateLimit } from "./limits/rate-limiter.js";
import { RateLimiters, type RateLimitState } from "./limits/rate-limiters.js";
import type { PageSource } from "./lists/cursor.js";
import { Pages } from "./lists/pages.js";
import type { JoinOptions } from "./lists/references.js";
import type { InFlight } from "./lookups/in-flight.js";
import type { ClientParts, JoinClient, sendJoined } from "./lookups/join.js";
import type { lookupOf } from "./lookups/lookup.js";
import type { manyOf } from "./lookups/many.js";
import { API_PREFIX, type Operation, type OperationInput, type OperationOutput } from "./operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "./options.js";
import { resolveRoutes } from "./routes.js";
import { checkCallOptions, resolveCallSettings, resolveSettings, type Settings } from "./settings.js";
import { ResponseValidator } from "./validation/response-validator.js";
import type { StandardOutput, StandardSchema } from "./validation/standard-schema.js";

/** What is loaded when a lookup is first used. Not the type of the module: the tool that reports the API cannot read that. */
interface LookupCode {
  readonly InFlight: typeof InFlight;
  readonly lookupOf: typeof lookupOf;
  readonly manyOf: typeof manyOf;
  readonly sendJoined: typeof sendJoined;
}

const loadLookups = (): Promise<LookupCode> => import("./lookups/index.js");

const NO_PARTS: ClientParts = { operations: () => [], references: async () => () => null };

/** All requests go through this class: operations through `call` and `pages`, requests by hand through `request`. */
export class Transport {
  readonly #settings: Settings;
  readonly #builder: RequestBuilder;
  readonly #validator: ResponseValidator;
  readonly #context: SendContext;
  readonly #limiters: RateLimiters;
  /** Equal GETs in flight, with the option `dedupe`. */
  #inFlight: Promise<InFlight> | null = null;
  readonly #joins: JoinClient;
  /** Operations that the `routes` option changes, by the row of the table. */
  readonly #routed: ReadonlyMap<Operation, Operation>;

  /** @throws ConfigurationError naming the option that is wrong. */
  constructor(options: ClientOptions, parts: ClientParts = NO_PARTS) {
    const settings = resolveSettings(options);
    this.#settings = settings;
    this.#joins = { ...parts, transport: this, clock: settings.clock, readers: new Map() };
    // Listing the operations costs time, and few clients override one.
    this.#routed = options.routes ? resolveRoutes(settings.routes, parts.operations()) : new Map();
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
  get settings(): { readonly apiKey: ApiKey; readonly rateLimit: RateLimit | null } {
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
    const answer = async () => this.#send(this.#request(this.#build(row, input as OperationParts), options));
    return new Call(answer() as Promise<WithResponse<OperationOutput<Row>>>);
  }

  /** Prepares a list; nothing is sent until it is awaited or iterated. */
  pages<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: ListOptions,
  ): Pages<OperationOutput<Row>> {
    const operation = this.#operationOf(row);
    return this.#pages(operation, options, (perPage) =>
      this.#build(row, withPageSize(operation, input as OperationParts, perPage)),
    );
  }

  /** Sends a request by hand through the same steps: limits, retries, errors, drift. */
  request<Schema extends StandardSchema>(
    request: RawRequest<Schema>,
    options?: RequestOptions,
  ): Call<StandardOutput<Schema>> {
    const answer = async () => this.#send(this.#request(this.#builder.buildRaw(request, false), options));
    return new Call(answer() as Promise<WithResponse<StandardOutput<Schema>>>);
  }

  /** Prepares a list by hand; nothing is sent until it is awaited or iterated. */
  requestPages<Schema extends StandardSchema>(
    request: RawListRequest<Schema>,
    options?: ListOptions,
  ): Pages<StandardOutput<Schema>> {
    const list: RawRequest = { ...request, method: "GET" };
    return this.#pages(rawOperation(list, true), options, (perPage) => {
      const { query = {} } = list;
      const sized = isPlainObject(query) ? { per_page: perPage ?? undefined, ...query } : query;
      return this.#builder.buildRaw({ ...list, query: sized }, true);
    });
  }

  /** Makes a function that loads the code of lookups, which few programs need, and makes something of it. @hidden */
  lookups<T extends object>(make: (code: LookupCode, clock: Clock) => T): () => Promise<T> {
    return async () => make(await loadLookups(), this.#settings.clock);
  }

  #pages<T>(
    operation: Operation,
    given: ListOptions | undefined,
    build: (perPage: number | null) => BuiltRequest,
  ): Pages<T> {
    const options = given ?? {};
    const source: PageSource = {
      operation,
      options,
      observers: this.#settings.on,
      pageSize: this.#settings.pageSize,
      baseUrl: this.#settings.baseUrl,
      prepare: (perPage) => this.#request(build(perPage), options),
      send: (request) => this.#send(request, options.onInvalid),
      joined: (references, joinOptions) => this.#joined(source, references, joinOptions),
    };
    return new Pages<T>(source);
  }

  #joined(source: PageSource, references: Readonly<Record<string, true>>, given: JoinOptions): PageSource {
    return {
      ...source,
      references: Object.keys(references),
      send: async (request) => (await loadLookups()).sendJoined(source, request, references, given, this.#joins),
    };
  }

  async #send(request: CallRequest, onInvalid?: ListOptions["onInvalid"]): Promise<Answer> {
    if (!request.trace && isTraced()) {
      return traceCall(request.operation, this, (trace) => this.#send({ ...request, trace }, onInvalid));
    }
    const sent = await (this.#settings.dedupe
      ? (await this.#shared()).send(request, this.#context)
      : send(request, this.#context));
    const answer = await answerOf(sent, this.#validator, onInvalid, this.#settings.clock.now());
    this.#settings.school?.observe(request, answer.data, this.#settings.on);
    return answer;
  }

  #shared(): Promise<InFlight> {
    this.#inFlight ??= loadLookups().then((code) => new code.InFlight());
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

// A query that is not a plain object is left as it is: the check of the input refuses it.
function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
