import type { Values } from "./fields.js";
import type { History } from "./history.js";
import type { SameField, Sight } from "./sight.js";
import type { RowOutcome, RowProblem } from "./types.js";

/** The record of a change, as one request read it. */
export interface Read {
  /** When the request left, and when its response was there. */
  readonly began: number;
  readonly ended: number;
  /** Null if the service has none that the key may see. */
  readonly record: Values | null;
  /** Its key, as rows are found by. */
  readonly key?: string | null;
  /** Its `updated_at`; undefined where it has none. */
  readonly version?: unknown;
}

/** What one run has seen. Requests that failed are no evidence. */
export interface Evidence {
  readonly now: number;
  /** The last look of this run at the list of a create. */
  readonly sight: Sight | null;
  /** The last reading of the record of a change in this run. */
  readonly read: Read | null;
}

/** The settings that `step` decides by. */
export interface StepSettings {
  /** Milliseconds after which a request without a response has been carried out, or is lost. */
  readonly settleMs: number;
  /** Milliseconds that may pass from reading a record to writing it; where the reading took longer, as many as that. */
  readonly freshMs: number;
  /** How often one run sends a row. */
  readonly most: number;
  readonly same: SameField;
  /** The fields of the key. */
  readonly keys: readonly string[];
}

/** What becomes of a row next. */
export type Step =
  | { readonly do: "send" }
  | { readonly do: "look"; readonly whole: boolean }
  | { readonly do: "read" }
  | { readonly do: "wait"; readonly until: number }
  | { readonly do: "confirm"; readonly confirmed: boolean; readonly stored?: string }
  | ({ readonly do: "end"; readonly outcome: RowOutcome } & End);

/** What is noted with an outcome. */
export interface End {
  readonly id?: number;
  readonly version?: unknown;
  /** When the look began that has found the record of a create. */
  readonly made?: number;
  readonly ids?: readonly number[];
  readonly status?: number;
  readonly why?: readonly RowProblem[];
}

const SEND: Step = { do: "send" };
const READ: Step = { do: "read" };
const TAIL: Step = { do: "look", whole: false };
const WHOLE: Step = { do: "look", whole: true };
// After this many times `settleMs` nothing is expected to change any more.
const LATE = 3;

function end(outcome: RowOutcome, message?: string, more: End = {}): Step {
  return { do: "end", outcome, ...more, ...(message !== undefined && { why: [{ message }] }) };
}

/** Decides what becomes of a row next; nothing else does. */
export function step(history: History, evidence: Evidence, settings: StepSettings): Step {
  if (history.row.do !== "create") return change(history, evidence, settings);
  if (history.made) return lastLook(history, evidence, settings);
  return history.attempts.length === 0 ? planned(history, evidence) : inDoubt(history, evidence, settings);
}

function planned(history: History, { sight }: Evidence): Step {
  if (!sight) return TAIL;
  const ids = sight.taken(history).map(({ id }) => id);
  if (ids.length === 0) return SEND;
  return end("stale", `a record with this key was made since the plan: ${ids.join(", ")}`, { ids });
}

function inDoubt(history: History, { now, sight }: Evidence, { settleMs, most }: StepSettings): Step {
  const { attempts, earlier, answered } = history;
  const last = attempts.at(-1)?.at ?? 0;
  const [soon, late] = [last + settleMs, last + LATE * settleMs];
  if (!sight || sight.look.began < soon) return waited(soon, now, TAIL);
  const { began, whole } = sight.look;
  const found = sight.found(history);
  const [first] = found;
  if (found.length > 1) return doubled(found.map(({ id }) => id));
  if (first && (attempts.length === 1 || sight.possible(history).length === 1)) {
    return end("created", undefined, { id: first.id, version: first.created, made: began });
  }
  if (!whole) return WHOLE;
  const ids = sight.possible(history);
  if (ids.length > 0) {
    return end("unknown", `the response was lost, and a record may be this row's: ${ids.join(", ")}`, { ids });
  }
  const { missing } = sight;
  // What was answered with success is never sent again.
  const isProven =
    !answered && missing.length === 0 && sight.showsSentSince(began < late ? last : Number.MIN_SAFE_INTEGER);
  if (!isProven && began < late) return waited(late, now, WHOLE);
  if (!isProven)
    return end("unknown", answered ? ANSWERED : missing.length > 0 ? hides(missing) : UNPROVEN, { ids: missing });
  if (attempts.length - earlier >= most) {
    return end("unknown", `was sent ${most} times without a response, and the list does not show it`);
  }
  return SEND;
}

