/** The tables of the inbox. Times are milliseconds since the epoch. */
export function inboxTables(prefix: string): readonly string[] {
  return [
    `
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
    CREATE UNIQUE INDEX ${prefix}deliveries_fold ON ${prefix}deliveries (fold_key) WHERE state = 'waiting' AND attempt = 0;
    CREATE INDEX ${prefix}deliveries_ended ON ${prefix}deliveries (ended_at) WHERE state <> 'waiting';
    CREATE TABLE ${prefix}records (
      record TEXT PRIMARY KEY,
      updated_at INTEGER NOT NULL,
      handled_at INTEGER NOT NULL
    ) STRICT;
    `,
  ];
}

/** The statements of the inbox. */
export function inboxStatements(prefix: string) {
  const deliveries = `${prefix}deliveries`;
  const columns = "id, event, payload, received_at AS receivedAt, sent_at AS sentAt, attempt";
  // Fences an owner that was stalled: its delivery may have been handed out again.
  const own = "id = :id AND state = 'waiting' AND attempt = coalesce(:attempt, attempt)";
  return {
    // Two indexes can refuse a row: a known id, and a delivery with this key that was never handed out.
    put: `
      INSERT OR IGNORE INTO ${deliveries} (id, event, payload, received_at, sent_at, record, fold_key)
      VALUES (:id, :event, :payload, :receivedAt, :sentAt, :record, :foldKey)`,
    take: `
      UPDATE ${deliveries} SET attempt = attempt + 1, leased = 1, available_at = :leaseUntil
      WHERE id IN (
        SELECT id FROM ${deliveries} WHERE state = 'waiting' AND available_at <= :now
        ORDER BY available_at, place LIMIT :limit
      )
      RETURNING ${columns}`,
    // The oldest available delivery of every record without a running lease; before it one whose process ended, because
    // its listener may have succeeded, and an older one after it would go backwards.
    takeOnePerRecord: `
      UPDATE ${deliveries} SET attempt = attempt + 1, leased = 1, available_at = :leaseUntil
      WHERE id IN (
        SELECT id FROM (
          SELECT id, available_at, place,
            row_number() OVER (PARTITION BY coalesce(record, id) ORDER BY leased DESC, received_at, place) AS turn
          FROM ${deliveries} AS one
          WHERE state = 'waiting' AND available_at <= :now AND NOT EXISTS (
            SELECT 1 FROM ${deliveries} AS other
            WHERE other.record = one.record AND other.state = 'waiting' AND other.leased = 1 AND other.available_at > :now
          )
        )
        WHERE turn = 1 ORDER BY available_at, place LIMIT :limit
      )
      RETURNING ${columns}`,
    extend: `UPDATE ${deliveries} SET available_at = :at WHERE ${own} AND leased = 1`,
    retry: `UPDATE ${deliveries} SET available_at = :at, leased = 0 WHERE ${own}`,
    // The body may hold personal data, so it goes once it is handled. The row stays, to recognise a duplicate.
    done: `UPDATE ${deliveries} SET state = 'done', leased = 0, payload = '', ended_at = :now WHERE id = :id`,
    dead: `UPDATE ${deliveries} SET state = 'dead', leased = 0, ended_at = :now WHERE ${own}`,
    handled: `
      INSERT INTO ${prefix}records VALUES (:record, :updatedAt, :now)
      ON CONFLICT (record) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at), handled_at = excluded.handled_at`,
    newest: `SELECT updated_at AS updatedAt FROM ${prefix}records WHERE record = :record`,
    count: `SELECT state, count(*) AS many FROM ${deliveries} WHERE :all GROUP BY state`,
    listDead: `
      SELECT id, event, received_at AS receivedAt, attempt FROM ${deliveries}
      WHERE state = 'dead' ORDER BY place LIMIT :limit`,
    revive: `
      UPDATE ${deliveries} SET state = 'waiting', attempt = 0, available_at = 0, ended_at = NULL, fold_key = NULL
      WHERE id = :id AND state = 'dead'`,
    tidy: `DELETE FROM ${deliveries} WHERE state <> 'waiting' AND ended_at < :before`,
    tidyRecords: `DELETE FROM ${prefix}records WHERE handled_at < :before`,
  };
}
