import { type Clock, systemClock, wait } from "../core/clock.js";
import { ConfigurationError, InputError } from "../core/errors.js";
import { callObserver } from "../core/events.js";
import { checkNames, type Names } from "../core/option-checks.js";
import type { Sql, SqlReader } from "../sql/dialect.js";
import { momentNow } from "../work/schedule.js";
import { tableOf } from "./columns.js";
import { checkDatabase, type MirrorDatabase } from "./database.js";
import { type MirroredRecord, parseRecord } from "./decide.js";
import { type FeedWait, readThroughOutages } from "./outage.js";
import {
  bookmarkOf,
  FeedGapError,
  type FeedState,
  gapOf,
  Lag,
  type Position,
  type Pruned,
  positionOf,
  writeNote,
} from "./position.js";
import { addressOf } from "./schema.js";

const OPTIONS = { after: 1, resources: 1, follow: 1, onWait: 1, signal: 1 } satisfies Names<ChangesOptions>;

/** Refuses unknown options, because a misspelled one would silently do nothing. */
export function checkReading(reader: string, options: object, known: object): void {
  checkNames(options, known, (option, rule) => argumentError(reader, option, rule));
}

/** A change to one record of the copy. */
export interface Change {
  /** The number of the change. Numbers grow by one, without gaps. */
  readonly seq: number;
  /**
   * The position after this change: pass it as `after` to continue. Unlike `seq`, it reveals whether the copy was
   * restored or recreated.
   */
  readonly bookmark: string;
  /** The list, such as `enrollments`. */
  readonly list: string;
  /** The identifier of the record, as text. */
  readonly id: string;
  /** The identifier or slug of the parent, if the record is listed below one; else null. */
  readonly parent: string | null;
  /** `returned`: the record was marked as gone and exists again. */
  readonly kind: "added" | "changed" | "gone" | "returned";
  /** When the mirror noticed the change. */
  readonly at: Date;
  /** The record before the change; null for `added` and `returned`, because the copy then had no such record. */
  readonly before: MirroredRecord | null;
  /** The record after the change; null for `gone`. */
  readonly after: MirroredRecord | null;
  /**
   * The fields that differ, sorted; for `returned`, compared with the record before it was gone. Empty for `added` and
   * `gone`.
   */
  readonly fields: readonly string[];
}

