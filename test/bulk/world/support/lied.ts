import { type BulkRow, plan, rowsOf, undo } from "../../../../src/bulk/node.js";
import { type Programs, START } from "./job.js";
import { CHANGED, type Lied, type Stored, type Values } from "./lies.js";
import { Program, type Reached } from "./program.js";

/** A school with a lying service, as a job reaches it. */
export interface LyingService {
  readonly reached: Reached;
  readonly before: Stored;
  /** The current records. */
  stored(): Promise<Stored>;
}

const NEW = Array.from({ length: 6 }, (_, n) => ({
  title: `New ${n}x`,
  company_name: `Company ${n}`,
  status: "prospect",
}));
const UPDATED = { first_name: "New", last_name: "Name" };

/**
 * Writes to a service that lies, then undoes the writes. In both, programs are killed at the given steps, and new ones
 * started until one completes the plan or two have ended without being killed. @returns the false claims in the
 * reports.
 * @returns the false claims in the reports.
 */
export async function checkReport(
  { method, name, everyOther }: Lied,
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
  if (method === "PUT") {
    await plan(
      client.users,
      CHANGED.map((id) => ({ id, ...UPDATED })),
      { to: forth.to, key: "id" },
    );
  } else await plan(client.leads, NEW, { to: forth.to, key: "title" });

  const first = await carriedOut(forth);

  const then = await stored();
  const old = { users: byId(before.users), leads: byId(before.leads) };
  if (method === "PUT") {
    const odd = then.users.filter((one) => {
      const planned = { ...old.users.get(one.id), ...(CHANGED.includes(Number(one.id)) && UPDATED) };
      return comparableText(one, "full_name") !== comparableText(planned, "full_name");
    });
    if (first.isComplete && odd.length > 0 && !isUnknowable)
      wrong.push(`complete, though ${odd.map(({ id }) => id)} are not as planned`);
    const unsentText = (one: Values) => comparableText(one, "full_name", ...Object.keys(UPDATED));
    const harmed = then.users.filter((one) => unsentText(one) !== unsentText(old.users.get(one.id) ?? {}));
    // Each start may harm one record, or two if the service lies only on every second write: only the second lie shows
    // that the service, not a colleague, made the change.
    if (!isLater && harmed.length > first.starts * (everyOther ? 2 : 1))
      wrong.push(`${harmed.length} harmed by ${first.starts} starts`);
  } else {
    const isThere = ({ title, company_name }: Values) =>
      then.leads.filter((one) => one.title === title && one.company_name === company_name).length === 1;
    if (first.isComplete && !NEW.every(isThere)) wrong.push("complete, though not all are there once");
    const harmed = then.leads.filter(
      (one) => old.leads.has(one.id) && comparableText(one) !== comparableText(old.leads.get(one.id) ?? {}),
    );
    if (harmed.length > 1) wrong.push(`${harmed.length} harmed`);
  }
  await undo(forth.to, { to: back.to, creates: "delete" });
  const second = await carriedOut(back);
  const end = await stored();
  const rows: BulkRow[] = [];
  for await (const row of rowsOf(back.to)) rows.push(row);
  for (const id of old.leads.keys()) if (!byId(end.leads).has(id)) wrong.push(`undo deleted ${id}, which was there`);
  // The undo must name every record of the plan that still exists.
  for (const one of method === "PUT" ? [] : end.leads.filter(({ id }) => !old.leads.has(id))) {
    const number = 1 + NEW.findIndex(({ title }) => String(one.title).toLowerCase().endsWith(title.toLowerCase()));
    const row = rows.find((other) => other.row === number);
    if (!row || (row.outcome === "deleted" && row.why.length === 0 && row.confirmed !== false))
      wrong.push(`undo leaves ${one.id} and does not say so`);
    if (second.isComplete && method === "DELETE") wrong.push(`undo is complete, though ${one.id} is there`);
  }
  const checked = isUnknowable ? [] : CHANGED.slice(0, isLater ? -1 : undefined);
  for (const id of method === "PUT" ? checked : []) {
    if (comparableText(byId(end.users).get(id) ?? {}) === comparableText(old.users.get(id) ?? {})) continue;
    const row = rows.find((one) => one.id === id);
    const isSaid =
      row === undefined ||
      !["updated", "unchanged"].includes(String(row.outcome)) ||
      row.why.length > 0 ||
      row.confirmed === false ||
      Object.keys({ ...row.differs, ...row.side }).length > 0;
    if (!isSaid) wrong.push(`undo leaves ${id} otherwise and does not say so`);
  }
  return wrong;
}

const byId = (records: readonly Values[]) => new Map(records.map((one) => [one.id, one]));
const comparableText = (record: Values, ...names: readonly string[]) =>
  JSON.stringify(Object.entries(record).filter(([name]) => name !== "updated_at" && !names.includes(name)));
