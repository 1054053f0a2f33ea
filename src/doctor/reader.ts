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
import { isPlainObject } from "../core/json.js";
import { operationOf, type Page, type Pages } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";

/** A record of any resource. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** What a GET gave. */
export interface Reading {
  /** As the client names it: `accounts`, `organization.contacts`. */
  readonly resource: string;
  readonly operation: Operation;
  /** The records of the page, or the one record; none where the request failed. */
  readonly records: readonly AnyRecord[];
  /** The page of a list; null where the request failed, and for one record. */
  readonly page: Page<AnyRecord> | null;
  readonly headers: Headers;
  /** The status of the response; null when none came. */
  readonly status: number | null;
  /** Why there are no records, without any of the service's words; null where the request succeeded. */
  readonly failure: string | null;
  /** The service's refusal; null where there was none. */
  readonly refusal: ApiError | null;
  /** Whether the refusal was understood as that of a cursor. */
  readonly ofCursor: boolean;
  /** When the request was made and answered, by the client's clock. */
  readonly sent: number;
  readonly answered: number;
}

/** A resource as the doctor calls it. */
export interface ReadableResource {
  list(query: object, options: ListOptions): Pages<AnyRecord>;
  get?(id: number, options: RequestOptions): { withResponse(): Promise<{ data: unknown; response: ResponseInfo }> };
}

const MOST_SILENT = 3;

/** Sends GETs, one after the other, until the budget is spent or the service asks to wait. */
export class Reader {
  /** Everything that was read, in order. */
  readonly readings: Reading[] = [];
  requests = 0;
  /** The first failure. */
  firstError: EducationAdminError | null = null;
  readonly #client: object;
  readonly #clock: Clock;
  readonly #most: number;
  readonly #signal: AbortSignal | undefined;
  #stopped: string | null = null;
  /** Requests without a response. */
  #silent = 0;

  constructor(client: object, clock: Clock, most: number, signal: AbortSignal | undefined) {
    this.#client = client;
    this.#clock = clock;
    this.#most = most;
    this.#signal = signal;
  }

  /** The resource of that name; null where the client has none. */
  resource(name: string): ReadableResource | null {
    let found: unknown = this.#client;
    for (const part of name.split(".")) found = (found as AnyRecord | undefined)?.[part];
    return (found as ReadableResource | undefined) ?? null;
  }

  /** Reads a page of a list: the first, or the one after a checkpoint. */
  list(resource: string, query: object, resume?: string): Promise<Reading> {
    const pages = this.#of(resource).list(query, { ...this.#options, prefetch: 0, ...(resume && { resume }) });
    return this.#read(resource, operationOf(pages), async () => {
      const page = await pages.first();
      return { page, records: page.records.map(asRecord), response: page.response };
    });
  }

  /** Reads one record. */
  record(resource: string, id: number, headers: Record<string, string> = {}): Promise<Reading> {
    const own = this.#of(resource);
    const operation = operationOf(own.list({}, {}));
    return this.#read(resource, operation, async () => {
      const call = own.get?.(id, { ...this.#options, headers });
      if (!call) throw new Error(`${resource} has no get`);
      const { data, response } = await call.withResponse();
      return { page: null, records: [asRecord(data)], response };
    });
  }

  async #read(
    resource: string,
    operation: Operation,
    read: () => Promise<{ page: Page<AnyRecord> | null; records: readonly AnyRecord[]; response: ResponseInfo }>,
  ): Promise<Reading> {
    this.#signal?.throwIfAborted();
    const sent = this.#clock.now();
    const failed = (failure: string, error?: EducationAdminError): Reading => {
      const refusal = [error, error?.cause].find((cause) => cause instanceof ApiError) ?? null;
      return {
        ...{ resource, operation, records: [], page: null, failure, refusal, sent, answered: this.#clock.now() },
        headers: refusal?.headers ?? new Headers(),
        status: refusal?.status ?? (error instanceof ResponseFormatError ? error.status : null),
        ofCursor: error instanceof CheckpointError,
      };
    };
    if (this.requests >= this.#most) return failed(`not asked: ${this.#most} requests were sent`);
    if (this.#stopped) return failed(this.#stopped);
    let reading: Reading;
    try {
      const { page, records, response } = await read();
      this.requests += response.attempts;
      const { headers, status } = response;
      const none = { failure: null, refusal: null, ofCursor: false };
      reading = { resource, operation, records, page, headers, status, ...none, sent, answered: this.#clock.now() };
    } catch (error) {
      this.#signal?.throwIfAborted();
      // A wrong option or an unset key is the caller's mistake, and nothing that the service does.
      if (!(error instanceof EducationAdminError) || error.code === "configuration") throw error;
      this.requests += error.attempts;
      this.firstError ??= error;
      reading = failed(failureOf(error), error);
      if (error instanceof RateLimitError) this.#stopped = "not asked: the service answered 429 before";
      // Each may have taken as long as the client's timeout.
      else if (reading.status === null && ++this.#silent === MOST_SILENT) {
        this.#stopped = `not asked: ${MOST_SILENT} requests had no response`;
      }
    }
    this.readings.push(reading);
    return reading;
  }

  #of(name: string): ReadableResource {
    const found = this.resource(name);
    if (!found) throw new Error(`The client has no resource ${name}`);
    return found;
  }

  // Without retries, so that every answer is seen and the requests stay counted.
  get #options(): RequestOptions {
    return { retry: false, validation: "off", ...(this.#signal && { signal: this.#signal }) };
  }
}

// Whatever the service puts in the place of a record, the checks find nothing in it.
function asRecord(value: unknown): AnyRecord {
  return isPlainObject(value) ? value : {};
}

/** Says why a request gave nothing, without any of the service's words. */
export function failureOf(error: EducationAdminError): string {
  if (error instanceof InputError) return "not asked: the client refuses the value";
  if (error instanceof ApiError) return `the service answered ${error.status}`;
  if (error instanceof CheckpointError) return "the service refused the cursor";
  if (error instanceof ResponseFormatError) return `the response (${error.status}) was not a record or a list`;
  return `no usable response (${error.code})`;
}
