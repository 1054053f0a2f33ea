import { raceAbort } from "../abort.js";
import type { Clock } from "../clock.js";
import { NotFoundError } from "../errors.js";
import { linkTarget } from "../lists/link-header.js";
import type { Page, Pages } from "../lists/pages.js";
import type { Operation } from "../operation.js";
import type { ListOptions, RequestOptions } from "../options.js";
import { fieldsOf } from "../validation/traits.js";
import { cheapest, PAGE_SIZE, type ReadFacts, type ReadPlan } from "./plan.js";

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
}

interface Known {
  readonly record: Identified | null;
  readonly at: number;
}

/** A list that is being read. */
interface Sweep {
  readonly page: Page<Identified>;
  readonly number: number;
  /** Pages of the list; undefined where the service does not say. */
  readonly last: number | undefined;
  /** When the first page was read. */
  readonly begun: number;
  /** How many records the page held that were needed when it was read. */
  readonly hits: number;
}

/** Most records that are kept. */
const MOST_RECORDS = 100_000;

/** Reads records of one resource by identifier in the fewest requests, and keeps them for a while. */
export class RecordReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;
  readonly #known = new Map<number, Known>();
  #sweep: Sweep | null = null;
  /** When the list that was last read to its end was begun: what it did not hold is not worth another reading. */
  #sweptAt: number | null = null;
  #spent = 0;
  /** Reads of one resource follow each other: the second finds what the first has read. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(source: RecordSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /**
   * Reads records; null for those that the service does not give.
   * @param maxAge milliseconds for which a record that was read before counts.
   */
  read(
    ids: readonly number[],
    maxAge: number,
    options: RequestOptions,
  ): Promise<ReadonlyMap<number, Identified | null>> {
    return this.#inTurn(options.signal, async () => {
      const oldest = this.#clock.now() - maxAge;
      const wanted = [...new Set(ids)];
      await this.#readMissing(wanted, oldest, options);
      const found = wanted.map((id) => [id, this.#known.get(id)?.record ?? null] as const);
      this.#shrink();
      return new Map(found);
    });
  }

  /** What reading these records would cost. Where that depends on the list's length, its first page is read and kept. */
  plan(ids: readonly number[], options: RequestOptions): Promise<ReadPlan> {
    return this.#inTurn(options.signal, async () => {
      const wanted = [...new Set(ids)];
      const missing = this.#missing(wanted, Number.NEGATIVE_INFINITY);
      if (missing.length === 0) return { strategy: "single", requests: 0 };
      return this.#plan(wanted, Number.NEGATIVE_INFINITY, options);
    });
  }

  #inTurn<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    const before = this.#turn;
    const own = raceAbort(before, signal).then(work);
    this.#turn = Promise.allSettled([before, own]);
    return own;
  }

  async #readMissing(wanted: readonly number[], oldest: number, options: RequestOptions): Promise<void> {
    const missing = this.#missing(wanted, oldest);
    if (missing.length === 0) return;
    // What its first pages held is too old by now, and would be missing from the rest.
    if (this.#sweep && this.#sweep.begun < oldest) this.#sweep = null;
    if (this.#sweptAt !== null && this.#sweptAt >= oldest && !this.#source.get) return this.#keepAbsent(missing);
    await this.#readOn(wanted, oldest);
    const { strategy } = await this.#plan(wanted, oldest, options);
    if (strategy === "list") await this.#readList(wanted, oldest, options);
    if (strategy === "filter") await this.#readFiltered(this.#missing(wanted, oldest), options);
    // Lists leave records out that can be read, such as canceled ones.
    await this.#readSingly(this.#missing(wanted, oldest), options);
  }

  // A page that held several of the records needed cost less than these one by one, and so will the next: lists that
  // refer to each other often have the same order.
  async #readOn(wanted: readonly number[], oldest: number): Promise<void> {
    const { get } = this.#source;
    if (!get || this.#filters) return;
    for (let at = this.#sweep; at?.page.hasNext && at.hits > 1; at = this.#sweep) {
      if (this.#missing(wanted, oldest).length < 2) return;
      await this.#readPage(at, wanted, oldest);
    }
  }

  async #plan(wanted: readonly number[], oldest: number, options: RequestOptions): Promise<ReadPlan> {
    const known = cheapest(this.#facts(wanted, oldest));
    if (known) return known;
    await this.#startSweep(wanted, oldest, options);
    return cheapest(this.#facts(wanted, oldest)) as ReadPlan;
  }

  #facts(wanted: readonly number[], oldest: number): ReadFacts {
    const { row, get } = this.#source;
    const sweep = this.#sweep;
    const swept = this.#sweptAt !== null && this.#sweptAt >= oldest;
    // Where the service does not say how long its list is, records are read one by one or by the filter.
    const left = sweep && (sweep.last === undefined ? undefined : sweep.last - sweep.number);
    const tooLong = (left ?? 0) * PAGE_SIZE > MOST_RECORDS;
    return {
      missing: this.#missing(wanted, oldest).length,
      spent: this.#spent,
      single: get !== null,
      filter: this.#filters,
      pages: row === null || swept || (tooLong && get !== null) ? undefined : left,
    };
  }

  get #filters(): boolean {
    const { row } = this.#source;
    return row !== null && "id" in fieldsOf(row.query);
  }

  #missing(wanted: readonly number[], oldest: number): number[] {
    return wanted.filter(
      (id) => (this.#known.get(id)?.at ?? Number.NEGATIVE_INFINITY) < oldest || !this.#known.has(id),
    );
  }

  async #startSweep(wanted: readonly number[], oldest: number, options: RequestOptions): Promise<void> {
    // Only the page mode tells how many pages there are.
    const paged = this.#source.row?.paged === "cursor+page" ? { page: 1 } : {};
    const begun = this.#clock.now();
    const page = await this.#source.list({ ...paged, per_page: PAGE_SIZE }, options).first();
    const hits = this.#keepPage(page, wanted, oldest);
    this.#sweep = { page, number: 1, last: page.hasNext ? lastPage(page) : 1, begun, hits };
  }

  async #readPage(sweep: Sweep, wanted: readonly number[], oldest: number): Promise<void> {
    const page = await sweep.page.next();
    const hits = this.#keepPage(page, wanted, oldest);
    this.#sweep = { ...sweep, page, number: sweep.number + 1, hits };
  }

  #keepPage({ records }: Page<Identified>, wanted: readonly number[], oldest: number): number {
    const before = this.#missing(wanted, oldest).length;
    this.#keep(records);
    return before - this.#missing(wanted, oldest).length;
  }

  async #readList(wanted: readonly number[], oldest: number, options: RequestOptions): Promise<void> {
    if (!this.#sweep) await this.#startSweep(wanted, oldest, options);
    for (let at = this.#sweep; at?.page.hasNext; at = this.#sweep) {
      if (this.#missing(wanted, oldest).length === 0) return;
      await this.#readPage(at, wanted, oldest);
    }
    this.#sweptAt = this.#sweep?.begun ?? null;
    this.#sweep = null;
    this.#spent = 0;
    if (!this.#source.get) this.#keepAbsent(this.#missing(wanted, oldest));
  }

  async #readFiltered(ids: readonly number[], options: RequestOptions): Promise<void> {
    for (let at = 0; at < ids.length; at += PAGE_SIZE) {
      this.#spent++;
      const some = ids.slice(at, at + PAGE_SIZE);
      const page = await this.#source.list({ id: some, per_page: PAGE_SIZE }, options).first();
      this.#keep(page.records);
    }
    if (!this.#source.get) this.#keepAbsent(ids.filter((id) => !this.#known.has(id)));
  }

  async #readSingly(ids: readonly number[], options: RequestOptions): Promise<void> {
    const { get } = this.#source;
    if (!get) return;
    await Promise.all(
      ids.map(async (id) => {
        this.#spent++;
        try {
          this.#keep([await get(id, options)]);
        } catch (error) {
          if (!(error instanceof NotFoundError)) throw error;
          this.#keepAbsent([id]);
        }
      }),
    );
  }

  #keep(records: readonly Identified[]): void {
    const at = this.#clock.now();
    for (const record of records) {
      this.#known.delete(record.id);
      this.#known.set(record.id, { record, at });
    }
  }

  #keepAbsent(ids: readonly number[]): void {
    const at = this.#clock.now();
    for (const id of ids) this.#known.set(id, { record: null, at });
  }

  // The records that were read first go first.
  #shrink(): void {
    for (const id of this.#known.keys()) {
      if (this.#known.size <= MOST_RECORDS) return;
      this.#known.delete(id);
    }
  }
}

function lastPage({ response }: Page<unknown>): number | undefined {
  const target = linkTarget(response.headers.get("link"), "last");
  return Number(/[?&]page=(\d+)/.exec(target ?? "")?.[1]) || undefined;
}
