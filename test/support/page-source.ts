import type { CallRequest, Query } from "../../src/core/call/request.js";
import type { PageSource } from "../../src/core/lists/cursor.js";
import type { Operation } from "../../src/core/operation.js";
import type { ListOptions } from "../../src/core/options.js";
import type { CallSettings } from "../../src/core/settings.js";

/** A row of a list, for tests that need no resource. */
export const ROOMS: Operation = { id: "rooms.list", method: "GET", path: "rooms", apis: ["main"], paged: "cursor" };

/** What one page answers: its records, its `Link` header, and headers that a browser hides. */
export interface PageAnswer {
  readonly records?: readonly unknown[];
  readonly link?: string;
  readonly hidden?: readonly string[];
}

/** A list without a client. */
export interface TestSource extends PageSource {
  /** The requests sent, in order. */
  readonly sent: CallRequest[];
}

const SETTINGS: CallSettings = {
  timeout: 30_000,
  totalTimeout: null,
  retryLimit: 0,
  backoffLimit: 1,
  validation: "off",
  headers: {},
};

/**
 * Makes a list without a client.
 * @param query what the caller asked for, as it is written.
 * @param answer the page for a request; it may throw.
 */
export function pageSource(
  query: Query = [],
  options: ListOptions = {},
  answer: (request: CallRequest) => PageAnswer = () => ({}),
  more: Partial<PageSource> = {},
): TestSource {
  const sent: CallRequest[] = [];
  const operation = more.operation ?? ROOMS;
  const source: TestSource = {
    sent,
    operation,
    options,
    observers: {},
    pageSize: 100,
    baseUrl: "https://school.example",
    prepare: (perPage) => ({
      operation,
      path: "api/v1/rooms",
      params: {},
      query: perPage === null ? query : [...query, ["per_page", String(perPage)]],
      body: undefined,
      raw: false,
      settings: SETTINGS,
      priority: "interactive",
      signal: undefined,
    }),
    send: async (request) => {
      sent.push(request);
      const { records = [], link, hidden = [] } = answer(request);
      const headers = new Headers(link === undefined ? {} : { link });
      const response = { status: 200, headers, requestId: null, hiddenHeaders: hidden, attempts: 1, waitedMs: 0 };
      return { data: records, response };
    },
    joined: () => source,
    ...more,
  };
  return source;
}

/** The value of a parameter in what was sent; undefined when it was not sent. */
export function sentValue({ query }: { readonly query: Query }, name: string): string | undefined {
  return query.find(([each]) => each === name)?.[1];
}

/** A `Link` header to the page with a cursor. */
export function nextLink(cursor: string): string {
  return `<https://inner.example/rooms?cursor=${cursor}>; rel="next"`;
}
