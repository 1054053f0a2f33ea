import { inputError, type Query } from "../core/call/request.js";
import { fingerprint } from "../core/fingerprint.js";
import { keyOf } from "../core/key.js";
import { readCheckpoint, writeCheckpoint } from "../core/lists/checkpoint.js";
import type { PageSource } from "../core/lists/page-source.js";
import { Pages } from "../core/lists/pages.js";
import { positionOf } from "../core/lists/position.js";
import type { Operation } from "../core/operation.js";

/** A list that another process may continue. */
export interface ResumableList<T> {
  readonly operation: Operation;
  readonly source: PageSource;
  /** The signal of the caller who made the list. */
  readonly signal: AbortSignal | undefined;
  /** Names of the records that `with` adds to each one. */
  readonly references: readonly string[];
  /** The same for the same list in every process: a hash of address, operation, filters and start. Holds none of them. */
  readonly identity: string;
  /** The same for the same API key in every process, and for every key function: a hash that does not give the key away. */
  readonly key: string;
  /**
   * The list after a checkpoint, or from its start; null when `maxPages` leaves none.
   * @param pagesRead pages read before the checkpoint, which count towards `maxPages`.
   */
  after(checkpoint: string | null, pagesRead: number): Pages<T> | null;
}

/**
 * Finds out what a list needs to be continued in another process. Nothing is sent.
 * @throws InputError when the list's query or options break a rule, and when the value is not a list of a client.
 */
export function resumableList<T>(pages: Pages<T>): ResumableList<T> {
  const { list } = (pages ?? {}) as unknown as { list?: () => { readonly source: PageSource } };
  if (typeof list !== "function") {
    throw inputError("list", [{ path: "", message: "must be a list of a client, such as client.accounts.list()" }]);
  }
  const { source } = list();
  const { operation, options, references } = source;
  const { baseUrl, apiKey } = source.settings;
  const request = source.prepare(null);
  const start = options.resume === undefined ? positionOf(request.query) : readCheckpoint(options.resume, request);
  // The size of the pages does not change which records a list has.
  const from: Query | null = start?.filter(([name]) => name !== "per_page") ?? null;
  return {
    operation,
    source,
    signal: options.signal,
    references,
    // What keeps records is compared by its text, as the functions of columns are.
    identity: fingerprint(
      JSON.stringify([baseUrl, writeCheckpoint(request, from), [...references].sort(), ...source.filters]),
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
