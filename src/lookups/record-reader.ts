import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import {
  ApiError,
  NotFoundError,
  PaginationError,
  RequestTimeoutError,
  ResponseFormatError,
  ResponseValidationError,
} from "../core/errors.js";
import type { Page, Pages } from "../core/lists/pages.js";
import { linkTarget } from "../core/lists/position.js";
import type { Operation } from "../core/operation.js";
import type { ListOptions, RequestOptions } from "../core/options.js";
import { fieldsOf } from "../core/validation/traits.js";
import { cheapest, PAGE_SIZE, type ReadFacts, type ReadPlan } from "./plan.js";
import type { Writes } from "./writes.js";

/** A record that others refer to. */
export interface Identified {
  readonly id: number;
}

/** The operations that read the records of one resource. */
export interface RecordSource {
  /** The row of the list; null where there is none. */
  readonly row: Operation | null;
  list(query: Readonly<Record<string, unknown>>, options: ListOptions): Pages<Identified>;
  /** Null where there is no operation for one record. */
  readonly get: ((id: number, options: RequestOptions) => PromiseLike<Identified>) | null;
  /** The client's writes to the resource. */
  readonly writes: Writes;
}

/** How far what was read counts: until it is too old, and until the client writes. */
interface Moment {
  readonly at: number;
  /** Writes of the client that had ended before it was asked for. */
  readonly writes: number;
}

interface Known extends Moment {
  readonly record: Identified | null;
}

/** A list that is being read. */
interface Sweep {
  readonly page: Page<Identified>;
  readonly number: number;
  /** Pages of the list; undefined where the service does not say. */
  readonly last: number | undefined;
  /** When its first page was read. */
  readonly begun: Moment;
  /** How many records the page held that were needed when it was read. */
  readonly hits: number;
}

/** Most records that are kept. */
const MOST_RECORDS = 100_000;

/** From so many requests on, no more records are read at the same time where the length of the list is not known. */
const MOST_PACED = 80;

