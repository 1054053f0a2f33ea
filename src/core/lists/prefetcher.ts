import { onAbort } from "../abort.js";
import type { Query } from "../call/request.js";
import type { ListOptions } from "../options.js";
import type { FetchedPage, PageCursor } from "./cursor.js";

/** Returns the pages of a list, and fetches some ahead. After a failure, the next call fetches the same page again. */
export class PagePrefetcher {
  readonly #cursor: PageCursor;
  readonly #options: ListOptions;
  readonly #ahead: Promise<FetchedPage>[] = [];
  #position: Query | null;
  #blocked: FetchedPage["blocked"] = null;
  #number = 1;
  #fetching: AbortController | null = null;
  #closed = false;

  /** @param first a page that was already fetched: it is returned first, then the pages after it. */
  constructor(cursor: PageCursor, first: FetchedPage | null) {
    this.#cursor = cursor;
    this.#options = cursor.source.options;
    this.#position = cursor.start;
    if (!first) return;
    this.#advance(first);
    this.#ahead.push(Promise.resolve(first));
  }

  /** The next page, or null at the end. Must not be called while an earlier call is pending. */
  async next(): Promise<FetchedPage | null> {
    const { signal } = this.#options;
    if (signal?.aborted) {
      this.close();
      throw signal.reason;
    }
    const page = this.#ahead.shift() ?? this.#fetch();
    if (!page) {
      if (this.#blocked && this.#isWanted) throw this.#blocked;
      return null;
    }
    const fetched = await page;
    this.#fill();
    return fetched;
  }

  close(): void {
    this.#closed = true;
    this.#ahead.length = 0;
    this.#fetching?.abort(new Error("the iteration has ended"));
  }

  // Fetches one page at a time, because only the link on a page leads to the next.
  #fill(): void {
    const { signal, prefetch = 1 } = this.#options;
    // An observer of the `page` event may have aborted the list.
    if (this.#fetching || this.#ahead.length >= prefetch || signal?.aborted) return;
    const page = this.#fetch();
    if (!page) return;
    this.#ahead.push(page);
    // `next` reports a failure when it reaches that page.
    page.then(
      () => this.#fill(),
      () => undefined,
    );
  }

  #fetch(): Promise<FetchedPage> | null {
    const { signal } = this.#options;
    if (this.#position === null || !this.#isWanted) return null;
    const stop = new AbortController();
    const unlisten = onAbort(signal, () => stop.abort(signal?.reason));
    this.#fetching = stop;
    return this.#cursor
      .fetch(this.#position, this.#number, stop.signal)
      .then((page) => {
        this.#advance(page);
        return page;
      })
      .finally(() => {
        unlisten();
        this.#fetching = null;
      });
  }

  get #isWanted(): boolean {
    const { maxPages = Number.POSITIVE_INFINITY } = this.#options;
    return !this.#closed && this.#number <= maxPages;
  }

  #advance(page: FetchedPage): void {
    this.#blocked = page.blocked;
    this.#position = page.next;
    this.#number = page.number + 1;
  }
}
