import type { Values } from "./fields.js";
import { type History, isAnswered, isRefused } from "./history.js";
import { keyKinship } from "./kin.js";
import type { Fact, PlannedRow } from "./lines.js";
import type { Comparisons, Sight } from "./sight.js";
import {
  ANOTHERS,
  ANSWERED,
  CHANGED_SINCE,
  changedSince,
  GONE,
  GONE_SINCE,
  hidesMessage,
  LEFT,
  MOVED_ELSEWHERE,
  NOT_AS_SENT,
  NOT_CARRIED_OUT,
  NOT_DELETED,
  REFUSED,
  REFUSED_BUT,
  REFUSED_OTHERWISE,
  UNPROVEN,
  UNSEEN,
  unreadMessage,
} from "./step-reasons.js";
import { differsOf, storedOtherwise } from "./stored.js";
import type { RowOutcome, RowProblem } from "./types.js";

/** The record that a row changes, as read by one request. */
export interface Read {
  /** When the request was sent and when its response arrived. */
  readonly began: number;
  readonly ended: number;
  /** Null if the API key sees no such record. */
  readonly record: Values | null;
  /** True for a record to delete whose only sign of absence is a 404. */
  readonly unproven?: boolean;
  /** The status of the response if the record could not be read although others could. */
  readonly unread?: number | undefined;
  /** The record's key, in the form that is compared with the keys of rows. */
  readonly key?: string | null;
  /** `created_at` and `updated_at` of the record; undefined if it has none. */
  readonly created?: unknown;
  readonly version?: unknown;
}

/** The evidence that one run has collected. Failed requests do not count. */
export interface Evidence {
  readonly now: number;
  readonly sight: Sight | null;
  readonly read: Read | null;
  /** The record before the row changed it; null if it was not kept. */
  readonly before?: Values | null;
  /** Median duration of recent reads in milliseconds; null until there are three. */
  readonly usualMs?: number | null;
  /** True while the service does not show another write of this run, although it reported success. */
  readonly isBehind?: boolean;
  /** True if an automation is known to change other fields after each update. */
  readonly isAutomated?: boolean;
}

export interface StepSettings extends Comparisons {
  /** Milliseconds after which a request without a response can no longer be carried out. */
  readonly settleMs: number;
  /** Maximum milliseconds from reading a record to writing it; three times the usual duration of a read is added. */
  readonly freshMs: number;
  /** Milliseconds for which a search for new records stays valid. */
  readonly lookMs: number;
  readonly most: number;
  /** False if the plan selected the record by a condition (`change`, `missing`) that the record no longer meets. */
  readonly stillWanted?: ((row: PlannedRow, record: Values) => boolean) | undefined;
  /** An object field that the row sends only in part and the record does not show; null if there is none. */
  unseenObject(row: PlannedRow, record: Values): string | null;
  movedFields(row: PlannedRow, before: Values, after: Values): Side;
  /** Fingerprint of the fields that a row does not send, in case the run is interrupted before it can compare them. */
  print(row: PlannedRow, record: Values): string;
}

export type Side = NonNullable<Fact["side"]>;

/** The next action for a row. `check` reads its record again after the write. */
export type Step =
  | { readonly do: "send" }
  | { readonly do: "look"; readonly whole: boolean }
  | { readonly do: "read" | "check" }
  | { readonly do: "wait"; readonly until: number }
  | ({ readonly do: "confirm"; readonly confirmed: boolean; readonly stored?: string } & Pick<
      Fact,
      "differs" | "side" | "why" | "version" | "whose"
    > & {
        /** Unsent fields that changed after the write, perhaps because of someone else: see `FirstWrites.moved`. */
        readonly moved?: Side;
      })
  | ({ readonly do: "end"; readonly outcome: RowOutcome } & End);

/** Details of an outcome. For a record that was found in the list, `made` is when the search for it began. */
export type End = Pick<
  Fact,
  "id" | "version" | "made" | "found" | "ids" | "status" | "why" | "confirmed" | "none" | "differs" | "side"
