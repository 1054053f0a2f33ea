import type { ResponseInfo } from "../call/call.js";
import type { Obstacle } from "../call/failure.js";
import type { CallRequest, Query } from "../call/request.js";
import { explain } from "../call/words.js";
import { ApiError, CheckpointError, ConnectionError, PaginationError } from "../errors.js";
import { eventOf, notify } from "../events.js";
import { writeCheckpoint } from "./checkpoint.js";
import type { PageSource, SentPage } from "./page-source.js";
import { filtersOf, nextPosition, positionKey, positionOf } from "./position.js";
import { totalOf } from "./total.js";

export interface FetchedPage {
  readonly cursor: PageCursor;
  readonly records: readonly unknown[];
  readonly read: number;
  /** Null if unknown. */
  readonly total: number | null;
  readonly response: ResponseInfo;
  /** Position of the next page; null on the last page, and if the next page is unreachable (see `blocked`). */
  readonly next: Query | null;
  /** Why the next page is unreachable; null if it is reachable or does not exist. */
  readonly blocked: PaginationError | null;
  /** True if the list continues; false if `maxPages` ends it here. */
  readonly hasNext: boolean;
  readonly number: number;
  /** Writes the checkpoint for resuming after this page: only on demand, because it costs more than the page itself. */
  checkpoint(): string;
}

const MOST_EMPTY_PAGES = 1_000;

/** Fetches the pages of one list by position, and detects when the service repeats a position. */
export class PageCursor {
  /** Position of the first page; null if there is nothing to read (see `emptyPage`). */
  readonly start: Query | null;
  readonly source: PageSource;
  readonly #request: CallRequest;
  readonly #filters: Query;
  readonly #resumed: boolean;
  /** Number of the last page with records; 0 before the first. */
  #filled = 0;
  /** Number of records before each page. */
  readonly #before = [0, 0];
  /** Number of records in the list, before filter functions; null if unknown. */
  #listed: number | null = null;
  /** The page number at each position, by the position's key; null before the second page. */
  #seen: Map<string, number> | null = null;

  private constructor(source: PageSource, request: CallRequest, start: Query | null) {
    this.source = source;
    this.#request = request;
    this.#filters = filtersOf(request.query);
    this.#resumed = source.options.resume !== undefined;
    this.start = start;
  }

  /**
   * @throws InputError and CheckpointError, before anything is sent; ConnectionError if a web page cannot load the code
   * that reads a checkpoint.
   */
  static async open(source: PageSource): Promise<PageCursor> {
    const { operation, options, shape, settings } = source;
    const { atMost, filters } = shape;
    const { pageSize } = settings;
    const isShort = Number.isFinite(atMost) && atMost > 0 && filters.length === 0;
    const size = isShort ? fittingSize(pageSize, atMost) : pageSize;
    const request = await source.prepare(operation.paged === "none" ? null : size);
    const { resume } = options;
    const start = resume === undefined ? positionOf(request.query) : await resumePosition(resume, request);
    return new PageCursor(source, request, atMost === 0 ? null : start);
  }

