import { DatabaseSync } from "node:sqlite";
import type { TakenDelivery, WebhookStore } from "education-admin-sdk/webhooks";

/** A webhook store in an SQLite file, and what an operator wants to do with it. */
export interface SqliteStore extends WebhookStore {
  /** The database, for what the listeners write. */
  readonly database: DatabaseSync;
  /** How many deliveries are in which state. */
  count(): Record<"waiting" | "done" | "dead", number>;
  /** Lets a delivery that was set aside start again. */
  revive(id: string): void;
  /** Forgets deliveries handled before a time, in milliseconds since the epoch. */
  prune(before: number): void;
  close(): void;
}

/**
 * Keeps deliveries in an SQLite file: what was answered with 200 outlives the process and the machine. Several
 * processes may share the file.
 */
export function sqliteStore(path: string): SqliteStore {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  // FULL: an answered delivery is on the disk, not on its way there.
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;
    CREATE TABLE IF NOT EXISTS deliveries (
      id TEXT PRIMARY KEY,
      event TEXT NOT NULL,
      payload TEXT NOT NULL,
      received_at INTEGER NOT NULL,
      sent_at INTEGER,
      state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'done', 'dead')),
      attempt INTEGER NOT NULL DEFAULT 0,
      due_at INTEGER NOT NULL DEFAULT 0 -- of one that is being handled: when its lease ends
    ) STRICT;
    CREATE INDEX IF NOT EXISTS deliveries_due ON deliveries (due_at) WHERE state = 'waiting';
    CREATE TABLE IF NOT EXISTS versions (record TEXT PRIMARY KEY, updated_at INTEGER NOT NULL) STRICT;
  `);
  const put = database.prepare(`
    INSERT INTO deliveries (id, event, payload, received_at, sent_at)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const take = database.prepare(`
    UPDATE deliveries SET attempt = attempt + 1, due_at = ?
    WHERE id IN (
      SELECT id FROM deliveries WHERE state = 'waiting' AND due_at <= ? ORDER BY due_at, received_at LIMIT ?
    )
    RETURNING id, event, payload, received_at AS receivedAt, sent_at AS sentAt, attempt`);
  const setDue = database.prepare("UPDATE deliveries SET due_at = ? WHERE id = ? AND state = 'waiting'");
  const setState = database.prepare("UPDATE deliveries SET state = ? WHERE id = ?");
  // The body may hold personal data: kept no longer than it is needed. The row stays, to know a duplicate.
  const finish = database.prepare("UPDATE deliveries SET state = 'done', payload = '' WHERE id = ?");
  const setVersion = database.prepare(`
    INSERT INTO versions VALUES (?, ?)
    ON CONFLICT (record) DO UPDATE SET updated_at = max(updated_at, excluded.updated_at)`);
  const newest = database.prepare("SELECT updated_at FROM versions WHERE record = ?");
  const count = database.prepare("SELECT state, count(*) AS many FROM deliveries GROUP BY state");
  const revive = database.prepare(
    "UPDATE deliveries SET state = 'waiting', attempt = 0, due_at = 0 WHERE id = ? AND state = 'dead'",
  );
  const prune = database.prepare("DELETE FROM deliveries WHERE state = 'done' AND received_at < ?");

  return {
    database,
    async put({ id, event, payload, receivedAt, sentAt }) {
      return put.run(id, event, payload, receivedAt, sentAt).changes === 0 ? "duplicate" : "stored";
    },
    async take({ limit, now, leaseUntil }) {
      const taken = take.all(leaseUntil, now, limit) as unknown as TakenDelivery[];
      return taken.sort((one, other) => one.receivedAt - other.receivedAt);
    },
    async extend(id, leaseUntil) {
      setDue.run(leaseUntil, id);
    },
    async done(id, version) {
      database.exec("BEGIN IMMEDIATE");
      try {
        finish.run(id);
        if (version) setVersion.run(version.record, version.updatedAt);
        database.exec("COMMIT");
      } catch (error) {
        database.exec("ROLLBACK");
        throw error;
      }
    },
    async retry(id, at) {
      setDue.run(at, id);
    },
    async dead(id) {
      setState.run("dead", id);
    },
    async newest(record) {
      return (newest.get(record)?.updated_at as number | undefined) ?? null;
    },
    count() {
      const rows = count.all() as { state: "waiting" | "done" | "dead"; many: number }[];
      return { waiting: 0, done: 0, dead: 0, ...Object.fromEntries(rows.map(({ state, many }) => [state, many])) };
    },
    revive: (id) => void revive.run(id),
    prune: (before) => void prune.run(before),
    close: () => database.close(),
  };
}
