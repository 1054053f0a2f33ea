import type { ResponseInfo } from "../call/call.js";
import { inputError } from "../call/request.js";
import { PaginationError } from "../errors.js";
import {
  checkpointOf,
  type Fetched,
  linkHiddenError,
  type PageSource,
  PageWalk,
  type RawPage,
  type Trail,
} from "./cursor.js";

/** One page of a list. */
export class Page<T> {
  /** The records of the page, in the service's order. */
  readonly records: readonly T[];
  /** Opaque cursor of the next page; null at the end and in the deprecated page mode. */
  readonly cursor: string | null;
  /** Status, headers, request id, attempts and waits. */
  readonly response: ResponseInfo;
  readonly #raw: RawPage;
  readonly #follow: () => Promise<Page<T>>;

  /** Whether there is a further page. True also when CORS hides that from a browser: then `next()` says so. */
  readonly hasNext: boolean;

  /** @hidden */
  constructor(raw: RawPage, follow: () => Promise<Page<T>>) {
    this.records = raw.records as readonly T[];
    this.hasNext = raw.next !== null || raw.linkHidden;
    this.cursor = raw.next?.find(([name]) => name === "cursor")?.[1] ?? null;
    this.#raw = raw;
    this.response = raw.response;
    // One function and not two inside each other: with two, V8 kept each page through many young collections.
    this.#follow = follow;
  }

  /** JSON text to go on after this page, in this process or another: `list(query, { resume: checkpoint })`. */
  get checkpoint(): string {
    return checkpointOf(this.#raw);
  }

  /**
   * Fetches the next page.
   * @throws PaginationError when there is none (ask `hasNext` first), and when CORS hides the way to it.
   */
  next(): Promise<Page<T>> {
    return this.#follow();
  }
}

/**
 * Goes through a list, value by value, and outlives a failed `next()`: asking again repeats what failed. Written out
 * because TypeScript before 5.6 knows `AsyncIterableIterator` with one type parameter only and would read `any`.
 */
export interface ListIterator<T> extends AsyncIterator<T, undefined> {
  /** The next value; after a failure, asking again repeats what failed. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Stops: what is being fetched ahead is ended. A loop that is left calls it by itself. */
  return(): Promise<IteratorResult<T, undefined>>;
  /** The iterator itself, for `for await`. */
  [Symbol.asyncIterator](): ListIterator<T>;
}

/**
 * A list, page by page fetched when needed. Sends nothing until it is used: `await` it for the first page, loop over it
 * with `for await` for every record, or take what you need. May be iterated again, from the start.
 * @example
 * for await (const account of client.accounts.list()) console.log(account.name);
 */
export class Pages<T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  readonly #source: PageSource;
  #first: Promise<Fetched> | null = null;

  /** @hidden */
  constructor(source: PageSource) {
    this.#source = source;
  }

