import type { Sql } from "./database.js";
import type { RecordId } from "./decide.js";
import type { ListPlan } from "./plan.js";

/** A sweep that is under way. */
export interface SweepState {
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
  /** Records to read once more. */
  readonly unsure: readonly RecordId[];
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
  /** Where the last page begins: the checkpoint of the page before it, "" for the start; null where the tail is not used. */
  readonly tail: string | null;
  readonly tailAt: number | null;
  /** When failed notifications were last asked for. */
  readonly repairedAt: number | null;
}

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
  repairedAt: null,
};

/** The number of the first reading of a sweep: rows that were last seen before it are missing in all of them. */
export function firstReading({ sweeps, sweep }: ListState): number {
  return sweeps - (sweep?.reading ?? 1) + 1;
}

/** The state from which a sweep with a key begins. Leaves a number between what other keys and what this sweep has seen. */
export function stateFor(state: ListState, key: string): ListState {
  return state.key === key ? state : { ...state, key, sweeps: state.sweeps + 1, keySince: state.sweeps + 1 };
}

/** Another sweep has taken the list over. */
export class TakenOver extends Error {
  constructor(list: string) {
    super(`Mirror: another run has taken over ${list}`);
  }
}

/** Reads the state of a list. */
export async function readState(sql: Pick<Sql, "all">, { name }: ListPlan): Promise<ListState> {
  const [found] = await sql.all<{ state: string }>("SELECT state FROM mirror_lists WHERE name = ?", [name]);
  return { ...NEW_LIST, ...(JSON.parse(found?.state ?? "{}") as Partial<ListState>) };
}

/** Reads the state of a list; before its first sweep, the first key that writes a record is the list's. */
export async function claimed(sql: Sql, plan: ListPlan, key: string): Promise<ListState> {
  const state = await readState(sql, plan);
  if (state.key !== null) return state;
  const own: ListState = { ...state, key };
  await sql.run("UPDATE mirror_lists SET state = ? WHERE name = ?", [JSON.stringify(own), plan.name]);
  return own;
}

/**
 * Writes the state of a list, as its owner.
 * @throws TakenOver when something else owns the list by now.
 */
export async function writeState(sql: Sql, { name }: ListPlan, state: ListState, owner: Owner): Promise<void> {
  const changed = await sql.run("UPDATE mirror_lists SET state = ?, owned_until = ? WHERE name = ? AND owner = ?", [
    JSON.stringify(state),
    owner.until,
    name,
    owner.name,
  ]);
  if (changed === 0) throw new TakenOver(name);
}

/** Who sweeps a list, and until when others leave it alone. */
export interface Owner {
  readonly name: string;
  readonly until: number;
}

/**
 * Makes something the owner of a list.
 * @param now where given, a list that is owned until later is left to its owner.
 * @returns whether it is the owner.
 */
export async function own(sql: Sql, { name }: ListPlan, owner: Owner, now: number | null): Promise<boolean> {
  const free = now === null ? "" : " AND (owner = ? OR owned_until <= ?)";
  const values = [owner.name, owner.until, name, ...(now === null ? [] : [owner.name, now])];
  return (await sql.run(`UPDATE mirror_lists SET owner = ?, owned_until = ? WHERE name = ?${free}`, values)) > 0;
}

/** Gives a list up, so that others need not wait. */
export async function disown(sql: Sql, { name }: ListPlan, owner: string): Promise<void> {
  await sql.run("UPDATE mirror_lists SET owned_until = 0 WHERE name = ? AND owner = ?", [name, owner]);
}
