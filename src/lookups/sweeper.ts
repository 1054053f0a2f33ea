import type { Clock } from "../core/clock.js";
import {
  ApiError,
  NotFoundError,
  PaginationError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
} from "../core/errors.js";
import { linkTarget } from "../core/link-header.js";
import type { Page, Pages } from "../core/lists/pages.js";
import type { Operation } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import { otherRecord } from "../core/other-record.js";
import { fieldsOf } from "../core/schema/traits.js";
import { agingMomentOf } from "../core/time.js";
import { type Identified, type KnownRecords, MOST_RECORDS, type Moment } from "./known-records.js";
import { cheapest, type ReadFacts, type ReadPlan } from "./plan.js";
import type { Writes } from "./writes.js";

/** The operations that read one resource. */
export interface RecordSource {
  /** The name of the resource, such as `accounts` or `organization.contacts`. */
  readonly resource: string;
  /** Null if no operation lists the records. */
  readonly row: Operation | null;
  list(query: Readonly<Record<string, unknown>>, options: ListOptions): Pages<Identified>;
  /** Null if no operation reads a single record. */
  readonly get: ((id: number, options: RequestOptions) => PromiseLike<Identified | null>) | null;
  readonly writes: Writes;
  readonly pageSize: number;
}

export interface Wanted {
  readonly ids: readonly number[];
  /** Records read before this time are read again. */
  readonly oldest: number;
  readonly options: RequestOptions;
}

interface Reading extends Wanted {
  /** Identifiers still to be read. Updated after each page, because recomputing them would be slower than reading. */
  readonly open: Set<number>;
}

/** A list that is being read. */
interface Sweep {
  readonly page: Page<Identified>;
  readonly number: number;
  /** Number of pages of the list; undefined if the service does not report it. */
  readonly last: number | undefined;
  readonly begun: Moment;
  /** Number of wanted records on the last page read. */
  readonly hits: number;
}

/** Parallel requests are limited to an eighth of those sent so far, of which at most this many count. */
const MOST_PACED = 80;

/** Reads records of one resource by identifier in the fewest requests: one by one, by a filter, or with the list. */
export class Sweeper {
  readonly #source: RecordSource;
  readonly #known: KnownRecords;
  readonly #clock: Clock;
  #sweep: Sweep | null = null;
  /** When the last complete reading of the list began: records that it did not find are not in the list. */
  #swept: Moment | null = null;
  #failedAt: number | null = null;
  /** True while the service accepts page numbers; then the list's length is known. */
  #isNumbered: boolean;
  /** Number of requests for single records or with the filter since the list was last read completely. */
  #spent = 0;
  #ignoresFilter = false;
  #options: RequestOptions = {};

  constructor(source: RecordSource, known: KnownRecords, clock: Clock) {
    this.#source = source;
    this.#known = known;
    this.#clock = clock;
    this.#isNumbered = source.row?.paged === "cursor+page";
  }

