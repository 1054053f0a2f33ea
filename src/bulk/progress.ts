import type { Clock } from "../core/clock.js";
import { callObserver } from "../core/events.js";
import type { Budget } from "../work/pace.js";
import { type History, isOver } from "./history.js";
import type { Fact } from "./lines.js";
import { countRequests, durationOf } from "./node-plan-writer.js";
import type { PlanState } from "./node-state.js";
import type { Target } from "./target.js";
import type { ApplyOptions, BulkProgress, PlanSummary } from "./types.js";

export class Progress {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #onProgress: ApplyOptions["onProgress"];
  /** Average number of requests for each row that sends any. */
  readonly #perRow: number;
  readonly #done = new Set<number>();
  #rows = 0;
  #requests = 0;
  #waitingUntil: Date | null = null;
  #waitingFor: BulkProgress["waitingFor"] = null;

  constructor(clock: Clock, target: Target, { end }: PlanState, budget: Budget, { onProgress }: ApplyOptions) {
    const { create, update, delete: gone = 0 } = end as unknown as PlanSummary;
    this.#clock = clock;
    this.#budget = budget;
    this.#onProgress = onProgress;
    this.#perRow = countRequests(target, { create, update, delete: gone }, null) / Math.max(1, create + update + gone);
  }

  starts(history: History): void {
    this.#rows++;
    if (isOver(history) || history.made) this.#done.add(history.row.row);
  }

  note({ row, done }: Fact, requests: number): void {
    this.#requests = requests;
    if (!done) return;
    this.#done.add(row);
    this.#report();
  }

  /** Reports a wait; `until` is null when it ends. */
  waits(until: Date | null, what: NonNullable<BulkProgress["waitingFor"]>): void {
    this.#waitingUntil = until;
    this.#waitingFor = until && what;
    if (until) this.#report();
  }

  #report(): void {
    const left = this.#perRow * (this.#rows - this.#done.size);
    callObserver(this.#onProgress, {
      rows: this.#done.size,
      total: this.#rows,
      requests: this.#requests,
      waitingUntil: this.#waitingUntil,
      waitingFor: this.#waitingFor,
      percent: this.#rows === 0 ? 100 : (this.#done.size / this.#rows) * 100,
      endsAt: new Date((this.#waitingUntil?.getTime() ?? this.#clock.now()) + durationOf(left, this.#budget)),
    });
  }
}
