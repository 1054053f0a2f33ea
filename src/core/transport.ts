import { isTraced, protectFetch, refuseOldNode, traceCall, withLog } from "#platform";
import { bodyWith, buildRequest, queryWith } from "./call/build-request.js";
import { Call, type WithResponse } from "./call/call.js";
import type { CallContext } from "./call/context.js";
import type { EndedCall } from "./call/ended-call.js";
import { readCall, Validation } from "./call/read-call.js";
import { type BuiltRequest, type CallRequest, inputError, type OperationParts } from "./call/request.js";
import { RetryQuota } from "./call/retry.js";
import { runCall } from "./call/run-call.js";
import type { CallMessage } from "./call/trace.js";
import { loadWords } from "./call/words.js";
import type { Clock } from "./clock.js";
import type { ApiKey } from "./credentials.js";
import type { RateLimitState } from "./limits/rate-limiters.js";
import { type ClientHealth, Line } from "./line/line.js";
import { copyQuery, type Joining, type ListParts, PageSource, withPageSize } from "./lists/page-source.js";
import { Pages } from "./lists/pages.js";
import { spreadPages } from "./lists/spread.js";
import type { Operation, OperationInput, OperationOutput } from "./operation.js";
import { configurationError } from "./option-checks.js";
import type { ArrayFormat, ClientOptions, ListOptions, RequestOptions, RouteOverride } from "./options.js";
import { callSettings, checkCallOptions, resolveSettings, type Settings } from "./settings.js";

/** All that the core knows about lookups, which src/lookups implements. */
export interface Lookups extends Joining {
  /**
   * Registers a write that has ended; `ended` is null if the write was aborted, although it may have been processed.
   */
  wrote(request: CallRequest, ended: EndedCall | null): void;
}

export interface TransportParts {
  readonly lookups: (transport: Transport, settings: Settings) => Lookups;
  /**
   * Returns the operations that the `routes` option changes, keyed by their original rows. Without this function the
   * option is refused.
   */
  readonly routed?:
    | ((routes: Readonly<Record<string, RouteOverride>>) => ReadonlyMap<Operation, Operation>)
    | undefined;
}

function refuseRoutes(): never {
  throw configurationError("routes", "is for clients only: a transport on its own does not know the operations");
}

/**
 * All requests go through this class: operations through `call` and `pages`, raw requests through `callRaw` and
 * `pagesRaw`. @hidden
 */
export class Transport {
  /** State shared by `lookup`, `getMany` and `with`. @hidden */
  readonly lookups: Lookups;
  readonly #settings: Settings;
  #made: CallContext | null = null;
  readonly #validation: Validation;
  readonly #routed: ReadonlyMap<Operation, Operation>;
  readonly #announced = new Set<string>();
  /** The client as subscribers of the diagnostics channels see it. */
  readonly #client: CallMessage["client"];

