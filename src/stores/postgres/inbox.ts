import type { ReceivedDelivery, RecordVersion, TakenDelivery, TakeRequest } from "../../webhooks/store.js";
import { countsOf, type DeadDelivery, type DurableInbox, TIDY_EVERY_MS } from "../inbox.js";
import { inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type PostgresConnection, PostgresDatabase } from "./connection.js";
import { inboxStatements, inboxSteps } from "./inbox-sql.js";

/**
 * Keeps deliveries in Postgres: what was answered with 200 outlives processes and machines. Any number of processes may
 * share the tables, which are created and migrated when it is first used. Leases go by the database's clock.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function webhookInbox(connection: PostgresConnection, options: WebhookInboxOptions = {}): DurableInbox {
  return new PostgresInbox(connection, options);
}

interface DeadRow {
  readonly id: string;
  readonly event: string;
  readonly received_at: number;
  readonly attempt: number;
}

interface TakenRow extends DeadRow {
  readonly payload: string;
  readonly sent_at: number | null;
  readonly db_now: number;
}

class PostgresInbox implements DurableInbox {
  readonly #database: PostgresDatabase;
  readonly #sql: ReturnType<typeof inboxStatements>;
  readonly #keepMs: number;
  /** The database's clock minus the caller's, as of the last `take` that found something. */
  #difference = 0;
  #tidiedAt = -Infinity;

  constructor(connection: PostgresConnection, options: WebhookInboxOptions) {
    const { prefix, keepMs } = inboxSettings(options);
    this.#keepMs = keepMs;
    this.#sql = inboxStatements(prefix);
    const tables = { part: "inbox", prefix, steps: inboxSteps(prefix), tidy: "" };
    this.#database = new PostgresDatabase("webhookInbox", connection, tables);
  }

  put = async (delivery: ReceivedDelivery): Promise<"stored" | "duplicate"> => {
    const { id, event, payload, receivedAt, sentAt, record, foldKey } = delivery;
    const values = [id, event, payload, receivedAt, sentAt, record, foldKey];
    return (await this.#database.query(this.#sql.put, values)).length === 0 ? "duplicate" : "stored";
  };

  take = async ({ limit, now, leaseUntil, onePerRecord }: TakeRequest): Promise<readonly TakenDelivery[]> => {
    const isTidy = now - this.#tidiedAt < TIDY_EVERY_MS;
    if (!isTidy) this.#tidiedAt = now;
    const values = [limit, leaseUntil - now, onePerRecord, isTidy ? null : this.#keepMs];
    const rows = await this.#database.query<TakenRow>(this.#sql.take, values);
    const [first] = rows;
    if (first) this.#difference = first.db_now - now;
    return rows
      .map(({ id, event, payload, received_at, sent_at, attempt }) => ({
        id,
        event,
        payload,
        receivedAt: received_at,
        sentAt: sent_at,
        attempt,
      }))
      .sort((one, other) => one.receivedAt - other.receivedAt);
  };

  extend = async (id: string, leaseUntil: number): Promise<void> => {
    await this.#database.query(this.#sql.extend, [id, leaseUntil + this.#difference]);
  };

  done = async (id: string, version: RecordVersion | null): Promise<void> => {
    await this.#database.query(this.#sql.done, [id, version?.record ?? null, version?.updatedAt ?? null]);
  };

  retry = async (id: string, at: number): Promise<void> => {
    await this.#database.query(this.#sql.retry, [id, at + this.#difference]);
  };

  dead = async (id: string): Promise<void> => {
    await this.#database.query(this.#sql.dead, [id]);
  };

  newest = async (record: string): Promise<number | null> => {
    const [row] = await this.#database.query<{ updated_at: number }>(this.#sql.newest, [record]);
    return row?.updated_at ?? null;
  };

  count = async (): Promise<Record<"waiting" | "done" | "dead", number>> =>
    countsOf(await this.#database.query<{ state: string; many: number }>(this.#sql.count, []));

  listDead = async (limit = 100): Promise<readonly DeadDelivery[]> => {
    const rows = await this.#database.query<DeadRow>(this.#sql.listDead, [limit]);
    return rows.map(({ id, event, received_at, attempt }) => ({ id, event, receivedAt: received_at, attempt }));
  };

  revive = async (id: string): Promise<boolean> => (await this.#database.query(this.#sql.revive, [id])).length === 1;
}
