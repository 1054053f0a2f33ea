import type { WithResponse } from "../core/call/call.js";
import { type Clock, wait } from "../core/clock.js";
import { type ApiError, isEducationAdminError, NotFoundError } from "../core/errors.js";
import type { Page } from "../core/lists/pages.js";
import { type Operation, placeholders } from "../core/operation.js";
import { checkIds, otherRecord } from "../core/other-record.js";
import { fieldsOf, traitsOf, unwrap } from "../core/schema/traits.js";
import { steadyDates } from "../core/time.js";
import { allOperations, notesOf } from "../operations.js";
import type { Pace } from "../work/pace.js";
import { pauseAfter } from "../work/schedule.js";
import { zoneOf } from "../work/zone.js";
import type { Values } from "./fields.js";
import type { Fact } from "./lines.js";
import type { OpenJournal } from "./node-journal.js";
import { paramsOf, type Target } from "./target.js";
import type { RowProblem } from "./types.js";

export type BulkRecord = Values & { readonly id: number };

export const PAGE = 100;

// Number of consecutive failures after which reading gives up.
const MOST_FAILURES = 6;
// Interval for renewing a journal's claim during a pause.
const SLICE_MS = 20_000;
const PAUSES = { firstMs: 1_000, mostMs: 20_000 };
// Pause after a 429 without `Retry-After`, long enough for the repeated reads to span a whole rate-limit window.
const LIMITED_MS = 60_000;
// Caches must not answer the reads before and after a write.
const FRESH = { "cache-control": "no-cache" };

/** The reasons for a pause other than `share`: see `BulkProgress.waitingFor`. */
export type Pause = "retry" | "proof";

export type Written =
  | ({
      readonly kind: "done";
      /** Set if the response to a create names a record that existed when the plan was made. */
      readonly wasThere?: true;
    } & Pick<Fact, "id" | "version" | "differs" | "side" | "status" | "sent" | "dates" | "born">)
  /** The service may have carried out the write. `answered`: it reported success, but not the created record. */
  | { readonly kind: "lost"; readonly error: Failure; readonly answered?: true }
  /** The request got a 429 or no connection, so nothing was carried out: the row may be sent again. */
  | {
      readonly kind: "none";
      readonly error: Failure;
      readonly retryAfterMs: number | null;
      /** True if the rate limit blocks all requests. */
      readonly isLimited: boolean;
    }
  | { readonly kind: "refused"; readonly error: Failure; readonly status: number; readonly why: readonly RowProblem[] }
  /** The service answered a change with 404: there is no such record. */
  | { readonly kind: "gone"; readonly error: Failure };

export type Exchanged = WithResponse<Values | undefined>;

/** A failed request; failures with the same `like` count as equal. */
export interface Failure {
  readonly like: string;
  readonly cause: Error;
}

export interface Manners {
  /** Null while planning: the client itself then retries. */
  readonly pace: Pick<Pace, "room" | "spend" | "leave" | "countRetries"> | null;
  readonly signal?: AbortSignal | undefined;
  /** The journal, whose claim is renewed while the run only reads. */
  readonly journal?: Pick<OpenJournal, "renew">;
  /** Called when a pause begins, and with null when it ends. */
  onPause?(until: Date | null, what: Pause): void;
}

export class Service {
  readonly target: Target;
  /** Clock for the times of requests and responses, which are compared with each other. */
  readonly clock: Pick<Clock, "now">;
  protected readonly by: WayToRead["by"];
  readonly #manners: Manners;
  #room = 0;
  #zone: Promise<string | null> | null = null;
  requests = 0;

  constructor(target: Target, manners: Manners) {
    this.target = target;
    this.by = readingOf(target).by;
    this.clock = steadyDates(target.transport.settings.clock);
    this.#manners = manners;
  }

  /** The school's time zone; null if this client cannot read it. Only the first call sends a request. */
  zone(): Promise<string | null> {
    const { api } = this.target;
    const educator = allOperations.find(({ id, apis }) => id === "educators.get" && apis.includes(api));
    const read = async (row: Operation) => {
      await this.turn();
      return await this.call(row, {});
    };
    this.#zone ??= zoneOf(educator && (() => read(educator)));
    return this.#zone;
  }

