import { defineMember, type RejectionReason, type ResponseInfo } from "../call/call.js";
import { inputError } from "../call/request.js";
import { explain } from "../call/words.js";
import { PaginationError } from "../errors.js";
import { linkTarget } from "../link-header.js";
import type { Operation } from "../operation.js";
import { checkNames, type Fail, whole } from "../option-checks.js";
import { type FetchedPage, PageCursor } from "./cursor.js";
import { type ListIterator, OrderedIterator } from "./iterator.js";
import { filterSource, type PageSource } from "./page-source.js";
import { PagePrefetcher } from "./prefetcher.js";
import type { Joined, JoinOptions, ReferenceOf } from "./references.js";

/**
 * The data of a page, which can pass through JSON, a store or a server function. Any process can continue the list
 * from it: `list(filters, { resume: data.checkpoint })`.
 */
export interface PageData<out T> {
  /** The records of the page, in the service's order. */
  readonly records: readonly T[];
  /**
   * True if the list continues: false on the last page and where `maxPages` ends the list. If the next page is
   * unreachable, this is true and `nextPage()` throws the reason.
   */
  readonly hasNext: boolean;
  /** Opaque cursor of the next page; null on the last page and in the deprecated page mode. */
  readonly cursor: string | null;
  /** Resumes the list after this page, in this process or another: `list(query, { resume: checkpoint })`. */
  readonly checkpoint: string;
  /**
   * Number of records in the list, from the `Total` header; null if the header is missing or impossible, or if the list
   * has a filter.
   */
  readonly total: number | null;
  /** Opaque cursor of the previous page: `list({ ...filters, cursor })` reads it. Null if the service sends none. */
  readonly previousCursor: string | null;
  /** Number of pages; null unless the service sends it, which it does in the deprecated page mode. */
  readonly pageCount: number | null;
}

/**
 * One page of a list: plain data that any serializer accepts. Its members beyond {@link PageData} are not enumerable.
 * @example
 * const page = await client.accounts.list().first();
 * console.log(page.records.length, page.hasNext);
 */
export interface Page<out T> extends PageData<T> {
  /** Number of records that the service sent: more than `records` contains if the list has a filter. Not enumerable. */
  readonly read: number;
  /** Status, headers, request id, attempts and waits. Not enumerable. */
  readonly response: ResponseInfo;
  /**
   * Fetches the next page. Calling it again returns the same page, without a second request.
   * @throws PaginationError when there is none (check `hasNext` first), and when it is unreachable.
   */
  readonly nextPage: () => Promise<Page<T>>;
  /**
   * Every record of this page, followed by those of the next pages, each fetched when it is needed.
   * @example
   * const page = await client.accounts.list();
   * for await (const account of page.rest()) console.log(account.name);
   */
  readonly rest: () => ListIterator<T>;
}

// A plain object, because frameworks' serializers refuse class instances. No member may look like an iterator or a
// stream: a serializer would then send the whole list.
function pageOf<T>(fetched: FetchedPage): Page<T> {
  const { cursor, response, next, hasNext } = fetched;
  const records = fetched.records as readonly T[];
  let following: Promise<Page<T>> | null = null;
  const nextPage = () => {
    following ??= followingPage<T>(fetched).catch((error: unknown) => {
      following = null;
      throw error;
    });
    return following;
  };
  const rest = () => recordsOf<T>(cursor.source, async () => new PagePrefetcher(cursor, fetched));
  const link = response.headers.get("link");
  const page: PageData<T> = {
    records,
    hasNext,
    cursor: next?.find(([name]) => name === "cursor")?.[1] ?? null,
    checkpoint: fetched.checkpoint(),
    total: fetched.total,
    previousCursor: linkParameter(link, "prev", "cursor"),
    pageCount: pageCountOf(link),
  };
  defineMember(page, "read", fetched.read);
  defineMember(page, "response", response);
  defineMember(page, "nextPage", nextPage);
  defineMember(page, "rest", rest);
  return page as Page<T>;
}

function pageCountOf(link: string | null): number | null {
  const count = Number(linkParameter(link, "last", "page"));
  return Number.isSafeInteger(count) && count > 0 ? count : null;
}

function linkParameter(link: string | null, relation: string, name: string): string | null {
  const target = linkTarget(link, relation);
  return target === null ? null : (URL.parse(target, "https://service.invalid")?.searchParams.get(name) ?? null);
}

