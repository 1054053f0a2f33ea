import type { Client } from "../clients/client.js";
import type { ResponseInfo } from "../core/call/call.js";
import type { Clock } from "../core/clock.js";
import {
  ApiError,
  CheckpointError,
  EducationAdminError,
  InputError,
  RateLimitError,
  ResponseFormatError,
} from "../core/errors.js";
import { partOf } from "../core/inside-client.js";
import { isPlainObject } from "../core/json.js";
import { operationOf, type Page, type Pages } from "../core/lists/pages.js";
import { API_PREFIX, type Operation } from "../core/operation.js";
import type { ListOptions, QueryOption, RequestOptions } from "../core/options.js";
import { later, type Moment, momentOf } from "../core/time.js";

export type AnyRecord = Readonly<Record<string, unknown>>;

export interface Reading {
  /** The name of the resource in the client, such as `accounts` or `organization.contacts`. */
  readonly resource: string;
  readonly operation: Operation;
  /** The operation called; for a single record, the operation that reads it. */
  readonly called: string;
  /** The records on the page, or the single record; none if the request failed. */
  readonly records: readonly AnyRecord[];
  /** The page of a list; null for a single record, or if the request failed. */
  readonly page: Page<AnyRecord> | null;
  readonly headers: Headers;
  /**
   * The status of the response; null without a response, or after two statuses of 500 or above, which prove nothing.
   */
  readonly status: number | null;
  /** Why there are no records, without the service's own text; null if the request succeeded. */
  readonly failure: string | null;
  /** The client's error; null if nothing was sent or the request succeeded. */
  readonly error: EducationAdminError | null;
  /** The error with which the service refused the request; null if it did not. */
  readonly refusal: ApiError | null;
  /** True if the client recognized that the service refused a cursor. */
  readonly ofCursor: boolean;
  /** When the request was sent and when its response arrived, by the client's clock. */
  readonly sent: number;
  readonly answered: number;
}

export interface ReadableResource {
  list(query: object, options: ListOptions): Pages<AnyRecord>;
  get?(id: number, options: RequestOptions): { withResponse(): Promise<{ data: unknown; response: ResponseInfo }> };
}

const MOST_SILENT = 3;

type Asked = Pick<Reading, "resource" | "operation" | "called">;

type Read = () => Promise<{
  readonly page: Page<AnyRecord> | null;
  readonly records: readonly AnyRecord[];
  readonly response: ResponseInfo;
}>;

/** Sends GETs, one after another, until the budget is spent or the service asks the client to wait. */
export class Reader {
  readonly readings: Reading[] = [];
  requests = 0;
  readonly #client: object;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #deadline: Moment;
  readonly #signal: AbortSignal | undefined;
  readonly #retries: boolean;
  #stopped: string | null = null;
  #stopError: EducationAdminError | null = null;
  /** Number of requests that got no response. */
  #silent = 0;
  /** Number of requests that ended with a status of 500 or above after all retries. */
  #broken = 0;

  /**
   * @param limits the maximum number of requests, and the maximum milliseconds for all of them together.
   * @param retries true to retry as the client does. Default: no retries, so that every response is seen and the number
   * of requests is exact.
   */
  constructor(
    client: object,
    clock: Clock,
    limits: { readonly requests: number; readonly ms: number },
    signal: AbortSignal | undefined,
    retries = false,
  ) {
    this.#client = client;
    this.#clock = clock;
    this.#most = limits.requests;
    this.#deadline = later(momentOf(clock), limits.ms);
    this.#signal = signal;
    this.#retries = retries;
  }

  get isSilent(): boolean {
    return this.#silent > 0;
  }

  get now(): number {
    return this.#clock.now();
  }