  /** Waits until a number of requests can be sent without a further wait. */
  async reserve(requests: number): Promise<void> {
    await this.#manners.pace?.room(requests, this.#manners.signal);
    this.#room += requests;
  }

  leave(): void {
    this.#manners.pace?.leave(this.#room);
    this.#room = 0;
  }

  /** Waits until a request may be sent. */
  async turn(): Promise<void> {
    const { pace, signal, journal } = this.#manners;
    signal?.throwIfAborted();
    if (this.#room > 0) this.#room--;
    else await pace?.room(1, signal);
    pace?.spend();
    await journal?.renew();
  }

  /** Sends a request once; the caller has waited for `turn`. @throws the client's errors. */
  async call(row: Operation, params: Values, body?: unknown, totalTimeout?: number): Promise<Values | undefined> {
    return (await this.exchange(row, params, body, totalTimeout)).data;
  }

  protected async exchange(row: Operation, params: Values, body?: unknown, totalTimeout?: number): Promise<Exchanged> {
    const input = { params, ...(body !== undefined && { body }) };
    const fresh = row.method === "GET" && { headers: FRESH };
    const call = this.target.transport.call(row, input as never, { ...this.#options, ...fresh, totalTimeout });
    return (await this.#countAttempts(call.withResponse())) as Exchanged;
  }

  async *pages(
    row: Operation,
    params: Values,
    query: Values,
    resume?: string,
  ): AsyncGenerator<Page<BulkRecord>, void, undefined> {
    const pathParams = Object.fromEntries(placeholders(row).map((name) => [name, params[name]]));
    const input = { params: pathParams, query: { ...notesOf(row).widest, ...query } };
    const from = (checkpoint: string | undefined) => {
      const options = {
        ...this.#options,
        headers: FRESH,
        prefetch: 0,
        ...(checkpoint !== undefined && { resume: checkpoint }),
      };
      return this.target.transport.pages(row, input as never, options).byPage();
    };
    let at = resume;
    let pages = from(at);
    try {
      for (;;) {
        const next = await this.#reading(async () => {
          try {
            const page = await this.#countAttempts(pages.next() as Promise<IteratorResult<Page<BulkRecord>>>);
            checkIds(row.id, page.value?.records ?? []);
            return page;
          } catch (error) {
            pages = from(at);
            throw error;
          }
        });
        if (next.done) return;
        at = next.value.checkpoint;
        yield next.value;
        if (!next.value.hasNext) return;
      }
    } finally {
      await pages.return();
    }
  }

  /** The pages of the resource's list; none if it has no list. */
  async *listed(
    query: Values = {},
    params = this.target.params,
    resume?: string,
  ): AsyncGenerator<Page<BulkRecord>, void, undefined> {
    const { list } = this.target.rows;
    if (list) yield* this.pages(list, params, query, resume);
  }

  async one(id: number): Promise<BulkRecord | null> {
    const { get } = this.target.rows;
    if (!get) return null;
    try {
      return await this.#reading(async () => {
        const record = ((await this.call(get, paramsOf(this.target, get, id))) as BulkRecord | undefined) ?? null;
        if (record && record.id !== id) throw otherRecord(get.id, id);
        return record;
      });
    } catch (error) {
      if (error instanceof NotFoundError) return null;
      throw error;
    }
  }

  /** A record, or the error with which the service refused to return it. */
  async oneOr(id: number): Promise<BulkRecord | null | ApiError> {
    try {
      return await this.one(id);
    } catch (error) {
      if (isEducationAdminError(error, "api") && error.status !== 401) return error;
      throw error;
    }
  }

  /**
   * Reads several records by the list's filter for identifiers, or from the whole list if no other operation reads
   * them. Null if they must be read one by one.
   */
  async several(ids: readonly number[]): Promise<ReadonlyMap<number, BulkRecord> | null> {
    if (!this.target.rows.list || this.by === "one") return null;
    const wanted = new Set(ids);
    const found = new Map<number, BulkRecord>();
    for await (const { records } of this.listed(this.queryFor(ids))) {
      for (const record of records) if (wanted.has(record.id)) found.set(record.id, record);
    }
    return found;
  }