  /**
   * Reads the records that are not yet known. No other call may read until this one has called `release` or has ended.
   * @param release called once the list is no longer needed.
   */
  async read(given: Wanted, release: () => void): Promise<void> {
    const missing = this.#missing(given);
    if (missing.length === 0) return;
    const wanted: Reading = { ...given, open: new Set(missing) };
    this.#options = wanted.options;
    const { get, writes } = this.#source;
    // Discards the partly read list if its first pages are older than maxAge, or if records already read may have
    // changed and cannot be read individually.
    if (
      this.#sweep &&
      (this.#sweep.begun.at < wanted.oldest || (!get && this.#known.wrote(missing, this.#sweep.begun)))
    ) {
      this.#sweep = null;
      this.#spent = 0;
    }
    if (!get && this.#isSwept(missing, wanted.oldest)) return this.#known.keepAbsent(missing, writes.count);
    await this.#readOn(wanted);
    if (this.#unread(wanted).length > 0 && (await this.#plan(wanted)).strategy === "list") await this.#readList(wanted);
    // Reads the rest individually, because lists leave out some records, such as canceled enrollments.
    const paced = this.#unmeasured !== null;
    if (!paced && get) release();
    await this.#readDirectly(wanted, paced);
    if (!get && this.#ignoresFilter && this.#missing(wanted).length > 0) await this.#readList(wanted);
  }

  /** The cost of reading these records. If it depends on the list's length, the list's first page is read and kept. */
  async plan(wanted: Wanted): Promise<ReadPlan> {
    this.#options = wanted.options;
    const open = new Set(this.#missing(wanted));
    return open.size === 0 ? { strategy: "single", requests: 0 } : this.#plan({ ...wanted, open });
  }

  // If the last page contained several wanted records, the next one probably does too: lists of related records
  // often share an order.
  async #readOn(wanted: Reading): Promise<void> {
    if (!this.#source.get || this.#filters) return;
    for (let at = this.#sweep; at?.page.hasNext && at.hits > 1; at = this.#sweep) {
      if (wanted.open.size < 2) return;
      await this.#readPage(at, wanted);
    }
  }

  async #plan(wanted: Reading): Promise<ReadPlan> {
    const known = cheapest(this.#facts(wanted));
    if (known) return known;
    await this.#readPage(null, wanted);
    return cheapest(this.#facts(wanted)) as ReadPlan;
  }

  #facts(wanted: Wanted): ReadFacts {
    const { row, get } = this.#source;
    const missing = this.#unread(wanted);
    const left = this.#pagesLeft;
    const tooLong = (left ?? 0) * this.#source.pageSize > MOST_RECORDS;
    const isOfNoUse = row === null || this.#isSwept(missing, wanted.oldest) || this.#isFailing(wanted.oldest);
    return {
      missing: missing.length,
      spent: this.#spent,
      single: get !== null,
      filter: this.#filters,
      pageSize: this.#source.pageSize,
      pages: isOfNoUse || (tooLong && get !== null) ? undefined : left,
    };
  }

  get #pagesLeft(): number | null | undefined {
    if (!this.#sweep) return null;
    const { page, last, number } = this.#sweep;
    if (!page.hasNext) return 0;
    return last === undefined ? undefined : last - number;
  }

  /** The list that is being read, if its length is unknown and fewer than `MOST_RECORDS` of its records were read. */
  get #unmeasured(): Sweep | null {
    const sweep = this.#sweep;
    if (!sweep?.page.hasNext || sweep.last !== undefined) return null;
    return sweep.number * this.#source.pageSize < MOST_RECORDS ? sweep : null;
  }

  get #filters(): boolean {
    const { row } = this.#source;
    return row !== null && !this.#ignoresFilter && "id" in fieldsOf(row.query);
  }

  #isSwept(ids: readonly number[], oldest: number): boolean {
    return this.#swept !== null && this.#swept.at >= oldest && !this.#known.wrote(ids, this.#swept);
  }

  #isFailing(oldest: number): boolean {
    return this.#failedAt !== null && this.#failedAt >= oldest;
  }

  #missing({ ids, oldest }: Wanted): number[] {
    return this.#known.missing(ids, oldest);
  }