async function followingPage<T>({ cursor, next, number, blocked, hasNext }: FetchedPage): Promise<Page<T>> {
  if (hasNext && blocked) throw blocked;
  const { operation, options } = cursor.source;
  if (next === null || !hasNext) {
    const { id } = operation;
    const message = await explain((words) => words.noFurtherPage());
    throw new PaginationError(`${id}: ${message}`, { operation: id });
  }
  return pageOf<T>(await cursor.fetch(next, number + 1, options.signal));
}

/**
 * A list whose pages are fetched when they are needed. It sends nothing until it is used: loop over it with `for await`
 * for every record, call `first()` or `await` it for the first page, or call `take` for the first few records. It may
 * be iterated again, from the start.
 *
 * An `async` function that returns a list resolves to its first page, because `await` and `return` treat the list as a
 * promise.
 * @throws InputError, on first use, if an argument is invalid.
 * @throws ApiError if the service responds with an error.
 * @example
 * for await (const account of client.accounts.list()) console.log(account.name);
 */
export class Pages<out T> implements AsyncIterable<T>, PromiseLike<Page<T>> {
  /** @hidden */
  constructor(source: PageSource) {
    const list: List = { source, first: null };
    // A function on the instance, because a list must work behind a Proxy. Enumerable, so that `structuredClone`, which
    // refuses functions, throws instead of turning a list into `{}`.
    Object.defineProperty(this, "list", { value: () => list, enumerable: true });
    defineMember(this, "toJSON", refuseJson);
    // Not a member, because a computed key would keep bundlers from removing the class.
    defineMember(this, Symbol.for("nodejs.util.inspect.custom"), inspectList);
  }

  then<Fulfilled = Page<T>, Rejected = never>(
    onFulfilled?: ((page: Page<T>) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: RejectionReason) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    const list = listOf(this);
    list.first ??= firstPage(list);
    return list.first.then(pageOf<T>).then(onFulfilled, onRejected);
  }

