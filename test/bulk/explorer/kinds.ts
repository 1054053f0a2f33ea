import type { PlannedRow } from "../../../src/bulk/lines.js";

/**
 * A service with its oddities, and the rows of the plan that is applied to it. Times are in ticks: each request takes
 * one tick, and `settleMs` is four.
 */
export interface Kind {
  readonly name: string;
  readonly rows: readonly ("create" | "update" | "action")[];
  /** The keys of the creates, if the default keys do not show the oddity. */
  readonly keys?: readonly string[];
  /** Turns a key into the form in which the service stores it. */
  readonly store?: (key: string) => string;
  readonly order?: "id" | "name" | "newest" | "mixed";
  /** How many ticks the list lags behind. */
  readonly lag?: number;
  /** Possible delays in ticks before a record appears; the explorer chooses one per record. */
  readonly shownAfter?: readonly number[];
  /** Rows whose records the list never shows. */
  readonly hidden?: readonly number[];
  /** The service refuses a second record with the same key. */
  readonly unique?: boolean;
  /** If the key of a create exists, the service responds with the existing record. */
  readonly merges?: boolean;
  /** All creates have the same values in the other fields. */
  readonly isAlike?: boolean;
  /** The service rewrites the other fields of creates. */
  readonly rewritesFields?: boolean;
  /** The service rewrites the values of updates, or ignores them. */
  readonly stores?: "normalised" | "ignored";
  /** Others write between any two requests. */
  readonly others?: boolean;
  /** The first kill ends the work on the plan, which is then undone half-finished. */
  readonly isUndoneHalf?: boolean;
  /** The service may respond to a write with success without carrying it out. */
  readonly lies?: boolean;
  /**
   * With this kind of service, no row may end as `unknown` or `stale`, unless a case of the documented remainder
   * occurred.
   */
  readonly isBenign?: boolean;
  /** The case of the documented remainder that this kind belongs to. */
  readonly remainder?: string;
}

const three = ["create", "create", "create"] as const;

/** Ways in which a service may store keys, each with a key for the first row that shows the difference. */
const STORED: readonly (readonly [name: string, key: string, store: (key: string) => string])[] = [
  ["in small letters", "D One", (key) => key.toLowerCase()],
  ["with single blanks", "d  one", (key) => key.replace(/ +/g, " ")],
  ["cut", "d one and more", (key) => key.slice(0, 6)],
  ["escaped", "d&one", (key) => key.replaceAll("&", "&amp;")],
  ["without tags", "d<i>one</i>", (key) => key.replace(/<[^>]*>/g, "")],
  ["transliterated", "d\u00D8one", (key) => key.replaceAll("\u00D8", "O")],
  ["with a prefix", "d one", (key) => `2030: ${key}`],
  ["with question marks", "done \u00E9", (key) => key.replace(/\u00E9/g, "?")],
];
const TO_ONE_KEY = ["d one and more", "d one ", "zz two"];
const shortenKey = (key: string) => key.slice(0, 6);