  then<Fulfilled = Page<T>, Rejected = never>(
    onFulfilled?: ((page: Page<T>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    this.#first ??= this.#fetchFirst();
    return this.#first.then(({ page, trail }) => this.#dress(page, trail)).then(onFulfilled, onRejected);
  }

  /** Every record, page after page. The iterator outlives a failed `next()`: asking again repeats that page. */
  [Symbol.asyncIterator](): ListIterator<T> {
    return new RecordIterator<T>(this.#walk(), this.#source.options.signal);
  }

  /**
   * Every page.
   * @example
   * for await (const page of client.accounts.list().byPage()) console.log(page.records.length, page.checkpoint);
   */
  byPage(): ListIterator<Page<T>> {
    const walk = this.#walk();
    return new TurnIterator<Page<T>>(
      async () => {
        const page = await (await walk).next();
        return page && this.#dress(page, (await walk).trail);
      },
      async () => (await walk).close(),
    );
  }

  /**
   * All records in one array.
   * @param options.max most records to fetch; asks for no more pages than that needs. Default: all, however many.
   */
  async toArray(options: { max?: number } = {}): Promise<T[]> {
    const max = options?.max;
    const all: T[] = [];
    for await (const record of max === undefined ? this : this.#upTo(max, "max")) all.push(record);
    return all;
  }

  /**
   * The first records only; asks the service for no more than needed.
   * @throws InputError when `count` is no whole number from 0.
   * @example
   * for await (const account of client.accounts.list().take(7)) console.log(account.name);
   */
  take(count: number): ListIterator<T> {
    return this.#upTo(count, "count");
  }

  #upTo(count: number, name: string): ListIterator<T> {
    if (!Number.isInteger(count) || count < 0) {
      throw inputError(this.#source.row.id, [{ path: name, message: "must be a whole number from 0" }]);
    }
    return new RecordIterator<T>(new PageWalk(this.#source, count), this.#source.options.signal, count);
  }

  // The page that was awaited is used by the first iteration after it, so that it is not fetched twice.
  #walk(): PageWalk | Promise<PageWalk> {
    const first = this.#first;
    if (!first) return new PageWalk(this.#source);
    this.#first = null;
    return first.then(
      (fetched) => new PageWalk(this.#source, Number.POSITIVE_INFINITY, fetched),
      () => new PageWalk(this.#source),
    );
  }

  async #fetchFirst(): Promise<Fetched> {
    try {
      const { trail } = new PageWalk(this.#source);
      const { signal } = this.#source.options;
      if (trail.start === null) return { page: emptyPage(this.#source), trail };
      return { page: await trail.fetch(trail.start, 1, signal), trail };
    } catch (error) {
      this.#first = null;
      throw error;
    }
  }

  #dress(page: RawPage, trail: Trail): Page<T> {
    return new Page<T>(page, () => this.#follow(page, trail));
  }

  async #follow({ next, linkHidden, number }: RawPage, trail: Trail): Promise<Page<T>> {
    const { row, options } = this.#source;
    if (linkHidden) throw linkHiddenError(row);
    if (next === null) throw new PaginationError("There is no further page; ask hasNext before next()");
    return this.#dress(await trail.fetch(next, number + 1, options.signal), trail);
  }
}

// A checkpoint of the last page leads nowhere: nothing is asked, nothing comes.
function emptyPage({ options }: PageSource): RawPage {
  const response: ResponseInfo = {
    status: 204,
    headers: new Headers(),
    requestId: null,
    hiddenHeaders: [],
    attempts: 0,
    waitedMs: 0,
  };
  return { records: [], response, next: null, linkHidden: false, checkpoint: options.resume ?? "", number: 1 };
}

const END = { done: true, value: undefined } as const;

/**
 * Gives one value after the other, in turn even when asked several times at once. Not an async generator: that one is
 * over after its first error, while this one goes on where it was.
 */
class TurnIterator<T> implements ListIterator<T> {
  readonly #step: () => Promise<T | null>;
  readonly #close: () => Promise<void>;
  #last: Promise<unknown> | null = null;
  #over = false;

  /** @param step gives the next value, or null at the end. */
  constructor(step: () => Promise<T | null>, close: () => Promise<void>) {
    this.#step = step;
    this.#close = close;
  }

  /** True when nobody waits for a value. */
  get free(): boolean {
    return this.#last === null && !this.#over;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<T, undefined>> {
    const turn = this.#last ? this.#last.then(() => this.#take()) : this.#take();
    const settled = turn.then(
      () => undefined,
      () => undefined,
    );
    this.#last = settled;
    void settled.then(() => {
      if (this.#last === settled) this.#last = null;
    });
    return turn;
  }

  // Not in turn: what waits for its page must be stopped, not waited for.
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#over = true;
    await this.#close().catch(() => undefined);
    return END;
  }

  async #take(): Promise<IteratorResult<T, undefined>> {
    if (this.#over) return END;
    const value = await this.#step().catch((error: unknown) => {
      // Whoever still waited when the iteration was left has come to the end, not to an error.
      if (this.#over) return null;
      throw error;
    });
    if (value !== null) return { done: false, value };
    this.#over = true;
    return END;
  }
}

class RecordIterator<T> implements ListIterator<T> {
  readonly #walk: PageWalk | Promise<PageWalk>;
  readonly #signal: AbortSignal | undefined;
  readonly #turns: TurnIterator<{ record: T }>;
  #left: number;
  #records: readonly unknown[] = [];
  #at = 0;

  constructor(walk: PageWalk | Promise<PageWalk>, signal: AbortSignal | undefined, atMost = Number.POSITIVE_INFINITY) {
    this.#walk = walk;
    this.#signal = signal;
    this.#left = atMost;
    this.#turns = new TurnIterator<{ record: T }>(
      () => this.#step(),
      async () => (await this.#walk).close(),
    );
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    // Records that are here already need no turn: a page has a hundred of them.
    if (this.#turns.free && this.#at < this.#records.length && this.#left > 0 && !this.#signal?.aborted) {
      return { done: false, value: this.#pick() };
    }
    const { done, value } = await this.#turns.next();
    return done ? END : { done: false, value: value.record };
  }

  async return(): Promise<IteratorResult<T, undefined>> {
    await this.#turns.return();
    return END;
  }

  async #step(): Promise<{ record: T } | null> {
    const walk = await this.#walk;
    if (this.#signal?.aborted) {
      walk.close();
      throw this.#signal.reason;
    }
    // An empty page in the middle of a list is no end.
    while (this.#left > 0 && this.#at >= this.#records.length) {
      const page = await walk.next();
      if (page === null) return null;
      this.#records = page.records;
      this.#at = 0;
    }
    if (this.#left > 0) return { record: this.#pick() };
    walk.close();
    return null;
  }

  #pick(): T {
    this.#left--;
    return this.#records[this.#at++] as T;
  }
}
