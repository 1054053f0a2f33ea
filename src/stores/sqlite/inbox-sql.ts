import { copiesSql } from "../sql-inbox.js";

/** The tables of the inbox. Times are milliseconds since the epoch. */
export function inboxTables(prefix: string): string {
  return `
    CREATE TABLE ${prefix}deliveries (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      event TEXT NOT NULL,
      payload TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      sent_at INTEGER,
      record TEXT,
      fold_key TEXT,
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead')),
      attempt INTEGER NOT NULL DEFAULT 0,
      leased INTEGER NOT NULL DEFAULT 0,
      available_at INTEGER NOT NULL DEFAULT 0, -- of a leased one: when its lease ends
      ended_at INTEGER
    ) STRICT;
    CREATE INDEX ${prefix}deliveries_available ON ${prefix}deliveries (available_at) WHERE state = 'waiting';
    CREATE INDEX ${prefix}deliveries_leased ON ${prefix}deliveries (record) WHERE state = 'waiting' AND leased = 1;
    CREATE INDEX ${prefix}deliveries_fold ON ${prefix}deliveries (fold_key) WHERE fold_key IS NOT NULL;
    CREATE INDEX ${prefix}deliveries_record ON ${prefix}deliveries (record, place);
    CREATE INDEX ${prefix}deliveries_ended ON ${prefix}deliveries (ended_at) WHERE state <> 'waiting';
    CREATE TABLE ${prefix}records (
      record TEXT PRIMARY KEY,
      updated_at INTEGER NOT NULL,
      handled_at INTEGER NOT NULL
    ) STRICT;`;
}

export function inboxStatements(prefix: string) {
  const [deliveries, records] = [`${prefix}deliveries`, `${prefix}records`];
  const columns = "id, event, payload, received_at AS receivedAt, sent_at AS sentAt, attempt";
  const hidden = "attempt = attempt + 1, leased = 1, available_at = ?";
  return {
    deliveries,
    records,
    put: `
      WITH given (id, event, payload, received_at, sent_at, record, fold_key) AS (VALUES (?, ?, ?, ?, ?, ?, ?))
      INSERT OR IGNORE INTO ${deliveries} (id, event, payload, received_at, sent_at, record, fold_key)
      SELECT * FROM given
      WHERE NOT EXISTS (${copiesSql(deliveries, "given.fold_key", "coalesce(given.sent_at, given.received_at)")})
      RETURNING 1`,
    takeAny: `
      UPDATE ${deliveries} SET ${hidden}
      WHERE id IN (
        SELECT id FROM ${deliveries} WHERE state = 'waiting' AND available_at <= ?
        ORDER BY available_at, place LIMIT ?
      )
      RETURNING ${columns}`,
    // Takes the oldest due delivery of every record without a running lease. A delivery whose process ended comes
    // first: its listener may have succeeded, and an older delivery handled after it would return the record to an
    // older state.
    takeOnePerRecord: `
      UPDATE ${deliveries} SET ${hidden}
      WHERE id IN (
        SELECT id FROM (
          SELECT id, available_at, place,
            row_number() OVER (PARTITION BY coalesce(record, id) ORDER BY leased DESC, received_at, place) AS turn
          FROM ${deliveries} AS one
          WHERE state = 'waiting' AND available_at <= ? AND NOT EXISTS (
            SELECT 1 FROM ${deliveries} AS other
            WHERE other.record = one.record AND other.state = 'waiting' AND other.leased = 1 AND other.available_at > ?
          )
        )
        WHERE turn = 1 ORDER BY available_at, place LIMIT ?
      )
      RETURNING ${columns}`,
    // Removes the body of a handled delivery, because it may contain personal data. The row stays so that duplicates
    // are recognised.
    done: `UPDATE ${deliveries} SET state = 'done', leased = 0, payload = '', ended_at = ? WHERE id = ?`,
    handled: `
      INSERT INTO ${records} VALUES (?, ?, ?)
      ON CONFLICT (record) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at), handled_at = excluded.handled_at`,
    endWaits: `UPDATE ${deliveries} SET available_at = 0 WHERE state = 'waiting' AND available_at > ? RETURNING 1`,
    tidy: [
      `DELETE FROM ${deliveries} WHERE state <> 'waiting' AND ended_at < ? RETURNING 1`,
      `DELETE FROM ${records} WHERE handled_at < ? RETURNING 1`,
    ],
  };
}