  /**
   * The empty page of a list that was resumed from a checkpoint at its end, or limited to 0 records. Its checkpoint is
   * the one that was resumed; if the list was not resumed, it leads to the start.
   */
  get emptyPage(): FetchedPage {
    const { query } = this.#request;
    const resume =
      this.source.options.resume ?? writeCheckpoint({ ...this.#request, query: this.#filters }, positionOf(query));
    const response: ResponseInfo = {
      status: 204,
      headers: new Headers(),
      requestId: null,
      hiddenHeaders: [],
      redirected: false,
      attempts: 0,
      waitedMs: 0,
    };
    return {
      cursor: this,
      records: [],
      read: 0,
      total: null,
      response,
      next: null,
      blocked: null,
      hasNext: false,
      number: 1,
      checkpoint: () => resume,
    };
  }

  async fetch(position: Query, number: number, signal: AbortSignal | undefined): Promise<FetchedPage> {
    const { operation, options, settings } = this.source;
    const priority = options.priority ?? (number === 1 ? "interactive" : "batch");
    const query = [...this.#filters, ...position];
    const resumed = this.#resumed && number === 1;
    const request: CallRequest = { ...this.#request, query, priority, signal, resumed };
    if (number > 1 && priority === "batch") await this.#spread(number, request);
    const { data, response, read: sent } = await this.#fetch(request);
    const { on, baseUrl } = settings;
    const kept = data as readonly unknown[];
    const room = this.source.shape.atMost - (this.#before[number] ?? 0);
    const records = kept.length > room ? kept.slice(0, room) : kept;
    const read = sent ?? kept.length;
    this.#before[number + 1] = (this.#before[number] ?? 0) + records.length;
    this.#listed = totalOf(response.headers, read);
    const isLast = records.length === room;
    const link = response.headers.get("link");
    const found = nextPosition(link, this.#filters, position, `${baseUrl}/${request.path}`);
    const hidden = response.hiddenHeaders.includes("link") && read >= sizeOf(request.query);
    if (read > 0) this.#filled = Math.max(this.#filled, number);
    const obstacle = isLast ? null : this.#obstacle(hidden ? "hidden" : found, number);
    const blocked = obstacle && (await this.#blockedError(obstacle));
    const next = isLast || obstacle || found === "torn" ? null : found;
    if (next) this.#numbers.set(positionKey(next), number + 1);
    // If the next page is unreachable or records of this page were left out, the checkpoint points at this page:
    // resuming then repeats the page instead of silently ending the list.
    const list = { operation, path: request.path, query: this.#filters };
    const repeats = blocked || found === "torn" || records.length < kept.length;
    const checkpoint = () => writeCheckpoint(list, repeats ? position : found);
    const hasNext = (next !== null || blocked !== null) && number < (options.maxPages ?? Infinity);
    if (on.page) {
      notify(on, "page", {
        ...eventOf(operation),
        page: number,
        records: records.length,
        hasNext,
        checkpoint: checkpoint(),
      });
    }
    return {
      cursor: this,
      records,
      read,
      total: this.#total(response, read),
      response,
      next,
      blocked,
      hasNext,
      number,
      checkpoint,
    };
  }

  async count(): Promise<number | null> {
    const size = this.source.operation.paged === "none" ? [] : [["per_page", "1"] as const];
    const { data, response } = await this.source.peek({ ...this.#request, query: [...this.#filters, ...size] });
    const { headers, hiddenHeaders } = response;
    const { length } = data as readonly unknown[];
    const isWhole = headers.get("link") === null && !hiddenHeaders.includes("link");
    const total = totalOf(headers, length) ?? (isWhole ? length : null);
    return total === null || this.source.shape.filters.length > 0 ? null : Math.min(total, this.source.shape.atMost);
  }

  // Waits before a page if the list needs more requests than the rate limit's window has left.
  async #spread(number: number, { query, signal }: CallRequest): Promise<void> {
    const { parts, options, shape } = this.source;
    const { maxPages = Number.POSITIVE_INFINITY } = options;
    const atMost = shape.filters.length > 0 ? Number.POSITIVE_INFINITY : shape.atMost;
    const pages = Math.ceil(Math.min(this.#listed ?? Number.POSITIVE_INFINITY, atMost) / sizeOf(query));
    await parts.spread(Math.min(pages, maxPages) - number + 1, signal);
  }

  #total({ headers }: ResponseInfo, read: number): number | null {
    const total = this.source.shape.filters.length > 0 ? null : totalOf(headers, read);
    return total === null ? null : Math.min(total, this.source.shape.atMost);
  }

  async #fetch(request: CallRequest): Promise<SentPage> {
    try {
      return await this.source.send(request);
    } catch (cause) {
      if (!request.resumed || !(cause instanceof ApiError) || !refusesCursor(cause)) throw cause;
      const { id } = request.operation;
      const message = await explain((words) => words.cursorRefused(cause.status));
      throw new CheckpointError(`${id}: ${message}`, { operation: id, attempts: cause.attempts, cause });
    }
  }

  get #numbers(): Map<string, number> {
    this.#seen ??= new Map(this.start && [[positionKey(this.start), 1]]);
    return this.#seen;
  }

  #obstacle(next: Query | null | "torn" | "hidden", page: number): Obstacle | null {
    if (next === null) return null;
    if (next === "torn" || next === "hidden") return { kind: next, page };
    const seen = this.#numbers.get(positionKey(next));
    // A link to a later page is not a loop: a page fetched again after a failure has the same next page.
    if (seen !== undefined && seen <= page) return { kind: "loop", page, seen };
    return page - this.#filled < MOST_EMPTY_PAGES ? null : { kind: "empty", page: MOST_EMPTY_PAGES };
  }

  async #blockedError(obstacle: Obstacle): Promise<PaginationError> {
    const { id } = this.source.operation;
    const message = await explain((words) => words.noWayOn(obstacle));
    return new PaginationError(`${id}: ${message}`, { operation: id, attempts: 1 });
  }
}

// Loaded on demand, because few lists are resumed.
async function resumePosition(resume: unknown, request: CallRequest): Promise<Query | null> {
  const { readCheckpoint } = await import("./read-checkpoint.js").catch((cause) => {
    const message = "The library's code for checkpoints could not be loaded. Nothing was sent.";
    throw new ConnectionError(message, { cause, outcome: "not_sent" });
  });
  return readCheckpoint(resume, request);
}

// The service documents no status for an expired cursor. A 404 may also mean a revoked key, so only an error that
// mentions the cursor counts.
const CURSOR_STATUSES: readonly number[] = [400, 404, 410, 422];

function refusesCursor({ status, apiMessage, errors }: ApiError): boolean {
  if (!CURSOR_STATUSES.includes(status)) return false;
  const named = typeof errors === "object" && errors !== null ? Object.keys(errors) : [];
  return [apiMessage ?? "", ...named].some((text) => /cursor/i.test(text));
}

// The smallest page size that costs no extra page: for 130 records it is 65, which takes two pages just as 100 does.
function fittingSize(largest: number, records: number): number {
  return Math.ceil(records / Math.ceil(records / largest));
}

function sizeOf(query: Query): number {
  const size = query.find(([name]) => name === "per_page")?.[1];
  return size === undefined ? Number.POSITIVE_INFINITY : Number(size);
}
