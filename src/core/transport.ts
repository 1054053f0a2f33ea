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
import { isTraced, traceCall } from "./call/trace.js";
import { Credentials } from "./credentials.js";
import { isPlainObject } from "./json.js";
import { RateLimiters, type RateLimitState } from "./limits/rate-limiters.js";
import { Pages } from "./lists/pages.js";
import { API_PREFIX, type Operation, type OperationInput, type OperationOutput } from "./operation.js";
import type { ClientOptions, ListOptions, RequestOptions } from "./options.js";
import { resolveRoutes } from "./routes.js";
import { checkCallOptions, resolveCallSettings, resolveSettings, type Settings } from "./settings.js";
import { ResponseValidator } from "./validation/response-validator.js";
import type { StandardOutput, StandardSchema } from "./validation/standard-schema.js";

/** All requests go through this class: operations through `call` and `pages`, requests by hand through `request`. */
export class Transport {
  readonly #settings: Settings;
  readonly #builder: RequestBuilder;
  readonly #validator: ResponseValidator;
  readonly #context: SendContext;
  readonly #limiters: RateLimiters;
  /** Operations that the `routes` option changes, by the row of the table. */
  readonly #routed: ReadonlyMap<Operation, Operation>;

  /**
   * @param operations what `routes` may override.
   * @throws ConfigurationError naming the option that is wrong.
   */
  constructor(options: ClientOptions, operations: readonly Operation[] = []) {
    const settings = resolveSettings(options);
    this.#settings = settings;
    this.#routed = resolveRoutes(settings.routes, operations);
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

  #pages<T>(
    operation: Operation,
    given: ListOptions | undefined,
    build: (perPage: number | null) => BuiltRequest,
  ): Pages<T> {
    const options = given ?? {};
    return new Pages<T>({
      operation,
      options,
      observers: this.#settings.on,
      pageSize: this.#settings.pageSize,
      baseUrl: this.#settings.baseUrl,
      prepare: (perPage) => this.#request(build(perPage), options),
      send: (request) => this.#send(request, options.onInvalid),
    });
  }

  async #send(request: CallRequest, onInvalid?: ListOptions["onInvalid"]): Promise<Answer> {
    if (!request.trace && isTraced()) {
      return traceCall(request.operation, this, (trace) => this.#send({ ...request, trace }, onInvalid));
    }
    const sent = await send(request, this.#context);
    return answerOf(sent, this.#validator, onInvalid, this.#settings.clock.now());
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
