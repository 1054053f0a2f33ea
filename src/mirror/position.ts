import { InputError } from "../core/errors.js";
import { later, type Moment } from "../core/time.js";
import type { Sql } from "../sql/dialect.js";

/** A position in a feed. `epoch` and `mark` are null for a plain number, which does not identify the tables. */
export interface Position {
  readonly seq: number;
  /** Identifies the tables; recreated tables have another epoch. */
  readonly epoch: string | null;
  /**
   * Identifies the transaction that recorded the change with this number: a restored copy gives the same numbers to
   * other changes.
   */
  readonly mark: string | null;
}

/** The newest change to a list that was removed from the feed. */
export interface Pruned {
  readonly seq: number;
  readonly mark: string;
  readonly at: string;
}

export interface FeedState {
  readonly epoch: string;
  readonly newest: { readonly seq: number; readonly mark: string } | null;
  /** The mark of the change at the consumer's position; null if there is no such change. */
  readonly here: string | null;
  readonly pruned: ReadonlyMap<string, Pruned>;
}

/**
 * Thrown if changes after a bookmark are missing: they were removed, or the copy was restored or recreated. Read the
 * tables of the copy, then continue from `bookmark`; `consume` does so itself if it has `begin`.
 */
export class FeedGapError extends InputError {
  /** The bookmark of the last change at the time of the error. */
  readonly bookmark: string;

  /** @param message names the missing changes. */
  constructor(message: string, bookmark: string) {
    super(`changes: ${message}; read the tables, then continue from ${JSON.stringify(bookmark)}`, [
      { path: "after", message },
    ]);
    this.bookmark = bookmark;
  }
}

/** Creates a random mark for one transaction's changes, or a random epoch. */
export function newMark(): string {
  return crypto.randomUUID().slice(0, 8);
}

export async function writeNote(sql: Sql, name: string, value: string): Promise<void> {
  await sql.run(`INSERT INTO {mirror_notes} VALUES (?, ?) ${REPLACING}`, [name, value]);
}

const REPLACING = "ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/** Invalidates all existing bookmarks. */
export function renewEpoch(sql: Sql): Promise<void> {
  return writeNote(sql, "epoch", newMark());
}

/** Records that the feed lacks the newest changes to a list, so that no reader continues past the gap. */
export async function leaveOut(sql: Sql, list: string): Promise<void> {
  await renewEpoch(sql);
  await sql.run(
    `INSERT INTO {mirror_notes} SELECT 'pruned ${list}', '{"seq":' || seq || ',"mark":"' || mark || '","at":"' || at || '"}'
      FROM {mirror_changes} WHERE seq = (SELECT max(seq) FROM {mirror_changes}) ${REPLACING}`,
  );
}

export function bookmarkOf(epoch: string, at: { readonly seq: number; readonly mark: string } | null): string {
  return `${at?.seq ?? 0}-${epoch}-${at?.mark ?? ""}`;
}

/** Converts a bookmark or a number to a position; null for any other value. */
export function positionOf(after: unknown): Position | null {
  if (typeof after === "number") {
    return Number.isSafeInteger(after) && after >= 0 ? { seq: after, epoch: null, mark: null } : null;
  }
  const [, seq, epoch = "", mark = ""] = (typeof after === "string" && /^(\d{1,15})-(\w+)-(\w*)$/.exec(after)) || [];
  return seq === undefined ? null : { seq: Number(seq), epoch, mark };
}

// After a failover, a replica catches up within this time.
const LAG_MS = 60_000;
const MOST_REMEMBERED = 10_000;

/**
 * Decides whether a feed that ends before a follower's position comes from a replica that lags or from a restored copy.
 */
export class Lag {
  /** Marks of the changes that the follower received or skipped, by number. */
  readonly #marks = new Map<number, string>();
  #since: Moment | null = null;

  passed({ seq, mark }: { readonly seq: number; readonly mark: string }): void {
    this.#marks.set(seq, mark);
    if (this.#marks.size > MOST_REMEMBERED) this.#marks.delete(this.#marks.keys().next().value as number);
  }

  /** The end of the wait for a feed that ends before the follower's position; null if the follower need not wait. */
  until(at: Position, { epoch, newest }: FeedState, now: Moment): Moment | null {
    if (at.seq <= (newest?.seq ?? 0) || (at.epoch ?? epoch) !== epoch) {
      this.#since = null;
      return null;
    }
    // If another transaction has reused the number, the copy was restored: waiting does not help.
    const mark = newest && this.#marks.get(newest.seq);
    if (mark && mark !== newest.mark) return null;
    this.#since ??= now;
    const end = later(this.#since, LAG_MS);
    return now < end ? end : null;
  }
}

/**
 * The error for changes that a consumer at a position would miss; null if it can continue. @param lists the consumer's
 * lists; null for all.
 */
export function gapOf(at: Position, state: FeedState, lists: readonly string[] | null): FeedGapError | null {
  const { epoch, newest, here, pruned } = state;
  const gap = (message: string) => new FeedGapError(message, bookmarkOf(epoch, newest));
  if (at.epoch !== null && at.epoch !== epoch) {
    return gap("`after` is from another copy: this one was recreated, or changed by a mirror without history");
  }
  const removed = [...pruned].filter(([list]) => lists === null || lists.includes(list)).map(([, { seq }]) => seq);
  const bound = Math.max(0, ...removed);
  if (at.seq < bound) return gap(`\`after\` must be at least ${bound}: changes up to that number were removed`);
  if (at.seq > (newest?.seq ?? 0)) {
    return gap(`\`after\` must be at most ${newest?.seq ?? 0}, the last change: this copy was restored or recreated`);
  }
  if (at.seq === 0 || at.mark === null) return null;
  const marks = [...pruned.values()];
  const mark = here ?? marks.find(({ seq }) => seq === at.seq)?.mark;
  // A removed change of a list outside `lists` makes no gap. If one with a higher number was removed too, the copy
  // contained this change.
  const isKnown = mark === undefined ? marks.some(({ seq }) => seq > at.seq) : mark === at.mark;
  return isKnown
    ? null
    : gap("`after` names a change that this copy does not have: the copy was restored to an earlier state");
}
