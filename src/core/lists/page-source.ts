import type { WithResponse } from "../call/call.js";
import type { CallRequest, OperationParts } from "../call/request.js";
import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import type { ListOptions } from "../options.js";
import type { Settings } from "../settings.js";
import type { JoinOptions } from "./references.js";

/** Makes lists whose records hold the records they refer to. */
export interface Joining {
  /** @throws InputError, on first use of the list, if a reference or an option is wrong. */
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
  readonly lookups: Joining;
  /**
   * Checks and writes the first request.
   * @param perPage the page size unless the caller gave one; null if the list has no pages.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  prepare(perPage: number | null, options: ListOptions): Promise<CallRequest>;
  send(request: CallRequest): Promise<WithResponse<unknown>>;
}

export type SendPage = (request: CallRequest) => Promise<SentPage>;

/** How a list transforms the pages that the service sends. */
export interface ListShape {
  /** Names of the references that are read with each page. */
  readonly references: readonly string[];
  /** Maximum number of records in the list; infinite for all. */
  readonly atMost: number;
  /** Texts that identify the list's filter functions; empty if it keeps all records. */
  readonly filters: readonly string[];
  /** Sends the request of a page through `plainly`, which sends it unchanged. */
  readonly send: (request: CallRequest, plainly: SendPage) => Promise<SentPage>;
}

const PLAIN: ListShape = {
  references: [],
  atMost: Number.POSITIVE_INFINITY,
  filters: [],
  send: (request, plainly) => plainly(request),
};

/** One list: how its pages are requested. */
export class PageSource {
  readonly parts: ListParts;
  readonly options: ListOptions;
  readonly shape: ListShape;

  constructor(parts: ListParts, options: ListOptions, shape: ListShape = PLAIN) {
    this.parts = parts;
    // Copied for the same reason as in `copyQuery`. Lists for lookups have getters, which are kept.
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

  /** {@link ListParts.prepare} */
  prepare(perPage: number | null): Promise<CallRequest> {
    return this.parts.prepare(perPage, this.options);
  }

  /** Fetches a page, transformed by the list's shape. */
  send(request: CallRequest): Promise<SentPage> {
    return this.shape.send(request, this.parts.send);
  }

  /** Fetches a page as the service sends it, without the records it refers to. */
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
 * A list of the records for which a function returns true.
 * @param text identifies the function; the same in every process.
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

/** Copies a list's query: it is read later, maybe several times, and must not follow changes that the caller makes. */
export function copyQuery(parts: OperationParts): OperationParts {
  const { query } = parts;
  if (!isPlainObject(query)) return parts;
  const entries = Object.entries(query).map(
    ([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const,
  );
  return { ...parts, query: Object.fromEntries(entries) };
}

/** Adds the page size unless the caller gave one. The check of the input refuses a query that is not a plain object. */
export function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
