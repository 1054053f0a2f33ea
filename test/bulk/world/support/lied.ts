import { type BulkRow, change, plan, rowsOf, undo } from "../../../../src/bulk/node.js";
import { type Programs, START } from "./job.js";
import type { Values } from "./lie.js";
import { CHANGED, type Lied, type Stored } from "./lies.js";
import { Program, type Reached } from "./program.js";

/** A school with a lying service, as a job reaches it. */
export interface LyingService {
  readonly reached: Reached;
  readonly before: Stored;
  /** The current records. */
  stored(): Promise<Stored>;
}

// Letters of five scripts, because services rewrite some of them.
const NEW = ["Société", "Εταιρεία", "Компания", "شركة", "公司", "Company"].map((company, n) => ({
  title: `New ${n}x ${company}`,
  company_name: `${company} ${n}`,
  status: "prospect",
}));
const UPDATED = { first_name: "Ελένη", last_name: "Ångström" };
const computed = ({ first_name }: { readonly first_name?: unknown }) => ({ ...UPDATED, first_name: `${first_name} Ø` });

/**
 * Writes to a service that lies, then undoes the writes. In both, programs are killed at the given steps, and new ones
 * started until one completes the plan or two have ended without being killed. @returns the false claims in the
 * reports.
 * @returns the false claims in the reports.
 */
