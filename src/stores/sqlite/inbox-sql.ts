import { copiesSql } from "../sql-inbox.js";

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
            WHERE other.record = one.record AND other.state = 'waiting' AND other.leased AND other.available_at > ?
          )
        )
        WHERE turn = 1 ORDER BY available_at, place LIMIT ?
      )
      RETURNING ${columns}`,
    // Removes the body of a handled delivery, because it may contain personal data. The row stays so that duplicates
    // are recognized.
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