  /** Handles a failure to fetch the first page, like a promise's `catch`. */
  catch<Rejected = never>(
    onRejected?: ((reason: RejectionReason) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Page<T> | Rejected> {
    return this.then(null, onRejected);
  }

  /** Calls back once the first page has arrived or failed, like a promise's `finally`. */
  finally(onFinally?: (() => void) | null): Promise<Page<T>> {
    return this.then().finally(onFinally);
  }

  /** Fetches the first page; the same as awaiting the list. */
  first(): Promise<Page<T>> {
    return this.then();
  }

  /**
   * Number of records in the whole list, with its filters; sends one request for one record. Null if the service does
   * not report the number.
   * @throws InputError and ApiError like the list itself.
   * @example
   * console.log(await client.invoices.list({ status: ["open"] }).count());
   */
  async count(): Promise<number | null> {
    return (await PageCursor.open(listOf(this).source)).count();
  }

  /** Every record, page after page. After a failed `next()`, the next call fetches the same page again. */
  [Symbol.asyncIterator](): ListIterator<T> {
    const list = listOf(this);
    return recordsOf<T>(list.source, opener(list));
  }

  /**
   * The pages, one by one.
   * @example
   * for await (const page of client.accounts.list().byPage()) console.log(page.records.length, page.checkpoint);
   */
  byPage(): ListIterator<Page<T>> {
    const list = listOf(this);
    const { signal } = list.source.options;
    return new OrderedIterator(opener(list), (page) => [pageOf<T>(page)], signal);
  }

  /**
   * The same list, but each record also contains the records it refers to: `student` for `student_id`, null if the
   * field is null or the service has no such record. Each page costs the fewest requests possible, and records already
   * read are reused.
   * @param references names of references, each with `true`: `{ student: true }`.
   * @param options `maxAge`: milliseconds for which a record already read is reused.
   * @throws InputError when a reference or an option is wrong; ApiError when the service responds with an error.
   * @example
   * for await (const enrollment of client.enrollments.list().with({ student: true, planned_course: true })) {
   *   console.log(enrollment.student?.last_name, enrollment.planned_course?.start_date);
   * }
   */
  with<Name extends ReferenceOf<T>>(
    references: { readonly [Key in Name]: true } & { readonly [Key in ReferenceOf<T>]?: true },
    options: JoinOptions = {},
  ): Pages<Joined<T, Name>> {
    const { source } = listOf(this);
    return pagesOf(source.parts.lookups.join(source, references, options));
  }

  /**
   * All records in one array.
   * @param options `max`: maximum number of records; no more pages than needed are requested. Default: all.
   * @throws InputError when `max` is not a whole number of at least 0.
   */
  async toArray(options: { max?: number | undefined } = {}): Promise<T[]> {
    const list = listOf(this);
    checkNames(options, { max: 1 }, failuresIn(list));
    const { max } = options;
    const all: T[] = [];
    for await (const record of max === undefined ? this : upTo<T>(list, max, "max")) all.push(record);
    return all;
  }

  /**
   * The list of the records for which a function returns true. Every page is requested as before and keeps its
   * checkpoint; `page.read` is the number of its records before the filter.
   * @param predicate gets each record, including the records that an earlier `with` added to it.
   * @throws InputError when `predicate` is not a function or returns a promise, or the list comes from `take`.
   * @example
   * const owed = client.invoices.list({ status: ["open", "expired"] }).filter(({ total_open }) => /[1-9]/.test(total_open));
   * for await (const invoice of owed) console.log(invoice.number);
   */
  filter(predicate: (record: T) => boolean): Pages<T> {
    const list = listOf(this);
    const fail = failuresIn(list);
    if (typeof predicate !== "function") throw fail("predicate", "must be a function");
    if (list.source.shape.atMost < Infinity) throw fail("predicate", "must be applied before take: filter(…).take(…)");
    const keeps = (record: unknown) => {
      const kept: unknown = predicate(record as T);
      if (kept instanceof Promise) throw fail("predicate", "must return true or false, not a promise");
      return kept;
    };
    return pagesOf(filterSource(list.source, keeps, String(predicate)));
  }

  /**
   * The list of the first records; requests no more than needed.
   * @param count maximum number of records. With 0, nothing is requested; the checkpoint of the empty page leads to the
   * start of the list, or to the place where the list was resumed.
   * @throws InputError when `count` is not a whole number of at least 0.
   * @example
   * for await (const account of client.accounts.list().take(7)) console.log(account.name);
   */
  take(count: number): Pages<T> {
    return upTo<T>(listOf(this), count, "count");
  }
}

// Otherwise `JSON.stringify` would write `{}` instead of the records.
function refuseJson(this: Pages<unknown>): never {
  const { id } = operationOf(this);
  throw new TypeError(
    `${id}: a list holds no data yet. Await it for the first page, or call toArray() for its records`,
  );
}

function inspectList(this: Pages<unknown>): string {
  return `Pages { <${operationOf(this).id}: loop over it, or await it for the first page> }`;
}

// Outside the class, because the build would rename a class that refers to itself.
function pagesOf<T>(source: PageSource): Pages<T> {
  return new Pages<T>(source);
}

// Not a member: a private one would make the lists of two copies of this package different types.
function listOf(pages: Pages<unknown>): List {
  return (pages as unknown as { list: () => List }).list();
}

/** @internal */
export function operationOf(pages: Pages<unknown>): Operation {
  return listOf(pages).source.operation;
}

interface List {
  readonly source: PageSource;
  /** The promise of the first page, if it was awaited and no iteration has used it yet. */
  first: Promise<FetchedPage> | null;
}

async function firstPage(list: List): Promise<FetchedPage> {
  const { source } = list;
  try {
    const cursor = await PageCursor.open(source);
    const { start } = cursor;
    return start === null ? cursor.emptyPage : await cursor.fetch(start, 1, source.options.signal);
  } catch (error) {
    list.first = null;
    throw error;
  }
}

// If the list was awaited, the first iteration reuses the page that it returned.
function opener(list: List): () => Promise<PagePrefetcher> {
  const { source, first: awaited } = list;
  list.first = null;
  return async () => {
    const first = (await awaited?.catch(() => null)) ?? null;
    return new PagePrefetcher(first?.cursor ?? (await PageCursor.open(source)), first);
  };
}

function recordsOf<T>({ options }: PageSource, open: () => Promise<PagePrefetcher>): ListIterator<T> {
  const records = ({ records }: FetchedPage) => records as readonly T[];
  return new OrderedIterator(open, records, options.signal);
}

function upTo<T>(list: List, count: number, name: string): Pages<T> {
  const { source } = list;
  whole(0)(name, count, failuresIn(list));
  return pagesOf<T>(source.derive({ atMost: Math.min(count, source.shape.atMost) }));
}

function failuresIn({ source }: List): Fail {
  return (path, message) => inputError(source.operation.id, [{ path, message }]);
}
