import type { ResponseInfo } from "../call/call.js";
import type { Answer, Prepared } from "../call/prepared.js";
import { type BuiltRequest, inputError } from "../call/request.js";
import { ApiError, CheckpointError, PaginationError } from "../errors.js";
import { notify, type Observers } from "../events.js";
import type { Operation } from "../operation.js";
import type { ListOptions } from "../options.js";
import {
  filtersOf,
  nextPosition,
  positionKey,
  positionOf,
  type Query,
  readCheckpoint,
  writeCheckpoint,
} from "./checkpoint.js";

/** What a list needs of its transport. */
export interface PageSource {
  readonly row: Operation;
  readonly options: ListOptions;
  readonly observers: Observers;
  /** `per_page` of lists that do not say. */
  readonly pageSize: number;
  readonly baseUrl: string;
  /** Checks and builds the first request; `perPage` counts where the caller gave none. */
  prepare(perPage: number | null): Prepared;
  send(prepared: Prepared): Promise<Answer>;
}

/** What a checkpoint is written from: done when one is read, because it costs more than the rest of a page's books. */
export interface CheckpointSource {
  readonly row: Operation;
  readonly request: BuiltRequest;
  /** Where it leads; null at the end. */
  readonly position: Query | null;
}

/** The text of a page's checkpoint. */
export function checkpointOf({ checkpoint }: Pick<RawPage, "checkpoint">): string {
  return typeof checkpoint === "string"
    ? checkpoint
    : writeCheckpoint(checkpoint.row, checkpoint.request, checkpoint.position);
}

/** One page as it came, before it is dressed for callers. */
export interface RawPage {
  readonly records: readonly unknown[];
  readonly response: ResponseInfo;
  /** Where the next page is; null at the end, and where nobody can tell. */
  readonly next: Query | null;
  /** True when the page is full and the browser shows no `Link`: there may be a next page, but no way to it. */
  readonly linkHidden: boolean;
  /** What its checkpoint is written from; text where it was given. */
  readonly checkpoint: CheckpointSource | string;
  /** 1 for the first page. */
  readonly number: number;
}

/** The way through one list: which page comes when, and which positions were seen. */
export class Trail {
  readonly #source: PageSource;
  readonly #first: Prepared;
  readonly #start: Query | null;
  readonly #resumed: boolean;
  // Position to the number of the page it leads to.
  readonly #seen = new Map<string, number>();

  /** @throws InputError and CheckpointError, before anything is sent. */
  constructor(source: PageSource, atMost: number | null) {
    this.#source = source;
    const { row, options } = source;
    checkListOptions(row, options);
    const size = atMost === null ? source.pageSize : fittingSize(source.pageSize, Math.max(1, atMost));
    this.#first = source.prepare(row.paged === "none" ? null : size);
    const { request } = this.#first;
    this.#resumed = options.resume !== undefined;
    this.#start =
      options.resume === undefined ? positionOf(request.query) : readCheckpoint(options.resume, row, request);
    if (this.#start) this.#seen.set(positionKey(this.#start), 1);
  }

  /** Where the list starts; null when its checkpoint says it was read to the end. */
  get start(): Query | null {
    return this.#start;
  }

  /** `per_page` of the requests. */
  get pageSize(): number {
    const size = this.#first.request.query.find(([name]) => name === "per_page")?.[1];
    return size === undefined ? Number.POSITIVE_INFINITY : Number(size);
  }

  /** Fetches the page at a position. @throws PaginationError when it leads back to where we were. */
  async fetch(position: Query, number: number, signal: AbortSignal | undefined): Promise<RawPage> {
    const { row, options, observers, baseUrl } = this.#source;
    const request = { ...this.#first.request, query: [...filtersOf(this.#first.request.query), ...position] };
    const priority = options.priority ?? (number === 1 ? "interactive" : "batch");
    const answer = await this.#send({ ...this.#first, request, priority, signal }, number);
    const records = answer.data as readonly unknown[];
    const next = nextPosition(answer.response.headers.get("link"), request.query, `${baseUrl}/${request.path}`);
    if (next) this.#remember(next, number + 1);
    const linkHidden = answer.response.hiddenHeaders.includes("link") && records.length >= this.pageSize;
    // Not the end: whoever resumes gets this page once more instead of silently nothing.
    const checkpoint = { row, request, position: linkHidden ? position : next };
    if (observers.page) {
      notify(observers, "page", {
        operation: row.id,
        method: row.method,
        path: row.path,
        page: number,
        records: records.length,
        hasNext: next !== null || linkHidden,
        checkpoint: checkpointOf({ checkpoint }),
      });
    }
    return { records, response: answer.response, next, linkHidden, checkpoint, number };
  }

  async #send(prepared: Prepared, number: number): Promise<Answer> {
    try {
      return await this.#source.send(prepared);
    } catch (cause) {
      const refused = cause instanceof ApiError && [400, 404, 410, 422].includes(cause.status);
      if (!this.#resumed || number !== 1 || !refused) throw cause;
      throw new CheckpointError(
        `${prepared.row.id}: the service refused the checkpoint's cursor (${(cause as ApiError).status}); it may have expired. Start the list anew.`,
        { operation: prepared.row.id, attempts: (cause as ApiError).attempts, cause },
      );
    }
  }

  #remember(position: Query, number: number): void {
    const key = positionKey(position);
    const seen = this.#seen.get(key);
    if (seen !== undefined && seen < number) {
      const { id } = this.#source.row;
      throw new PaginationError(
        `${id}: page ${number - 1} links back to page ${seen}, so the list would never end. The service repeats a cursor.`,
        { operation: id, attempts: 1 },
      );
    }
    this.#seen.set(key, number);
  }
}

// As few pages as can be, and these no larger than they need to be: 130 records are two pages of 65, not of 100.
function fittingSize(largest: number, records: number): number {
  return Math.ceil(records / Math.ceil(records / largest));
}

/** The error of a list that cannot be followed because the browser hides the way. */
export function linkHiddenError({ id }: Operation): PaginationError {
  return new PaginationError(
    `${id}: the page is full, but the browser shows no Link header, so there may be more records and no way to them. The service must expose it to this origin (Access-Control-Expose-Headers: Link): ask its support, or list through your own server.`,
    { operation: id, attempts: 1 },
  );
}

function checkListOptions({ id }: Operation, { prefetch = 1, maxPages = 1, onInvalid = "throw" }: ListOptions): void {
  const wrong = (path: string, message: string) => inputError(id, [{ path, message }]);
  if (!Number.isInteger(prefetch) || prefetch < 0) throw wrong("prefetch", "must be a whole number from 0");
  if (maxPages !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxPages) && maxPages > 0)) {
    throw wrong("maxPages", "must be a whole number from 1");
  }
  if (!["throw", "skip", "raw"].includes(onInvalid)) throw wrong("onInvalid", "must be one of throw, skip, raw");
}

