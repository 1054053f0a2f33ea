import { optionsOf } from "../../core/option-checks.js";
import type { SqliteSource } from "../../sql/sqlite.js";
import type { TakenDelivery } from "../../webhooks/store.js";
import { SQLITE } from "../dialects.js";
import { INBOX_OPTIONS, type WebhookInboxOptions } from "../options.js";
import { type DurableInbox, inboxTables, LONGEST_WAIT_MS, SqlInbox } from "../sql-inbox.js";
import { SqliteDatabase } from "./connection.js";
import { inboxStatements } from "./inbox-sql.js";

/**
 * Keeps deliveries in an SQLite file: a delivery that was answered with 200 survives a crash of the process and the
 * machine. Several processes on one machine may share the file. Give it its own connection: it sets WAL mode and
 * `synchronous = FULL`, and creates and migrates its tables on first use. A call may block this process for up to 2
 * seconds while it waits for other processes; a handler's `timeoutMs` cannot end that wait. Listeners that write to the
 * same file must open another connection, because their ROLLBACK would also undo accepted deliveries.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function webhookInbox(connection: SqliteSource, options: WebhookInboxOptions = {}): DurableInbox {
  const { prefix, keepMs } = optionsOf("webhookInbox", options, INBOX_OPTIONS);
  const database = new SqliteDatabase("webhookInbox", connection, inboxTables(SQLITE, prefix));
  const sql = inboxStatements(prefix);
  return new SqlInbox(database.query, {
    ...sql,
    dialect: SQLITE,
    async take({ limit, now, leaseUntil, longestWaitMs = LONGEST_WAIT_MS, onePerRecord }, isTidy) {
      const time = Date.now();
      const lease = time + Math.ceil(leaseUntil - now);
      if (!isTidy) {
        for (const tidy of sql.tidy) await database.query(tidy, [time - keepMs]);
        await database.query(sql.endWaits, [Math.max(lease, time + longestWaitMs)]);
      }
      const values = onePerRecord ? [lease, time, time, limit] : [lease, time, limit];
      const rows = await database.query<TakenDelivery>(onePerRecord ? sql.takeOnePerRecord : sql.takeAny, values);
      return rows.map((row) => ({ ...row, time }));
    },
    async markDone(id, version) {
      const now = Date.now();
      database.transaction((sqlite) => {
        sqlite.run(sql.done, [now, id]);
        if (version) sqlite.run(sql.handled, [version.record, version.updatedAt, now]);
      });
    },
  });
}