  #unread(wanted: Wanted): number[] {
    return this.#known.unread(this.#missing(wanted), wanted.options);
  }

  async #readPage(sweep: Sweep | null, { open, oldest }: Reading): Promise<void> {
    const { get, writes } = this.#source;
    const begun = { at: agingMomentOf(this.#clock), writes: writes.count };
    try {
      const page = await (sweep ? sweep.page.nextPage() : this.#firstPage());
      this.#known.keep(page.records, begun.writes);
      let hits = 0;
      for (const record of page.records) {
        const id = Number(record?.id);
        if (open.has(id) && this.#known.missing([id], oldest).length === 0) hits += Number(open.delete(id));
      }
      const number = (sweep?.number ?? 0) + 1;
      this.#sweep = { last: lastPage(page), begun, ...sweep, page, number, hits };
    } catch (error) {
      // The error is ignored, because other ways of reading may still find the records.
      if (this.#options.signal?.aborted || !(get || this.#filters) || !isOfPage(error)) throw error;
      this.#sweep = null;
      this.#failedAt = begun.at;
    }
  }

  async #firstPage(): Promise<Page<Identified>> {
    const turn = () => this.#options;
    // Getters, because a page may be read for a different call, whose signal and priority then apply.
    const options: ListOptions = {
      ...turn(),
      get signal() {
        return turn().signal;
      },
      get priority() {
        return turn().priority;
      },
    };
    const read = (query: object) => this.#source.list({ ...query, per_page: this.#source.pageSize }, options).first();
    if (!this.#isNumbered) return read({});
    return read({ page: 1 }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      this.#isNumbered = false;
      return read({});
    });
  }

  async #readList(wanted: Reading): Promise<void> {
    if (!this.#sweep) await this.#readPage(null, wanted);
    for (let at = this.#sweep; at?.page.hasNext; at = this.#sweep) {
      if (wanted.open.size === 0) return;
      await this.#readPage(at, wanted);
    }
    const { get, writes } = this.#source;
    const shown = this.#sweep?.begun.writes ?? writes.count;
    this.#endSweep();
    if (!get) this.#known.keepAbsent(this.#missing(wanted), shown);
  }

  #endSweep(): void {
    if (!this.#sweep) return;
    this.#swept = this.#sweep.begun;
    this.#sweep = null;
    this.#spent = 0;
  }

  // If the length of the list is unknown, reading alternates between the list and single records. That takes at most
  // about twice as many requests as the cheaper of the two ways.
  async #readDirectly(wanted: Reading, paced: boolean): Promise<void> {
    const { get, pageSize } = this.#source;
    const ids = this.#missing(wanted);
    // Identifiers before `tried` have been read or requested individually; those before `filtered`, with the filter.
    // Checking all of them before each request would take longer than the requests.
    let tried = 0;
    let filtered = 0;
    for (;;) {
      const next = this.#nextMissing(ids, tried, 1, wanted);
      if (next.ids.length === 0) return;
      tried = next.end - 1;
      const sweep = paced ? this.#unmeasured : null;
      if (sweep && sweep.number <= this.#spent) {
        await this.#readPage(sweep, wanted);
        continue;
      }
      const unfiltered = this.#nextMissing(ids, filtered, this.#filters ? pageSize : 0, wanted);
      if (unfiltered.ids.length > (get ? 1 : 0)) {
        filtered = unfiltered.end;
        await this.#readFiltered(unfiltered.ids, wanted);
      } else {
        // Reads only a few records in parallel, because the list may soon end and contain the rest.
        const most = sweep ? Math.ceil(Math.min(this.#spent + 1, MOST_PACED) / 8) : ids.length;
        const singly = this.#nextMissing(ids, tried, most, wanted);
        tried = singly.end;
        await this.#readSingly(singly.ids, wanted);
      }
    }
  }

  /** Finds up to `most` missing identifiers from `start` on; `end` is the position after the last that was checked. */
  #nextMissing(
    ids: readonly number[],
    start: number,
    most: number,
    { oldest }: Wanted,
  ): { readonly ids: readonly number[]; readonly end: number } {
    const found: number[] = [];
    let end = start;
    for (; end < ids.length && found.length < most; end++) {
      const id = ids[end] as number;
      if (this.#known.missing([id], oldest).length > 0) found.push(id);
    }
    return { ids: found, end };
  }

  async #readFiltered(ids: readonly number[], { oldest, options }: Wanted): Promise<void> {
    const { get, writes } = this.#source;
    const { count } = writes;
    this.#spent++;
    const page = await this.#source.list({ id: ids, per_page: this.#source.pageSize }, options).first();
    this.#known.keep(page.records, count);
    this.#ignoresFilter ||= page.records.some((record) => !ids.includes(Number(record?.id)));
    if (!get && !this.#ignoresFilter) this.#known.keepAbsent(this.#known.missing(ids, oldest), count);
  }

  async #readSingly(ids: readonly number[], { oldest, options }: Wanted): Promise<void> {
    const { resource, get, writes } = this.#source;
    if (!get) return;
    const read = async (id: number) => {
      const { count } = writes;
      this.#spent++;
      try {
        const record = await get(id, options);
        if (!record) return;
        // Undocumented: an identifier may be text.
        if (Number(record.id) !== id) throw otherRecord(`${resource}.get`, id);
        this.#known.keep([record], count);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        this.#known.keepAbsent([id], count);
      }
    };
    await Promise.all(ids.map((id) => this.#known.readOnce(id, oldest, options, () => read(id))));
  }
}

// True if the service may have refused only the page number: it may still accept cursors.
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && ![401, 403, 429].includes(error.status);
}

// True if the error may concern only this page, for example a record that the service cannot render.
function isOfPage(error: unknown): boolean {
  if (error instanceof ApiError) return error.status >= 500 || [400, 410, 422].includes(error.status);
  return [PaginationError, RequestTimeoutError, ResponseFormatError, ResponseValidationError].some(
    (kind) => error instanceof kind,
  );
}

function lastPage({ response }: Page<unknown>): number | undefined {
  const target = linkTarget(response.headers.get("link"), "last");
  return Number(/[?&]page=(\d+)/.exec(target ?? "")?.[1]) || undefined;
}
