import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import type { TakenDelivery, WebhookStore } from "education-admin-sdk/webhooks";

/** A delivery that was set aside. */
export interface DeadDelivery {
  readonly id: string;
  readonly event: string;
  readonly receivedAt: number;
  readonly attempt: number;
}

/** A webhook store in an SQLite file, and what an operator needs. */
export interface SqliteStore extends WebhookStore {
  /** How many deliveries are in which state. */
  count(): Record<"waiting" | "done" | "dead", number>;
  /** The deliveries that were set aside, the oldest first. */
  listDead(limit?: number): DeadDelivery[];
  /** Makes a delivery that was set aside start again; false when there is none with this id. */
  revive(id: string): boolean;
  /**
   * Deletes what was handled or set aside before a time, in milliseconds since the epoch, and the versions of records
   * that did not change since. Keep handled deliveries for as long as the service may send them again.
   */
  prune(before: number): void;
  close(): void;
}

/**
 * Keeps deliveries in an SQLite file: what was answered with 200 outlives the process and the machine. Several
 * processes may share the file. The connection belongs to the store alone: on a shared one, a listener's ROLLBACK would
 * also undo deliveries that were answered. Listeners that write to the same file open a connection of their own.
 */
export function sqliteStore(path: string): SqliteStore {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  // FULL: an answered delivery is on the disk, not only in the operating system's memory.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS deliveries (
      id TEXT PRIMARY KEY,
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
    CREATE INDEX IF NOT EXISTS deliveries_available ON deliveries (available_at) WHERE state = 'waiting';
    CREATE INDEX IF NOT EXISTS deliveries_leased ON deliveries (record) WHERE state = 'waiting' AND leased = 1;
    CREATE UNIQUE INDEX IF NOT EXISTS deliveries_fold ON deliveries (fold_key) WHERE state = 'waiting' AND attempt = 0;
    CREATE TABLE IF NOT EXISTS versions (record TEXT PRIMARY KEY, updated_at INTEGER NOT NULL) STRICT;
  `);
  // Two indexes can refuse a row: a known id, and a delivery with this key that was never handed out.
  const put = database.prepare(`
    INSERT OR IGNORE INTO deliveries (id, event, payload, received_at, sent_at, record, fold_key)
    VALUES (?, ?, ?, ?, ?, ?, ?)`);
  const columns = "id, event, payload, received_at AS receivedAt, sent_at AS sentAt, attempt";
  const take = database.prepare(`
    UPDATE deliveries SET attempt = attempt + 1, leased = 1, available_at = :leaseUntil
    WHERE id IN (
      SELECT id FROM deliveries WHERE state = 'waiting' AND available_at <= :now
      ORDER BY available_at, received_at, rowid LIMIT :limit
    )
    RETURNING ${columns}`);
  // The oldest available delivery of every record without a running lease.
  const takeOnePerRecord = database.prepare(`
    UPDATE deliveries SET attempt = attempt + 1, leased = 1, available_at = :leaseUntil
    WHERE id IN (
      SELECT id FROM (
        SELECT id, available_at, received_at, rowid AS place,
          row_number() OVER (PARTITION BY coalesce(record, id) ORDER BY received_at, rowid) AS turn
        FROM deliveries AS one
        WHERE state = 'waiting' AND available_at <= :now AND NOT EXISTS (
          SELECT 1 FROM deliveries AS other
          WHERE other.record = one.record AND other.state = 'waiting' AND other.leased = 1 AND other.available_at > :now
        )
      )
      WHERE turn = 1 ORDER BY available_at, received_at, place LIMIT :limit
    )
    RETURNING ${columns}`);
  const extend = database.prepare(
    "UPDATE deliveries SET available_at = ? WHERE id = ? AND state = 'waiting' AND leased = 1",
  );
  const retry = database.prepare(
    "UPDATE deliveries SET available_at = ?, leased = 0 WHERE id = ? AND state = 'waiting'",
  );
  // The body may hold personal data, so it goes once it is handled. The row stays, to recognise a duplicate.
  const finish = database.prepare(
    "UPDATE deliveries SET state = 'done', leased = 0, payload = '', ended_at = ? WHERE id = ?",
  );
  const setAside = database.prepare(
    "UPDATE deliveries SET state = 'dead', leased = 0, ended_at = ? WHERE id = ? AND state = 'waiting'",
  );
  const setVersion = database.prepare(`
    INSERT INTO versions VALUES (?, ?)
    ON CONFLICT (record) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)`);
  const newest = database.prepare("SELECT updated_at FROM versions WHERE record = ?");
  const count = database.prepare("SELECT state, count(*) AS many FROM deliveries GROUP BY state");
  const listDead = database.prepare(`
    SELECT id, event, received_at AS receivedAt, attempt FROM deliveries
    WHERE state = 'dead' ORDER BY received_at LIMIT ?`);
  const revive = database.prepare(
    "UPDATE deliveries SET state = 'waiting', attempt = 0, available_at = 0, ended_at = NULL, fold_key = NULL WHERE id = ? AND state = 'dead'",
  );
  const prune = database.prepare("DELETE FROM deliveries WHERE state <> 'waiting' AND ended_at < ?");
  const pruneVersions = database.prepare("DELETE FROM versions WHERE updated_at < ?");

  return {
    async put({ id, event, payload, receivedAt, sentAt, record, foldKey }) {
      const { changes } = put.run(id, event, payload, receivedAt, sentAt, record, foldKey);
      return changes === 0 ? "duplicate" : "stored";
    },
    async take({ limit, now, leaseUntil, onePerRecord }) {
      const rows = (onePerRecord ? takeOnePerRecord : take).all({ limit, now, leaseUntil });
      return rows.map(toDelivery).sort((one, other) => one.receivedAt - other.receivedAt);
    },
    async extend(id, leaseUntil) {
      extend.run(leaseUntil, id);
    },
    async done(id, version) {
      database.exec("BEGIN IMMEDIATE");
      try {
        finish.run(Date.now(), id);
        if (version) setVersion.run(version.record, version.updatedAt);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    async retry(id, at) {
      retry.run(at, id);
    },
    async dead(id) {
      setAside.run(Date.now(), id);
    },
    async newest(record) {
      const row = newest.get(record);
      return row === undefined ? null : Number(row.updated_at);
    },
    count() {
      const states = count.all().map(({ state, many }) => [String(state), Number(many)]);
      return { waiting: 0, done: 0, dead: 0, ...Object.fromEntries(states) };
    },
    listDead(limit = 100) {
      return listDead.all(limit).map((row) => ({
        id: String(row.id),
        event: String(row.event),
        receivedAt: Number(row.receivedAt),
        attempt: Number(row.attempt),
      }));
    },
    revive: (id) => revive.run(id).changes === 1,
    prune(before) {
      prune.run(before);
      pruneVersions.run(before);
    },
    close: () => database.close(),
  };
}

function toDelivery(row: Record<string, SQLOutputValue>): TakenDelivery {
  return {
    id: String(row.id),
    event: String(row.event),
    payload: String(row.payload),
    receivedAt: Number(row.receivedAt),
    sentAt: row.sentAt === null ? null : Number(row.sentAt),
    attempt: Number(row.attempt),
  };
}
