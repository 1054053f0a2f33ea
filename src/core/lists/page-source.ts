import type { WithResponse } from "../call/call.js";
import type { Calls } from "../call/calls.js";
import type { BuiltRequest, CallRequest, OperationParts } from "../call/request.js";
import { isPlainObject } from "../json.js";
import type { Operation } from "../operation.js";
import type { ArrayFormat, ListOptions } from "../options.js";
import type { JoinOptions } from "./references.js";

/** Makes lists whose records hold the records they refer to. */
export interface Joining {
  /** @throws InputError when a reference or an option is wrong, once the list is used. */
  joined(source: PageSource, references: Readonly<Record<string, true>>, options: JoinOptions): PageSource;
}

/** Checks and writes the first request of a list by hand; `perPage` is the page size, null where the list has no pages. */
export type BuildByHand = (perPage: number | null, arrayFormat: ArrayFormat) => BuiltRequest;

/** One list: how its pages are requested. */
export class PageSource {
  readonly calls: Calls;
  readonly operation: Operation;
  readonly options: ListOptions;
  readonly #parts: OperationParts | BuildByHand;
  readonly #joining: Joining;

  /** @param parts what the caller asked for, or what builds the request of a list by hand. */
  constructor(
    calls: Calls,
    joining: Joining,
    operation: Operation,
    parts: OperationParts | BuildByHand,
    options: ListOptions,
  ) {
    this.calls = calls;
    this.operation = operation;
    this.options = options;
    this.#joining = joining;
    this.#parts = typeof parts === "function" ? parts : withOwnQuery(parts);
  }

  /** Names of the records that are read along. */
  get references(): readonly string[] {
    return [];
  }

  /**
   * Checks and writes the first request.
   * @param perPage counts where the caller gave none; null where the list has no pages.
   * @throws InputError naming every field that is wrong; nothing was sent.
   */
  prepare(perPage: number | null): CallRequest {
    const parts = this.#parts;
    const built =
      typeof parts === "function"
        ? parts(perPage, this.calls.settings.arrayFormat)
        : this.calls.build(this.operation, withPageSize(this.operation, parts, perPage));
    return this.calls.request(built, this.options);
  }

  /** Fetches a page. */
  fetch(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.calls.make(request, this.options.onInvalid);
  }

  /** Fetches a page as the service sent it, without the records it refers to. */
  peek(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.calls.make({ ...request, settings: { ...request.settings, validation: "off" } });
  }

  /** The same list with other options. */
  withOptions(options: ListOptions): PageSource {
    return new PageSource(this.calls, this.#joining, this.operation, this.#parts, options);
  }

  /** The same list, whose records hold the records they refer to. */
  joined(references: Readonly<Record<string, true>>, options: JoinOptions): PageSource {
    return this.#joining.joined(this, references, options);
  }
}

// A list is read later, and perhaps again: what the caller does with the query meanwhile does not count.
function withOwnQuery(parts: OperationParts): OperationParts {
  const { query } = parts;
  if (!isPlainObject(query)) return parts;
  const own = Object.entries(query).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value] as const);
  return { ...parts, query: Object.fromEntries(own) };
}

// A query that is not a plain object is left as it is: the check of the input refuses it.
function withPageSize({ paged }: Operation, parts: OperationParts, perPage: number | null): OperationParts {
  const { query = {} } = parts;
  if (perPage === null || paged === "none" || !isPlainObject(query)) return parts;
  return query.per_page === undefined ? { ...parts, query: { ...query, per_page: perPage } } : parts;
}