  /** The query that selects these records in the list; empty if the list has no filter for identifiers. */
  protected queryFor(ids: readonly number[]): Values {
    return this.by === "filter" ? { id: ids, per_page: PAGE } : {};
  }

  get #options() {
    return {
      priority: "batch" as const,
      ...(this.#manners.signal && { signal: this.#manners.signal }),
      // The client must not retry: each attempt of a run waits for `turn`, and a write needs a recent read.
      ...(this.#manners.pace && { retry: false as const }),
    };
  }

  // Repeats a failed read, because it proves nothing. After several failures the run ends.
  async #reading<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      await this.turn();
      try {
        return await work();
      } catch (error) {
        if (!this.#manners.pace || !isPassing(error) || failures === MOST_FAILURES) throw error;
        const isLimited = isEducationAdminError(error, "rate_limited");
        const retryAfterMs = isLimited ? (error.retryAfterMs ?? LIMITED_MS) : null;
        await this.pause(retryAfterMs ?? pauseAfter(failures, PAUSES), "retry");
      }
    }
  }

  async pause(ms: number, what: Pause): Promise<void> {
    const { clock } = this.target.transport.settings;
    const { signal, journal } = this.#manners;
    this.#manners.onPause?.(new Date(clock.now() + ms), what);
    for (let left = ms; left > 0; left -= SLICE_MS) {
      await wait(clock, Math.min(left, SLICE_MS), signal);
      await journal?.renew();
    }
    this.#manners.onPause?.(null, what);
  }

  async #countAttempts<T>(work: PromiseLike<T>): Promise<T> {
    try {
      const result = await work;
      const { response } = ((result as { value?: unknown }).value ?? result) as Partial<Page<unknown>>;
      this.#count(response?.attempts ?? 0);
      return result;
    } catch (error) {
      if (isEducationAdminError(error)) this.#count(error.attempts);
      throw error;
    }
  }

  #count(attempts: number): void {
    this.requests += attempts;
    this.#manners.pace?.countRetries(attempts);
  }
}

// True for failures of the service or a proxy that do not depend on the request, so a retry may succeed.
function isPassing(error: unknown): boolean {
  if (!isEducationAdminError(error)) return false;
  if (isEducationAdminError(error, "api")) return error.status >= 500 || error.status === 408 || error.status < 300;
  return ["rate_limited", "connection", "timeout", "response_format"].includes(error.code);
}

/** How to read records before they are changed. */
export interface WayToRead {
  /** Several at once with the list's filter, one by one, or all with the whole list. */
  readonly by: "filter" | "one" | "list";
  /** Maximum number of records read together before their changes are sent. */
  readonly changes: number;
  readonly requests: number;
}

/**
 * Maximum number of changes and creates sent at a time: the default concurrency of a client, less two for other calls.
 */
export const AT_ONCE = 8;

/** Chooses how to read a resource's records. @param pages number of pages of its whole list. */
export function readingOf({ rows: { list, get } }: Pick<Target, "rows">, pages = 1): WayToRead {
  const filter = fieldsOf(list?.query).id;
  // A filter for a single identifier would read no more than `get` does.
  const takesSeveral = filter !== undefined && traitsOf(unwrap(filter)).kind === "union";
  if (takesSeveral) return { by: "filter", changes: AT_ONCE, requests: 1 };
  if (get) return { by: "one", changes: AT_ONCE, requests: AT_ONCE };
  // Reading the whole list takes one request per page, so many changes share one reading.
  const requests = Math.max(1, pages);
  return { by: "list", changes: AT_ONCE * requests, requests };
}

/** The number of updates after which a run first reads some records again; greater if it must read the whole list. */
export function glancesFrom({ by, requests }: WayToRead): number {
  return by === "list" ? 64 * requests : FIRST_GLANCE;
}

const FIRST_GLANCE = 4;

export function readsFor({ changes, requests }: WayToRead, count: number): number {
  return changes === requests ? count : requests * Math.ceil(count / changes);
}
