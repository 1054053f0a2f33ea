/** Where a consumer of the feed is, and whether it can go on from there. */

import { InputError } from "../core/errors.js";
import type { Sql } from "../sql/dialect.js";

/** A place in a feed. A number alone does not say of which tables; `epoch` and `mark` are null then. */
export interface Position {
  readonly seq: number;
  /** Names the tables since they were made. */
  readonly epoch: string | null;
  /** Names the transaction that noted the change with this number: a copy that was set back uses its numbers again. */
  readonly mark: string | null;
}

/** Up to where changes of a list were removed. */
export interface Pruned {
  readonly seq: number;
  readonly mark: string;
  /** When that change was noticed. */
  readonly at: string;
}

/** What a database says of its feed. */
export interface FeedState {
  readonly epoch: string;
  readonly newest: { readonly seq: number; readonly mark: string } | null;
  /** The mark of the change at the consumer's position; null if that is not there. */
  readonly here: string | null;
  readonly pruned: ReadonlyMap<string, Pruned>;
}

/**
 * Thrown where changes after a bookmark are missing: they were removed, or the copy was restored or made anew. Read the tables of the
 * copy, then go on from `bookmark`; `consume` does so by itself where it is given `begin`.
 */
export class FeedGapError extends InputError {
  /** The bookmark of the last change when this was thrown. */
  readonly bookmark: string;

  /** @param message what is missing. */
  constructor(message: string, bookmark: string) {
    super(`changes: ${message}; read the tables, then go on from ${JSON.stringify(bookmark)}`, [
      { path: "after", message },
    ]);
    this.bookmark = bookmark;
  }
}

/** A mark for what one transaction notes, or a name for tables. */
export function newMark(): string {
  return crypto.randomUUID().slice(0, 8);
}

/** Writes a note of the copy, in place of the one of that name. */
export async function writeNote(sql: Sql, name: string, value: string): Promise<void> {
  await sql.run(`INSERT INTO {mirror_notes} VALUES (?, ?) ${REPLACING}`, [name, value]);
}

const REPLACING = "ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/** Makes all bookmarks so far invalid. */
export function renewEpoch(sql: Sql): Promise<void> {
  return writeNote(sql, "epoch", newMark());
}

/** Notes that changes of a list are missing after the last one: nobody can follow it past that. */
export async function leaveOut(sql: Sql, list: string): Promise<void> {
  await renewEpoch(sql);
  await sql.run(
    `INSERT INTO {mirror_notes} SELECT 'pruned ${list}', '{"seq":' || seq || ',"mark":"' || mark || '","at":"' || at || '"}'
      FROM {mirror_changes} WHERE seq = (SELECT max(seq) FROM {mirror_changes}) ${REPLACING}`,
  );
}

/** Writes a position as a bookmark. */
export function bookmarkOf(epoch: string, at: { readonly seq: number; readonly mark: string } | null): string {
  return `${at?.seq ?? 0}-${epoch}-${at?.mark ?? ""}`;
}

/** Reads a bookmark or a number; null for what is neither. */
export function positionOf(after: unknown): Position | null {
  if (typeof after === "number") {
    return Number.isSafeInteger(after) && after >= 0 ? { seq: after, epoch: null, mark: null } : null;
  }
  const [, seq, epoch = "", mark = ""] = (typeof after === "string" && /^(\d{1,15})-(\w+)-(\w*)$/.exec(after)) || [];
  return seq === undefined ? null : { seq: Number(seq), epoch, mark };
}

/** Whether the copy ends before a position although it is the same copy: a replica that has taken over may lag behind for a while. */
export function isAhead(at: Position, { epoch, newest }: FeedState): boolean {
  return at.seq > (newest?.seq ?? 0) && (at.epoch ?? epoch) === epoch;
}

/** What a consumer at a position would miss. @param lists those it wants; null for all. @returns null if it can go on. */
export function gapOf(at: Position, state: FeedState, lists: readonly string[] | null): FeedGapError | null {
  const { epoch, newest, here, pruned } = state;
  const gap = (message: string) => new FeedGapError(message, bookmarkOf(epoch, newest));
  if (at.epoch !== null && at.epoch !== epoch) {
    return gap("after is from another copy: this one was made anew, or changed by a mirror without history");
  }
  const removed = [...pruned].filter(([list]) => lists === null || lists.includes(list)).map(([, { seq }]) => seq);
  const bound = Math.max(0, ...removed);
  if (at.seq < bound) return gap(`after must be at least ${bound}: changes up to that number were removed`);
  if (at.seq > (newest?.seq ?? 0)) {
    return gap(`after must be at most ${newest?.seq ?? 0}, the last change: this copy was restored or made anew`);
  }
  if (at.seq === 0 || at.mark === null) return null;
  const marks = [...pruned.values()];
  const mark = here ?? marks.find(({ seq }) => seq === at.seq)?.mark;
  // Of a list that is not wanted, the change itself may have been removed.
  const isKnown = mark === undefined ? marks.some(({ seq }) => seq > at.seq) : mark === at.mark;
  return isKnown ? null : gap("after names a change that this copy does not have: it was restored to an earlier state");
}
