import { Call, type WithResponse } from "./call/call.js";
import { Calls, type Sharing } from "./call/calls.js";
import type { BuiltRequest, OperationParts } from "./call/request.js";
import type { Clock } from "./clock.js";
import type { ApiKey } from "./credentials.js";
import type { RateLimitState } from "./limits/rate-limiters.js";
import { type BuildByHand, type Joining, PageSource } from "./lists/page-source.js";
import { Pages } from "./lists/pages.js";
import type { Operation, OperationInput, OperationOutput } from "./operation.js";
import { configurationError } from "./option-checks.js";
import type { ArrayFormat, ClientOptions, ListOptions, RequestOptions, RouteOverride } from "./options.js";
import { resolveSettings, type Settings } from "./settings.js";

/** What a transport asks of its lookups. src/lookups implements it; the core knows nothing else of them. */
export interface Lookups extends Sharing, Joining {}

/** How lookups read records: with a transport. */
export interface Reading {
  pages(row: Operation, input: { query: object }, options: ListOptions): Pages<unknown>;
  call(row: Operation, input: { params: object }, options: RequestOptions): PromiseLike<unknown>;
}

/** What a transport is given beside its options. */
export interface TransportParts {
  readonly lookups: (transport: Reading, settings: Settings) => Lookups;
  /** Applies the `routes` option to the operations: those that it changes, by the row of the table. Absent: it is refused. */
  readonly routed?:
    | ((routes: Readonly<Record<string, RouteOverride>>) => ReadonlyMap<Operation, Operation>)
    | undefined;
}

function refuseRoutes(): never {
  throw configurationError("routes", "is for clients: a transport by itself does not know the operations");
}

/** All requests go through this class: operations through `call` and `pages`, requests by hand through the other two. @hidden */
export class Transport {
  /** What `lookup`, `getMany`, `with` and `dedupe` share. @hidden */
  readonly lookups: Lookups;
  readonly #calls: Calls;

  /** @throws ConfigurationError naming the option that is wrong. */
  constructor(options: ClientOptions, { lookups, routed = refuseRoutes }: TransportParts) {
    const settings = resolveSettings(options);
    this.lookups = lookups(this, settings);
    // Listing the operations costs time, and few clients override one.
    this.#calls = new Calls(settings, this.lookups, options.routes ? routed(settings.routes) : new Map());
  }

  /** Options as they are in force, for other entries of the package. @hidden */
  get settings(): {
    readonly apiKey: ApiKey;
    readonly rateLimit: { readonly requests: number; readonly windowMs: number } | null;
    readonly clock: Clock;
  } {
    return this.#calls.settings;
  }

  /** The service's address, as configured. */
  get baseUrl(): string {
    return this.#calls.settings.baseUrl;
  }

  /** How much of the request budget is used. */
  get rateLimit(): RateLimitState {
    return this.#calls.rateLimit;
  }

  /** Calls an operation that returns one record or nothing. */
  call<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: RequestOptions,
  ): Call<OperationOutput<Row>> {
    const build = () => this.#calls.build(this.#calls.operationOf(row), input as OperationParts);
    return new Call(this.#make<OperationOutput<Row>>(build, options));
  }

  /** Prepares a list; nothing is sent until it is awaited or iterated. */
  pages<Row extends Operation>(
    row: Row,
    input: OperationInput<Row>,
    options?: ListOptions,
  ): Pages<OperationOutput<Row>> {
    const operation = this.#calls.operationOf(row);
    return new Pages(new PageSource(this.#calls, this.lookups, operation, input as OperationParts, options ?? {}));
  }

  /** Makes a call whose request the caller builds. @hidden */
  callByHand<T>(build: (arrayFormat: ArrayFormat) => BuiltRequest, options?: RequestOptions): Call<T> {
    return new Call(this.#make<T>(() => build(this.#calls.settings.arrayFormat), options));
  }

  /** Prepares a list whose requests the caller builds; nothing is sent until it is awaited or iterated. @hidden */
  pagesByHand<T>(operation: Operation, build: BuildByHand, options?: ListOptions): Pages<T> {
    return new Pages(new PageSource(this.#calls, this.lookups, operation, build, options ?? {}));
  }

  // Asynchronous, so that what is wrong with the input rejects.
  async #make<T>(build: () => BuiltRequest, options: RequestOptions | undefined): Promise<WithResponse<T>> {
    return (await this.#calls.make(this.#calls.request(build(), options))) as WithResponse<T>;
  }
}
