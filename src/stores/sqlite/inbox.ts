import type { ReceivedDelivery, RecordVersion, TakenDelivery, TakeRequest } from "../../webhooks/store.js";
import { countsOf, type DeadDelivery, type DurableInbox, TIDY_EVERY_MS } from "../inbox.js";
import { inboxSettings, type WebhookInboxOptions } from "../options.js";
import { plainRow, type SqliteConnection, SqliteDatabase } from "./connection.js";
import { inboxStatements, inboxTables } from "./inbox-sql.js";

/**
 * Keeps deliveries in an SQLite file: what was answered with 200 outlives the process and the machine. Several processes
 * of one machine may share the file. Give it a connection of its own: it sets WAL and `synchronous = FULL`, and creates and
 * migrates its tables when it is first used. Each call waits at most 2 seconds for other processes; this process stands still
 * meanwhile, and `timeoutMs` of a handler cannot end that. Listeners that write to the same file open another connection,
 * because a ROLLBACK of theirs would also undo deliveries that were answered.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function webhookInbox(connection: SqliteConnection, options: WebhookInboxOptions = {}): DurableInbox {
  return new SqliteInbox(connection, options);
}

class SqliteInbox implements DurableInbox {
  readonly #database: SqliteDatabase;
  readonly #sql: ReturnType<typeof inboxStatements>;
  readonly #keepMs: number;
  /** The machine's date minus the caller's, as of the last `take`. */
  #difference = 0;
  #tidiedAt = 0;

  constructor(connection: SqliteConnection, options: WebhookInboxOptions) {
    const { prefix, keepMs } = inboxSettings(options);
    this.#keepMs = keepMs;
    this.#sql = inboxStatements(prefix);
    const tables = { part: "inbox", prefix, steps: inboxTables(prefix), synchronous: "FULL" } as const;
    this.#database = new SqliteDatabase("webhookInbox", connection, tables);
  }

  put = async (delivery: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    const { id, event, payload, receivedAt, sentAt, record, foldKey } = delivery;
    const values = { id, event, payload, receivedAt: Math.round(receivedAt), sentAt, record, foldKey };
    return this.#change(this.#sql.put, values) === 0 ? "duplicate" : "stored";
  };

  take = async ({ limit, now, leaseUntil, onePerRecord }: TakeRequest): Promise<readonly TakenDelivery[]> => {
    const date = Date.now();
    this.#difference = date - now;
    this.#tidy(date);
    const statement = this.#database.prepare(onePerRecord ? this.#sql.takeOnePerRecord : this.#sql.take);
    const rows = statement.all({ limit, now: date, leaseUntil: this.#date(leaseUntil) });
    return rows.map(plainRow<TakenDelivery>).sort((one, other) => one.receivedAt - other.receivedAt);
  };

  extend = async (id: string, leaseUntil: number, attempt: number | null = null): Promise<void> => {
    this.#change(this.#sql.extend, { id, at: this.#date(leaseUntil), attempt });
  };

  done = async (id: string, version: RecordVersion | null): Promise<void> => {
    const now = Date.now();
    this.#database.transaction(() => {
      this.#change(this.#sql.done, { id, now });
      if (version) this.#change(this.#sql.handled, { record: version.record, updatedAt: version.updatedAt, now });
    });
  };

  retry = async (id: string, at: number, attempt: number | null = null): Promise<void> => {
    this.#change(this.#sql.retry, { id, at: this.#date(at), attempt });
  };

  dead = async (id: string, attempt: number | null = null): Promise<void> => {
    this.#change(this.#sql.dead, { id, now: Date.now(), attempt });
  };

  newest = async (record: string): Promise<number | null> => {
    const row = this.#database.prepare(this.#sql.newest).get({ record });
    return row === undefined ? null : plainRow<{ updatedAt: number }>(row).updatedAt;
  };

  count = async (): Promise<Record<"waiting" | "done" | "dead", number>> =>
    countsOf(this.#database.prepare(this.#sql.count).all({ all: 1 }) as { state: string; many: number }[]);

  listDead = async (limit = 100): Promise<readonly DeadDelivery[]> =>
    this.#database
      .prepare(this.#sql.listDead)
      .all({ limit })
      .map(plainRow<DeadDelivery>);

  revive = async (id: string): Promise<boolean> => this.#change(this.#sql.revive, { id }) === 1;

  #date(callersTime: number): number {
    return Math.ceil(callersTime + this.#difference);
  }

  #change(sql: string, values: Record<string, string | number | null>): number {
    return Number(this.#database.prepare(sql).run(values).changes);
  }

  #tidy(date: number): void {
    if (date - this.#tidiedAt < TIDY_EVERY_MS) return;
    this.#tidiedAt = date;
    const before = date - this.#keepMs;
    this.#change(this.#sql.tidy, { before });
    this.#change(this.#sql.tidyRecords, { before });
  }
}