/** A page that was fetched before, with the trail it lies on. */
export interface Fetched {
  readonly page: RawPage;
  readonly trail: Trail;
}

/** Pages one after the other, some of them fetched ahead. Outlives a failed fetch: asking again repeats that page. */
export class PageWalk {
  readonly #source: PageSource;
  readonly #atMost: number;
  readonly #ahead: Promise<RawPage>[] = [];
  #trail: Trail | null = null;
  #linkHidden = false;
  #position: Query | null = null;
  #number = 1;
  #records = 0;
  #fetching: AbortController | null = null;
  #closed = false;

  /**
   * @param atMost records the caller has a use for.
   * @param first the first page, if it was fetched before.
   */
  constructor(source: PageSource, atMost: number = Number.POSITIVE_INFINITY, first: Fetched | null = null) {
    this.#source = source;
    this.#atMost = atMost;
    if (!first) return;
    this.#trail = first.trail;
    this.#advance(first.page);
    this.#ahead.push(Promise.resolve(first.page));
  }

  /** The trail, made when first needed. @throws InputError and CheckpointError, before anything is sent. */
  get trail(): Trail {
    if (!this.#trail) {
      this.#trail = new Trail(this.#source, Number.isFinite(this.#atMost) ? this.#atMost : null);
      this.#position = this.#trail.start;
    }
    return this.#trail;
  }

  /** The next page, or null at the end. Not to be called while an earlier call is pending. */
  async next(): Promise<RawPage | null> {
    const { signal } = this.#source.options;
    if (signal?.aborted) {
      this.close();
      throw signal.reason;
    }
    const { trail } = this;
    const page = await (this.#ahead.shift() ?? this.#fetch(trail));
    if (!page && this.#linkHidden && this.#pagesLeft && !this.#closed) throw linkHiddenError(this.#source.row);
    if (!page) return null;
    this.#records += page.records.length;
    this.#fill(trail);
    return page;
  }

  /** Stops what is being fetched ahead and gives its place in the queue back. */
  close(): void {
    this.#closed = true;
    this.#ahead.length = 0;
    this.#fetching?.abort(new Error("the iteration was left"));
  }

  // Starts pages ahead, one at a time, because each one's link leads to the next.
  #fill(trail: Trail): void {
    const missing = this.#atMost - this.#records;
    const useful = Number.isFinite(missing) ? Math.ceil(missing / trail.pageSize) : Number.POSITIVE_INFINITY;
    const depth = Math.min(this.#source.options.prefetch ?? 1, useful);
    if (this.#fetching || this.#ahead.length >= depth) return;
    const page = this.#fetch(trail);
    if (!page) return;
    this.#ahead.push(page);
    // A failure is told to the consumer when it asks for the page.
    page.then(
      () => this.#fill(trail),
      () => undefined,
    );
  }

  #fetch(trail: Trail): Promise<RawPage> | null {
    const { signal } = this.#source.options;
    if (this.#closed || this.#position === null || !this.#pagesLeft) return null;
    const stop = new AbortController();
    const onAbort = () => stop.abort(signal?.reason);
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#fetching = stop;
    return trail
      .fetch(this.#position, this.#number, stop.signal)
      .then((page) => {
        this.#advance(page);
        return page;
      })
      .finally(() => {
        signal?.removeEventListener("abort", onAbort);
        this.#fetching = null;
      });
  }

  get #pagesLeft(): boolean {
    return this.#number <= (this.#source.options.maxPages ?? Number.POSITIVE_INFINITY);
  }

  #advance(page: RawPage): void {
    this.#linkHidden = page.linkHidden;
    this.#position = page.next;
    this.#number = page.number + 1;
  }
}
