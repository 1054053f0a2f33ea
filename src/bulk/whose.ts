import type { Values } from "./fields.js";
import { keyKinship, stateOf } from "./kin.js";

/**
 * A record as it was last read. Times are in milliseconds since the epoch, as the record states them; null if the
 * record has none.
 */
export interface Seen {
  readonly id: number;
  readonly key: string | null;
  /** The values of the fields that the row sends and of `Manners.marks`, by path; undefined if not shown. */
  readonly fields: Values;
  readonly created: number | null;
  readonly updated: number | null;
  /** False if `created_at` has no time zone. */
  readonly zoned: boolean;
}

/** The create that a record is compared with. */
export interface Sent {
  readonly row: number;
  readonly key: string;
  readonly send: Values;
  readonly keys: readonly string[];
}

/** How many milliseconds `created_at` is ahead of this machine's clock. */
export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly slack: number;
}

/** How a service treats creates, learned from the records that this plan created. */
export interface Manners {
  readonly scale: Scale | null;
  /** True if this plan's records have a field as sent, false if three do not, undefined if unknown. */
  kept(path: string): boolean | undefined;
  readonly keepsKeys: boolean | undefined;
  /** The usual status of the responses to creates. */
  readonly usual: number | null;
  /** True if `updated_at` equals `created_at` in most of this plan's records. */
  readonly staysFresh: boolean;
  /** Field values that identify this plan's records: no row sends them, and no other record has them. */
  readonly marks: readonly (readonly [path: string, value: unknown])[];
}

/** The circumstances of one create. */
export interface Context extends Manners {
  /** The identifier in the response; null if no response named one. */
  readonly answered: number | null;
  readonly status: number | null;
  /** When the request left and when its response arrived, on this machine's clock. */
  readonly sentAt: number;
  readonly answeredAt: number | null;
  /** The service's dates when the request left and when its response arrived; null if unknown. */
  readonly dates: readonly [from: number, to: number] | null;
  /** `created_at` of the row's record when it was first read. */
  readonly born: number | null;
  /** The newest `created_at` read before the request left. */
  readonly newest: number | null;
  /**
   * The greatest identifier in the last reading of the list before the request, and when that was; null if identifiers
   * do not ascend.
   */
  readonly floor: { readonly id: number; readonly at: number } | null;
  /** The row that is known to have created a record; null if there is none. */
  owner(id: number): number | null;
  /** True if the list showed the record when the plan was made. */
  seen(id: number): boolean;
  rowOfKey(key: string | null): number | null;
  /** 1 for a value that identifies a row, 0.5 if other rows or records have it, 0 if most have it. */
  weight(path: string, value: unknown): 0 | 0.5 | 1;
}

export type Verdict = "ours" | "another's" | "cannot tell";

export interface Judgement {
  readonly verdict: Verdict;
  readonly why: string;
  /** Paths of distinctive fields whose values contradict those sent. */
  readonly against: readonly string[];
  /** Paths of all fields whose values contradict those sent, except fields that the service is known to rewrite. */
  readonly otherwise: readonly string[];
}

export interface Rule {
  readonly why: string;
  readonly verdict: Verdict;
  fits(view: View): boolean;
}

const UNREAD: Rule = { why: "was not read", verdict: "cannot tell", fits: () => false };

/** Rules that decide who created a record: the first that fits applies. The bulk guide prints this table. */
export const RULES: readonly Rule[] = [
  UNREAD,
  { why: "was created by another row", verdict: "another's", fits: (view) => view.isOtherRows },
  {
    why: "is a different record that reuses the identifier of the row's record",
    verdict: "another's",
    fits: (view) => view.isReborn,
  },
  { why: "was created before the request was sent", verdict: "another's", fits: ({ time }) => time === "before" },
  {
    why: "has the key of another row",
    verdict: "another's",
    fits: ({ hasOtherKey, key }) => hasOtherKey && key === "other",
  },
  {
    why: "existed when the plan was made, and differs from the row",
    verdict: "another's",
    fits: ({ isSeen, time, key, against, agree }) =>
      isSeen && time !== "after" && !(key === "same" && against.length === 0 && agree > 0),
  },
  {
    why: "has an identifier that existed when the plan was made",
    verdict: "cannot tell",
    fits: ({ isSeen, time }) => isSeen && time !== "after",
  },
  {
    why: "was named in a response with an unusual status",
    verdict: "cannot tell",
    fits: ({ isAnswered, isOdd }) => isAnswered && isOdd,
  },
  {
    why: "was named in the response, but lacks a value that this plan's other records share",
    verdict: "cannot tell",
    fits: ({ isAnswered, lacksMark }) => isAnswered && lacksMark,
  },
  {
    why: "was named in the response, but has been written since it was created",
    verdict: "cannot tell",
    fits: ({ isAnswered, isWritten }) => isAnswered && isWritten,
  },
  {
    why: "was named in the response, was created after the request was sent, and nothing contradicts the row",
    verdict: "ours",
    fits: ({ isAnswered, time, against, key, keepsKeys, agree }) =>
      isAnswered && time === "after" && against.length === 0 && (key !== "other" || (keepsKeys === false && agree > 0)),
  },
  {
    why: "was named in the response, but its creation time is unknown",
    verdict: "cannot tell",
    fits: ({ isAnswered, time }) => isAnswered && time !== "after",
  },
  {
    why: "was named in the response, but differs from what was sent",
    verdict: "cannot tell",
    fits: ({ isAnswered }) => isAnswered,
  },
  {
    why: "has another key",
    verdict: "another's",
    fits: ({ key, keepsKeys, agree, against }) =>
      key === "other" && (keepsKeys === true || (agree === 0 && against.length > 0)),
  },
  { why: "lacks a value that this plan's other records share", verdict: "another's", fits: (view) => view.lacksMark },
  { why: "was found in the list, so someone else may have created it", verdict: "cannot tell", fits: () => true },
];