function lastLook(history: History, { now, sight }: Evidence, { settleMs }: StepSettings): Step {
  const { row, attempts, made } = history;
  const { id, at } = made ?? { id: 0, at: 0 };
  const isRepeated = attempts.length > 1;
  const due = isRepeated ? (attempts.at(-1)?.at ?? 0) + LATE * settleMs : at;
  if (!sight || sight.look.began < due) return waited(due, now, TAIL);
  if (sight.isAnothers(history)) return end("unknown", ANOTHERS, { id, ids: [id] });
  const { began, whole, ascending } = sight.look;
  const twins = sight.twins(history);
  if (twins.length > 0) return doubled([id, ...twins], id);
  if (!whole && (isRepeated || !ascending || sight.missing.length > 0)) return WHOLE;
  const own = sight.own(history);
  const late = at + LATE * settleMs;
  if (!own && began < late) return waited(late, now, WHOLE);
  if (!own && isRepeated) return end("unknown", hides([id]), { id, ids: [id] });
  const others = isRepeated ? sight.possible(history) : [];
  if (others.length > 0) return doubled([id, ...others], id);
  if (!own || own.key === row.key) return { do: "confirm", confirmed: own !== undefined };
  return { do: "confirm", confirmed: true, stored: own.key ?? "" };
}

function change(history: History, { now, read }: Evidence, settings: StepSettings): Step {
  const { row, attempts, earlier, refused } = history;
  const { settleMs, most, same, keys } = settings;
  const { send = {}, before = {}, id } = row;
  const isDelete = row.do === "delete";
  const last = attempts.at(-1);
  const due = Math.max(last ? last.at + settleMs : 0, row.after ?? 0);
  if (now < due) return { do: "wait", until: due };
  if (!read || read.began < due || isOld(read, now, settings)) return READ;
  const { record, version } = read;
  const ended = (outcome: RowOutcome, message?: string, more: End = {}) =>
    end(outcome, message, { ...(id !== undefined && { id }), ...more });
  if (!record) {
    if (isDelete) return ended(last ? "deleted" : "unchanged");
    return ended(last ? "unknown" : "failed", "the record is gone, or the key may not see it", { status: 404 });
  }
  const isOthers = row.key !== undefined && read.key !== row.key;
  const lacksKey = `the record no longer has the ${keys.join(" and ")} of the row`;
  if (isOthers && !last) {
    return ended("stale", undefined, { why: keys.slice(0, 1).map((field) => ({ field, message: lacksKey })) });
  }
  const otherThan = (values: Values) => Object.keys(values).filter((path) => !same(row, path, values[path], record));
  if (!isDelete && otherThan(send).length === 0) return ended(last ? "updated" : "unchanged");
  const changed = otherThan(before);
  if (changed.length > 0) {
    const message = last ? "is neither as before nor as sent; the response was lost" : "was changed since the plan";
    const why = changed.map((field) => ({ field, message }));
    return ended(last ? "unknown" : "stale", undefined, { why, ...(last && id !== undefined && { ids: [id] }) });
  }
  const unknown = (message: string) => ended("unknown", message, id === undefined ? {} : { ids: [id] });
  if (isDelete && isOther(version, row.version)) {
    const message = "was updated after it was created";
    return last ? unknown(message) : ended("stale", message);
  }
  if (last && isOther(version, last.version)) {
    return unknown("the response was lost, and the record was written since: it may have been changed and set back");
  }
  if (isOthers) return unknown(`the response was lost, and ${lacksKey}`);
  if (last && refused)
    return unknown("was refused when it was sent again; the first request may have been carried out");
  if (attempts.length - earlier >= most) {
    return unknown(`was sent ${most} times, no response told what became of it, and the record is as before`);
  }
  return SEND;
}

/** Whether a record was read more than a round trip ago. */
export function isOld({ began, ended }: Read, now: number, { freshMs }: Pick<StepSettings, "freshMs">): boolean {
  return now - ended > Math.max(freshMs, ended - began);
}

// One side unknown says nothing.
function isOther(version: unknown, known: unknown): boolean {
  return version !== undefined && known !== undefined && version !== known;
}

function waited(until: number, now: number, then: Step): Step {
  return now < until ? { do: "wait", until } : then;
}

function doubled(ids: readonly number[], id?: number): Step {
  const message = `${ids.length} records have this key: ${ids.join(", ")}`;
  return end("doubled", message, { ids, ...(id !== undefined && { id }) });
}

function hides(ids: readonly number[]): string {
  return `the list does not show what this plan has made (${ids.join(", ")}), so it cannot show whether there is a second record; look in the service`;
}

const ANOTHERS =
  "the service answered with a record that was there before, or that another row has made; look whether it is the row's";
const ANSWERED =
  "was answered with success, but without its record, and the list does not show it, so the row was not sent again; look in the service, and apply the plan again later";
const UNPROVEN =
  "the response was lost, and the list shows no record of this plan that would prove it complete, so the row was not sent again; look in the service, and apply the plan again later";