  /** @throws ConfigurationError naming the option that is wrong. */
  constructor(options: ClientOptions, { lookups, routed = refuseRoutes }: TransportParts) {
    refuseOldNode();
    const settings = resolveSettings(options, withLog);
    this.#settings = settings;
    this.lookups = lookups(this, settings);
    // Operations are listed only if `routes` is given, because listing them takes time.
    this.#routed = options.routes ? routed(settings.routes) : new Map();
    this.#validation = new Validation(settings);
    const state = () => this.rateLimit;
    this.#client = {
      get baseUrl() {
        return settings.baseUrl;
      },
      get rateLimit() {
        return state();
      },
    };
  }

  // Created by the first call, because creating it may read the environment.
  get #context(): CallContext {
    this.#made ??= this.#make();
    return this.#made;
  }

  // Delays a rejection by one turn of the event loop: a framework that prerenders a page leaves out work that takes
  // longer than that, but an earlier error would end the build.
  async #firstContext(): Promise<CallContext> {
    try {
      return this.#context;
    } catch (error) {
      await new Promise((resolve) => setTimeout(resolve));
      throw error;
    }
  }

  #make(): CallContext {
    const settings = this.#settings;
    protectFetch(settings.origin);
    return {
      settings,
      line: new Line(settings),
      quota: new RetryQuota(),
      clean: async (text, request, token) => {
        const words = await loadWords();
        return words?.redact(text, words.sensitiveValues(request, token)) ?? null;
      },
    };
  }

  /** The effective options, for other entries of the package. @hidden */
  get settings(): {
    readonly apiKey: ApiKey;
    readonly rateLimit: { readonly requests: number; readonly windowMs: number } | null;
    readonly clock: Clock;
    readonly pageSize: number;
  } {
    return this.#settings;
  }

  get baseUrl(): string {
    return this.#settings.baseUrl;
  }

  get rateLimit(): RateLimitState {
    return this.#context.line.state;
  }

  get health(): ClientHealth {
    return this.#context.line.health;
  }

  /** Calls an operation that returns one record or nothing. */
  call<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: RequestOptions,
  ): Call<OperationOutput<Row>> {
    const { arrayFormat } = this.#settings;
    const build = () => buildRequest(this.#operationOf(row), input as OperationParts, arrayFormat);
    const send = async () => this.#send(this.#request(build(), options));
    return new Call(send() as Promise<WithResponse<OperationOutput<Row>>>);
  }

  /** Prepares a list; nothing is sent until it is awaited or iterated. */
  pages<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: ListOptions,
  ): Pages<OperationOutput<Row>> {
    const operation = this.#operationOf(row);
    const parts = copyQuery(input as OperationParts);
    const build = (perPage: number | null, arrayFormat: ArrayFormat) =>
      buildRequest(operation, withPageSize(operation, parts, perPage), arrayFormat);
    return this.#pages(operation, build, (request) => this.#send(request), options);
  }

  /** Makes a call whose request the caller builds. @hidden */
  callRaw<T>(build: (arrayFormat: ArrayFormat) => BuiltRequest, options?: RequestOptions): Call<T> {
    const send = async () => this.#send(this.#request(build(this.#settings.arrayFormat), options));
    return new Call(send() as Promise<WithResponse<T>>);
  }

  /**
   * Prepares a list whose requests the caller builds; nothing is sent until it is awaited or iterated.
   * @param build checks the arguments and builds the request of the first page; `perPage` is the page size, null if the
   * list is not paged.
   * @hidden
   */
  pagesRaw<T>(
    operation: Operation,
    build: (perPage: number | null, arrayFormat: ArrayFormat) => BuiltRequest,
    options?: ListOptions,
  ): Pages<T> {
    return this.#pages(operation, build, (request) => this.#send(request), options);
  }

  #pages<T>(
    operation: Operation,
    build: (perPage: number | null, arrayFormat: ArrayFormat) => BuiltRequest,
    send: ListParts["send"],
    options: ListOptions | undefined,
  ): Pages<T> {
    const settings = this.#settings;
    const list: ListParts = {
      operation,
      settings,
      lookups: this.lookups,
      // Async, so that wrong input rejects the promise of a page instead of throwing.
      prepare: async (perPage, options) => this.#request(build(perPage, settings.arrayFormat), options),
      spread: (wanted, signal) => spreadPages(wanted, settings, this.rateLimit, signal),
      send,
    };
    return new Pages(new PageSource(list, options ?? {}));
  }

  #operationOf(row: Operation): Operation {
    return this.#routed.get(row) ?? row;
  }

  /** Adds the call's settings to a request. @throws InputError when an option is wrong; nothing was sent. */
  #request(built: BuiltRequest, given: RequestOptions | undefined): CallRequest {
    const { operation } = built;
    const { arrayFormat, readOnly, school } = this.#settings;
    const fail = (path: string, message: string) => inputError(operation.id, [{ path, message }]);
    const options = checkCallOptions(given ?? {}, operation, fail);
    if (readOnly && operation.method !== "GET") {
      throw fail("", `the client is read-only; ${operation.method} requests are refused`);
    }
    const { include } = options;
    if (include && operation.method !== "GET") throw fail("include", `cannot be sent with a ${operation.method}`);
    school?.check(built);
    const query = queryWith(built, include && { include }, arrayFormat);
    return {
      ...built,
      query: queryWith({ ...built, query }, options.query, arrayFormat),
      body: bodyWith(built, options.body),
      settings: callSettings(options, this.#settings),
      priority: options.priority ?? "interactive",
      signal: options.signal,
    };
  }

  /**
   * Makes a call: one request with its retries.
   * @returns the record, the records of a page, or undefined, with the metadata of the response.
   * @throws the error that describes the last attempt, or the reason of the caller's signal.
   */
  async #send(request: CallRequest): Promise<WithResponse<unknown>> {
    const { operation } = request;
    if (!request.trace && isTraced()) {
      return traceCall(operation, this.#client, (trace) => this.#send({ ...request, trace }));
    }
    const { clock, on, school } = this.#settings;
    let ended: EndedCall | null = null;
    try {
      ended = await runCall(request, await this.#firstContext());
    } finally {
      // Lookups register every write, even an aborted one, because it may have been processed.
      if (operation.method !== "GET") this.lookups.wrote(request, ended);
    }
    await this.#announce(ended);
    const read = await readCall(ended, this.#validation, clock.now());
    school?.observe(request, read.data, on);
    return read;
  }

  async #announce(ended: EndedCall): Promise<void> {
    const { result } = ended;
    if (result.kind !== "response") return;
    const { headers } = result.response;
    if (!headers.get("deprecation") && !headers.get("sunset")) return;
    (await loadWords())?.announce(ended, this.#settings.on, this.#announced);
  }
}
