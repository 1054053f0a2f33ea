/** The state of a list and how a sweep changes it, as pure functions: no clock, no database, no request. */
import { ascends, type RecordId } from "./decide.js";

/** Problems found while writing records. */
export interface LeftOpen {
  /** Records that may be older or newer than the copy's versions: they are read once more. */
  readonly unsure: readonly RecordId[];
  /**
   * Number of records whose older version was not adopted, and the time from which a reading may adopt the last of
   * them.
   */
  readonly older: number;
  readonly olderUntil: number;
  /** Fields with a value that did not fit its column. */
  readonly unfit: readonly string[];
}

/** A sweep that has not ended, with the problems found so far. */
export interface SweepState extends LeftOpen {
  /** When this reading of the list began, and when the first reading began, by the mirror's clock. */
  readonly begun: number;
  readonly since: number;
  /** The filters; if they change, the sweep begins again. */
  readonly filters: string;
  /** 1 for the first reading; higher for readings that look again for rows that earlier ones did not find. */
  readonly reading: number;
  /** Where to continue: the checkpoint of the last page; null before the first page. */
  readonly checkpoint: string | null;
  /** The checkpoint of the page before the last; null if there is none. */
  readonly before: string | null;
  readonly ended: boolean;
  readonly records: number;
  /** Pages stored in this reading. For lists below parents, `pages` and `records` count all readings. */
  readonly pages: number;
  /** True if identifiers have ascended so far; `last` is the latest identifier. */
  readonly ascending: boolean;
  readonly last: RecordId | null;
  /** For lists below a parent: the last parent whose list was read, and how many of these lists were refused. */
  readonly parent: RecordId | null;
  readonly refused: number;
  /** Number of records in the previous reading, if its last page was empty; else null. */
  readonly emptyAfter: number | null;
}

export interface ListState {
  /** The number of the current or last sweep. */
  readonly sweeps: number;
  readonly sweep: SweepState | null;
  /** The key of the current or last sweep, as `keyOf` returns it; null before the first. */
  readonly key: string | null;
  /** The first sweep with that key. Rows last seen by an earlier sweep were seen with another key. */
  readonly keySince: number;
  /** When the last complete sweep began, and when the last sweep ended. Null before the first. */
  readonly asOf: number | null;
  readonly sweptAt: number | null;
  /**
   * Where the last page begins: the checkpoint of the page before it, "" for the start; null if the tail cannot be
   * read.
   */
  readonly tail: string | null;
  readonly tailAt: number | null;
  /**
   * When to sweep the list again for records that may have been reverted to an older version; null if there are none.
   */
  readonly againAt: number | null;
  /** How many milliseconds the mirror's clock was ahead of the machine's when the last sweep ended. */
  readonly ticksAhead: number;
}

export type Sweeping = ListState & { readonly sweep: SweepState };

export const NEW_LIST: ListState = {
  sweeps: 0,
  sweep: null,
  key: null,
  keySince: 0,
  asOf: null,
  sweptAt: null,
  tail: null,
  tailAt: null,
  againAt: null,
  ticksAhead: 0,
};

/** Maximum number of `unsure` records to read one by one. If there may be more, the next sweep reads the list again. */
export const MOST_UNSURE = 1_000;

/** Number of the sweep's first reading: rows last seen before it are missing in all readings. */
export function firstReading({ sweeps, sweep }: ListState): number {
  return sweeps - (sweep?.reading ?? 1) + 1;
}

/**
 * The state from which a sweep with a key begins. For a new key, skips a sweep number to separate its rows from those
 * that other keys have seen.
 */
export function stateFor(state: ListState, key: string): ListState {
  return state.key === key ? state : { ...state, key, sweeps: state.sweeps + 1, keySince: state.sweeps + 1 };
}

/** The state when a sweep begins. @param since the copy will have everything that the service had at this time. */
export function startSweep(state: ListState, key: string, filters: string, begun: number, since: number): Sweeping {
  const from = stateFor(state, key);
  return { ...from, sweeps: from.sweeps + 1, sweep: reading(filters, begun, since) };
}

/**
 * The state when the list is read from its start once more.
 * @param number 1 to replace the reading so far; higher to look again for rows that earlier readings did not find.
 * @param isBelow true for a list below parents: only parents whose records were missing are read again.
 */
