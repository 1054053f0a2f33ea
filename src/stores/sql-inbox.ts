import type { PartTables } from "../sql/tables.js";
import {
  COPY_MS,
  type ReceivedDelivery,
  type RecordVersion,
  type TakenDelivery,
  type TakeRequest,
  type WebhookStore,
} from "../webhooks/store.js";
import type { Query, StoreDialect } from "./dialects.js";

/** A delivery that was set aside after its last attempt. */
export interface DeadDelivery {
  readonly id: string;
  readonly event: string;
  /** When the delivery was received, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** The number of attempts to handle it. */
  readonly attempt: number;
}

/** Operations to inspect and repair an inbox. */
export interface InboxOperations {
  /** Counts the deliveries in each state. */
  count(): Promise<Record<"waiting" | "done" | "dead", number>>;
  /** Lists the dead deliveries, oldest first; at most `limit`, default 100. */
  listDead(limit?: number): Promise<readonly DeadDelivery[]>;
  /** Handles a dead delivery again from its first attempt. Returns false if there is none with this id. */
  revive(id: string): Promise<boolean>;
}

/** A webhook store in a database, with operations to inspect and repair it. */
export interface DurableInbox extends WebhookStore, InboxOperations {}

/** How often a process removes rows older than `keepMs`, in milliseconds. */
const TIDY_EVERY_MS = 3_600_000;

/**
 * A delivery that would have to wait longer than this many milliseconds, and longer than a lease, counts as due,
 * because a wrong clock must have postponed it.
 */
export const LONGEST_WAIT_MS = 86_400_000;

/** SQL that selects the stored deliveries that a delivery with this `foldKey` and `time` duplicates. */
export function copiesSql(deliveries: string, foldKey: string, time: string): string {
  const sent = "coalesce(same.sent_at, same.received_at)";
  return `SELECT 1 FROM ${deliveries} AS same WHERE same.fold_key = ${foldKey} AND (${sent} > ${time}
        OR ${sent} > ${time} - ${COPY_MS} AND NOT EXISTS (
          SELECT 1 FROM ${deliveries} AS other WHERE other.record = same.record AND other.place > same.place))`;
}

/**
 * The tables of an inbox. Times are milliseconds since the epoch, by the clock of the database's machine.
 * @param at the prefix with the schema.
 * @param functions SQL that creates the inbox's functions, for new tables and for upgrades.
 */
export function inboxTables(dialect: StoreDialect, prefix: string, at = prefix, functions = ""): PartTables {
  const { serial, once, time, flag, end } = dialect;
  const deliveries = `${at}deliveries`;
  const index = (name: string, on: string) => `CREATE INDEX ${prefix}deliveries_${name} ON ${deliveries} ${on};`;
  const changed = `
${index("leased", "(record) WHERE state = 'waiting' AND leased")}
${index("fold", "(fold_key) WHERE fold_key IS NOT NULL")}
${index("record", "(record, place)")}
${functions}`;
  const create = `
CREATE TABLE ${deliveries} (
  place ${serial} PRIMARY KEY${once},
  id text NOT NULL UNIQUE,
  event text NOT NULL,
  payload text NOT NULL,
  received_at ${time} NOT NULL,
  sent_at ${time},
  record text,
  fold_key text,
  state text NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead')),
  attempt int NOT NULL DEFAULT 0,
  leased ${flag},
  available_at ${time} NOT NULL DEFAULT 0, -- of a leased one: when its lease ends
  ended_at ${time}
)${end};
CREATE TABLE ${at}records (record text PRIMARY KEY, updated_at ${time} NOT NULL, handled_at ${time} NOT NULL)${end};
${index("available", "(available_at) WHERE state = 'waiting'")}
${index("ended", "(ended_at) WHERE state <> 'waiting'")}
${changed}`;
  // Replaces a unique index of version 1, which refused deliveries that changed a record back to an earlier state.
  const drops = ["leased", "fold", "record"].map((name) => `DROP INDEX IF EXISTS ${at}deliveries_${name};`);
  return { part: "inbox", prefix, create, upgrades: [drops.join("\n") + changed] };
}

/** The parts of the inbox that differ between SQLite and Postgres. */
export interface InboxSql {
  readonly dialect: StoreDialect;
  readonly deliveries: string;
  readonly records: string;
  /** Stores a delivery; returns a row if it was stored. */
  readonly put: string;
  /** Hands out deliveries. Unless `isTidy`, first removes expired rows and ends waits that are too long. */
  take(request: TakeRequest, isTidy: boolean): Promise<readonly (TakenDelivery & { readonly time: number })[]>;
  markDone(id: string, version: RecordVersion | null): Promise<void>;
}