>;

const SEND: Step = { do: "send" };
const READ: Step = { do: "read" };
const CHECK: Step = { do: "check" };
const TAIL: Step = { do: "look", whole: false };
const WHOLE: Step = { do: "look", whole: true };
// After this many times `settleMs`, no further change by an earlier request is expected.
const LATE = 3;

type Why = string | readonly RowProblem[] | undefined;

function end(outcome: RowOutcome, why?: Why, more: End = {}): Step {
  return { do: "end", outcome, why: typeof why === "string" ? [{ message: why }] : why, ...more };
}

/** Decides the next action for a row. */
export function step(history: History, evidence: Evidence, settings: StepSettings): Step {
  const { row, made } = history;
  if (row.do !== "create") {
    const isToRead = isAnswered(history) || isRefused(history);
    return isToRead ? lastReading(history, evidence, settings) : stepChange(history, evidence, settings);
  }
  if (made) return lastLook(history, evidence, settings);
  if (isRefused(history)) return lookAtRefused(history, evidence);
  return history.attempts.length === 0
    ? stepUnsent(history, evidence, settings)
    : stepInDoubt(history, evidence, settings);
}

function stepUnsent(history: History, { now, sight }: Evidence, { lookMs }: StepSettings): Step {
  // Repeats a search that ended long ago, because someone else may have started a run of the same rows since.
  if (!sight || now - (sight.look.ended ?? sight.look.began) > lookMs) return TAIL;
  const ids = sight.recordsWithKey(history).map(({ id }) => id);
  if (ids.length === 0) return SEND;
  return end("stale", `a record with this key was created after the plan was made: ${ids.join(", ")}`, { ids });
}

function stepInDoubt(history: History, { now, sight }: Evidence, { settleMs, most }: StepSettings): Step {
  const { attempts, earlier, answered } = history;
  const last = attempts.at(-1)?.at ?? 0;
  const [soon, late] = [answered ? last : last + settleMs, last + LATE * settleMs];
  if (!sight || sight.look.began < soon) return waitUntil(soon, now, TAIL);
  const { began, whole } = sight.look;
  const found = sight.matchingRecords(history);
  const [first] = found;
  if (found.length > 1) return endDoubled(found.map(({ id }) => id));
  if (first && (attempts.length === 1 || sight.possibleIds(history).length === 1)) {
    return end("created", undefined, { id: first.id, version: first.created, made: began, found: true });
  }
  if (answered && !first && began < late) return again(last, began, now, settleMs, sight.look.ascending ? TAIL : WHOLE);
  if (!whole) return WHOLE;
  const ids = sight.possibleIds(history);
  if (ids.length > 0) {
    return end("unknown", `the response was lost, and a record may belong to this row: ${ids.join(", ")}`, { ids });
  }
  const { missing } = sight;
  // A create that was answered with success is never sent again.
  const isProven =
    !answered && missing.length === 0 && sight.showsSentSince(began < late ? last : Number.MIN_SAFE_INTEGER);
  const shownBy = Math.max(late, sight.missedAt + LATE * settleMs);
  if (!isProven && began < shownBy) return waitUntil(shownBy, now, WHOLE);
  if (!isProven)
    return end("unknown", answered ? ANSWERED : missing.length > 0 ? hidesMessage(missing) : UNPROVEN, {
      ids: missing,
    });
  if (attempts.length - earlier >= most) {
    return end("unknown", `was sent ${most} times without a response, and the list does not show it`);
  }
  return SEND;
}

