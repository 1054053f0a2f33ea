import type { Sql, SqlReader } from "../sql/dialect.js";
import { isAhead } from "./decide.js";
import type { ListPlan } from "./plan.js";
import { type ListState, NEW_LIST } from "./state.js";

/** Another sweep has taken the list over. */
export class TakenOver extends Error {
  constructor(list: string) {
    super(`Mirror: another run has taken over ${list}`);
  }
}

/** Who sweeps a list, and until when others leave it alone. */
export interface Owner {
  readonly name: string;
  readonly until: number;
}

/** Reads the state of a list. */
export async function readState(sql: SqlReader, { name }: ListPlan): Promise<ListState> {
  const [found] = await sql.all<{ state: string }>("SELECT state FROM {mirror_lists} WHERE name = ?", [name]);
  return { ...NEW_LIST, ...(JSON.parse(found?.state ?? "{}") as Partial<ListState>) };
}

/** Reads the state of a list; before its first sweep, the first key that writes a record is the list's. */
export async function claimed(sql: Sql, plan: ListPlan, key: string): Promise<ListState> {
  const state = await readState(sql, plan);
  if (state.key !== null) return state;
  const own: ListState = { ...state, key };
  await sql.run("UPDATE {mirror_lists} SET state = ? WHERE name = ?", [JSON.stringify(own), plan.name]);
  return own;
}

/** Writes the state of a list, as its owner. @throws TakenOver when something else owns the list by now. */
export async function writeState(sql: Sql, { name }: ListPlan, state: ListState, owner: Owner): Promise<void> {
  const changed = await sql.run("UPDATE {mirror_lists} SET state = ?, owned_until = ? WHERE name = ? AND owner = ?", [
    JSON.stringify(state),
    owner.until,
    name,
    owner.name,
  ]);
  if (changed === 0) throw new TakenOver(name);
}

/**
 * Makes something the owner of a list.
 * @param now where given, a list that is owned until later is left to its owner.
 * @param own begins the names of owners that never count as others.
 * @returns null, or until when the list is left to its owner.
 */
export async function own(
  sql: Sql,
  { name }: ListPlan,
  owner: Owner,
  now: number | null,
  own: string | null,
): Promise<number | null> {
  if (now !== null) {
    const [found] = await sql.all<{ owner: string; until: number | string }>(
      "SELECT owner, owned_until AS until FROM {mirror_lists} WHERE name = ?",
      [name],
    );
    const until = Number(found?.until ?? 0);
    if (until > now && !isAhead(until, owner.until) && !(own !== null && found?.owner.startsWith(own))) return until;
  }
  await sql.run("UPDATE {mirror_lists} SET owner = ?, owned_until = ? WHERE name = ?", [owner.name, owner.until, name]);
  return null;
}

/** Gives a list up, so that others need not wait. */
export async function disown(sql: Sql, { name }: ListPlan, owner: string): Promise<void> {
  await sql.run("UPDATE {mirror_lists} SET owned_until = 0 WHERE name = ? AND owner = ?", [name, owner]);
}
