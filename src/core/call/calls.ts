import { isTraced, protectFetch, traceCall } from "#platform";
import { Credentials } from "../credentials.js";
import { RateLimiters, type RateLimitState } from "../limits/rate-limiters.js";
import { API_PREFIX, type Operation } from "../operation.js";
import type { ListOptions, RequestOptions } from "../options.js";
import { checkCallOptions, resolveCallSettings, type Settings } from "../settings.js";
import { answerOf, Validation } from "./answer.js";
import type { CallContext } from "./attempt.js";
import type { WithResponse } from "./call.js";
import type { FailureWords } from "./failure.js";
import {
  type BuiltRequest,
  type CallRequest,
  inputError,
  type OperationParts,
  queryWith,
  RequestBuilder,
} from "./request.js";
import { RetryQuota } from "./retry.js";
import { createKy, type EndedCall, runCall } from "./run-call.js";
import type { CallMessage } from "./trace.js";
import { loadWords, NO_WORDS } from "./words.js";

/** Runs a request with its retries. */
export type Run = (request: CallRequest) => Promise<EndedCall>;

/** How calls share GETs and report writes to lookups. */
export interface Sharing {
  /** Runs a GET, or waits for an equal one that is in flight: the client option `dedupe`. */
  share(request: CallRequest, run: Run): Promise<EndedCall>;
  /** A write has ended; null where it was aborted, and may have been processed all the same. */
  wrote(request: CallRequest, ended: EndedCall | null): void;
}

/** Makes the calls of one client: checks and writes requests, runs them, and turns what came back into data or an error. */
export class Calls {
  readonly settings: Settings;
  readonly #builder: RequestBuilder;
  readonly #validation: Validation;
  readonly #context: CallContext;
  readonly #sharing: Sharing;
  /** Operations that the `routes` option changes, by the row of the table. */
  readonly #routed: ReadonlyMap<Operation, Operation>;
  /** Operations whose end the service has announced, and observers know of. */
  readonly #announced = new Set<string>();
  /** What subscribers of the diagnostics channels see of the client. */
  readonly #client: CallMessage["client"];

  constructor(settings: Settings, sharing: Sharing, routed: ReadonlyMap<Operation, Operation>) {
    this.settings = settings;
    protectFetch(settings.origin);
    this.#sharing = sharing;
    this.#routed = routed;
    this.#builder = new RequestBuilder(settings.arrayFormat);
    this.#validation = new Validation(settings.on);
    this.#context = {
      settings,
      credentials: new Credentials(settings.apiKey),
      quota: new RetryQuota(),
      ky: createKy(settings),
      clean: async (text, request, token) => {
        const words = await loadWords();
        return words?.redact(text, words.sensitiveValues(request, token)) ?? null;
      },
      limiters: new RateLimiters({ ...settings, host: new URL(settings.baseUrl).host, limit: settings.rateLimit }),
    };
    const state = () => this.rateLimit;
    this.#client = {
      baseUrl: settings.baseUrl,
      get rateLimit() {
        return state();
      },
    };
  }

  get rateLimit(): RateLimitState {
    const { limiters, credentials } = this.#context;
    return limiters.state(credentials.current);
  }

  /** The operation of a row as the `routes` option has it. */
  operationOf(row: Operation): Operation {
    return this.#routed.get(row) ?? row;
  }

  /**
   * Checks and writes the request of an operation.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  build(operation: Operation, parts: OperationParts): BuiltRequest {
    return this.#builder.build(operation, API_PREFIX[operation.apis[0] ?? "main"], parts);
  }

  /**
   * Adds the call's settings to a request.
   * @throws InputError when an option is wrong; nothing was sent.
   */
  request(built: BuiltRequest, given: RequestOptions | undefined): CallRequest {
    const options = given ?? {};
    const { operation } = built;
    const fail = (path: string, message: string) => inputError(operation.id, [{ path, message }]);
    checkCallOptions(options, operation, fail);
    if (this.settings.readOnly && operation.method !== "GET") {
      throw fail("", `the client is read-only; ${operation.method} requests are refused`);
    }
    this.settings.school?.check(built);
    return {
      ...built,
      query: queryWith(built, options.query, this.settings.arrayFormat),
      settings: resolveCallSettings(options, this.settings, fail),
      priority: options.priority ?? "interactive",
      signal: options.signal ?? undefined,
    };
  }

  /**
   * Makes a call: one request with its retries.
   * @returns the record, the records of a page, or undefined, with what came with it.
   * @throws the error of the family that the last attempt stands for, or the reason of the caller's signal.
   */
  async make(request: CallRequest, onInvalid?: ListOptions["onInvalid"]): Promise<WithResponse<unknown>> {
    if (!request.trace && isTraced()) {
      return traceCall(request.operation, this.#client, (trace) => this.make({ ...request, trace }, onInvalid));
    }
    const ended = await this.#run(request);
    await this.#announce(ended);
    const answer = await answerOf(ended, this.#validation, onInvalid, this.settings.clock.now());
    this.settings.school?.observe(request, answer.data, this.settings.on);
    return answer;
  }

  /** Writes a text by code that is loaded when it is needed. */
  async explain(write: (words: FailureWords) => string): Promise<string> {
    const words = await loadWords();
    return words ? write(words) : NO_WORDS;
  }

  async #announce(ended: EndedCall): Promise<void> {
    const { result } = ended;
    if (result.kind !== "response") return;
    const { headers } = result.response;
    if (!headers.get("deprecation") && !headers.get("sunset")) return;
    (await loadWords())?.announce(ended, this.settings.on, this.#announced);
  }

  async #run(request: CallRequest): Promise<EndedCall> {
    if (request.operation.method === "GET") {
      const run: Run = (each) => runCall(each, this.#context);
      return this.settings.dedupe ? this.#sharing.share(request, run) : run(request);
    }
    let ended: EndedCall | null = null;
    try {
      ended = await runCall(request, this.#context);
      return ended;
    } finally {
      this.#sharing.wrote(request, ended);
    }
  }
}