// Ignores calls of a stalled worker, whose delivery may have been handed out again.
const IS_CURRENT_ATTEMPT = "id = ? AND state = 'waiting' AND attempt = coalesce(CAST(? AS INTEGER), attempt)";

/** An inbox in tables of SQLite or Postgres. Leases follow the clock of the database's machine. */
export class SqlInbox implements DurableInbox {
  readonly #query: Query;
  readonly #sql: InboxSql;
  /** The database's time minus the caller's, from the last `take` that returned a delivery. */
  #difference = 0;
  #tidiedAt = -Infinity;

  constructor(query: Query, sql: InboxSql) {
    this.#query = query;
    this.#sql = sql;
  }

  put = async (delivery: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    const { id, event, payload, receivedAt, sentAt, record, foldKey } = delivery;
    const values = [id, event, payload, Math.round(receivedAt), sentAt, record, foldKey];
    return (await this.#query(this.#sql.put, values)).length === 0 ? "duplicate" : "stored";
  };

  take = async (request: TakeRequest): Promise<readonly TakenDelivery[]> => {
    const passed = request.now - this.#tidiedAt;
    const isTidy = passed >= 0 && passed < TIDY_EVERY_MS;
    if (!isTidy) this.#tidiedAt = request.now;
    const rows = await this.#sql.take(request, isTidy);
    const [first] = rows;
    if (first) this.#difference = first.time - request.now;
    return rows.map(({ time: _, ...taken }) => taken).sort((one, other) => one.receivedAt - other.receivedAt);
  };

  extend = async (id: string, leaseUntil: number, attempt: number | null = null): Promise<void> => {
    const sql = `UPDATE ${this.#sql.deliveries} SET available_at = ? WHERE ${IS_CURRENT_ATTEMPT} AND leased RETURNING 1`;
    await this.#query(sql, [this.#time(leaseUntil), id, attempt]);
  };

  done = (id: string, version: RecordVersion | null): Promise<void> => this.#sql.markDone(id, version);

  retry = async (id: string, at: number, attempt: number | null = null): Promise<void> => {
    const sql = `UPDATE ${this.#sql.deliveries} SET available_at = ?, leased = false WHERE ${IS_CURRENT_ATTEMPT} RETURNING 1`;
    await this.#query(sql, [this.#time(at), id, attempt]);
  };

  dead = async (id: string, attempt: number | null = null): Promise<void> => {
    const { deliveries, dialect } = this.#sql;
    const sql = `UPDATE ${deliveries} SET state = 'dead', leased = false, ended_at = ${dialect.now} WHERE ${IS_CURRENT_ATTEMPT} RETURNING 1`;
    await this.#query(sql, [...dialect.nowValues(), id, attempt]);
  };

  newest = async (record: string): Promise<number | null> => {
    const sql = `SELECT updated_at FROM ${this.#sql.records} WHERE record = ?`;
    const [row] = await this.#query<{ updated_at: number }>(sql, [record]);
    return row ? Number(row.updated_at) : null;
  };

  count = async (): Promise<Record<"waiting" | "done" | "dead", number>> => {
    const sql = `SELECT state, count(*) AS many FROM ${this.#sql.deliveries} WHERE state <> ? GROUP BY state`;
    const rows = await this.#query<{ state: string; many: number }>(sql, [""]);
    const counts = rows.map(({ state, many }) => [state, Number(many)] as const);
    return { waiting: 0, done: 0, dead: 0, ...Object.fromEntries(counts) };
  };

  listDead = async (limit = 100): Promise<readonly DeadDelivery[]> => {
    const sql = `SELECT id, event, received_at AS "receivedAt", attempt FROM ${this.#sql.deliveries}
      WHERE state = 'dead' ORDER BY place LIMIT ?`;
    const rows = await this.#query<DeadDelivery>(sql, [limit]);
    // Some drivers return integers as strings or BigInts.
    return rows.map((row) => ({ ...row, receivedAt: Number(row.receivedAt), attempt: Number(row.attempt) }));
  };

  revive = async (id: string): Promise<boolean> => {
    const sql = `UPDATE ${this.#sql.deliveries} SET state = 'waiting', attempt = 0, available_at = 0, ended_at = NULL
      WHERE id = ? AND state = 'dead' RETURNING id`;
    return (await this.#query(sql, [id])).length === 1;
  };

  #time(callersTime: number): number {
    return Math.ceil(callersTime + this.#difference);
  }
}
