import { columnName } from "../bulk/file/header.js";
import { csvRecords } from "../bulk/file/rows.js";
import { fold, isOver } from "../bulk/history.js";
import { partsOf } from "../bulk/kin.js";
import type { Fact, Header, Line, PlannedRow } from "../bulk/lines.js";
import { Digest, factLine } from "../bulk/node-state.js";
import { isPlainObject } from "../core/json.js";
import type { Person, Values } from "./person.js";

/** The lines of a plan without a person's rows. */
export interface Cut {
  /** Null for a line that is removed. */
  readonly lines: readonly (string | null)[];
  readonly rows: number;
  /** Number of remaining rows that may be the person's. */
  readonly doubts: number;
  /** True if the plan still has rows to send, or rows whose outcome is unknown. */
  readonly isUnfinished: boolean;
}

/** Takes a person's rows out of plans. Other rows keep their numbers, and the plans remain valid. */
export async function cutPlans(lines: readonly string[], person: Person): Promise<Cut> {
  const parsed = lines.map((line) => {
    const read: unknown = JSON.parse(line);
    if (!isPlainObject(read)) throw new SyntaxError("A line of a plan is not an object.");
    return read as Line;
  });
  const heads = parsed.flatMap(({ bulk }, at) => (bulk === undefined ? [] : [at]));
  const cut: (string | null)[] = lines.slice(0, heads[0] ?? lines.length);
  let [rows, doubts] = [0, 0];
  let isUnfinished = false;
  for (const [place, from] of heads.entries()) {
    const to = heads[place + 1] ?? lines.length;
    const one = await cutPlan(lines.slice(from, to), parsed.slice(from, to), person);
    cut.push(...one.lines);
    rows += one.rows;
    doubts += one.doubts;
    isUnfinished ||= one.isUnfinished;
  }
  return { lines: cut, rows, doubts, isUnfinished };
}

async function cutPlan(lines: readonly string[], parsed: readonly Line[], person: Person): Promise<Cut> {
  const header = parsed[0] as Header;
  const end = parsed.findIndex((line) => line.end);
  const planned = parsed.slice(0, end < 0 ? parsed.length : end);
  const facts = Map.groupBy(end < 0 ? [] : (parsed.slice(end + 1) as Fact[]), ({ row }) => row);
  const refused = new Set(planned.filter(({ refuse }) => refuse).map(({ row }) => row));
  const owned = new Set<number | undefined>();
  let isUnfinished = end < 0;
  let doubts = 0;
  for (const line of planned) {
    if (line.do === undefined) continue;
    const row = line as PlannedRow;
    const history = fold(row, facts.get(row.row) ?? []);
    isUnfinished ||= !refused.has(row.row) && !isOver(history);
    const is = await isOwned(header, row, history.made?.id, person);
    if (is) owned.add(row.row);
    else if (is === null) doubts++;
  }
  const isShown = person.owns([header.resource], { id: header.shown?.id ?? null }, true);
  if (owned.size === 0 && !isShown) return { lines, rows: 0, doubts, isUnfinished };
  const digest = new Digest();
  const add = (line: string) => {
    digest.add(line);
    return line;
  };
  const cut = lines.map((text, at) => {
    const { row, do: what, in: given } = parsed[at] as Line;
    if (at === end) {
      const { end: summary } = parsed[at] as { end: Values };
      return JSON.stringify({ end: { ...summary, digest: digest.text } });
    }
    if (at > end && end >= 0) {
      const { sum: _, ...fact } = parsed[at] as Line;
      return owned.has(row) ? null : factLine(fact as Fact, digest.text);
    }
    if (at === 0 && isShown) return add(JSON.stringify({ ...header, shown: undefined }));
    if (!owned.has(row)) return add(text);
    const blank = typeof given === "string" ? { in: "" } : {};
    return what === undefined ? null : add(JSON.stringify({ row, do: "leave", ...blank }));
  });
  return { lines: cut, rows: owned.size, doubts, isUnfinished };
}

// True if a row belongs to the person; null if another e-mail address makes that doubtful.
async function isOwned(header: Header, row: PlannedRow, made: number | undefined, person: Person) {
  const { resource, params, input } = header;
  const { send, before, key, in: given } = row;
  const delimiter = input?.csv.delimiter ?? ",";
  const cells = typeof given === "string" ? await cellsOf(given, delimiter) : [];
  const source = valuesIn(header, await cellsOf(input?.csv.head ?? "", delimiter), cells, given);
  // A refused row has only the identifier in its source row.
  const id = row.id ?? made ?? (row.do === "refuse" ? source.id : null);
  const record = { ...(row.do === "refuse" && source), ...params, ...before, ...send, id };
  if (person.isRoot(resource, id)) {
    const at = header.key.indexOf("email");
    for (const one of [source, before, at < 0 ? {} : { email: partsOf(key ?? "")[at] }]) person.learnEmail(one?.email);
  }
  if (person.owns([resource], record)) return true;
  if (id !== null) return false;
  const by = person.knowsBy([typeof given === "string" ? [] : given, partsOf(key ?? ""), cells]);
  return by === "doubt" ? null : by === "person";
}

// The values of a source row by path. Drops an `id` that is not part of the key: it may be another system's.
function valuesIn(
  { key, columns }: Header,
  names: readonly string[],
  cells: readonly string[],
  given: unknown,
): Values {
  const values: Values = isPlainObject(given)
    ? given
    : Object.fromEntries(names.map((name, at) => [columnName(name), cells[at]]));
  const named = columns
    ? Object.fromEntries(Object.entries(columns).map(([path, column]) => [path, values[column]]))
    : values;
  return { ...named, id: key.includes("id") ? named.id || null : null };
}

async function cellsOf(text: string, delimiter: string): Promise<readonly string[]> {
  const cells: string[] = [];
  for await (const one of csvRecords([text], delimiter)) cells.push(...one.cells);
  return cells;
}