export async function checkReport(
  { method, name, everyOther, isComputed }: Lied,
  { reached, before, stored }: LyingService,
  [forth, back]: readonly [Programs, Programs],
  kills: readonly number[],
): Promise<string[]> {
  const wrong: string[] = [];
  // The changes of an automation that acts a moment later show only after more updates, and never after the last
  // reading.
  const isLater = name.includes("automation") && name.endsWith("later");
  // Only a killed program knew the values of the other fields before its writes.
  const isUnknowable = isLater && kills.length > 0;
  // Nothing shows a copy after the last reading.
  const isHidden = (row: number) => isLater && name.includes("copies") && row === NEW.length;
  let now = START;
  const carriedOut = async (programs: Programs) => {
    const left = [...kills];
    let starts = 0;
    for (let ended = 0; ended < 2; ) {
      starts++;
      const killAt = left.shift();
      const { result, now: at } = await programs.apply({ token: reached.apiKey, now, settleMs: 60_000, killAt });
      now = at + 1_000;
      if (result !== null) ended++;
      if (typeof result === "object" && result?.complete) return { isComplete: true, starts };
    }
    return { isComplete: false, starts };
  };
  const { client } = new Program(reached, now);
  const updated = (one: Values) => (isComputed ? computed(one) : UPDATED);
  if (isComputed) await plan(client.users, change(computed), { to: forth.to, where: `id=${CHANGED}` });
  else if (method === "PUT") {
    await plan(
      client.users,
      CHANGED.map((id) => ({ id, ...UPDATED })),
      { to: forth.to, key: "id" },
    );
  } else await plan(client.leads, NEW, { to: forth.to, key: "title" });

  const first = await carriedOut(forth);

  const then = await stored();
  const old = { users: byId(before.users), leads: byId(before.leads) };
  const isNew = (one: Values) => !old.leads.has(one.id) && !isTheirs(one);
  if (method === "PUT") {
    const odd = then.users.filter((one) => {
      const before = old.users.get(one.id) ?? {};
      const planned = { ...before, ...(CHANGED.includes(Number(one.id)) && updated(before)) };
      return comparableText(one, "full_name") !== comparableText(planned, "full_name");
    });
    const gone = CHANGED.filter((id) => !byId(then.users).has(id));
    if (first.isComplete && odd.length + gone.length > 0 && !isUnknowable)
      wrong.push(`complete, though ${[...odd.map(({ id }) => id), ...gone]} are not as planned`);
    const unsentText = (one: Values) => comparableText(one, "full_name", ...Object.keys(UPDATED));
    const harmed = then.users.filter((one) => unsentText(one) !== unsentText(old.users.get(one.id) ?? {}));
    // Each start may harm one record, or two if the service lies only on every second write: only the second lie shows
    // that the service, not a colleague, made the change.
    if (!isLater && harmed.length > first.starts * (everyOther ? 2 : 1))
      wrong.push(`${harmed.length} harmed by ${first.starts} starts`);
  } else {
    const isThere = (row: Values) => then.leads.filter((one) => isEqual(one, row)).length === 1;
    if (first.isComplete && !NEW.every(isThere)) wrong.push("complete, though not all are there once");
    const harmed = then.leads.filter(
      (one) => old.leads.has(one.id) && comparableText(one) !== comparableText(old.leads.get(one.id) ?? {}),
    );
    if (harmed.length > 1) wrong.push(`${harmed.length} harmed`);
    const rows = await rowsIn(forth);
    for (const [number, made] of Map.groupBy(then.leads.filter(isNew), rowOf)) {
      const row = rows.find((one) => one.row === number);
      if (made.length > 1 && row && isSettled(row) && !isHidden(number))
        wrong.push(`row ${number} was doubled in silence`);
    }
  }
  await undo(forth.to, { to: back.to, creates: "delete" });
  const second = await carriedOut(back);
  const end = await stored();
  const [made, rows] = [await rowsIn(forth), await rowsIn(back)];
  // After the last reading, nothing shows it.
  const isBack = name.includes("comes back");
  const isUnseen = ({ row }: BulkRow) => isBack && (kills.length > 0 || row === NEW.length);
  for (const id of old.leads.keys()) if (!byId(end.leads).has(id)) wrong.push(`undo deleted ${id}, which was there`);
  for (const { id } of then.leads.filter(isTheirs))
    if (!byId(end.leads).has(id)) wrong.push(`undo deleted ${id}, which somebody else created`);
  // A refused row is read once; the reading of a program that is killed may come before the service stores it.
  const isStoredAfterReading = name.startsWith("a refusal") && name.endsWith("later") && kills.length > 0;
  // The undo must name every record of the plan that still exists.
  for (const one of method === "PUT" || isStoredAfterReading ? [] : end.leads.filter(isNew)) {
    const row = rows.find((other) => other.row === rowOf(one));
    // The client repeats a request after a 429, because nothing was done then.
    const isNamed = name.startsWith("429") && made.some((other) => other.row === rowOf(one) && !isSettled(other));
    const isUndone = row?.outcome === "deleted" && row.why.length === 0 && row.confirmed !== false;
    if (!isNamed && !isHidden(rowOf(one)) && (!row || (isUndone && !isUnseen(row))))
      wrong.push(`undo leaves ${one.id} and does not say so`);
    if (second.isComplete && method === "DELETE" && !(row && isUnseen(row)))
      wrong.push(`undo is complete, though ${one.id} is there`);
  }
  const checked = isUnknowable ? [] : CHANGED.slice(0, isLater ? -1 : undefined);
  for (const id of method === "PUT" ? checked : []) {
    if (comparableText(byId(end.users).get(id) ?? {}) === comparableText(old.users.get(id) ?? {})) continue;
    const row = rows.find((one) => one.id === id);
    if (row && isSettled(row)) wrong.push(`undo leaves ${id} otherwise and does not say so`);
  }
  return wrong;
}

/** True if nothing in the row's outcome makes a person look at the record. */
function isSettled({ outcome, why, confirmed, differs, side }: BulkRow): boolean {
  const isDone = ["created", "updated", "unchanged", "deleted"].includes(String(outcome));
  return isDone && why.length === 0 && confirmed !== false && Object.keys({ ...differs, ...side }).length === 0;
}

async function rowsIn({ to }: Programs): Promise<BulkRow[]> {
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(to)) rows.push(row);
  return rows;
}

/** The row that created a record, by what the services leave of its title or its company. */
function rowOf({ title, company_name }: Values): number {
  const number = /new (\d)x/i.exec(String(title))?.[1] ?? /(\d)$/.exec(String(company_name))?.[1];
  return 1 + Number(number ?? Number.NaN);
}

const isEqual = (one: Values, other: Values) =>
  ["title", "company_name"].every((name) => String(one[name]).normalize() === String(other[name]).normalize());
const isTheirs = ({ company_name }: Values) => company_name === "Theirs";
const byId = (records: readonly Values[]) => new Map(records.map((one) => [one.id, one]));
const comparableText = (record: Values, ...names: readonly string[]) =>
  JSON.stringify(Object.entries(record).filter(([name]) => name !== "updated_at" && !names.includes(name))).normalize();
