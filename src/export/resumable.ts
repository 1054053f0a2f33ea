import { inputError, type Query } from "../core/call/request.js";
import { fingerprint } from "../core/fingerprint.js";
import { writeCheckpoint } from "../core/lists/checkpoint.js";
import type { PageSource } from "../core/lists/page-source.js";
import { type Page, Pages } from "../core/lists/pages.js";
import { positionOf } from "../core/lists/position.js";
import { readCheckpoint } from "../core/lists/read-checkpoint.js";
import type { Operation } from "../core/operation.js";
import { keyOf } from "../work/key.js";

/** What an export takes of a page. */
export interface ExportedPage<T> extends Pick<Page<T>, "records" | "hasNext" | "total" | "checkpoint"> {
  readonly response: Pick<Page<T>["response"], "attempts">;
}

/** Records that an export writes: a list of a client, or the caller's. */
export interface ExportSource<T> {
  readonly operation: Pick<Operation, "id" | "response">;
  /** Null for records of the caller's, which no other process can continue. */
  readonly source: PageSource | null;
  /** The same for the same list in every process: a hash of address, operation, filters and start. Holds none of them. */
  readonly identity: string;
  /** The same for the same API key in every process, and for every key function: a hash that does not give the key away. */
  readonly key: string;
  /**
   * What comes after a checkpoint, or all; null when `maxPages` leaves nothing.
   * @param pagesRead pages read before the checkpoint, which count towards `maxPages`.
   */
  after(
    checkpoint: string | null,
    pagesRead: number,
  ): { byPage(): AsyncGenerator<ExportedPage<T>, void> } | Pages<T> | null;
}

/** A list that another process may continue. */
export interface ResumableList<T> extends ExportSource<T> {
  readonly source: PageSource;
  after(checkpoint: string | null, pagesRead: number): Pages<T> | null;
}

const PAGE = 100;

/**
 * Takes what an export is given. Nothing is sent.
 * @throws InputError when the list's query or options break a rule, and when the value holds no records.
 */
export async function exportSource<T>(given: AsyncIterable<T> | Iterable<T>): Promise<ExportSource<T>> {
  if (typeof (given as { list?: unknown } | null)?.list === "function") return resumableList(given as Pages<T>);
  const method = (given as Partial<Iterable<T> & AsyncIterable<T>> | null) ?? {};
  if (typeof given !== "object" || !(method[Symbol.asyncIterator] ?? method[Symbol.iterator])) {
    const message = "must be a list of a client, such as client.accounts.list(), or an array or iterable of records";
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
  return { operation: { id: "records" }, source: null, identity: "records", key: "", after: () => ({ byPage }) };
}

/** Finds out what a list needs to be continued in another process. @throws InputError when its query or options break a rule. */
export async function resumableList<T>(pages: Pages<T>): Promise<ResumableList<T>> {
  const { source } = (pages as unknown as { list(): { readonly source: PageSource } }).list();
  const { operation, options, shape } = source;
  const { baseUrl, apiKey } = source.settings;
  const request = await source.prepare(null);
  const start = options.resume === undefined ? positionOf(request.query) : readCheckpoint(options.resume, request);
  // The size of the pages does not change which records a list has.
  const from: Query | null = start?.filter(([name]) => name !== "per_page") ?? null;
  return {
    operation,
    source,
    // What keeps records is compared by its text, as the functions of columns are.
    identity: fingerprint(
      JSON.stringify([baseUrl, writeCheckpoint(request, from), [...shape.references].sort(), ...shape.filters]),
    ),
    // The tokens of a key function change while the school stays the same.
    key: keyOf(apiKey, baseUrl, undefined, ""),
    after(checkpoint, pagesRead) {
      const maxPages = options.maxPages === undefined ? undefined : options.maxPages - pagesRead;
      if (pagesRead > 0 && maxPages !== undefined && maxPages <= 0) return null;
      const resume = checkpoint ?? options.resume;
      return new Pages<T>(source.withOptions({ ...options, resume, maxPages }));
    },
  };
}
