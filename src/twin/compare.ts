import type { Twin } from "../sandbox/twin.js";
import { changesOf, namesOf } from "../school/school-changes.js";
import type { FieldShape } from "../work/kinds.js";

/** One difference between a twin and the school as it is now. */
export interface TwinChange {
  /** Where the difference is, such as `manners.total`, `data.categories.7` or `shape.users.email: null`. */
  readonly path: string;
  /** The difference: `came`, `went`, or the old and the new value. */
  readonly change: string;
}

type Values = Readonly<Record<string, unknown>>;
type Shares = Readonly<Record<string, number>>;
type Pair<T> = readonly [before: T, now: T];

/** The smallest share that is reported, in percent. */
const NOTABLE = 5;
/** The number of records read from each list by default. */
const READ = 800;
/** If at least this many records should have a value, finding none is not a coincidence. */
const SURE = 8;
/** Not compared, because it changes when any user enters a first long text. */
const GROWS = "manners.longNotes";

/**
 * Lists the changes to a school since its twin was taken: each field, value, header, flag or category that came or
 * went. A different number of records is not a change.
 * @example
 * import { compareTwins, takeTwin } from "education-admin-sdk/twin";
 *
 * const before = await takeTwin(client);
 * console.log(compareTwins(before, await takeTwin(client)).length); // 0
 */
export function compareTwins(before: Twin, now: Twin): TwinChange[] {
  // A behavior missing from one twin may have gone unnoticed, so only changed values are reported.
  const manners = valueChanges("manners", before.manners, now.manners).filter(
    ({ path, change }) => change.includes("→") && path !== GROWS,
  );
  const fields = changesOf(before.school, now.school).map(({ path, kind, detail }) => ({
    path: `school.${path}`,
    change: detail === "" ? kind : `${kind} (${detail})`,
  }));
  const data = namesOf(before.data, now.data).flatMap((list) =>
    recordChanges(`data.${list}`, byId(before.data[list]), byId(now.data[list])),
  );
  const shapes = namesOf(before.shape, now.shape).flatMap((list) => {
    const counts: Pair<number> = [countOf(before, list), countOf(now, list)];
    const [old = {}, young = {}] = [before.shape[list], now.shape[list]];
    if (counts.includes(0)) return [];
    return namesOf(old, young).flatMap((field) =>
      shapeChanges(`shape.${list}.${field}`, [sharesOf(old[field]), sharesOf(young[field])], counts, list in now.data),
    );
  });
  return [
    ...manners,
    ...valueChanges("headers", valuesByName(before.headers), valuesByName(now.headers)),
    ...valueChanges("unread", before.unread, now.unread),
    ...valueChanges("disabledFeatures", valuesByName(before.disabledFeatures), valuesByName(now.disabledFeatures)),
    ...fields,
    ...data,
    ...shapes,
  ];
}

function countOf({ counts, data }: Twin, list: string): number {
  const count = data[list]?.length ?? counts[list];
  return typeof count === "number" ? count : 0;
}

function recordChanges(path: string, before: Values, now: Values): TwinChange[] {
  return namesOf(before, now).flatMap((id) => {
    const [old, young] = [before[id] as Values | undefined, now[id] as Values | undefined];
    return old && young ? valueChanges(`${path}.${id}`, old, young) : [came(`${path}.${id}`, young !== undefined)];
  });
}

function valueChanges(path: string, before: Values, now: Values): TwinChange[] {
  return namesOf(before, now).flatMap((name) => {
    const [old, young] = [JSON.stringify(before[name]), JSON.stringify(now[name])];
    const at = `${path}.${name}`;
    if (old === young) return [];
    return old && young ? [{ path: at, change: `${old} → ${young}` }] : [came(at, young !== undefined)];
  });
}

// Reports values that no record had before but that are now too frequent to have been missed by chance, and the
// reverse.
function shapeChanges(path: string, [old, young]: Pair<Shares>, counts: Pair<number>, isKept: boolean): TwinChange[] {
  const [before, now] = counts;
  const isNews = (was: number, is: number) => (was === 0 && isMuch(is, before)) || (is === 0 && isMuch(was, now));
  const [was, is] = [100 - (old.absent ?? 0), 100 - (young.absent ?? 0)];
  if (isNews(was, is)) return [came(path, is > 0)];
  // If the twin keeps a list's records, they are compared, not the shares.
  if (isKept || was === 0 || is === 0) return [];
  return namesOf(old, young)
    .filter((kind) => isNews(old[kind] ?? 0, young[kind] ?? 0))
    .map((kind) => came(`${path}: ${kind}`, (young[kind] ?? 0) > 0));
}

function isMuch(share: number, count: number): boolean {
  return share === 100 || (share >= NOTABLE && (share / 100) * Math.min(count, READ) >= SURE);
}

// Shares in percent; `few` counts as a small share.
function sharesOf({ most, ...others }: FieldShape = { most: "absent" }): Shares {
  const told = Object.entries(others).map(([kind, share]) => [kind, typeof share === "number" ? share : 1] as const);
  const rest = 100 - told.reduce((sum, [, share]) => sum + share, 0);
  return { ...Object.fromEntries(told), [most]: Math.max(1, rest) };
}

function came(path: string, isThere: boolean): TwinChange {
  return { path, change: isThere ? "came" : "went" };
}

function valuesByName(names: readonly string[]): Values {
  return Object.fromEntries(names.map((name) => [name, true]));
}

function byId(records: Twin["data"][string] = []): Values {
  return Object.fromEntries(records.map((record) => [String(record.id), record]));
}
