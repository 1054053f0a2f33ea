import type { Kind } from "./kinds.js";
import { type CarriedOut, carryOutIn, type Trace, undoIn } from "./trace.js";
import { World } from "./world.js";

/** A promise that was broken in a trace. */
export interface Violation {
  readonly kind: string;
  readonly what: string;
  /** The cases of the documented remainder that occurred, separated by commas; an empty string if none did. */
  readonly remainder: string;
  /** The choices that reproduce the trace. */
  readonly choices: readonly number[];
  readonly log: readonly string[];
}

/**
 * A plan that has been carried out, and the number of choices this took. Traces that differ only in the undo start
 * here.
 */
interface From {
  readonly plan: CarriedOut;
  readonly choices: number;
}

/**
 * Follows every trace of a kind with at most `most` deviations from the usual course. @returns the number of traces.
 */
export async function explore(kind: Kind, most: number, note: (violation: Violation) => void): Promise<number> {
  let traces = 0;
  const open: { readonly prefix: readonly number[]; readonly left: number; readonly from?: From }[] = [
    { prefix: [], left: most },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { prefix, left } = next;
    const path = prefix.slice(0, next.from?.choices ?? 0);
    const counts: number[] = [];
    const choose = (count: number) => {
      const chosen = prefix[path.length] ?? 0;
      counts[path.length] = count;
      path.push(chosen);
      return chosen;
    };
    const from = next.from ?? { plan: await carryOutIn(new World(kind, choose)), choices: path.length };
    report(kind, await undoIn(from.plan, choose), path, note);
    traces++;
    if (left === 0) continue;
    for (let at = prefix.length; at < path.length; at++) {
      for (let chosen = 1; chosen < (counts[at] ?? 0); chosen++) {
        const isUndo = at >= from.choices;
        open.push({ prefix: [...path.slice(0, at), chosen], left: left - 1, ...(isUndo && { from }) });
      }
    }
  }
  return traces;
}

/** Follows `traces` traces of a kind, each with random deviations. */
export async function wander(
  kind: Kind,
  traces: number,
  random: () => number,
  note: (violation: Violation) => void,
): Promise<void> {
  for (let left = traces; left > 0; left--) {
    const path: number[] = [];
    const rate = 0.02 + 0.2 * random();
    const choose = (count: number) => {
      const chosen = random() < rate ? Math.floor(random() * count) : 0;
      path.push(chosen);
      return chosen;
    };
    report(kind, await undoIn(await carryOutIn(new World(kind, choose)), choose), path, note);
  }
}

function report(
  kind: Kind,
  { wrong, world }: Trace,
  path: readonly number[],
  note: (violation: Violation) => void,
): void {
  const remainder = [...(kind.remainder ? [kind.remainder] : []), ...world.remainder].sort().join(", ");
  for (const what of new Set(wrong)) {
    note({
      kind: kind.name,
      what,
      remainder,
      choices: path.slice(0, path.findLastIndex((one) => one > 0) + 1),
      log: world.log,
    });
  }
}

/**
 * True if the violation may be case R1 or R2 in a list that also lags: it shows the record of a request only after the
 * deciding look.
 */
export function isShownLater({ kind, log }: Violation): boolean {
  const sent = /sends create \d: (late|kill after|lost, done|twice)/;
  return /behind|shown late/.test(kind) && log.some((line) => sent.test(line));
}
