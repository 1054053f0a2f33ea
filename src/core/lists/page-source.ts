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
  joined(source: PageSource, references: Readonly<Record<string, true>>, options: JoinOptions): PageSource;
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
  prepare(perPage: number | null, options: ListOptions): CallRequest;
  /** Fetches a page. */
  send(request: CallRequest, onInvalid: ListOptions["onInvalid"]): Promise<WithResponse<unknown>>;
}

/** One list: how its pages are requested. */
export class PageSource {
  readonly parts: ListParts;
  readonly options: ListOptions;

  constructor(parts: ListParts, options: ListOptions) {
    this.parts = parts;
    // Read later, maybe several times: they must not follow changes that the caller makes. Lists for lookups have getters.
    this.options = isPlainObject(options)
      ? Object.defineProperties({}, Object.getOwnPropertyDescriptors(options))
      : options;
  }

  get operation(): Operation {
    return this.parts.operation;
  }

  get settings(): ListParts["settings"] {
    return this.parts.settings;
  }

  /** Names of the references that are read with each page. */
  get references(): readonly string[] {
    return [];
  }

  /** {@link ListParts.prepare} */
  prepare(perPage: number | null): CallRequest {
    return this.parts.prepare(perPage, this.options);
  }

  /** {@link ListParts.send} */
  send(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.parts.send(request, this.options.onInvalid);
  }

  /** Fetches a page as the service sent it, without the records it refers to. */
  peek(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.parts.send({ ...request, settings: { ...request.settings, validation: "off" } }, undefined);
  }

  /** The same list with other options. */
  withOptions(options: ListOptions): PageSource {
    return new PageSource(this.parts, options);
  }

  /** The same list, whose records hold the records they refer to. */
  joined(references: Readonly<Record<string, true>>, options: JoinOptions): PageSource {
    return this.parts.lookups.joined(this, references, options);
  }
}

/** Copies a list's query: it is read later, maybe several times, and must not follow changes that the caller makes. */
export function withOwnQuery(parts: OperationParts): OperationParts {
  const { query } = parts;
  if (!isPlainObject(query)) return parts;
  const own = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const);
  return { ...parts, query: Object.fromEntries(own) };
}

/** Adds the page size unless the caller gave one. The check of the input refuses a query that is not a plain object. */
export function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