export const KINDS: readonly Kind[] = [
  { name: "as the sandbox", rows: three, isBenign: true },
  { name: "one create", rows: ["create"] },
  { name: "other fields alike", rows: three, isAlike: true, isBenign: true },
  { name: "unique keys", rows: three, unique: true, isBenign: true },
  { name: "killed, then undone", rows: ["create", "update"], isUndoneHalf: true },
  { name: "killed, then undone, others write", rows: ["create", "update"], isUndoneHalf: true, others: true },
  {
    name: "killed, then undone, keys in small letters",
    rows: ["create", "create"],
    isUndoneHalf: true,
    store: (key) => key.toLowerCase(),
  },
  ...STORED.flatMap(([name, key, store]): Kind[] => [
    { name: `keys ${name}`, rows: three, keys: [key, "zz two", "zz three"], store },
    { name: `keys ${name}, other fields alike`, rows: three, keys: [key, "zz two", "zz three"], store, isAlike: true },
  ]),
  { name: "keys replaced", rows: three, store: () => "generated" },
  { name: "keys replaced, other fields alike", rows: three, store: () => "generated", isAlike: true, remainder: "R7" },
  { name: "keys cut to another row's", rows: three, keys: TO_ONE_KEY, store: shortenKey, remainder: "R7" },
  {
    name: "keys cut to another row's, other fields alike",
    rows: three,
    keys: TO_ONE_KEY,
    store: shortenKey,
    isAlike: true,
    remainder: "R6",
  },
  {
    name: "keys that differ in case only",
    rows: three,
    keys: ["d one", "D one", "zz two"],
    store: (key) => key.toLowerCase(),
    remainder: "R7",
  },
  {
    name: "creates answered with the record that has the key",
    rows: three,
    keys: ["B", "zz two", "ZZ two"],
    store: (key) => key.toLowerCase(),
    merges: true,
  },
  { name: "order by name", rows: three, order: "name", keys: ["aa one", "zz two", "zz three"], isBenign: true },
  {
    name: "order by name, new ones last by chance",
    rows: three,
    order: "name",
    keys: ["zy one", "zz two", "zz three"],
  },
  { name: "newest first", rows: three, order: "newest", isBenign: true },
  { name: "mixed order", rows: three, order: "mixed", isBenign: true },
  ...[1, 3, 4, 6, 13, 30].map((lag): Kind => ({ name: `list ${lag} behind`, rows: three, lag, isBenign: lag <= 4 })),
  { name: "records shown late, within settle", rows: three, shownAfter: [0, 3] },
  { name: "records shown late, within twice settle", rows: three, shownAfter: [0, 7] },
  { name: "records shown after the last look", rows: three, shownAfter: [0, 60], remainder: "R2" },
  { name: "one row hidden", rows: three, hidden: [0], remainder: "R3" },
  { name: "two rows hidden", rows: three, hidden: [0, 1] },
  { name: "all new records hidden", rows: three, hidden: [0, 1, 2] },
  { name: "other fields rewritten", rows: three, rewritesFields: true },
  {
    name: "other fields rewritten, keys cut",
    rows: three,
    rewritesFields: true,
    keys: ["d one", "zz two", "zz three"].map((key) => `${key}, the first of all names that no service stores whole`),
    store: (key) => key.slice(0, 54),
  },
  { name: "others write", rows: three, others: true },
  { name: "others write, other fields alike", rows: three, others: true, isAlike: true },
  {
    name: "others write, keys in small letters",
    rows: three,
    others: true,
    keys: ["D One", "zz two", "zz three"],
    store: (key) => key.toLowerCase(),
  },
  { name: "others write, list 6 behind", rows: three, others: true, lag: 6 },
  { name: "two updates", rows: ["update", "update"] },
  { name: "an update, others write", rows: ["update"], others: true },
  { name: "updates normalised", rows: ["update", "update"], stores: "normalised" },
  { name: "an update ignored", rows: ["update"], stores: "ignored" },
  { name: "an action, others write", rows: ["action"], others: true },
  { name: "a create and an update, others write", rows: ["create", "update"], others: true },
  { name: "wrong with 200, creates", rows: three, lies: true },
  { name: "wrong with 200, creates alike", rows: three, lies: true, isAlike: true },
  { name: "wrong with 200, updates", rows: ["update", "update", "update"], lies: true },
  { name: "wrong with 200, both", rows: ["create", "update"], lies: true },
  { name: "wrong with 200, killed, then undone", rows: ["create", "update"], lies: true, isUndoneHalf: true },
];

/** The rows of the plan that is applied to a service of this kind. */
export function plannedRows({ rows, keys, isAlike }: Kind): PlannedRow[] {
  const usual = ["d one", "zz two", "zz three"];
  return rows.map((what, row) =>
    what === "create"
      ? { row, do: "create", key: (keys ?? usual)[row] ?? "", send: { mark: isAlike ? "m" : `m${row}` } }
      : {
          row,
          do: "update",
          ...(what === "update" && { key: "bdfh"[row] }),
          id: row + 1,
          send: { v: 5 },
          before: { v: 0 },
        },
  );
}

/** The possible outcomes of a create. */
export const CREATES = [
  "ok",
  "kill before",
  "kill after",
  "lost, done",
  "lost, not done",
  "late 2",
  "late 4",
  "twice",
  "refused",
  "429",
  "twice, again after 2",
  "late 9",
  "late 40",
  "twice, again after 40",
  "answered",
  "answered, late 6",
] as const;
/** Further outcomes of a create if the service lies: it responds wrongly. */
export const LIED_CREATES = ["lie: another's id", "lie: no record", "lie: other fields", "refused, done"] as const;
/** Further outcomes of a change or a delete if the service lies: it responds wrongly. */
export const LIED_CHANGES = ["lie: as before", "lie: moves w", "refused, done"] as const;
/** The possible outcomes of a change or a delete. */
export const CHANGES = [
  "ok",
  "kill before",
  "kill after",
  "lost, done",
  "lost, not done",
  "late 2",
  "late 4",
  "refused",
  "429",
  "late 9",
  "late 40",
] as const;
