import type { Sql, SqlReader } from "../sql/dialect.js";
import { isAhead } from "../work/schedule.js";
import type { ListPlan } from "./plan.js";
import { type ListState, NEW_LIST } from "./state.js";

export class TakenOver extends Error {
  constructor(list: string) {
    super(`Mirror: another run has taken over ${list}`);
  }
}

/** The work that owns a list, and the time until which other work leaves the list alone. */
export interface Owner {
  readonly name: string;
  readonly until: number;
}

export async function readState(sql: SqlReader, { name }: ListPlan): Promise<ListState> {
  const [found] = await sql.all<{ state: string }>("SELECT state FROM {mirror_lists} WHERE name = ?", [name]);
  return { ...NEW_LIST, ...(JSON.parse(found?.state ?? "{}") as Partial<ListState>) };
}

/** Reads the state of a list. If it has no API key yet, stores `key`, the first key to write records of the list. */
export async function readOrClaimState(sql: Sql, plan: ListPlan, key: string): Promise<ListState> {
  const state = await readState(sql, plan);
  if (state.key !== null) return state;
  const claimedState: ListState = { ...state, key };
  await sql.run("UPDATE {mirror_lists} SET state = ? WHERE name = ?", [JSON.stringify(claimedState), plan.name]);
  return claimedState;
}

/** Writes the state of a list, as its owner. @throws TakenOver if other work owns the list by now. */
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
 * Takes ownership of a list.
 * @param now a list that is owned beyond this time stays with its owner; null to take any list.
 * @param sessionPrefix an owner whose name begins with this prefix loses the list.
 * @returns the time until which the list stays with its owner; null if it was taken.
 */
export async function claimList(
  sql: Sql,
  { name }: ListPlan,
  owner: Owner,
  now: number | null,
  sessionPrefix: string | null,
): Promise<number | null> {
  if (now !== null) {
    const [found] = await sql.all<{ owner: string; until: number | string }>(
      "SELECT owner, owned_until AS until FROM {mirror_lists} WHERE name = ?",
      [name],
    );
    const until = Number(found?.until ?? 0);
    if (
      until > now &&
      !isAhead(until, owner.until) &&
      !(sessionPrefix !== null && found?.owner.startsWith(sessionPrefix))
    )
      return until;
  }
  await sql.run("UPDATE {mirror_lists} SET owner = ?, owned_until = ? WHERE name = ?", [owner.name, owner.until, name]);
  return null;
}

export async function disown(sql: Sql, { name }: ListPlan, owner: string): Promise<void> {
  await sql.run("UPDATE {mirror_lists} SET owned_until = 0 WHERE name = ? AND owner = ?", [name, owner]);
}
