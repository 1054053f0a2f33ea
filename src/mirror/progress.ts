import type { Clock } from "../core/clock.js";
import { listProgress } from "../work/list-progress.js";
import type { Budget } from "../work/pace.js";
import type { ReadUpTo, SweepState } from "./state.js";

/** How far a run has come. */
export interface SyncProgress {
  /** How many records the list has, as the service says; null if it does not, and for lists below a parent. */
  readonly total: number | null;
  /** From 0 to 99 while the list has a next page, then 100; null if nothing true is known. */
  readonly percent: number | null;
  /** When the last page is expected; null after it and where nothing true is known. */
  readonly expectedEnd: Date | null;
  readonly list: string;
  readonly read: number;
  readonly requests: number;
  /** When the wait for the mirror's share of the request budget can end; null after a page. */
  readonly waitingUntil: Date | null;
}

/** The part that follows from the length of the list. */
export type SweepProgress = Pick<SyncProgress, "total" | "percent" | "expectedEnd">;

/** Before the first page. */
export const NO_PROGRESS: SweepProgress = { total: null, percent: null, expectedEnd: null };

/** A page, for how far it brings a sweep. */
export type MeteredPage = Pick<ReadUpTo, "ids" | "hasNext"> & Pick<SweepProgress, "total">;

/** Follows the pages of a sweep that is read by one run. */
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

  /** A page was stored. @param sweep the state of the sweep after it. */
  page({ ids, total, hasNext }: MeteredPage, sweep: SweepState): SweepProgress {
    // A list that is read once more to confirm what it lacked was at 100 percent before.
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
