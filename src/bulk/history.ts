import type { Fact, PlannedRow } from "./lines.js";
import type { BulkRow } from "./types.js";

/** A request of a row; `at` is the time just before it was sent. */
export interface Attempt extends Pick<Fact, "version" | "print" | "floor"> {
  readonly at: number;
}

/**
 * The record that a create is known to have created; `at` is when it became known, `version` its `updated_at` before
 * later changes.
 */
export interface Made extends Pick<Fact, "found" | "status" | "sent" | "dates" | "born" | "version"> {
  readonly id: number;
  readonly at: number;
}

/** The state of one row according to the journal. */
export interface Trail {
  readonly attempts: readonly Attempt[];
  readonly earlier: number;
  /** The created record, kept even if the row's outcome changes later. */
  readonly made: Made | null;
  /**
   * True if the last check showed that the write was carried out (for a create, exactly once); null before a check.
   */
  readonly confirmed: boolean | null;
  readonly stored: string | null;
  readonly whose: string | null;
  readonly refused: boolean;
  readonly answered: boolean;
  readonly resumed: number | null;
  readonly done: Fact | null;
}

export interface History extends Trail {
  readonly row: PlannedRow;
}

export const UNTRIED: Trail = {
  attempts: [],
  earlier: 0,
  made: null,
  confirmed: null,
  stored: null,
  whose: null,
  refused: false,
  answered: false,
  resumed: null,
  done: null,
};

export function fold(row: PlannedRow, lines: readonly Fact[]): History {
  return { ...lines.reduce(addFact, UNTRIED), row };
}

export function addFact<T extends Trail>(trail: T, fact: Fact): T {
  const attempts = fact.none ? trail.attempts.slice(0, -1) : trail.attempts;
  const { id, made, version, print, floor, found, status, sent, dates, born } = fact;
  return {
    ...trail,
    attempts: fact.try === undefined ? attempts : [...attempts, { at: fact.try, version, print, floor }],
    made:
      fact.done === "created" && id !== undefined
        ? { id, at: made ?? 0, version, found, status, sent, dates, born }
        : trail.made,
    confirmed: fact.confirmed ?? trail.confirmed,
    stored: fact.stored ?? trail.stored,
    whose: fact.whose ?? trail.whose,
    refused: fact.refused ?? trail.refused,
    answered: fact.answered ?? trail.answered,
    resumed: fact.resumed ?? trail.resumed,
    done: fact.done ? fact : fact.try === undefined ? trail.done : null,
  };
}

/** Prepares a row for the next run: rows that an earlier run gave up on or could not confirm become open again. */
export function reopen(history: History, now: number): History {
  const { done, made, confirmed } = history;
  const isGivenUp = done !== null && !isFinal(done);
  // A create that was refused for a temporary reason is sent again, even if the last run ended before it looked for the
  // record. A refused change is checked first, because reading its record shows the outcome.
  const isTaken = isGivenUp && isRefused(history) && history.row.do === "create";
  const sent = isTaken ? history.attempts.slice(0, -1) : history.attempts;
  // A time in the future means that the clock was set back, so the present time replaces it.
  const attempts = sent.map((attempt) => ({ ...attempt, at: Math.min(attempt.at, now) }));
  return {
    ...history,
    attempts,
    earlier: attempts.length,
    made: made && { ...made, at: Math.min(made.at, now) },
    confirmed: confirmed === false || isGivenUp ? null : confirmed,
    // An earlier refusal of a deletion is dropped: reading the record always shows whether it is deleted.
    refused: history.refused && history.row.do !== "delete",
    done: isGivenUp ? null : done,
  };
}

/**
 * True if later runs must not send a row again. They may send it if it is `unknown` or `ignored`, or failed for a
 * reason that may be temporary, such as the key's permissions, a disabled feature or the rate limit.
 */
export function isFinal({ done, status }: Fact): boolean {
  const isPassing = AGAIN_NEXT_TIME.includes(status) || Number(status) >= 500;
  return done !== "unknown" && done !== "ignored" && !(done === "failed" && isPassing);
}

const AGAIN_NEXT_TIME: readonly unknown[] = [undefined, 401, 403, 404, 423, 429];

/** True if this run has finished with a row. An answered or refused write is finished only after one check. */
export function isOver(history: History): boolean {
  if (history.row.do === "leave" || history.row.do === "refuse") return true;
  return history.done !== null && !isAnswered(history) && !isRefused(history);
}

/** True if a write was answered with success but not checked yet. */
export function isAnswered({ done, attempts, confirmed }: History): boolean {
  return attempts.length > 0 && confirmed === null && isWritten(done?.done);
}

/** True if a write was refused but not checked yet: a service may store a change and then refuse it. */
export function isRefused({ done, attempts, confirmed }: Trail): boolean {
  return attempts.length > 0 && confirmed === null && done?.done === "failed";
}

export function isWritten(outcome: unknown): boolean {
  return outcome === "created" || outcome === "updated" || outcome === "deleted";
}

export function isUntried({ attempts, made }: History): boolean {
  return attempts.length === 0 && made === null;
}

export function isInDoubt({ row, attempts, made }: History): boolean {
  return row.do === "create" && attempts.length > 0 && made === null;
}

export function toBulkRow({ row: planned, done, made, confirmed }: History): BulkRow {
  const { row, do: what, id, missing = false, send = {}, before = {}, why = [] } = planned;
  const still = what === "leave" ? "unchanged" : what === "refuse" ? "refused" : null;
  return {
    row,
    do: what,
    missing,
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