function lastLook(history: History, { now, sight }: Evidence, settings: StepSettings): Step {
  const { settleMs } = settings;
  const { row, attempts, made } = history;
  const { id, at } = made ?? { id: 0, at: 0 };
  const isRepeated = attempts.length > 1;
  const due = isRepeated ? (attempts.at(-1)?.at ?? 0) + LATE * settleMs : at;
  if (!sight || sight.look.began < due) return waitUntil(due, now, TAIL);
  const owner = sight.judge(history);
  if (owner.verdict === "another's") return end("unknown", ANOTHERS, { id, ids: [id] });
  const { began, whole, ascending } = sight.look;
  const twins = sight.twins(history);
  if (twins.length > 0) return endDoubled([id, ...twins], id);
  const shown = sight.recordOf(history);
  if (!shown && began < at + LATE * settleMs && ascending && !isRepeated) return again(at, began, now, settleMs, TAIL);
  if (!whole && (isRepeated || !ascending || sight.missing.length > 0)) return WHOLE;
  const exact = shown && shown.key !== row.key ? sight.recordsWithKey(history).map((one) => one.id) : [];
  if (exact.length > 0 || (shown && !isAsMade(row, shown, settings)))
    return end("unknown", NOT_AS_SENT, { id, ids: [id, ...exact] });
  if (!shown && began < at + LATE * settleMs) return again(at, began, now, settleMs, WHOLE);
  if (!shown && isRepeated) return end("unknown", hidesMessage([id]), { id, ids: [id] });
  const others = isRepeated ? sight.possibleIds(history) : [];
  if (others.length > 0) return endDoubled([id, ...others], id);
  if (!shown) return { do: "confirm", confirmed: false };
  const { version } = history.made ?? {};
  const stored = storedOtherwise(history, shown.record, settings);
  const isByService = stored?.isForm || stored?.isClaimed || (version !== undefined && shown.version === version);
  const isChanged = stored !== null && !isByService;
  return {
    do: "confirm",
    confirmed: !isChanged,
    ...(isChanged && { why: changedSince(stored) }),
    whose: owner.verdict === "ours" ? "ours" : owner.why,
    ...(version === undefined && shown.version !== undefined && { version: shown.version }),
    ...(shown.key !== row.key && { stored: shown.key ?? "" }),
    ...differsOf(history, isByService ? stored : null),
  };
}

// Only reports a record with the key of a refused create: someone else may have created it.
function lookAtRefused(history: History, { now, sight }: Evidence): Step {
  const { made: at = 0, status, why = [] } = history.done ?? {};
  if (!sight || sight.look.began < at) return waitUntil(at, now, TAIL);
  if (!sight.look.whole && !sight.look.ascending) return WHOLE;
  const ids = sight.possibleIds(history, true);
  if (ids.length === 0) return end("failed", why, { none: true, status });
  return end("failed", [...why, { message: `${REFUSED_BUT} ${ids.join(", ")}` }], { status, ids, confirmed: false });
}

/**
 * True if a record is the one that a create made: it has the key sent, in any form that a service may store, or all
 * other values sent, if there are any.
 */
export function isAsMade(
  row: PlannedRow,
  { record, key }: Pick<Read, "record" | "key">,
  { same, keys }: Pick<StepSettings, "same" | "keys">,
): boolean {
  const others = Object.entries(row.send ?? {}).filter(([path]) => !keys.includes(path));
  const isAsSent = (values: Values) =>
    others.length > 0 && others.every(([path, value]) => same(row, path, value, values));
  return record !== null && (keyKinship(key, row.key) === "same" || isAsSent(record));
}