/** Options for `changes`. */
export interface ChangesOptions<List extends string = string> {
  /**
   * Only changes after this bookmark. A number also works, but does not reveal whether the copy was restored. Default
   * 0: from the first change.
   */
  readonly after?: string | number | undefined;
  /** Only changes of these lists. Default: all lists, including those that the copy gets later. */
  readonly resources?: readonly List[] | undefined;
  /**
   * True to wait for further changes instead of ending, and for the database while it is unavailable. Default false.
   */
  readonly follow?: boolean | undefined;
  /**
   * With `follow`: called when the loop waits for a database that has failed or does not answer, and when the feed ends
   * before the last change that the loop returned: a replica lags, or the copy was restored. The loop then continues
   * after that change, or throws a FeedGapError once it is known that the copy was restored, at most a minute later.
   * Exceptions of this function are ignored.
   */
  readonly onWait?: ((waiting: FeedWait) => void) | undefined;
  /** When it aborts, the loop throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options for `prune`. */
export interface PruneOptions {
  /**
   * A number removes the changes with smaller numbers; a Date removes those before the first change noticed at that
   * time or later. If a wrong clock dated a change in the future, the date of the next change counts.
   */
  readonly before: number | Date;
}

interface Row {
  readonly seq: number | string;
  readonly list: string;
  readonly id: string;
  readonly parent: string;
  readonly kind: Change["kind"];
  readonly at: string;
  readonly mark: string;
  readonly fields: string | null;
  readonly after: string | null;
  readonly before: string | null;
}

const BATCH = 200;
const POLL_MS = 1_000;
/** Prefix of the names of notes on the newest change to a list that was removed from the feed. */
const PRUNED = "pruned ";

/**
 * Iterates over the changes of a copy, in the order in which they were noticed. Needs no client, and only the right to
 * select from the tables.
 * @throws FeedGapError if changes after `after` were removed by {@link prune}, even during the loop, or the copy was
 * restored or recreated; InputError if an option is invalid.
 * @throws ConfigurationError if the database holds no copy; the database's errors, but with `follow` only those that
 * waiting cannot fix.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { changes, mirror, sqlite } from "education-admin-sdk/mirror";
 *
 * await mirror(client, sqlite(new DatabaseSync("school.sqlite")), { resources: ["accounts"] }).sync();
 * const reader = sqlite(new DatabaseSync("school.sqlite", { readOnly: true }));
 * for await (const { seq, list, kind, id } of changes(reader, { after: 0 })) console.log(seq, list, kind, id);
 */
export function changes(
  database: MirrorDatabase,
  options: ChangesOptions = {},
): AsyncGenerator<Change, void, undefined> {
  checkDatabase(database);
  checkReading("changes", options, OPTIONS);
  return changesOf(database, systemClock, options);
}

/** {@link changes} with a given clock. @param open runs before the first read. */
export async function* changesOf(
  database: MirrorDatabase,
  clock: Clock,
  options: ChangesOptions,
  open: () => Promise<void> = async () => {},
): AsyncGenerator<Change, void, undefined> {
  const { resources, follow = false, signal, onWait } = options;
  const given = positionOf(options.after ?? 0);
  if (!given)
    throw argumentError("changes", "after", "must be 0, a positive whole number, or the bookmark of a change");
  let at = given;
  const reader = readerOf(database, signal);
  const patiently = <Value>(read: () => Promise<Value>) =>
    follow ? readThroughOutages(clock, signal, (waiting) => callObserver(onWait, waiting), read) : read();
  const lists = await patiently(async () => {
    await open();
    return listsOf(database, reader);
  });
  const unknown = resources?.find((name) => !lists.includes(name));
  if (unknown !== undefined)
    throw argumentError("changes", "resources", `has ${JSON.stringify(unknown)}, which this mirror does not copy`);
  const wanted = resources ?? null;
  const lag = new Lag();
  let isReported = false;
  for (;;) {
    signal?.throwIfAborted();
    const { rows, state } = await patiently(() => batchAfter(reader, at, wanted));
    const now = momentNow(clock);
    const until = follow && at !== given ? lag.until(at, state, now) : null;
    if (until !== null && !isReported) {
      const error = new Error(
        `Mirror: the feed ends at change ${state.newest?.seq ?? 0}, before change ${at.seq}, which was already received: a replica lags behind, or an older copy was restored`,
      );
      callObserver(onWait, { error, until: new Date(clock.now() + until - now) });
    }
    isReported = until !== null;
    const gap = isReported ? null : gapOf(at, state, wanted);
    if (gap) throw gap;
    const { epoch, newest } = state;
    for (const row of rows) {
      const change = await patiently(() => changeOf(reader, row, state));
      at = { seq: change.seq, epoch, mark: row.mark };
      lag.passed({ seq: change.seq, mark: row.mark });
      yield change;
    }
    if (rows.length === BATCH) continue;
    // Skips the numbers of other lists' changes, so that they are not read again.
    if (newest && newest.seq > at.seq) {
      at = { ...newest, epoch };
      lag.passed(newest);
    }
    if (!follow) return;
    await wait(clock, POLL_MS, signal);
  }
}

export function readerOf(database: MirrorDatabase, signal?: AbortSignal): SqlReader {
  return { all: (sql, values) => database.read(sql, values, signal) };
}

async function batchAfter(reader: SqlReader, at: Position, lists: readonly string[] | null) {
  const newest = await newestOf(reader);
  const among = lists === null ? "" : ` AND c.list IN (${lists.map(() => "?").join() || "NULL"})`;
  const rows = await reader.all<Row>(
    `SELECT c.seq, c.list, c.id, c.parent, c.kind, c.at, c.mark, c.fields, c.after, p.after AS before
      FROM {mirror_changes} c LEFT JOIN {mirror_changes} p ON p.seq = c.previous
      WHERE c.seq > ? AND c.seq <= ?${among} ORDER BY c.seq LIMIT ${BATCH}`,
    [at.seq, newest?.seq ?? 0, ...(lists ?? [])],
  );
  // Reads the state after the rows: otherwise, a prune between the two reads would go unnoticed.
  return { rows, state: { newest, ...(await notesOf(reader)), here: await markOf(reader, at.seq) } };
}

export async function newestOf(sql: SqlReader): Promise<FeedState["newest"]> {
  const [row] = await sql.all<{ seq: number | string; mark: string }>(
    "SELECT seq, mark FROM {mirror_changes} ORDER BY seq DESC LIMIT 1",
  );
  return row ? { seq: Number(row.seq), mark: row.mark } : null;
}

async function markOf(reader: SqlReader, seq: number): Promise<string | null> {
  const [row] = await reader.all<{ mark: string }>("SELECT mark FROM {mirror_changes} WHERE seq = ?", [seq]);
  return row?.mark ?? null;
}

async function notesOf(reader: SqlReader): Promise<Pick<FeedState, "epoch" | "pruned">> {
  const query = `SELECT name, value FROM {mirror_notes} WHERE name = 'epoch' OR name LIKE '${PRUNED}%'`;
  const notes = await reader.all<{ name: string; value: string }>(query);
  const pruned = notes.filter(({ name }) => name.startsWith(PRUNED));
  return {
    epoch: notes.find(({ name }) => name === "epoch")?.value ?? "",
    pruned: new Map(pruned.map(({ name, value }) => [name.slice(PRUNED.length), JSON.parse(value) as Pruned])),
  };
}

/**
 * Removes old changes from the feed. Keeps the last old change of every record, so that later changes still have their
 * `before`.
 * @returns the number of changes removed.
 * @throws InputError if `before` is neither a whole number nor a time.
 * @throws ConfigurationError if the database holds no copy; the database's errors.
 * @example
 * import { DatabaseSync } from "node:sqlite";
 * import { mirror, prune, sqlite } from "education-admin-sdk/mirror";
 *
 * const database = sqlite(new DatabaseSync("school.sqlite"));
 * await mirror(client, database, { resources: ["accounts"] }).sync();
 * const removed = await prune(database, { before: new Date(Date.now() - 90 * 86_400_000) });
 */
export async function prune(database: MirrorDatabase, { before }: PruneOptions): Promise<number> {
  checkDatabase(database);
  const isTime = before instanceof Date && !Number.isNaN(before.getTime());
  if (!isTime && !(Number.isSafeInteger(before) && (before as number) > 0))
    throw argumentError("prune", "before", "must be the number of a change or a Date");
  await listsOf(database, readerOf(database));
  return database.write(async (sql) => {
    const end = isTime ? await boundOf(sql, before) : (before as number);
    // The newest change always stays, because the next one gets the number after it.
    const old = `seq < ? AND seq < (SELECT max(seq) FROM {mirror_changes}) AND (kind = 'gone'
      OR seq NOT IN (SELECT max(seq) FROM {mirror_changes} WHERE seq < ? GROUP BY list, parent, id))`;
    const lasts = await sql.all<{ list: string; seq: number | string; mark: string; at: string }>(
      `SELECT list, seq, mark, at FROM {mirror_changes} WHERE seq IN (SELECT max(seq) FROM {mirror_changes}
        WHERE seq < ? AND list IN (SELECT list FROM {mirror_changes} WHERE ${old}) GROUP BY list)`,
      [end, end, end],
    );
    for (const { list, seq, mark, at } of lasts) {
      await writeNote(sql, PRUNED + list, JSON.stringify({ seq: Number(seq), mark, at } satisfies Pruned));
    }
    return lasts.length === 0 ? 0 : sql.run(`DELETE FROM {mirror_changes} WHERE ${old}`, [end, end]);
  });
}

// Returns the number of the first change noticed at `time` or later.
async function boundOf(sql: Sql, time: Date): Promise<number> {
  const [last] = await sql.all<{ at: string }>("SELECT at FROM {mirror_changes} ORDER BY seq DESC LIMIT 1");
  if (!last) return 0;
  const now = new Date(Math.max(systemClock.now(), time.getTime(), Date.parse(last.at))).toISOString();
  // If a slow clock dated a change too early, the changes before it that have later dates must stay.
  const [found] = await sql.all<{ seq: number | string | null }>(
    `SELECT max(seq) + 1 AS seq FROM {mirror_changes} WHERE at < ? AND seq < coalesce((SELECT min(seq)
      FROM {mirror_changes} WHERE at >= ? AND at <= ?), (SELECT max(seq) + 1 FROM {mirror_changes}))`,
    [time.toISOString(), time.toISOString(), now],
  );
  return Number(found?.seq ?? 0);
}

/** Iterates over the records of a list as the copy had them at `time`. @param open runs before the first read. */
export async function* recordsAt(
  database: MirrorDatabase,
  time: Date,
  list: string,
  open: () => Promise<void>,
): AsyncGenerator<MirroredRecord, void, undefined> {
  if (!(time instanceof Date) || Number.isNaN(time.getTime())) throw argumentError("at", "time", "must be a Date");
  await open();
  const reader = readerOf(database);
  const [first] = await reader.all<{ at: string }>(
    "SELECT at FROM {mirror_changes} WHERE list = ? ORDER BY seq LIMIT 1",
    [list],
  );
  const state = { newest: null, here: null, ...(await notesOf(reader)) };
  const begin = state.pruned.get(list)?.at ?? first?.at;
  if (begin === undefined || time.toISOString() < begin) {
    const message =
      begin === undefined ? "is before the first copy" : `must be ${begin} or later: the feed begins at that time`;
    throw argumentError("at", "time", message);
  }
  const newest = await reader.all<{ seq: number | string }>(
    `SELECT max(seq) AS seq FROM {mirror_changes} WHERE list = ? AND seq <=
      (SELECT max(seq) FROM {mirror_changes} WHERE list = ? AND at <= ?) GROUP BY parent, id ORDER BY 1`,
    [list, list, time.toISOString()],
  );
  const from = `FROM {mirror_changes} WHERE seq IN (${database.dialect.valuesOf("integer")})`;
  for (let done = 0; done < newest.length; done += BATCH) {
    const wanted = newest.slice(done, done + BATCH).map(({ seq }) => Number(seq));
    const rows = await reader.all<Row>(
      `SELECT seq, list, id, parent, kind, at, mark, fields, after, NULL AS before ${from} ORDER BY seq`,
      [JSON.stringify(wanted)],
    );
    if (rows.length < wanted.length)
      throw new Error(`Mirror: changes to ${list} were removed while they were being read`);
    for (const row of rows) {
      const { after } = await changeOf(reader, row, state);
      if (after) yield after;
    }
  }
}

/** The lists that a database has a copy of. @throws ConfigurationError if it has no copy. @internal */
export async function listsOf(
  database: Pick<MirrorDatabase, "dialect">,
  reader: SqlReader,
): Promise<readonly string[]> {
  const { dialect } = database;
  if ((await dialect.columnsOf(reader, "mirror_lists")).length === 0) {
    throw new ConfigurationError("Mirror: the database holds no copy; check its prefix and schema, or make one first");
  }
  await addressOf(reader, dialect);
  return (await reader.all<{ name: string }>("SELECT name FROM {mirror_lists}")).map(({ name }) => name);
}

async function changeOf(reader: SqlReader, row: Row, { epoch, newest }: FeedState): Promise<Change> {
  const { kind, mark } = row;
  const seq = Number(row.seq);
  const after = kind === "gone" ? null : parseRecord(row.after ?? (await currentOf(reader, row)));
  if (after === null && kind !== "gone") {
    throw new FeedGapError(`change ${seq} was removed before it could be read`, bookmarkOf(epoch, newest));
  }
  return {
    seq,
    bookmark: bookmarkOf(epoch, { seq, mark }),
    list: row.list,
    id: row.id,
    parent: row.parent === "" ? null : row.parent,
    kind,
    at: new Date(row.at),
    before: kind === "added" || kind === "returned" ? null : parseRecord(row.before),
    after,
    fields: row.fields === null ? [] : (JSON.parse(row.fields) as string[]),
  };
}

// The newest version of a record is stored only in the record's row. The next change moves it to the row of the
// change that made it.
async function currentOf(reader: SqlReader, { seq, list, id, parent }: Row): Promise<unknown> {
  const under = parent === "" ? "" : " AND mirror_parent = ?";
  const [row] = await reader.all<{ record: unknown; mirror_change: number | string | null }>(
    `SELECT record, mirror_change FROM {${tableOf(list)}} WHERE id = ?${under}`,
    parent === "" ? [id] : [id, parent],
  );
  if (row && Number(row.mirror_change) === Number(seq)) return row.record;
  const query = "SELECT after FROM {mirror_changes} WHERE seq = ?";
  const [again] = await reader.all<{ after: string | null }>(query, [Number(seq)]);
  return again?.after ?? null;
}

export function argumentError(method: string, path: string, message: string): InputError {
  return new InputError(`${method}: ${path} ${message}`, [{ path, message }]);
}
