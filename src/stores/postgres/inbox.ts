import type { ReceivedDelivery, RecordVersion, TakenDelivery, TakeRequest } from "../../webhooks/store.js";
import { countsOf, type DeadDelivery, type DurableInbox, TIDY_EVERY_MS } from "../inbox.js";
import { checkOptions, inboxSettings, schemaOf, type WebhookInboxOptions } from "../options.js";
import { migration, type PostgresConnection, PostgresDatabase, type PostgresTables } from "./connection.js";
import { inboxStatements, inboxSteps } from "./inbox-sql.js";

/** Options of `webhookInbox` on Postgres. */
export interface PostgresInboxOptions extends WebhookInboxOptions {
  /** The schema of its tables and its function, which must exist. Default: the first one of the search path. */
  readonly schema?: string | undefined;
}

/**
 * The SQL that makes or migrates the tables of `webhookInbox`, for a role that may; the inbox itself then needs to read and
 * write only. It can be run again.
 * @throws ConfigurationError when an option makes no sense.
 */
export function webhookInboxSql(options: PostgresInboxOptions = {}): string {
  return migration(tablesOf(settingsOf(options)));
}

function settingsOf(options: PostgresInboxOptions) {
  checkOptions("webhookInbox", options, { schema: 1, prefix: 1, keepMs: 1 });
  const { schema, ...shared } = options;
  return { ...inboxSettings(shared), schema: schemaOf("webhookInbox", schema) };
}

function tablesOf({ prefix, schema }: ReturnType<typeof settingsOf>): PostgresTables {
  return { part: "inbox", prefix, schema, steps: inboxSteps(prefix, schema), tidy: "" };
}

/**
 * Keeps deliveries in Postgres: what was answered with 200 outlives processes and machines. Any number of processes may
 * share the tables, which are created and migrated when it is first used. Leases go by the database's clock.
 * @throws ConfigurationError when the connection lacks a method or an option makes no sense.
 */
export function webhookInbox(connection: PostgresConnection, options: PostgresInboxOptions = {}): DurableInbox {
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

  constructor(connection: PostgresConnection, options: PostgresInboxOptions) {
    const settings = settingsOf(options);
    this.#keepMs = settings.keepMs;
    this.#sql = inboxStatements(settings.prefix, settings.schema);
    this.#database = new PostgresDatabase("webhookInbox", connection, tablesOf(settings));
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
    if (first) this.#difference = Number(first.db_now) - now;
    return rows
      .map(({ id, event, payload, received_at, sent_at, attempt }) => ({
        id,
        event,
        payload,
        receivedAt: Number(received_at),
        sentAt: sent_at === null ? null : Number(sent_at),
        attempt: Number(attempt),
      }))
      .sort((one, other) => one.receivedAt - other.receivedAt);
  };

  extend = async (id: string, leaseUntil: number, attempt: number | null = null): Promise<void> => {
    await this.#database.query(this.#sql.extend, [id, attempt, leaseUntil + this.#difference]);
  };

  done = async (id: string, version: RecordVersion | null): Promise<void> => {
    await this.#database.query(this.#sql.done, [id, version?.record ?? null, version?.updatedAt ?? null]);
  };

  retry = async (id: string, at: number, attempt: number | null = null): Promise<void> => {
    await this.#database.query(this.#sql.retry, [id, attempt, at + this.#difference]);
  };

  dead = async (id: string, attempt: number | null = null): Promise<void> => {
    await this.#database.query(this.#sql.dead, [id, attempt]);
  };

  newest = async (record: string): Promise<number | null> => {
    const [row] = await this.#database.query<{ updated_at: number }>(this.#sql.newest, [record]);
    return row ? Number(row.updated_at) : null;
  };

  count = async (): Promise<Record<"waiting" | "done" | "dead", number>> =>
    countsOf(await this.#database.query<{ state: string; many: number }>(this.#sql.count, []));

  listDead = async (limit = 100): Promise<readonly DeadDelivery[]> => {
    const rows = await this.#database.query<DeadRow>(this.#sql.listDead, [limit]);
    return rows.map(({ id, event, received_at, attempt }) => ({
      id,
      event,
      receivedAt: Number(received_at),
      attempt: Number(attempt),
    }));
  };

  revive = async (id: string): Promise<boolean> => (await this.#database.query(this.#sql.revive, [id])).length === 1;
}