// A response proves nothing: the service may report success after doing little or nothing, or refuse what it stored.
function lastReading(history: History, evidence: Evidence, settings: StepSettings): Step {
  const { now, read, before } = evidence;
  const { settleMs, same, movedFields } = settings;
  const { row, done, attempts } = history;
  const at = done?.made ?? attempts.at(-1)?.at ?? 0;
  const late = at + LATE * settleMs;
  if (!read || read.began < at || (read.began < late && now >= late)) return CHECK;
  const { record, version, created } = read;
  const { send = {}, before: planned = {}, id = 0 } = row;
  const { status, why: said = [] } = done ?? {};
  const refused = isRefused(history);
  const endFailed = (more: End = {}) => end("failed", said, { status, ...more });
  const unconfirmed = (message: string, more: Pick<Fact, "status"> = {}): Step => {
    // Does not repeat a reason that an earlier run noted.
    const why = [...said.filter((one) => one.message !== message), { message }];
    return refused
      ? end("failed", why, { status, id, ...more, confirmed: false })
      : { do: "confirm", confirmed: false, why };
  };
  const wait = again(at, read.began, now, settleMs, CHECK);
  if (read.unread !== undefined) return unconfirmed(unreadMessage(id, read.unread), { status: read.unread });
  const isGone = !record || isOther(created, row.created);
  if (row.do === "delete") {
    if (isGone && !read.unproven)
      return refused ? end("deleted", REFUSED, { id, confirmed: true }) : { do: "confirm", confirmed: true };
    if (refused ? evidence.isBehind && read.began < late : read.began < late) return wait;
    if (read.unproven) return unconfirmed(GONE);
    return refused ? endFailed({ none: true }) : end("ignored", NOT_DELETED, { id, confirmed: false });
  }
  if (isGone) return refused ? endFailed({ none: true }) : unconfirmed(GONE_SINCE);
  const stored = storedOtherwise(history, record, settings);
  // If the old value is the form in which the service stores the new one, the write counts as carried out.
  const isAsBefore =
    (refused || !stored?.isForm) &&
    Object.keys(send).every((path) => Object.hasOwn(planned, path) && same(row, path, planned[path], record));
  const isSettled =
    !stored || stored.isForm || (stored.isClaimed && !isAsBefore) || (refused && isAsBefore && !evidence.isBehind);
  if (!isSettled && read.began < late) return wait;
  const isMoved = isOther(version, done?.version);
  const moved = before && !refused ? movedFields(row, before, record) : {};
  const side = isMoved ? { ...done?.side } : { ...moved, ...done?.side };
  const more = {
    ...(Object.keys(side).length > 0 && { side }),
    ...(isMoved && Object.keys(moved).length > 0 && { moved }),
  };
  if (refused) {
    if (isAsBefore && stored) return endFailed({ none: true });
    if (stored && !stored.isForm) return end("unknown", [...said, { message: REFUSED_OTHERWISE }], { id, ids: [id] });
    return end("updated", REFUSED, { id, version, confirmed: true, ...differsOf(history, stored) });
  }
  if (!stored) {
    const isUnexplained = !isMoved || evidence.isAutomated;
    if (!before && isUnexplained && isMovedElsewhere(history, record, settings)) return unconfirmed(MOVED_ELSEWHERE);
    return { do: "confirm", confirmed: true, ...differsOf(history, null), ...more };
  }
  const why = changedSince(stored, isMoved || !isAsBefore ? CHANGED_SINCE : NOT_CARRIED_OUT);
  if (isAsBefore && !isMoved) return end("ignored", why, { id, confirmed: false });
  if (isAsBefore) return end("unknown", why, { id, ids: [id], confirmed: false });
  const isByService =
    stored.isClaimed || (!isMoved && (stored.isForm || (version !== undefined && done?.version !== undefined)));
  if (!isByService) return { do: "confirm", confirmed: false, why, ...differsOf(history, null), ...more };
  return { do: "confirm", confirmed: true, ...differsOf(history, stored), ...more };
}

