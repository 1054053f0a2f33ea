import type { WithResponse } from "../../src/core/call/call.js";
import type { CallRequest, Query } from "../../src/core/call/request.js";
import type { ApiKey } from "../../src/core/credentials.js";
import type { Observers } from "../../src/core/events.js";
import { type ListShape, PageSource } from "../../src/core/lists/page-source.js";
import type { Operation } from "../../src/core/operation.js";
import type { ListOptions } from "../../src/core/options.js";
import type { CallSettings } from "../../src/core/settings.js";

/** The operation of a list, for tests that need no resource. */
export const ROOMS: Operation = { id: "rooms.list", method: "GET", path: "rooms", apis: ["main"], paged: "cursor" };

/** The content of one page: its records, its `Link` header, and the headers that browsers hide. */
export interface PageAnswer {
  readonly records?: readonly unknown[];
  readonly link?: string;
  readonly hidden?: readonly string[];
}

const SETTINGS: CallSettings = {
  timeout: 30_000,
  totalTimeout: null,
  retryLimit: 0,
  backoffLimit: 1,
  maxRetryAfter: 600_000,
  validation: "off",
  onInvalid: "throw",
  headers: {},
};

/** The properties of a list without a client that a test may set. */
export interface SourceParts {
  readonly operation?: Operation;
  readonly observers?: Observers;
  readonly pageSize?: number;
  readonly baseUrl?: string;
  readonly apiKey?: ApiKey;
  readonly references?: readonly string[];
}

const pageSourceShape = (references: readonly string[]): ListShape => ({
  references,
  atMost: Infinity,
  filters: [],
  send: (request, plainly) => plainly(request),
});

/** A list without a client. */
export class TestSource extends PageSource {
  /** The requests sent, in order. */
  readonly sent: CallRequest[] = [];
  readonly #query: Query;
  readonly #answer: (request: CallRequest) => PageAnswer;
  readonly #more: SourceParts;

  constructor(query: Query, options: ListOptions, answer: (request: CallRequest) => PageAnswer, more: SourceParts) {
    const {
      observers = {},
      pageSize = 100,
      baseUrl = "https://school.example",
      apiKey = null,
      operation = ROOMS,
    } = more;
    const settings = { on: observers, pageSize, baseUrl, rateLimit: null, apiKey };
    const lookups = { join: (source: PageSource) => source };
    const prepare = (perPage: number | null) => this.prepare(perPage);
    const plain = pageSourceShape(more.references ?? []);
    const send = (request: CallRequest) => this.send(request);
    super({ operation, settings, lookups, prepare, spread: async () => undefined, send }, options, plain);
    this.#query = query;
    this.#answer = answer;
    this.#more = more;
  }

  override async prepare(perPage: number | null): Promise<CallRequest> {
    return this.request(perPage);
  }

  /** The request of the first page. */
  request(perPage: number | null): CallRequest {
    return {
      operation: this.operation,
      path: "api/v1/rooms",
      params: {},
      query: perPage === null ? this.#query : [...this.#query, ["per_page", String(perPage)]],
      body: undefined,
      raw: false,
      settings: SETTINGS,
      priority: "interactive",
      signal: undefined,
    };
  }

  override async send(request: CallRequest): Promise<WithResponse<unknown>> {
    this.sent.push(request);
    const { records = [], link, hidden = [] } = this.#answer(request);
    const headers = new Headers(link === undefined ? {} : { link });
    const response = {
      status: 200,
      headers,
      requestId: null,
      hiddenHeaders: hidden,
      redirected: false,
      attempts: 1,
      waitedMs: 0,
    };
    return { data: records, response };
  }

  override withOptions(options: ListOptions): PageSource {
    const other = new TestSource(this.#query, options, this.#answer, this.#more);
    return Object.defineProperty(other, "sent", { value: this.sent });
  }
}

/**
 * Makes a list without a client.
 * @param query the caller's query, as written.
 * @param answer returns the page for a request; it may throw.
 */
export function pageSource(
  query: Query = [],
  options: ListOptions = {},
  answer: (request: CallRequest) => PageAnswer = () => ({}),
  more: SourceParts = {},
): TestSource {
  return new TestSource(query, options, answer, more);
}

/** The value of a parameter in a sent request; undefined if it was not sent. */
export function sentValue({ query }: { readonly query: Query }, name: string): string | undefined {
  return query.find(([each]) => each === name)?.[1];
}

/** A `Link` header to the page with a cursor. */
export function nextLink(cursor: string): string {
  return `<https://inner.example/rooms?cursor=${cursor}>; rel="next"`;
}