/** Judges whether a create made a record. */
export function whose(record: Seen | null, sent: Sent, context: Context, rules = RULES): Judgement {
  const view = record && viewOf(record, sent, context);
  const { verdict, why } = (view && rules.find(({ fits }) => fits(view))) || UNREAD;
  return { verdict, why, against: view?.against ?? [], otherwise: view?.otherwise ?? [] };
}

type View = ReturnType<typeof viewOf>;

function viewOf(record: Seen, { row, key, send, keys }: Sent, context: Context) {
  const { id, created, updated, fields } = record;
  const owner = context.owner(id);
  const rowOfKey = context.rowOfKey(record.key);
  const states = Object.entries(send).flatMap(([path, value]) =>
    keys.includes(path) || value === null || context.kept(path) === false
      ? []
      : { path, is: stateOf(value, fields[path]), weight: context.weight(path, value) },
  );
  const otherwise = states.filter(({ is }) => is === "other");
  const { born, status, usual, staysFresh, marks, keepsKeys } = context;
  return {
    isAnswered: context.answered === id,
    isOtherRows: owner !== null && owner !== row,
    isReborn: born !== null && created !== null && Math.abs(created - born) > Math.max(stepOf(created), 1),
    isSeen: context.seen(id),
    time: timeOf(record, context),
    key: keyKinship(record.key, key),
    hasOtherKey: rowOfKey !== null && rowOfKey !== row,
    keepsKeys,
    agree: states.filter(({ is, weight }) => is === "same" && weight === 1).length,
    against: otherwise.filter(({ path, weight }) => weight > 0 || context.kept(path) === true).map(({ path }) => path),
    otherwise: otherwise.map(({ path }) => path),
    isOdd: usual !== null && status !== usual,
    lacksMark: marks.some(([path, value]) => stateOf(value, fields[path]) === "other"),
    isWritten: staysFresh && created !== null && updated !== null && updated > created,
  };
}

/** Clocks of one service may differ by this many milliseconds. */
export const SKEW_MS = 3_000;
// An identifier above all listed ones shows a new record if the create was sent at most this long after the listing.
const FLOOR_MS = 30_000;

/** The precision of a time in milliseconds. A time without a fraction of a second may have been rounded down. */
export function stepOf(time: number): 1 | 1_000 {
  return time % 1_000 === 0 ? 1_000 : 1;
}

/** Whether a record was created before or after the request left; null if that is unknown. */
export function timeOf(
  { id, created, zoned }: Seen,
  { newest, sentAt, dates, floor, scale }: Pick<Context, "newest" | "sentAt" | "dates" | "floor" | "scale">,
): "before" | "after" | null {
  // A smaller identifier may have been reused, so it proves nothing.
  if (created === null) return floor && id > floor.id && sentAt - floor.at <= FLOOR_MS ? "after" : null;
  if (zoned && newest !== null && created < newest - SKEW_MS) return "before";
  const step = stepOf(created);
  if (scale) {
    const ahead = created - sentAt;
    if (ahead < scale.low - Math.max(scale.slack, SKEW_MS) - step) return "before";
    return ahead >= scale.high - scale.slack - step ? "after" : null;
  }
  return zoned && dates && created >= dates[0] - step && created <= dates[1] + SKEW_MS ? "after" : null;
}

/** A record that a create of this plan made: it was created between the request and its response. */
export interface Witness {
  readonly created: number;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `created` minus the service's date when the request left; null if the service sends no `Date`. */
  readonly offset: number | null;
}

/**
 * Computes how far `created_at` is ahead of this machine's clock, including time zones. Null unless at least three of
 * the records, and two thirds of them, agree, and the result fits the service's `Date`.
 * @param taken true if the list showed the key of an unsent row: another run of the same rows may be seconds ahead, so
 * agreement of the records proves nothing.
 */
export function scaleOf(own: readonly Witness[], zoned: boolean, taken: boolean): Scale | null {
  for (const slack of [0, 250, 1_000, 2_000, 3_000]) {
    const scale = mostCovered(own, slack);
    // Three records whose times are seconds off may be someone else's; six show that the clocks differ.
    if (scale.count < (slack < 1_000 ? 3 : 6) || scale.count * 3 < own.length * 2) continue;
    return isBelieved(own, zoned, taken) ? { low: scale.low, high: scale.high, slack } : null;
  }
  return null;
}

function mostCovered(own: readonly Witness[], slack: number) {
  const ends = own.flatMap(({ created, sentAt, answeredAt }) => [
    { at: created - answeredAt - slack, change: 1 },
    { at: created + stepOf(created) - sentAt + slack, change: -1 },
  ]);
  ends.sort((one, other) => one.at - other.at || other.change - one.change);
  let count = 0;
  let best = { count: 0, low: 0, high: 0 };
  for (const [index, { at, change }] of ends.entries()) {
    count += change;
    if (count > best.count) best = { count, low: at, high: ends[index + 1]?.at ?? at };
  }
  return best;
}

function isBelieved(own: readonly Witness[], zoned: boolean, taken: boolean): boolean {
  const offsets = own.flatMap(({ offset }) => offset ?? []);
  if (offsets.length < own.length) return !taken;
  const middle = offsets.sort((one, other) => one - other)[Math.floor(offsets.length / 2)] ?? 0;
  // A time without a zone is off by the zone's offset, which is a multiple of a quarter of an hour.
  const off = zoned ? middle : middle - Math.round(middle / 900_000) * 900_000;
  return (off >= -250 && off <= SKEW_MS) || (!taken && Math.abs(off) > 5_000);
}