export function restartReading(state: Sweeping, number: number, isBelow: boolean, begun: number): Sweeping {
  const { records, pages, refused, unsure, older, olderUntil, unfit, emptyAfter, since, filters } = state.sweep;
  const fresh = reading(filters, begun, since);
  const kept = number > 1 ? { unsure, unfit, ...(isBelow && { records, pages, refused, older, olderUntil }) } : {};
  return { ...state, sweeps: state.sweeps + 1, sweep: { ...fresh, reading: number, emptyAfter, ...kept } };
}

function reading(filters: string, begun: number, since: number): SweepState {
  return {
    begun,
    since,
    filters,
    reading: 1,
    checkpoint: null,
    before: null,
    ended: false,
    records: 0,
    pages: 0,
    ascending: true,
    last: null,
    parent: null,
    refused: 0,
    unsure: [],
    older: 0,
    olderUntil: 0,
    unfit: [],
    emptyAfter: null,
  };
}

export interface ReadUpTo {
  readonly ids: readonly RecordId[];
  readonly hasNext: boolean;
  readonly checkpoint: string;
}

export function advanceSweep(state: Sweeping, { ids, hasNext, checkpoint }: ReadUpTo): Sweeping {
  const { sweep } = state;
  const next: SweepState = {
    ...sweep,
    checkpoint,
    before: hasNext ? checkpoint : sweep.before,
    ended: !hasNext,
    records: sweep.records + ids.length,
    pages: sweep.pages + 1,
    ascending: sweep.ascending && ascends(sweep.last, ids),
    last: ids.at(-1) ?? sweep.last,
  };
  return { ...state, sweep: next };
}

export function advanceBelow(state: Sweeping, parent: RecordId, records: number, hasNext: boolean): Sweeping {
  const { sweep } = state;
  const next = { ...sweep, records: sweep.records + records, pages: sweep.pages + 1 };
  return { ...state, sweep: hasNext ? next : { ...next, parent } };
}

export function skipParent(state: Sweeping, parent: RecordId, isRefused: boolean): Sweeping {
  const { sweep } = state;
  return { ...state, sweep: { ...sweep, parent, refused: sweep.refused + Number(isRefused) } };
}

export function endBelow(state: Sweeping): Sweeping {
  return { ...state, sweep: { ...state.sweep, ended: true, ascending: false } };
}

/** The state after an empty last page: either the list was cut off, or the page before it was full and the last one. */
export function noteEmptyEnd(state: Sweeping): Sweeping {
  return { ...state, sweep: { ...state.sweep, emptyAfter: state.sweep.records } };
}

export function addDoubts(state: Sweeping, { unsure, older, olderUntil, unfit }: LeftOpen): Sweeping {
  const { sweep } = state;
  if (unsure.length === 0 && older === 0 && unfit.length === 0) return state;
  const next = {
    unsure: [...sweep.unsure, ...unsure].slice(0, MOST_UNSURE),
    older: sweep.older + older,
    olderUntil: Math.max(sweep.olderUntil, olderUntil),
    unfit: [...new Set([...sweep.unfit, ...unfit])].sort(),
  };
  return { ...state, sweep: { ...sweep, ...next } };
}

/**
 * The state after the `unsure` records were read again. If the limit was reached, one of them stays: others may have
 * been dropped, so the sweep must not count as complete.
 */
export function clearDoubts(state: Sweeping): Sweeping {
  const { unsure } = state.sweep;
  return { ...state, sweep: { ...state.sweep, unsure: unsure.length < MOST_UNSURE ? [] : unsure.slice(0, 1) } };
}

/** The state after the sweep. @param complete true if the copy has everything that the service had at `sweep.since`. */
export function endSweep(
  { sweep, ...state }: Sweeping,
  complete: boolean,
  { now, ticksAhead }: { readonly now: number; readonly ticksAhead: number },
): ListState {
  return {
    ...state,
    sweep: null,
    asOf: complete ? sweep.since : state.asOf,
    sweptAt: now,
    tail: sweep.ascending && complete ? (sweep.before ?? "") : null,
    tailAt: now,
    againAt: sweep.older > 0 ? sweep.olderUntil - ticksAhead : null,
    ticksAhead,
  };
}

/**
 * The state after reading a page at the end of the list. @param last the identifier before the page; null for the
 * first.
 */
export function followTail(
  state: ListState,
  last: RecordId | null,
  { ids, hasNext, checkpoint }: ReadUpTo,
  now: number,
): ListState {
  const tail = hasNext ? checkpoint : state.tail;
  return { ...state, tailAt: now, tail: ascends(last, ids) ? tail : null };
}
