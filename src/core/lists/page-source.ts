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

/** A page as a list sends for it. */
export interface SentPage extends WithResponse<unknown> {
  /** How many records the service sent, where the list keeps only some of them. */
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
  prepare(perPage: number | null, options: ListOptions): CallRequest;
  /** Fetches a page. */
  send(request: CallRequest): Promise<WithResponse<unknown>>;
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

  /** Most records the list gives; infinite for all. */
  get atMost(): number {
    return Number.POSITIVE_INFINITY;
  }

  /** What distinguishes the records that the list keeps; empty if it keeps all. */
  get filters(): readonly string[] {
    return [];
  }

  /** {@link ListParts.prepare} */
  prepare(perPage: number | null): CallRequest {
    return this.parts.prepare(perPage, this.options);
  }

  /** {@link ListParts.send} */
  send(request: CallRequest): Promise<SentPage> {
    return this.parts.send(request);
  }

  /** Fetches a page as the service sent it, without the records it refers to. */
  peek(request: CallRequest): Promise<WithResponse<unknown>> {
    return this.parts.send({ ...request, settings: { ...request.settings, validation: "off" } });
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

/** A list made of another one. */
export abstract class DerivedSource extends PageSource {
  readonly source: PageSource;

  constructor(source: PageSource) {
    super(source.parts, source.options);
    this.source = source;
  }

  override get references(): readonly string[] {
    return this.source.references;
  }

  override get atMost(): number {
    return this.source.atMost;
  }

  override get filters(): readonly string[] {
    return this.source.filters;
  }

  override prepare(perPage: number | null): CallRequest {
    return this.source.prepare(perPage);
  }

  override send(request: CallRequest): Promise<SentPage> {
    return this.source.send(request);
  }

  override withOptions(options: ListOptions): PageSource {
    return this.of(this.source.withOptions(options));
  }

  /** The same of another list. */
  protected abstract of(source: PageSource): PageSource;
}

/** The records of a list that a function keeps. */
export class FilteredSource extends DerivedSource {
  readonly #keeps: (record: unknown) => unknown;
  readonly #text: string;

  /** @param text the same for the same function in every process. */
  constructor(source: PageSource, keeps: (record: unknown) => unknown, text: string) {
    super(source);
    this.#keeps = keeps;
    this.#text = text;
  }

  override get filters(): readonly string[] {
    return [...this.source.filters, this.#text];
  }

  override async send(request: CallRequest): Promise<SentPage> {
    const { data, response, read } = await this.source.send(request);
    const records = data as readonly unknown[];
    return { data: records.filter((record) => this.#keeps(record)), response, read: read ?? records.length };
  }

  protected of(source: PageSource): PageSource {
    return new FilteredSource(source, this.#keeps, this.#text);
  }
}

/** The first records of a list. */
export class TakenSource extends DerivedSource {
  readonly #count: number;

  constructor(source: PageSource, count: number) {
    super(source);
    this.#count = count;
  }

  override get atMost(): number {
    return Math.min(this.#count, this.source.atMost);
  }

  protected of(source: PageSource): PageSource {
    return new TakenSource(source, this.#count);
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
