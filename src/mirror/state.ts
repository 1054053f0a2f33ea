/** What is known of a list and how a sweep changes it, without a clock, a database or a request. */
import { ascends, type RecordId } from "./decide.js";

/** What writing records has left open. */
export interface LeftOpen {
  /** Records of which it is unclear whether the copy is newer: they are read once more. */
  readonly unsure: readonly RecordId[];
  /** Records whose older version was not taken over, and when a reading may take over the last of them. */
  readonly older: number;
  readonly olderUntil: number;
  /** Fields of which a value did not fit its column. */
  readonly unfit: readonly string[];
}

/** A sweep that is under way, and what it has left open so far. */
export interface SweepState extends LeftOpen {
  /** When this reading of the list and the first one began, by the mirror's clock. */
  readonly begun: number;
  readonly since: number;
  /** The filters; with others the sweep begins again. */
  readonly filters: string;
  /** 1, or more for a reading that confirms what the ones before it missed. */
  readonly reading: number;
  /** Where to continue: the checkpoint of the last page; null before the first page. */
  readonly checkpoint: string | null;
  /** The checkpoint of the page before; null until there is one. */
  readonly before: string | null;
  /** Whether the list was read to its end. */
  readonly ended: boolean;
  readonly records: number;
  /** Pages that were stored in this reading; these and the records of all readings below parents. */
  readonly pages: number;
  /** Whether identifiers have ascended so far, and the last one. */
  readonly ascending: boolean;
  readonly last: RecordId | null;
  /** Of lists below a parent: the last parent whose list was read, and how many of these lists were refused. */
  readonly parent: RecordId | null;
  readonly refused: number;
  /** How many records the reading before had whose last page was empty; null if none had. */
  readonly emptyAfter: number | null;
}

/** What the copy knows about one list. */
export interface ListState {
  /** Number of the current or last sweep. */
  readonly sweeps: number;
  readonly sweep: SweepState | null;
  /** The key of the current or last sweep, as `keyOf` writes it; null before the first. */
  readonly key: string | null;
  /** The first sweep with that key: rows that were last seen by an earlier one were seen with another key. */
  readonly keySince: number;
  /** When the last complete sweep began and ended; null before the first. */
  readonly asOf: number | null;
  readonly sweptAt: number | null;
  /** Where the last page begins: the checkpoint of the page before it, "" for the start; null if the tail is not used. */
  readonly tail: string | null;
  readonly tailAt: number | null;
  /** When the list is to be swept again for records that may have been set back; null if there are none. */
  readonly againAt: number | null;
}

/** The state of a list while it is swept. */
export type Sweeping = ListState & { readonly sweep: SweepState };

/** The state of a list that was never swept. */
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
};

/** A list with more records in doubt than this is read again anyway. */
export const MOST_UNSURE = 1_000;

/** The number of the first reading of a sweep: rows that were last seen before it are missing in all of them. */
export function firstReading({ sweeps, sweep }: ListState): number {
  return sweeps - (sweep?.reading ?? 1) + 1;
}

/** The state from which a sweep with a key begins. Leaves a number between what other keys and what this sweep has seen. */
export function stateFor(state: ListState, key: string): ListState {
  return state.key === key ? state : { ...state, key, sweeps: state.sweeps + 1, keySince: state.sweeps + 1 };
}

/** A sweep begins. @param since everything the service had then will be in the copy. */
export function started(state: ListState, key: string, filters: string, begun: number, since: number): Sweeping {
  const from = stateFor(state, key);
  return { ...from, sweeps: from.sweeps + 1, sweep: reading(filters, begun, since) };
}

/**
 * The list is read from its start once more.
 * @param number 1 in place of what was read; more to confirm what the readings before it missed.
 * @param isBelow whether the list is read below parents: then only those lists are read again that lacked something.
 */
export function restarted(state: Sweeping, number: number, isBelow: boolean, begun: number): Sweeping {
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

/** What a page tells about where a sweep is. */
export interface ReadUpTo {
  readonly ids: readonly RecordId[];
  readonly hasNext: boolean;
  readonly checkpoint: string;
}

/** A page was read. */
export function advanced(state: Sweeping, { ids, hasNext, checkpoint }: ReadUpTo): Sweeping {
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

/** A page of the list below a parent was read. */
export function advancedBelow(state: Sweeping, parent: RecordId, records: number, hasNext: boolean): Sweeping {
  const { sweep } = state;
  const next = { ...sweep, records: sweep.records + records, pages: sweep.pages + 1 };
  return { ...state, sweep: hasNext ? next : { ...next, parent } };
}

/** The list below a parent could not be read. */
export function skipped(state: Sweeping, parent: RecordId, isRefused: boolean): Sweeping {
  const { sweep } = state;
  return { ...state, sweep: { ...sweep, parent, refused: sweep.refused + Number(isRefused) } };
}

/** The lists below all parents were read. */
export function endedBelow(state: Sweeping): Sweeping {
  return { ...state, sweep: { ...state.sweep, ended: true, ascending: false } };
}

/** The last page was empty: the list was cut off, or a page is full and the next one has nothing. */
export function endedEmpty(state: Sweeping): Sweeping {
  return { ...state, sweep: { ...state.sweep, emptyAfter: state.sweep.records } };
}

/** Records were written. */
export function doubted(state: Sweeping, { unsure, older, olderUntil, unfit }: LeftOpen): Sweeping {
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

/** The records in doubt were read once more. Beyond those that are remembered there may have been others. */
export function settled(state: Sweeping): Sweeping {
  const { unsure } = state.sweep;
  return { ...state, sweep: { ...state.sweep, unsure: unsure.length < MOST_UNSURE ? [] : unsure.slice(0, 1) } };
}

/** The sweep is over. @param complete whether every missing row was decided. */
export function ended({ sweep, ...state }: Sweeping, complete: boolean, now: number): ListState {
  return {
    ...state,
    sweep: null,
    asOf: complete ? sweep.since : state.asOf,
    sweptAt: now,
    tail: sweep.ascending && complete ? (sweep.before ?? "") : null,
    tailAt: now,
    againAt: sweep.older > 0 ? sweep.olderUntil : null,
  };
}

/** A page at the end of the list was read. @param last the identifier before it in this reading. */
export function followed(
  state: ListState,
  last: RecordId | null,
  { ids, hasNext, checkpoint }: ReadUpTo,
  now: number,
): ListState {
  const tail = hasNext ? checkpoint : state.tail;
  return { ...state, tailAt: now, tail: ascends(last, ids) ? tail : null };
}