  resource(name: string): ReadableResource | null {
    return partOf(this.#client, name) as ReadableResource | null;
  }

  async list(resource: string, query: object, resume?: string): Promise<Reading> {
    return this.#keep(await this.listOf(this.#client, resource, query, resume));
  }

  /** Like `list`, with another client. The result is not added to `readings`. */
  listOf(client: object, resource: string, query: object, resume?: string): Promise<Reading> {
    const target = resourceOf(client, resource);
    const list = () => target.list(query, { ...this.#options, prefetch: 0, ...(resume && { resume }) });
    const operation = operationOf(list());
    return this.#repeatIfBroken({ resource, operation, called: operation.id }, async () =>
      pageOf(await list().first()),
    );
  }

  /**
   * Reads a page of the same list with parameters that the library would never send. The result is not added to
   * `readings`.
   */
  byHand({ resource, operation }: Reading, query: QueryOption): Promise<Reading> {
    const { requestPages } = this.#client as Client;
    const path = `${API_PREFIX[operation.apis[0] ?? "main"]}/${operation.path}`;
    const read = async () => pageOf(await requestPages({ path, query }, { ...this.#options, prefetch: 0 }).first());
    return this.#repeatIfBroken({ resource, operation, called: operation.id }, read);
  }

  async record(resource: string, id: number, headers: Record<string, string> = {}): Promise<Reading> {
    const target = resourceOf(this.#client, resource);
    const operation = operationOf(target.list({}, {}));
    const reading = await this.#repeatIfBroken({ resource, operation, called: `${resource}.get` }, async () => {
      const call = target.get?.(id, { ...this.#options, headers });
      if (!call) throw new Error(`${resource} has no get`);
      const { data, response } = await call.withResponse();
      return { page: null, records: [asRecord(data)], response };
    });
    return this.#keep(reading);
  }

  #keep(reading: Reading): Reading {
    if (reading.status !== null) this.readings.push(reading);
    return reading;
  }

  // One status of 500 or above proves nothing, so the request is repeated once, unless the client itself retries.
  async #repeatIfBroken(asked: Asked, read: Read): Promise<Reading> {
    const reading = await this.#once(asked, read);
    if (!isBroken(reading)) return reading;
    const again = this.#retries ? reading : await this.#once(asked, read);
    if (!isBroken(again)) return again;
    // Retries take seconds per request: if the service is down, every further list would cost as much.
    if (this.#retries && ++this.#broken === MOST_SILENT) {
      this.#stopped = `not asked: ${MOST_SILENT} requests ended with a status of 500 or above`;
      this.#stopError = again.error;
    }
    return { ...again, status: null };
  }

  async #once(asked: Asked, read: Read): Promise<Reading> {
    this.#signal?.throwIfAborted();
    const sent = this.#clock.now();
    const reading = (found: Partial<Reading>): Reading => ({
      ...{ ...asked, records: [], page: null, headers: new Headers(), status: null, failure: null, error: null },
      ...{ refusal: null, ofCursor: false, sent, answered: this.#clock.now(), ...found },
    });
    if (this.requests >= this.#most)
      return reading({ failure: `not asked: the limit of ${this.#most} requests was reached` });
    if (momentOf(this.#clock) >= this.#deadline) return reading({ failure: "not asked: the time limit has passed" });
    if (this.#stopped) return reading({ failure: this.#stopped, error: this.#stopError });
    try {
      const { page, records, response } = await read();
      this.requests += response.attempts;
      return reading({ page, records, headers: response.headers, status: response.status });
    } catch (error) {
      this.#signal?.throwIfAborted();
      // A wrong option or a missing key is the caller's mistake and proves nothing about the service.
      if (!(error instanceof EducationAdminError) || error.code === "configuration") throw error;
      this.requests += error.attempts;
      const refusal = [error, error.cause].find((cause) => cause instanceof ApiError) ?? null;
      const status = refusal?.status ?? (error instanceof ResponseFormatError ? error.status : null);
      const failed = reading({
        ...{ failure: failureOf(error), error, refusal, ofCursor: error instanceof CheckpointError },
        headers: refusal?.headers ?? new Headers(),
        status: error.attempts === 0 ? null : status,
      });
      if (error instanceof RateLimitError) {
        const byService = "not asked: the service had answered 429";
        this.#stopped = error.attempts === 0 ? "not asked: the client's rate limit is used up" : byService;
      }
      // Stops early: each request without a response may have taken as long as the client's timeout.
      else if (failed.status === null && error.attempts > 0 && ++this.#silent === MOST_SILENT) {
        this.#stopped = `not asked: ${MOST_SILENT} requests had no response`;
      }
      return failed;
    }
  }

  get #options(): RequestOptions {
    const left = Math.max(1, this.#deadline - momentOf(this.#clock));
    const signal = this.#signal;
    return {
      validation: "off",
      totalTimeout: left,
      ...(!this.#retries && { retry: false }),
      ...(signal && { signal }),
    };
  }
}

function resourceOf(client: object, name: string): ReadableResource {
  const resource = partOf(client, name) as ReadableResource | null;
  if (!resource) throw new Error(`The client has no resource ${name}`);
  return resource;
}

function pageOf(page: Page<unknown>): Awaited<ReturnType<Read>> {
  return { page: page as Page<AnyRecord>, records: page.records.map(asRecord), response: page.response };
}

export function isId(id: unknown): id is number {
  return Number.isSafeInteger(id) && (id as number) > 0;
}

function isBroken({ status }: Reading): boolean {
  return status !== null && status >= 500;
}

function asRecord(value: unknown): AnyRecord {
  return isPlainObject(value) ? value : {};
}

export function failureOf(error: EducationAdminError): string {
  if (error instanceof InputError) return "not asked: the client refuses the value";
  if (error instanceof ApiError) return `the service answered ${error.status}`;
  if (error instanceof CheckpointError) return "the service refused the cursor";
  if (error instanceof ResponseFormatError) return `the response (${error.status}) was not a record or a list`;
  return `no usable response (${error.code})`;
}
