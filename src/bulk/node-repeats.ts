import { instantOf, isDay } from "../work/days.js";
import { decimalOf } from "../work/decimals.js";
import type { Values } from "./fields.js";
import type { Memory } from "./node-memory.js";
import { historyOf, plannedRows, readState } from "./node-state.js";
import { type ProblemText, problemText, rowValue } from "./problem-text.js";
import type { Target } from "./target.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
// A program that is restarted until it succeeds rarely needs longer, so older plans are ignored.
const KNOWN_MS = 12 * HOUR_MS;

interface Step {
  readonly before: unknown;
  readonly after: unknown;
  readonly where: string;
}

/** Explains why an update seems to repeat what an interrupted plan did to the record; null if it does not. */
export type WhyRepeated = (
  id: number,
  send: Values,
  before: Values,
) => Promise<{ field: string; message: ProblemText } | null>;

/**
 * Compares updates with the changes of interrupted plans that were finished in the last twelve hours. A program
 * that computes its rows from the current values, such as a price plus ten percent, would repeat those changes.
 */
export function repeatsOf(memory: Memory, target: Target): WhyRepeated {
  let read: ReturnType<typeof readSteps> | null = null;
  return async (id, send, before) => {
    read ??= readSteps(memory, target);
    const steps = await read;
    for (const [path, value] of Object.entries(send)) {
      const step = steps
        .get(`${id} ${path}`)
        ?.find((one) => isSameStep([one.before, one.after], [before[path], value]));
      if (!step) continue;
      const message = problemText`changes ${rowValue(before[path])} to ${rowValue(value)}, just as ${step.where} changed ${rowValue(step.before)} to ${rowValue(step.after)}: the row was probably computed after that change`;
      return { field: path, message };
    }
    return null;
  };
}

async function readSteps(memory: Memory, target: Target): Promise<ReadonlyMap<string, readonly Step[]>> {
  const steps = new Map<string, Step[]>();
  const since = target.transport.settings.clock.now() - KNOWN_MS;
  for (const plan of memory.resumedSince(since)) {
    // A plan that can no longer be read, for example because its file was moved, must not block updates.
    const state = await readState(plan).catch(() => null);
    if (state === null) continue;
    for await (const row of plannedRows(plan, state)) {
      if (row.do !== "update" || historyOf(row, state).attempts.length === 0) continue;
      for (const [path, after] of Object.entries(row.send ?? {})) {
        const at = `${row.id} ${path}`;
        const where = `row ${row.row} of an interrupted plan`;
        steps.set(at, [...(steps.get(at) ?? []), { before: row.before?.[path], after, where }]);
      }
    }
  }
  return steps;
}

type Pair = readonly [before: unknown, after: unknown];

/**
 * True if two successive changes of a value add the same amount, multiply by the same factor, or insert the same text.
 */
export function isSameStep([first, second]: Pair, [now, wanted]: Pair): boolean {
  if (String(first) === String(second) || String(now) === String(wanted)) return false;
  const times = [first, second, now, wanted].map(timeOf);
  if (times.every((one) => one !== null)) {
    const [a = 0, b = 0, c = 0, d = 0] = times as readonly number[];
    return Math.abs(b - a - (d - c)) <= slackFor(Math.abs(b - a));
  }
  const [a, b, c, d] = [first, second, now, wanted].map(decimalOf);
  if (a && b && c && d) {
    const [from, to, next, end] = [first, second, now, wanted].map(Number) as [number, number, number, number];
    // The unit of the last digit, to which a product may have been rounded.
    const unit = 10 ** -Math.max(a.scale, b.scale, d.scale);
    const isSum = Math.abs(to - from - (end - next)) < unit / 100;
    return isSum || (from !== 0 && Math.abs(end - (next * to) / from) <= (unit / 2) * (1.01 + Math.abs(to / from)));
  }
  const [one, other] = [insertionIn(first, second), insertionIn(now, wanted)];
  // In a repetitive text, the same insertion may be found shifted, such as `ba` for `ab`.
  return one !== null && other !== null && one.length === other.length && (one + one).includes(other);
}

function timeOf(value: unknown): number | null {
  return typeof value === "string" && isDay(value) ? Date.parse(value) : instantOf(value);
}

// Equal steps may differ in length: local days last 23 to 25 hours, and months 28 to 31 days.
function slackFor(ms: number): number {
  return ms < DAY_MS / 2 ? 0 : ms < 28 * DAY_MS ? 2 * HOUR_MS : 3 * DAY_MS + 2 * HOUR_MS;
}

// The text inserted into another text; null if that text was changed in any other way.
function insertionIn(before: unknown, after: unknown): string | null {
  if (typeof before !== "string" || typeof after !== "string" || before === "") return null;
  let at = 0;
  while (at < before.length && before[at] === after[at]) at++;
  const size = after.length - before.length;
  return size > 0 && after.slice(at + size) === before.slice(at) ? after.slice(at, at + size) : null;
}
