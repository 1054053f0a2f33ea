import { BulkError } from "../bulk/errors.js";
import { resourceNameOf } from "../core/operation.js";
import { listsOf } from "../mirror/changes.js";
import { tableOf } from "../mirror/columns.js";
import type { MirrorDatabase } from "../mirror/database.js";
import { newMark } from "../mirror/position.js";
import { allOperations } from "../operations.js";
import type { Dialect, Sql, SqlValue } from "../sql/dialect.js";
import { parseWebhook } from "../webhooks/payload.js";
import { RESOURCES } from "../webhooks/service/refetch.js";
import type { Person, Values } from "./person.js";
import { cutPlans } from "./plan-lines.js";

export interface Found {
  readonly kind: "mirror" | "inbox" | "journal";
  /** Number of records, deliveries or rows about the person. */
  readonly records: number;
  /** Number of earlier versions, and of other records with a part about the person. */
  readonly parts: number;
  /** Number of `records` that are still in use: waiting deliveries, rows of unfinished plans. */
  readonly open: number;
  /** Number of remaining rows that may be the person's. */
  readonly doubts?: number;
}

export interface Wish {
  /** True to also take out what is still in use. */
  readonly unfinished: boolean;
  /** True if data will be taken out: a journal in use is then an error. */
  readonly write: boolean;
}

/** Reads tables; without `run`, nothing can be changed. */
type Tables = Pick<Sql, "all"> & Partial<Pick<Sql, "run">>;

const BATCH = 1_000;

/**
 * Finds a person's data in the tables of a mirror, an inbox and journals.
 * @param isTaken true to take it out in one transaction; see `wish` for data in use.
 */
export async function eraseFrom(
  { dialect, read, write }: MirrorDatabase,
  person: Person,
  wish: Wish,
  isTaken: boolean,
): Promise<readonly Found[]> {
  const erase = async (sql: Tables) => {
    const has = async (table: string, column: string) => (await dialect.columnsOf(sql, table)).includes(column);
    const found: Found[] = [];
    if (await has("mirror_version", "address")) found.push(await eraseCopy(dialect, sql, person));
    if (await has("deliveries", "fold_key")) found.push(await eraseDeliveries(sql, person, wish));
    if (await has("bulk_lines", "line")) found.push(await eraseJournals(sql, person, wish));
    return found.filter(({ records, parts, doubts = 0 }) => records + parts + doubts > 0);
  };
  return isTaken ? await write(erase) : await erase({ all: read });
}

async function eraseCopy(dialect: Dialect, sql: Tables, person: Person): Promise<Found> {
  let [records, parts] = [0, 0];
  for (const list of await listsOf({ dialect }, sql)) {
    const table = `{${tableOf(list)}}`;
    const columns = await dialect.columnsOf(sql, tableOf(list));
    const key = columns.includes("mirror_parent") ? ["id", "mirror_parent"] : ["id"];
    const above = key.length > 1 ? parameterOf(list) : null;
    const isOwned = (id: unknown, parent: string, record: Values) =>
      person.owns([list], { ...(above && { [above]: parent }), ...record, id });
    for await (const row of rowsOf<Row>(
      sql,
      `SELECT ${key.join()}, record FROM ${table} WHERE id IS NOT NULL`,
      [],
      key,
    )) {
      const { id, mirror_parent: parent = "", record } = row;
      const values = parse(record);
      const where = key.map((name) => `${name} = ?`).join(" AND ");
      const at = key.length > 1 ? [id, parent] : [id];
      if (isOwned(id, parent, values)) {
        records++;
        await tellGone(sql, list, `${table} WHERE ${where}`, at);
        await blank(sql, list, String(id), parent);
        await sql.run?.(`DELETE FROM ${table} WHERE ${where}`, at);
        continue;
      }
      const rest = person.cut(list, values);
      if (rest === values) continue;
      parts++;
      const fields = Object.keys(rest).filter((name) => rest[name] !== values[name] && columns.includes(name));
      await sql.run?.(
        `UPDATE ${table} SET ${["record", ...fields].map((name) => `"${name}" = ?`).join()} WHERE ${where}`,
        [...[rest, ...fields.map((name) => rest[name])].map((value) => JSON.stringify(value)), ...at],
      );
    }
    const versions = "SELECT seq, id, parent, after FROM {mirror_changes} WHERE list = ? AND after IS NOT NULL";
    for await (const { seq, id, parent, after } of rowsOf<Version>(sql, versions, [list], ["seq"])) {
      const values = parse(after);
      if (isOwned(id, parent, values)) await blank(sql, list, id, parent);
      else {
        const rest = person.cut(list, values);
        if (rest === values) continue;
        await sql.run?.("UPDATE {mirror_changes} SET after = ? WHERE seq = ?", [JSON.stringify(rest), Number(seq)]);
      }
      parts++;
    }
  }
  return { kind: "mirror", records, parts, open: 0 };
}

interface Row {
  readonly id: number | string;
  /** Absent in tables of records without a parent. */
  readonly mirror_parent?: string;
  readonly record: unknown;
}

interface Version {
  readonly seq: number | string;
  readonly id: string;
  readonly parent: string;
  readonly after: unknown;
}

