import { inputError, type Query } from "../core/call/request.js";
import { fingerprint } from "../core/fingerprint.js";
import { writeCheckpoint } from "../core/lists/checkpoint.js";
import type { PageSource } from "../core/lists/page-source.js";
import { type Page, Pages } from "../core/lists/pages.js";
import { positionOf } from "../core/lists/position.js";
import { readCheckpoint } from "../core/lists/read-checkpoint.js";
import type { Operation } from "../core/operation.js";
import { keyOf } from "../work/key.js";
import { jobOf } from "../work/same.js";

export interface ExportedPage<T> extends Pick<Page<T>, "records" | "hasNext" | "total" | "checkpoint"> {
  readonly response: Pick<Page<T>["response"], "attempts">;
}

/** The source of the records: the result of a client's list method, or the caller's own records. */
export interface ExportSource<T> {
  readonly operation: Pick<Operation, "id" | "response">;
  /** Null for the caller's records, which another process cannot continue. */
  readonly source: PageSource | null;
  /** Hash of the list's address, operation, filters and start, the same in every process. Reveals none of them. */
  readonly identity: string;
  /** Hash of the filters as they apply today; "" if they do not depend on the day. */
  readonly today: string;
  /** Hash of the API key, the same in every process; all key functions share one. Does not reveal the key. */
  readonly key: string;
  /**
   * The pages after a checkpoint, or all pages; null if `maxPages` leaves none.
   * @param pagesRead pages read before the checkpoint; they count towards `maxPages`.
   */
  after(
    checkpoint: string | null,
    pagesRead: number,
  ): { byPage(): AsyncGenerator<ExportedPage<T>, void> } | Pages<T> | null;
}

export interface ResumableList<T> extends ExportSource<T> {
  readonly source: PageSource;
  after(checkpoint: string | null, pagesRead: number): Pages<T> | null;
}

const PAGE = 100;

/**
 * Prepares the records of an export. Sends nothing.
 * @throws InputError if the list's query or options are invalid, or the value is neither a list nor iterable.
 */
export async function exportSource<T>(given: AsyncIterable<T> | Iterable<T>): Promise<ExportSource<T>> {
  if (typeof (given as { list?: unknown } | null)?.list === "function") return resumableList(given as Pages<T>);
  const method = (given as Partial<Iterable<T> & AsyncIterable<T>> | null) ?? {};
  if (typeof given !== "object" || !(method[Symbol.asyncIterator] ?? method[Symbol.iterator])) {
    const message =
      "must be the result of a list method of a client, such as client.accounts.list(), or an array or iterable of records";
    throw inputError("records", [{ path: "", message }]);
  }
  const total = Array.isArray(given) ? given.length : null;
  const pageOf = (records: readonly T[], hasNext: boolean) => ({
    records,
    hasNext,
    total,
    checkpoint: "",
    response: { attempts: 1 },
  });
  async function* byPage(): AsyncGenerator<ExportedPage<T>, void> {
    let page: T[] = [];
    for await (const record of given) {
      if (page.length === PAGE) {
        yield pageOf(page, true);
        page = [];
      }
      page.push(record);
    }
    yield pageOf(page, false);
  }
  return {
    operation: { id: "records" },
    source: null,
    identity: "records",
    today: "",
    key: "",
    after: () => ({ byPage }),
  };
}

/** Prepares a list so that another process can continue it. @throws InputError if its query or options are invalid. */
export async function resumableList<T>(pages: Pages<T>): Promise<ResumableList<T>> {
  const { source } = (pages as unknown as { list(): { readonly source: PageSource } }).list();
  const { operation, options, shape } = source;
  const { baseUrl, apiKey } = source.settings;
  const request = await source.prepare(null);
  const start = options.resume === undefined ? positionOf(request.query) : readCheckpoint(options.resume, request);
  // Leaves out the page size, which does not affect the list's records.
  const from: Query | null = start?.filter(([name]) => name !== "per_page") ?? null;
  // Filter functions are compared by their source text, like the functions of columns.
  const { written, today } = jobOf(shape.filters);
  return {
    operation,
    source,
    identity: fingerprint(
      JSON.stringify([baseUrl, writeCheckpoint(request, from), [...shape.references].sort(), ...written]),
    ),
    today,
    // Leaves out the tokens of a function as `apiKey`: they change while the school stays the same.
    key: keyOf(apiKey, baseUrl, undefined, ""),
    after(checkpoint, pagesRead) {
      const maxPages = options.maxPages === undefined ? undefined : options.maxPages - pagesRead;
      if (pagesRead > 0 && maxPages !== undefined && maxPages <= 0) return null;
      const resume = checkpoint ?? options.resume;
      return new Pages<T>(source.withOptions({ ...options, resume, maxPages }));
    },
  };
}
