import type { WithResponse } from "../call/call.js";
import type { CallRequest, OperationParts } from "../call/request.js";
import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import type { ListOptions } from "../options.js";
import type { Settings } from "../settings.js";
import type { JoinOptions } from "./references.js";

/** Makes lists whose records also contain the records they refer to. */
export interface Joining {
  /** @throws InputError when the list is first used, if a reference or an option is wrong. */
  join(source: PageSource, references: Readonly<Record<string, true>>, options: JoinOptions): PageSource;
}

export interface SentPage extends WithResponse<unknown> {
  /** Number of records that the service sent, if the list keeps only some of them. */
  readonly read?: number | undefined;
}

/** The parts of a list that do not depend on its options. */
export interface ListParts {
  readonly operation: Operation;
  readonly settings: Pick<Settings, "on" | "pageSize" | "baseUrl" | "rateLimit" | "apiKey">;
  /** Waits before any page but the first. @param wanted number of requests for the rest of the list. */
  readonly spread: (wanted: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly lookups: Joining;
  /**
   * Checks the arguments and builds the first request.
   * @param perPage the page size to use if the caller gave none; null if the list has no pages.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  prepare(perPage: number | null, options: ListOptions): Promise<CallRequest>;
  send(request: CallRequest): Promise<WithResponse<unknown>>;
}

export type SendPage = (request: CallRequest) => Promise<SentPage>;

/** How a list transforms the service's pages. */
export interface ListShape {
  readonly references: readonly string[];
  readonly atMost: number;
  /** Strings that identify the list's filter functions. */
  readonly filters: readonly string[];
  /** Sends a page's request; `plainly` sends a request unchanged. */
  readonly send: (request: CallRequest, plainly: SendPage) => Promise<SentPage>;
}

const PLAIN: ListShape = {
  references: [],
  atMost: Number.POSITIVE_INFINITY,
  filters: [],
  send: (request, plainly) => plainly(request),
};

export class PageSource {
  readonly parts: ListParts;
  readonly options: ListOptions;
  readonly shape: ListShape;

  constructor(parts: ListParts, options: ListOptions, shape: ListShape = PLAIN) {
    this.parts = parts;
    // Copied, because the caller may change the options. Getters, which the options of lookups have, must be kept.
    this.options = isPlainObject(options)
      ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(options))
      : options;
    this.shape = shape;
  }

  get operation(): Operation {
    return this.parts.operation;
  }

  get settings(): ListParts["settings"] {
    return this.parts.settings;
  }

  prepare(perPage: number | null): Promise<CallRequest> {
    return this.parts.prepare(perPage, this.options);
  }

  send(request: CallRequest): Promise<SentPage> {
    return this.shape.send(request, this.parts.send);
  }

  /** Fetches a page as the service sends it, without filters, references and validation. */
  peek(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.parts.send({ ...request, settings: { ...request.settings, validation: "off" } });
  }

  withOptions(options: ListOptions): PageSource {
    return new PageSource(this.parts, options, this.shape);
  }

  derive(changes: Partial<ListShape>): PageSource {
    return new PageSource(this.parts, this.options, { ...this.shape, ...changes });
  }
}

/**
 * Keeps only the records for which `keeps` returns true.
 * @param text identifies the function; it must be the same in every process.
 */
export function filterSource(source: PageSource, keeps: (record: unknown) => unknown, text: string): PageSource {
  const { filters, send } = source.shape;
  return source.derive({
    filters: [...filters, text],
    send: async (request, plainly) => {
      const { data, response, read } = await send(request, plainly);
      const records = data as readonly unknown[];
      return { data: records.filter((record) => keeps(record)), response, read: read ?? records.length };
    },
  });
}

/** Copies a list's query: the caller may change it before the list is read. */
export function copyQuery(parts: OperationParts): OperationParts {
  const { query } = parts;
  if (!isPlainObject(query)) return parts;
  const entries = Object.entries(query).map(
    ([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const,
  );
  return { ...parts, query: Object.fromEntries(entries) };
}

/** Adds the page size if the caller gave none. A query that is not a plain object is refused later. */
export function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
