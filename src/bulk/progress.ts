import type { Clock } from "../core/clock.js";
import { callObserver } from "../core/events.js";
import type { Budget } from "../work/pace.js";
import { type History, isOver } from "./history.js";
import type { Fact } from "./lines.js";
import { countRequests, durationOf } from "./node-plan-writer.js";
import type { Target } from "./target.js";
import type { ApplyOptions, BulkProgress, PlanSummary } from "./types.js";

export interface Progress {
  starts(history: History): void;
  note(fact: Fact, requests: number): void;
  /** Reports a wait; `until` is null when it ends. */
  waits(until: Date | null, what: NonNullable<BulkProgress["waitingFor"]>): void;
}

export function progressOf(
  clock: Clock,
  target: Target,
  { create, update, delete: gone = 0 }: PlanSummary,
  budget: Budget,
  onProgress: ApplyOptions["onProgress"],
): Progress {
  const perRow = countRequests(target, { create, update, delete: gone }, null) / Math.max(1, create + update + gone);
  const done = new Set<number>();
  let [total, requests] = [0, 0];
  let [waitingUntil, waitingFor]: [Date | null, BulkProgress["waitingFor"]] = [null, null];
  const report = () =>
    callObserver(onProgress, {
      rows: done.size,
      total,
      requests,
      waitingUntil,
      waitingFor,
      percent: total === 0 ? 100 : (done.size / total) * 100,
      endsAt: new Date((waitingUntil?.getTime() ?? clock.now()) + durationOf(perRow * (total - done.size), budget)),
    });
  return {
    starts(history) {
      total++;
      if (isOver(history) || history.made) done.add(history.row.row);
    },
    note(fact, sent) {
      requests = sent;
      if (!fact.done) return;
      done.add(fact.row);
      report();
    },
    waits(until, what) {
      [waitingUntil, waitingFor] = [until, until && what];
      if (until) report();
    },
  };
}
