import type { Clock } from "../core/clock.js";
import { listProgress } from "../work/list-progress.js";
import type { Budget } from "../work/pace.js";
import type { ReadUpTo, SweepState } from "./state.js";

/** The progress of a run on one list. */
export interface SyncProgress {
  /** Number of records in the list, as the service reports it; null if it does not, and for lists below a parent. */
  readonly total: number | null;
  /** 0 to 99 while the list has a next page, then 100; null if unknown. */
  readonly percent: number | null;
  /** When the last page is expected; null after it and if unknown. */
  readonly expectedEnd: Date | null;
  readonly list: string;
  readonly read: number;
  readonly requests: number;
  /** The earliest end of the wait for the mirror's share of the request budget; null after a page. */
  readonly waitingUntil: Date | null;
}

export type SweepProgress = Pick<SyncProgress, "total" | "percent" | "expectedEnd">;

export const NO_PROGRESS: SweepProgress = { total: null, percent: null, expectedEnd: null };

export type MeteredPage = Pick<ReadUpTo, "ids" | "hasNext"> & Pick<SweepProgress, "total">;

export class SweepMeter {
  readonly #clock: Clock;
  readonly #budget: Budget;
  #reading: number | null = null;
  #began: number;
  #before = 0;
  #pages = 0;

  constructor(clock: Clock, budget: Budget) {
    this.#clock = clock;
    this.#budget = budget;
    this.#began = clock.now();
  }

  /** Counts a stored page. @param sweep the state of the sweep after the page. */
  page({ ids, total, hasNext }: MeteredPage, sweep: SweepState): SweepProgress {
    // Repeated readings, which look for missing records, report no progress: 100 percent was already reported.
    if (sweep.reading > 1 || sweep.parent !== null) return NO_PROGRESS;
    if (this.#reading !== sweep.begun) {
      if (this.#reading !== null) this.#began = this.#clock.now();
      this.#reading = sweep.begun;
      this.#before = sweep.records - ids.length;
      this.#pages = 0;
    }
    this.#pages++;
    const now = this.#clock.now();
    const { percent, leftMs } = listProgress({
      done: sweep.records,
      doneBefore: this.#before,
      total,
      hasNext,
      elapsedMs: now - this.#began,
      requests: this.#pages,
      limit: Number.isFinite(this.#budget.requests) ? this.#budget : null,
    });
    return { total, percent, expectedEnd: hasNext && leftMs !== null ? new Date(now + leftMs) : null };
  }
}
