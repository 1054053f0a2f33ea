import type { Budget } from "../core/pace.js";

/** The share of a request budget that a plan's minutes are told for, and that `apply` takes unless it is told otherwise. */
export const DEFAULT_SHARE = 0.5;

/** Milliseconds that a number of requests take. */
export function durationOf(requests: number, budget: Budget): number {
  return Math.max(0, Math.ceil(requests / budget.requests) - 1) * budget.windowMs;
}