function stepChange(history: History, evidence: Evidence, settings: StepSettings): Step {
  const { now, read } = evidence;
  const { row, attempts, earlier, refused } = history;
  const { settleMs, most, same, keys } = settings;
  const { send = {}, before = {}, id = 0 } = row;
  const isDelete = row.do === "delete";
  const last = attempts.at(-1);
  const due = Math.max(last ? last.at + settleMs : 0, row.after ?? 0);
  if (now < due) return { do: "wait", until: due };
  if (!read || read.began < due || isOld(read, evidence, settings)) return READ;
  const { record, version, created } = read;
  const endUnknown = (why: Why, more: End = {}) => end("unknown", why, { id, ids: [id], ...more });
  // If an earlier request was sent, the outcome can only be unknown.
  const notAsPlanned = (outcome: RowOutcome, why: Why, more: End = {}) =>
    last ? endUnknown(why, more) : end(outcome, why, { id, ...more });
  if (read.unread !== undefined) return notAsPlanned("failed", unreadMessage(id, read.unread), { status: read.unread });
  if (!record) {
    if (isDelete && !read.unproven)
      return last ? end("deleted", undefined, { id, confirmed: true }) : end("unchanged", undefined, { id });
    return notAsPlanned("failed", GONE, { status: 404 });
  }
  if (isOther(created, row.created)) return notAsPlanned("stale", "the identifier now belongs to another record");
  // The service may have stored the key in another form, so a record to delete needs only a similar key.
  const isOthers =
    row.key !== undefined && (isDelete ? keyKinship(read.key, row.key) === "other" : read.key !== row.key);
  const lacksKey = `the record no longer has the ${keys.join(" and ")} of the row`;
  if (isOthers && !last) return notAsPlanned("stale", [{ field: keys[0], message: lacksKey }]);
  const otherThan = (values: Values) => Object.keys(values).filter((path) => !same(row, path, values[path], record));
  if (!isDelete && otherThan(send).length === 0) {
    if (!last) return end("unchanged", undefined, { id });
    const isElsewhere = isMovedElsewhere(history, record, settings);
    return end("updated", isElsewhere ? MOVED_ELSEWHERE : undefined, { id, confirmed: !isElsewhere });
  }
  const message = last
    ? "has neither the old value nor the one sent; the response was lost"
    : "was changed after the plan was made";
  const changed = otherThan(before).map((field) => ({ field, message }));
  if (changed.length > 0) return notAsPlanned("stale", changed);
  const isExact = isDelete || (row.missing && !last);
  if (isExact && version !== undefined && version !== row.version)
    return notAsPlanned(
      "stale",
      row.missing ? "was updated after the plan was made" : "was updated after it was created",
    );
  const unseen = settings.unseenObject(row, record);
  if (unseen !== null) return notAsPlanned("failed", [{ field: unseen, message: UNSEEN }]);
  if (!last) return settings.stillWanted?.(row, record) === false ? end("stale", LEFT, { id }) : SEND;
  if (isOther(version, last.version)) {
    return endUnknown(
      "the response was lost, and the record has been written since then: it may have been changed and reverted",
    );
  }
  if (isOthers) return endUnknown(`the response was lost, and ${lacksKey}`);
  if (refused) return endUnknown("was refused when it was sent again; the first request may have been carried out");
  if (attempts.length - earlier >= most) {
    return endUnknown(`was sent ${most} times without a response, and the record is unchanged`);
  }
  return SEND;
}

function isMovedElsewhere({ row, attempts }: History, record: Values, { print }: StepSettings): boolean {
  const before = attempts.at(-1)?.print;
  return before !== undefined && before !== print(row, record);
}

/**
 * True if a read is too old for a write: its request left longer ago than `freshMs` plus three times the usual duration
 * of a read, for example because the process was suspended.
 */
export function isOld(
  { began }: Read,
  { now, usualMs }: Pick<Evidence, "now" | "usualMs">,
  { freshMs }: Pick<StepSettings, "freshMs">,
): boolean {
  return now - began > freshMs + 3 * (usualMs ?? 0);
}

// False if either version is unknown, because the comparison would prove nothing.
function isOther(version: unknown, known: unknown): boolean {
  return version !== undefined && known !== undefined && version !== known;
}

function waitUntil(until: number, now: number, then: Step): Step {
  return now < until ? { do: "wait", until } : then;
}

// Repeats a reading that does not show a write yet: the time since the write grows fourfold with each reading, until
// no further change is expected.
function again(at: number, began: number, now: number, settleMs: number, then: Step): Step {
  const next = at + Math.max(settleMs / 64, 4 * (began - at));
  return waitUntil(Math.min(at + LATE * settleMs, next), now, then);
}

function endDoubled(ids: readonly number[], id?: number): Step {
  const message = `${ids.length} records have this key: ${ids.join(", ")}`;
  return end("doubled", message, { ids, id });
}
