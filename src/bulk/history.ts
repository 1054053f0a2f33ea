import type { Fact, PlannedRow } from "./lines.js";
import type { BulkRow } from "./types.js";

/** A request of a row, noted before it left. */
export interface Attempt {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** `updated_at` of the record as it was read before a change. */
  readonly version?: unknown;
  /** Tells whether a field that an update does not send has moved. */
  readonly print?: string | undefined;
}

/** The record that a create is known to have made. */
export interface Made {
  readonly id: number;
  /** When that became known. */
  readonly at: number;
  /** Its `updated_at` when nobody else had written it. */
  readonly version?: unknown;
}

/** What the lines of a journal say of one row. */
export interface Trail {
  readonly attempts: readonly Attempt[];
  /** How many of them earlier runs made. */
  readonly earlier: number;
  /** Never forgotten, whatever becomes of the row. */
  readonly made: Made | null;
  /** Whether the last look has shown that the write was carried out, and a create once; null before it. */
  readonly confirmed: boolean | null;
  /** The key under which the list shows the record of a create, where the service has stored it otherwise. */
  readonly stored: string | null;
  /** Whether a change was refused when it was sent again. */
  readonly refused: boolean;
  /** Whether the last request of a create was answered with success, but without its record. */
  readonly answered: boolean;
  readonly done: Fact | null;
}

/** A row of a plan and what has become of it. */
export interface History extends Trail {
  readonly row: PlannedRow;
}

/** What is known of a row without lines. */
export const UNTRIED: Trail = {
  attempts: [],
  earlier: 0,
  made: null,
  confirmed: null,
  stored: null,
  refused: false,
  answered: false,
  done: null,
};

/** Reads a row's lines. */
export function fold(row: PlannedRow, lines: readonly Fact[]): History {
  return { ...lines.reduce(addFact, UNTRIED), row };
}

/** What is known of a row after one more line. */
export function addFact<T extends Trail>(trail: T, fact: Fact): T {
  const attempts = fact.none ? trail.attempts.slice(0, -1) : trail.attempts;
  const { id, made, version, print } = fact;
  return {
    ...trail,
    attempts: fact.try === undefined ? attempts : [...attempts, { at: fact.try, version, print }],
    made: fact.done === "created" && id !== undefined ? { id, at: made ?? 0, version } : trail.made,
    confirmed: fact.confirmed ?? trail.confirmed,
    stored: fact.stored ?? trail.stored,
    refused: fact.refused ?? trail.refused,
    answered: fact.answered ?? trail.answered,
    done: fact.done ? fact : fact.try === undefined ? trail.done : null,
  };
}

/** A row as the next run continues it: what an earlier run gave up or could not confirm is open again. */
export function reopen(history: History, now: number): History {
  const { done, made, confirmed } = history;
  // A time in the future says that the clock was set back.
  const attempts = history.attempts.map((attempt) => ({ ...attempt, at: Math.min(attempt.at, now) }));
  const isGivenUp = done !== null && !isFinal(done);
  return {
    ...history,
    attempts,
    earlier: attempts.length,
    made: made && { ...made, at: Math.min(made.at, now) },
    confirmed: confirmed === false || isGivenUp ? null : confirmed,
    // Of a deletion nothing but its record is lost, and that is read again.
    refused: history.refused && history.row.do !== "delete",
    done: isGivenUp ? null : done,
  };
}

/** Whether a row is settled for all runs. One that was given up is not, nor one that the key, a feature or the rate limit may allow later. */
export function isFinal({ done, status }: Fact): boolean {
  return done !== "unknown" && done !== "ignored" && !(done === "failed" && AGAIN_NEXT_TIME.includes(status));
}

const AGAIN_NEXT_TIME: readonly unknown[] = [undefined, 401, 403, 404, 429];

/** Whether this run is done with a row. What was answered with success is looked at once more. */
export function isOver(history: History): boolean {
  if (history.row.do === "leave" || history.row.do === "refuse") return true;
  return history.done !== null && !isAnswered(history);
}

/** Whether a write was answered with success, and nothing has shown yet that it was carried out. */
export function isAnswered({ done, attempts, confirmed }: History): boolean {
  return attempts.length > 0 && confirmed === null && isWritten(done?.done);
}

/** Whether an outcome says that the service has carried a write out. */
export function isWritten(outcome: unknown): boolean {
  return outcome === "created" || outcome === "updated" || outcome === "deleted";
}

/** Whether a create was not sent. */
export function isUntried({ attempts, made }: History): boolean {
  return attempts.length === 0 && made === null;
}

/** Whether it is not known what became of a create that was sent. */
export function isInDoubt({ row, attempts, made }: History): boolean {
  return row.do === "create" && attempts.length > 0 && made === null;
}

/** A row with what has become of it. */
export function toBulkRow({ row: planned, done, made, confirmed }: History): BulkRow {
  const { row, do: what, id, send = {}, before = {}, why = [] } = planned;
  const still = what === "leave" ? "unchanged" : what === "refuse" ? "refused" : null;
  return {
    row,
    do: what,
    outcome: done?.done ?? still,
    id: done?.id ?? made?.id ?? id ?? null,
    confirmed: isWritten(done?.done) ? confirmed : null,
    ids: done?.ids ?? [],
    send,
    before,
    differs: done?.differs ?? {},
    side: done?.side ?? {},
    why: done?.why ?? why,
  };
}