/** Reads records of one resource by identifier in the fewest requests, and keeps them for a while. */
export class RecordReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;
  readonly #known = new Map<number, Known>();
  #sweep: Sweep | null = null;
  /** When the list that was last read to its end was begun: what it did not hold is not worth another reading. */
  #swept: Moment | null = null;
  /** When a page of the list last failed. */
  #failedAt: number | null = null;
  /** Whether the service takes page numbers, which tell how long a list is. */
  #isNumbered: boolean;
  /** Requests for records one by one or by the filter since a list was read to its end. */
  #spent = 0;
  /** Reads of one resource follow each other: the second finds what the first has read. */
  #turn: Promise<unknown> = Promise.resolve();
  /** The options of the caller whose turn it is. */
  #options: RequestOptions = {};

  constructor(source: RecordSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#isNumbered = source.row?.paged === "cursor+page";
  }

  /**
   * Reads records; null for those that the service does not give.
   * @param maxAge milliseconds for which a record that was read before counts, unless the client has written it since.
   */
  read(
    ids: readonly number[],
    maxAge: number,
    options: RequestOptions,
  ): Promise<ReadonlyMap<number, Identified | null>> {
    return this.#inTurn(options, async () => {
      const oldest = this.#clock.now() - maxAge;
      const wanted = [...new Set(ids)];
      await this.#readMissing(wanted, oldest);
      const found = wanted.map((id) => [id, this.#known.get(id)?.record ?? null] as const);
      this.#shrink();
      return new Map(found);
    });
  }

  /** What reading these records would cost. Where that depends on the list's length, its first page is read and kept. */
  plan(ids: readonly number[], options: RequestOptions): Promise<ReadPlan> {
    return this.#inTurn(options, async () => {
      const wanted = [...new Set(ids)];
      if (this.#missing(wanted, Number.NEGATIVE_INFINITY).length === 0) return { strategy: "single", requests: 0 };
      return this.#plan(wanted, Number.NEGATIVE_INFINITY);
    });
  }

  #inTurn<T>(options: RequestOptions, work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const own = raceAbort(before, options.signal).then(() => {
      this.#options = options;
      return work();
    });
    // What they give must not be kept until the next turn.
    this.#turn = Promise.allSettled([before, own]).then(() => undefined);
    return own;
  }

  async #readMissing(wanted: readonly number[], oldest: number): Promise<void> {
    const missing = this.#missing(wanted, oldest);
    if (missing.length === 0) return;
    for (const id of missing) this.#known.delete(id);
    const { get } = this.#source;
    // What its first pages held is too old by now, or would be missing from the rest.
    if (this.#sweep && (this.#sweep.begun.at < oldest || (!get && this.#wrote(missing, this.#sweep.begun)))) {
      this.#sweep = null;
      this.#spent = 0;
    }
    if (!get && this.#isSwept(missing, oldest)) return this.#keepAbsent(missing, this.#source.writes.count);
    await this.#readOn(wanted, oldest);
    const { strategy } = await this.#plan(wanted, oldest);
    if (strategy === "list") await this.#readList(wanted, oldest);
    // Lists leave records out that can be read, such as canceled ones.
    await this.#readDirectly(wanted, oldest);
  }

  // A page that held several of the records needed cost less than these one by one, and so will the next: lists that
  // refer to each other often have the same order.
  async #readOn(wanted: readonly number[], oldest: number): Promise<void> {
    if (!this.#source.get || this.#filters) return;
    for (let at = this.#sweep; at?.page.hasNext && at.hits > 1; at = this.#sweep) {
      if (this.#missing(wanted, oldest).length < 2) return;
      await this.#readPage(at, wanted, oldest);
    }
  }

  async #plan(wanted: readonly number[], oldest: number): Promise<ReadPlan> {
    const known = cheapest(this.#facts(wanted, oldest));
    if (known) return known;
    await this.#readPage(null, wanted, oldest);
    return cheapest(this.#facts(wanted, oldest)) as ReadPlan;
  }

  #facts(wanted: readonly number[], oldest: number): ReadFacts {
    const { row, get } = this.#source;
    const missing = this.#missing(wanted, oldest);
    const left = this.#pagesLeft;
    const tooLong = (left ?? 0) * PAGE_SIZE > MOST_RECORDS;
    const isOfNoUse = row === null || this.#isSwept(missing, oldest) || this.#isFailing(oldest);
    return {
      missing: missing.length,
      spent: this.#spent,
      single: get !== null,
      filter: this.#filters,
      pages: isOfNoUse || (tooLong && get !== null) ? undefined : left,
    };
  }

  /** Pages of the list that were not read yet; null before the first, undefined where the service does not say. */
  get #pagesLeft(): number | null | undefined {
    if (!this.#sweep) return null;
    const { page, last, number } = this.#sweep;
    if (!page.hasNext) return 0;
    return last === undefined ? undefined : last - number;
  }

  /** The list that is being read, where its length is not known and more of it may be kept. */
  get #unmeasured(): Sweep | null {
    const sweep = this.#sweep;
    if (!sweep?.page.hasNext || sweep.last !== undefined) return null;
    return sweep.number * PAGE_SIZE < MOST_RECORDS ? sweep : null;
  }

  get #filters(): boolean {
    const { row } = this.#source;
    return row !== null && "id" in fieldsOf(row.query);
  }

  #isSwept(ids: readonly number[], oldest: number): boolean {
    return this.#swept !== null && this.#swept.at >= oldest && !this.#wrote(ids, this.#swept);
  }

  #isFailing(oldest: number): boolean {
    return this.#failedAt !== null && this.#failedAt >= oldest;
  }

  #wrote(ids: readonly number[], { writes }: Moment): boolean {
    return ids.some((id) => this.#source.writes.wrote(id, writes));
  }

  #missing(wanted: readonly number[], oldest: number): number[] {
    return wanted.filter((id) => {
      const known = this.#known.get(id);
      return !known || known.at < oldest || this.#wrote([id], known);
    });
  }

  /** Reads the first page of the list, or the one after those that were read. */
  async #readPage(sweep: Sweep | null, wanted: readonly number[], oldest: number): Promise<void> {
    const { get, writes } = this.#source;
    const begun = { at: this.#clock.now(), writes: writes.count };
    try {
      const page = await (sweep ? sweep.page.next() : this.#firstPage());
      const before = this.#missing(wanted, oldest).length;
      this.#keep(page.records, begun.writes);
      const hits = before - this.#missing(wanted, oldest).length;
      const number = (sweep?.number ?? 0) + 1;
      this.#sweep = { last: lastPage(page), begun, ...sweep, page, number, hits };
    } catch (error) {
      // Other ways may still lead to the records.
      if (!(get || this.#filters) || !isOfPage(error)) throw error;
      this.#sweep = null;
      this.#failedAt = begun.at;
    }
  }

  async #firstPage(): Promise<Page<Identified>> {
    const turn = () => this.#options;
    // Each page is read for the caller who needs it, and ends with that caller's abort only.
    const options: ListOptions = {
      ...turn(),
      get signal() {
        return turn().signal;
      },
      get priority() {
        return turn().priority;
      },
    };
    const read = (query: object) => this.#source.list({ ...query, per_page: PAGE_SIZE }, options).first();
    if (!this.#isNumbered) return read({});
    return read({ page: 1 }).catch((error: unknown) => {
      if (!isRefusal(error)) throw error;
      this.#isNumbered = false;
      return read({});
    });
  }

  async #readList(wanted: readonly number[], oldest: number): Promise<void> {
    if (!this.#sweep) await this.#readPage(null, wanted, oldest);
    for (let at = this.#sweep; at?.page.hasNext; at = this.#sweep) {
      if (this.#missing(wanted, oldest).length === 0) return;
      await this.#readPage(at, wanted, oldest);
    }
    const { get, writes } = this.#source;
    const shown = this.#sweep?.begun.writes ?? writes.count;
    this.#endSweep();
    if (!get) this.#keepAbsent(this.#missing(wanted, oldest), shown);
  }

  #endSweep(): void {
    if (!this.#sweep) return;
    this.#swept = this.#sweep.begun;
    this.#sweep = null;
    this.#spent = 0;
  }

  // Where the length of the list is not known, a page of it is read for each other request: together they take about twice
  // the requests of the list at most, and twice those of the records by themselves.
  async #readDirectly(wanted: readonly number[], oldest: number): Promise<void> {
    const tried = new Set<number>();
    const filtered = new Set<number>();
    for (;;) {
      const missing = this.#missing(wanted, oldest).filter((id) => !tried.has(id));
      if (missing.length === 0) return;
      const sweep = this.#unmeasured;
      const unfiltered = this.#filters ? missing.filter((id) => !filtered.has(id)).slice(0, PAGE_SIZE) : [];
      if (sweep && sweep.number <= this.#spent) {
        await this.#readPage(sweep, wanted, oldest);
      } else if (unfiltered.length > (this.#source.get ? 1 : 0)) {
        for (const id of unfiltered) filtered.add(id);
        await this.#readFiltered(unfiltered);
      } else {
        // Few at once: the list may end soon, and hold the others.
        const some = sweep ? missing.slice(0, Math.ceil(Math.min(this.#spent + 1, MOST_PACED) / 8)) : missing;
        for (const id of some) tried.add(id);
        await this.#readSingly(some);
      }
    }
  }

  async #readFiltered(ids: readonly number[]): Promise<void> {
    const { get, writes } = this.#source;
    const { count } = writes;
    this.#spent++;
    const page = await this.#source.list({ id: ids, per_page: PAGE_SIZE }, this.#options).first();
    this.#keep(page.records, count);
    if (!get) this.#keepAbsent(ids, count);
  }

  async #readSingly(ids: readonly number[]): Promise<void> {
    const { get, writes } = this.#source;
    if (!get) return;
    const { count } = writes;
    this.#spent += ids.length;
    await Promise.all(
      ids.map(async (id) => {
        try {
          this.#keep([await get(id, this.#options)], count);
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
          this.#keepAbsent([id], count);
        }
      }),
    );
  }

  #keep(records: readonly Identified[], writes: number): void {
    const at = this.#clock.now();
    for (const record of records) {
      this.#known.delete(record.id);
      this.#known.set(record.id, { record, at, writes });
    }
  }

  #keepAbsent(ids: readonly number[], writes: number): void {
    const at = this.#clock.now();
    for (const id of ids) if (!this.#known.get(id)?.record) this.#known.set(id, { record: null, at, writes });
  }

  // The records that were read first go first.
  #shrink(): void {
    for (const id of this.#known.keys()) {
      if (this.#known.size <= MOST_RECORDS) return;
      this.#known.delete(id);
    }
  }
}

// A service that no longer takes page numbers may take cursors.
function isRefusal(error: unknown): boolean {
  return error instanceof ApiError && error.status < 500 && ![401, 403, 429].includes(error.status);
}

// What is wrong with a page, such as one record that the service fails to show, need not be wrong with others.
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
