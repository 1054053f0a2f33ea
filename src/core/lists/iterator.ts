/// <reference lib="esnext.disposable" preserve="true" />
import { EducationAdminError } from "../errors.js";
import type { FetchedPage } from "./cursor.js";
import type { PagePrefetcher } from "./prefetcher.js";

/**
 * Iterates over a list, value by value. The members are listed here, because `AsyncIterableIterator` has only one type
 * parameter before TypeScript 5.6, which would make the return type `any`.
 */
export interface ListIterator<T> extends AsyncIterator<T, undefined> {
  /** The next value; after a failure, the next call repeats the failed request. */
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the iteration and aborts the prefetch. A `for await` loop that ends early calls this method. */
  return(): Promise<IteratorResult<T, undefined>>;
  /** The iterator itself, for `for await`. */
  [Symbol.asyncIterator](): ListIterator<T>;
  /** Ends the iteration at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void>;
}

const END = { done: true, value: undefined } as const;

/**
 * Yields the values in order, even if `next()` is called concurrently. Not an async generator, because a generator ends
 * with its first error.
 */
export class OrderedIterator<T> implements ListIterator<T> {
  readonly #open: () => Promise<PagePrefetcher>;
  readonly #valuesOf: (page: FetchedPage) => readonly T[];
  readonly #signal: AbortSignal | undefined;
  #pages: Promise<PagePrefetcher> | null = null;
  #values: readonly T[] = [];
  #at = 0;
  #last: Promise<unknown> | null = null;
  #ended = false;

  constructor(
    open: () => Promise<PagePrefetcher>,
    valuesOf: (page: FetchedPage) => readonly T[],
    signal: AbortSignal | undefined,
  ) {
    this.#open = open;
    this.#valuesOf = valuesOf;
    this.#signal = signal;
    // Bound, so that the iterator works behind a Proxy and with detached methods.
    this.next = this.next.bind(this);
    this.return = this.return.bind(this);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<T, undefined>> {
    // Fast path for a record that is already fetched: no queue and no stack trace.
    const taken = this.#last === null ? this.#take() : null;
    if (taken) return taken;
    const frames = new Error();
    const turn = this.#last ? this.#last.then(() => this.#step(frames)) : this.#step(frames);
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

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  // Does not wait for earlier calls: a page that is being fetched must be aborted, not awaited.
  async return(): Promise<IteratorResult<T, undefined>> {
    this.#ended = true;
    void this.#pages?.then(
      (pages) => pages.close(),
      () => undefined,
    );
    return END;
  }

  async #step(frames: Error): Promise<IteratorResult<T, undefined>> {
    for (;;) {
      const taken = this.#take();
      if (taken) return taken;
      try {
        if (await this.#fetch()) continue;
        this.#ended = true;
      } catch (error) {
        // If the iteration was ended during the fetch, this call returns the end instead of an error.
        if (!this.#ended) throw withCallerFrames(error, frames);
      }
    }
  }

  // Returns the next result if that needs no request: a fetched value, or the end.
  #take(): IteratorResult<T, undefined> | null {
    if (this.#ended) return END;
    if (this.#at >= this.#values.length || this.#signal?.aborted) return null;
    return { done: false, value: this.#values[this.#at++] as T };
  }

  // Fetches the next page with values. Returns false at the end of the list.
  async #fetch(): Promise<boolean> {
    this.#pages ??= this.#open().catch((error: unknown) => {
      this.#pages = null;
      throw error;
    });
    const pages = await this.#pages;
    const page = this.#ended ? null : await pages.next();
    if (page === null) return false;
    // An empty page in the middle of a list is not the end.
    this.#values = this.#valuesOf(page);
    this.#at = 0;
    return true;
  }
}

// Appends the caller's stack frames to an error: engines lose them before the request fails.
function withCallerFrames(error: unknown, { stack }: Error): unknown {
  if (!(error instanceof EducationAdminError) || typeof stack !== "string" || typeof error.stack !== "string")
    return error;
  const frames = stack.slice(stack.indexOf("\n") + 1);
  if (stack.includes("\n") && !error.stack.includes(frames)) {
    Object.defineProperty(error, "stack", { value: `${error.stack}\n${frames}`, configurable: true, writable: true });
  }
  return error;
}
