import { type OptionTable, optionsOf } from "../../core/option-checks.js";
import { nameInSql } from "../../sql/tables.js";
import { POSTGRES } from "../dialects.js";
import { INBOX_OPTIONS, type WebhookInboxOptions } from "../options.js";
import { type DurableInbox, inboxTables, LONGEST_WAIT_MS, SqlInbox } from "../sql-inbox.js";
import {
  migration,
  type PostgresConnection,
  PostgresDatabase,
  type PostgresTables,
  schemaPrefix,
} from "./connection.js";
import { inboxFunctions, inboxStatements } from "./inbox-sql.js";

/** Options for `webhookInbox` on Postgres. */
export interface PostgresInboxOptions extends WebhookInboxOptions {
  /** The schema of the inbox's tables and functions, which must exist. Default: the first one in the search path. */
  readonly schema?: string | undefined;
}

const OPTIONS = {
  ...INBOX_OPTIONS,
  schema: [/* @__PURE__ */ nameInSql(60)],
} satisfies OptionTable<PostgresInboxOptions>;

/**
 * Returns the SQL that creates or migrates the tables of `webhookInbox`. Run it, as often as you like, with a role that
 * may create tables; the inbox then only needs the rights to read and write.
 * @throws ConfigurationError if an option is invalid.
 */
export function webhookInboxSql(options: PostgresInboxOptions = {}): string {
  return migration(tablesOf(settingsOf(options)));
}

function settingsOf(options: PostgresInboxOptions) {
  return optionsOf("webhookInbox", options, OPTIONS);
}

function tablesOf({ prefix, schema }: ReturnType<typeof settingsOf>): PostgresTables {
  const functions = inboxFunctions(prefix, schema);
  return { ...inboxTables(POSTGRES, prefix, `${schemaPrefix(schema)}${prefix}`, functions), schema };
}

/**
 * Keeps deliveries in Postgres: a delivery that was answered with 200 survives a crash of processes and machines. Any
 * number of processes may share the tables, which the inbox creates and migrates on first use. Leases follow the
 * database's clock.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function webhookInbox(connection: PostgresConnection, options: PostgresInboxOptions = {}): DurableInbox {
  const settings = settingsOf(options);
  const database = new PostgresDatabase("webhookInbox", connection, tablesOf(settings));
  const sql = inboxStatements(settings.prefix, settings.schema);
  return new SqlInbox((text, values) => database.query(text, values), {
    ...sql,
    dialect: POSTGRES,
    async take({ limit, now, leaseUntil, longestWaitMs = LONGEST_WAIT_MS, onePerRecord }, isTidy) {
      const leaseMs = leaseUntil - now;
      const keepMs = isTidy ? null : settings.keepMs;
      const values = [limit, leaseMs, onePerRecord, keepMs, Math.max(leaseMs, longestWaitMs)];
      const rows = await database.query<TakenRow>(sql.take, values);
      return rows.map(({ id, event, payload, received_at, sent_at, attempt, db_now }) => ({
        id,
        event,
        payload,
        receivedAt: Number(received_at),
        sentAt: sent_at === null ? null : Number(sent_at),
        attempt: Number(attempt),
        time: Number(db_now),
      }));
    },
    async markDone(id, version) {
      await database.query(sql.done, [id, version?.record ?? null, version?.updatedAt ?? null]);
    },
  });
}

interface TakenRow {
  readonly id: string;
  readonly event: string;
  readonly payload: string;
  readonly received_at: number;
  readonly sent_at: number | null;
  readonly attempt: number;
  readonly db_now: number;
}
