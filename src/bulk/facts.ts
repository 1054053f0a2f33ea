import type { History } from "./history.js";
import type { Fact } from "./lines.js";
import type { Step } from "./step.js";

export function endFact(row: number, { do: _, outcome, ...more }: Step & { do: "end" }): Fact {
  return { row, done: outcome, ...more };
}

/**
 * The journal line for a write that a check confirmed; repeats the whole outcome if the check found a deviation. A row
 * that an earlier run gave up on counts as created if its record is known.
 */
export function confirmFact(
  { row: { row }, done, made }: History,
  { do: _, moved: __, ...seen }: Step & { do: "confirm" },
): Fact {
  if (done && (seen.differs || seen.side || seen.why || seen.version !== undefined)) return { ...done, ...seen };
  if (done || !made) return { row, ...seen };
  const { at, ...known } = made;
  return { row, done: "created", made: at, ...known, ...seen };
}