async function* rowsOf<R extends object>(
  sql: Tables,
  select: string,
  values: readonly SqlValue[],
  key: readonly string[],
): AsyncGenerator<R, void, undefined> {
  for (let last: SqlValue[] = []; ; ) {
    const after = last.length > 0 ? ` AND (${key.join()}) > (${key.map(() => "?").join()})` : "";
    const rows = await sql.all<R>(`${select}${after} ORDER BY ${key.join()} LIMIT ${BATCH}`, [...values, ...last]);
    yield* rows;
    const end = rows.at(-1) as Readonly<Record<string, SqlValue>> | undefined;
    if (!end || rows.length < BATCH) return;
    last = key.map((name) => end[name] ?? null);
  }
}

// Readers of the feed learn that the record is gone, so that they can erase it too.
async function tellGone(sql: Tables, list: string, row: string, at: readonly SqlValue[]): Promise<void> {
  await sql.run?.(
    `INSERT INTO {mirror_changes} SELECT (SELECT max(seq) + 1 FROM {mirror_changes}), CAST(? AS TEXT), CAST(id AS TEXT), CAST(? AS TEXT),
      'gone', CAST(? AS TEXT), CAST(? AS TEXT), NULL, NULL, NULL FROM ${row} AND gone_at IS NULL AND mirror_change IS NOT NULL`,
    [list, String(at[1] ?? ""), new Date().toISOString(), newMark(), ...at],
  );
}

// The changes keep their numbers, so that no reader of the feed finds a gap.
async function blank(sql: Tables, list: string, id: string, parent: string): Promise<void> {
  await sql.run?.(
    "UPDATE {mirror_changes} SET kind = 'gone', fields = NULL, after = NULL, previous = NULL WHERE list = ? AND id = ? AND parent = ?",
    [list, id, parent],
  );
}

// The parent's path parameter: `user_id` of `users/{user_id}/authentications`.
function parameterOf(list: string): string | null {
  const row = allOperations.find(({ id, paged, path }) => paged && resourceNameOf(id) === list && path.includes("{"));
  return /\{(\w+)\}/.exec(row?.path ?? "")?.[1] ?? null;
}

async function eraseDeliveries(sql: Tables, person: Person, { unfinished }: Wish): Promise<Found> {
  const rows = await sql.all<{ id: string; payload: string; state: string }>(
    "SELECT id, payload, state FROM {deliveries} WHERE payload <> ''",
  );
  let [records, open] = [0, 0];
  for (const { id, payload, state } of rows) {
    const { event, event_data } = eventOf(payload);
    const kind = event.split(".")[0] ?? "";
    const resources = Object.hasOwn(RESOURCES, kind) ? [RESOURCES[kind as keyof typeof RESOURCES]] : [];
    if (!person.owns(resources, event_data)) continue;
    records++;
    if (state === "waiting" && !unfinished) {
      open++;
      continue;
    }
    // The row stays, so that a repeated delivery is recognized.
    const ended =
      "UPDATE {deliveries} SET state = 'done', leased = false, payload = '', ended_at = coalesce(ended_at, ?) WHERE id = ?";
    await sql.run?.(ended, [Date.now(), id]);
  }
  return { kind: "inbox", records, parts: 0, open };
}

function eventOf(payload: string): { readonly event: string; readonly event_data: Values } {
  try {
    return parseWebhook(payload);
  } catch {
    return { event: "", event_data: {} };
  }
}

async function eraseJournals(sql: Tables, person: Person, { unfinished, write }: Wish): Promise<Found> {
  const names = await sql.all<{ name: string }>("SELECT DISTINCT name FROM {bulk_lines}");
  let [records, open, doubts] = [0, 0, 0];
  for (const { name } of names) {
    const stored = await sql.all<{ seq: number; line: string }>(
      "SELECT seq, line FROM {bulk_lines} WHERE name = ? ORDER BY seq",
      [name],
    );
    const { lines, rows, isUnfinished, ...others } = await cutPlans(
      stored.map(({ line }) => line),
      person,
    );
    doubts += others.doubts;
    if (rows === 0) continue;
    records += rows;
    if (isUnfinished && !unfinished) {
      open += rows;
      continue;
    }
    const [owner] = await sql.all<{ until: number }>("SELECT until FROM {bulk_owners} WHERE name = ?", [name]);
    if (write && Number(owner?.until ?? 0) > Date.now())
      throw new BulkError(
        "in_use",
        `erase: the journal ${JSON.stringify(name)} is in use by another process. Try again when it has ended.`,
      );
    for (const [at, { seq, line }] of stored.entries()) {
      const left = lines[at];
      if (left === null) await sql.run?.("DELETE FROM {bulk_lines} WHERE seq = ?", [Number(seq)]);
      else if (left !== line)
        await sql.run?.("UPDATE {bulk_lines} SET line = ? WHERE seq = ?", [left ?? "", Number(seq)]);
    }
  }
  return { kind: "journal", records, parts: 0, open, doubts };
}

function parse(record: unknown): Values {
  return (typeof record === "string" ? JSON.parse(record) : record) as Values;
}
