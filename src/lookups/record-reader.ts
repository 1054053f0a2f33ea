import { raceAbort } from "../core/abort.js";
import type { Clock } from "../core/clock.js";
import type { Priority } from "../core/limits/rate-limit-store.js";
import type { RequestOptions } from "../core/options.js";
import { agingMomentOf } from "../core/time.js";
import { type Identified, KnownRecords } from "./known-records.js";
import type { ReadPlan } from "./plan.js";
import { type RecordSource, Sweeper } from "./sweeper.js";

/** The right to read a resource's list. */
interface Turn {
  readonly sweeper: Sweeper;
  /** Lets the next call read the list; idempotent. */
  end(): void;
}

/**
 * Reads records of one resource by identifier in the fewest requests, and keeps them for a while. Calls read the list
 * one after another, so that the second finds the records that the first has read. An interactive call never waits for
 * a batch call.
 */
export class RecordReader {
  readonly #source: RecordSource;
  readonly #clock: Clock;
  readonly #known: KnownRecords;
  readonly #sweeper: Sweeper;
  #isBusy = false;
  #callers = 0;
  /** Settles when all calls of a priority have finished with the list. */
  readonly #turns: Record<Priority, Promise<unknown>> = { interactive: Promise.resolve(), batch: Promise.resolve() };

  constructor(source: RecordSource, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
    this.#known = new KnownRecords(clock, source.writes);
    this.#sweeper = this.#newSweeper();
  }

  /**
   * Reads records; null for those that the service does not return.
   * @param maxAge milliseconds for which a record already read is reused, unless the client has written it since.
   */
  async read(
    ids: readonly number[],
    maxAge: number,
    options: RequestOptions,
  ): Promise<ReadonlyMap<number, Identified | null>> {
    const { sweeper, end } = await this.#turn(options);
    const wanted = [...new Set(ids)];
    this.#callers++;
    try {
      await sweeper.read({ ids: wanted, oldest: agingMomentOf(this.#clock) - maxAge, options }, end);
      return new Map(wanted.map((id) => [id, this.#known.get(id)]));
    } finally {
      end();
      // Evicts records only after the last call, because other calls may still need them.
      if (--this.#callers === 0) this.#known.shrink();
    }
  }

  async plan(ids: readonly number[], options: RequestOptions): Promise<ReadPlan> {
    const { sweeper, end } = await this.#turn(options);
    try {
      return await sweeper.plan({ ids: [...new Set(ids)], oldest: Number.NEGATIVE_INFINITY, options });
    } finally {
      end();
    }
  }

  async #turn({ priority = "interactive", signal }: RequestOptions): Promise<Turn> {
    const { interactive, batch } = this.#turns;
    const before = priority === "batch" ? Promise.all([interactive, batch]) : interactive;
    const { promise, resolve } = Promise.withResolvers<void>();
    // Resolves to undefined, because the array of `Promise.all` would keep all earlier results in memory.
    this.#turns[priority] = Promise.all([before, promise]).then(() => undefined);
    try {
      await raceAbort(before, signal);
    } catch (error) {
      resolve();
      throw error;
    }
    // An interactive call does not wait for a batch call; each uses the records that the other has read.
    if (this.#isBusy) return { sweeper: this.#newSweeper(), end: resolve };
    this.#isBusy = true;
    let isOver = false;
    const end = () => {
      if (!isOver) this.#isBusy = false;
      isOver = true;
      resolve();
    };
    return { sweeper: this.#sweeper, end };
  }

  #newSweeper(): Sweeper {
    return new Sweeper(this.#source, this.#known, this.#clock);
  }
}
