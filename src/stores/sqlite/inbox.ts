import type { TakenDelivery } from "../../webhooks/store.js";
import { inboxSettings, type WebhookInboxOptions } from "../options.js";
import { type DurableInbox, LONGEST_WAIT_MS, SqlInbox } from "../sql-inbox.js";
import { type SqliteConnection, SqliteDatabase } from "./connection.js";
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
  const { prefix, keepMs } = inboxSettings(options);
  const tables = { part: "inbox", prefix, tables: inboxTables(prefix), synchronous: "FULL" } as const;
  const database = new SqliteDatabase("webhookInbox", connection, tables);
  const sql = inboxStatements(prefix);
  return new SqlInbox(database.query, {
    ...sql,
    now: "?",
    nowValues: () => [Date.now()],
    async take({ limit, now, leaseUntil, onePerRecord }, isTidy) {
      const time = Date.now();
      const lease = time + Math.ceil(leaseUntil - now);
      if (!isTidy) {
        for (const tidy of sql.tidy) await database.query(tidy, [time - keepMs]);
        await database.query(sql.endWaits, [Math.max(lease, time + LONGEST_WAIT_MS)]);
      }
      // What waits is asked for at the same time twice: before the row and of its record.
      const values = onePerRecord ? [lease, time, time, limit] : [lease, time, limit];
      const rows = await database.query<TakenDelivery>(onePerRecord ? sql.takeOnePerRecord : sql.takeAny, values);
      return rows.map((row) => ({ ...row, time }));
    },
    async done(id, version) {
      const now = Date.now();
      database.transaction(() => {
        database.prepare(sql.done).run({ id, now });
        if (version) database.prepare(sql.handled).run({ ...version, now });
      });
    },
  });
}
