import type { Clock } from "../core/clock.js";
import { listProgress } from "../work/list-progress.js";
import type { Budget } from "../work/pace.js";
import type { RecordId } from "./decide.js";
import type { SweepState } from "./state.js";

/** The part of `SyncProgress` that follows from the length of the list, as the service reports it. */
export interface SweepProgress {
  readonly total: number | null;
  readonly percent: number | null;
  readonly expectedEnd: Date | null;
}

/** Before the first page. */
export const NO_PROGRESS: SweepProgress = { total: null, percent: null, expectedEnd: null };

/** A page, for how far it brings a sweep. */
export interface MeteredPage {
  readonly ids: readonly RecordId[];
  readonly total: number | null;
  readonly hasNext: boolean;
}

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
