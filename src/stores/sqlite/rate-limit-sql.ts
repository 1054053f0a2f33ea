/** The tables of the rate limit store. All times are milliseconds of the window's own time, which never goes backwards. */
export function rateLimitTables(prefix: string): readonly string[] {
  return [
    `
    CREATE TABLE ${prefix}windows (
      id TEXT PRIMARY KEY,
      seen INTEGER NOT NULL DEFAULT 0, -- the latest time at which a process asked for a request
      blocked_until INTEGER NOT NULL DEFAULT 0,
      spaced_until REAL NOT NULL DEFAULT 0 -- when a key above its share may have the next place
    ) STRICT;
    CREATE TABLE ${prefix}places (
      slot INTEGER PRIMARY KEY AUTOINCREMENT,
      window_id TEXT NOT NULL,
      key TEXT NOT NULL,
      batch INTEGER NOT NULL,
      frees_at INTEGER NOT NULL, -- while the request is in flight: when its lease ends
      answered INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX ${prefix}places_by_time ON ${prefix}places (window_id, frees_at);
    CREATE INDEX ${prefix}places_by_key ON ${prefix}places (window_id, key);
    CREATE TABLE ${prefix}waiters (
      window_id TEXT NOT NULL,
      key TEXT NOT NULL,
      batch INTEGER NOT NULL,
      since INTEGER NOT NULL,
      ends_at INTEGER NOT NULL, -- when its turn is no longer kept
      PRIMARY KEY (window_id, key, batch)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE ${prefix}keys (
      window_id TEXT NOT NULL,
      key TEXT NOT NULL,
      seen INTEGER NOT NULL,
      PRIMARY KEY (window_id, key)
    ) STRICT, WITHOUT ROWID;
    `,
  ];
}

/** The statements of the rate limit store. */
export function rateLimitStatements(prefix: string) {
  const [windows, places, waiters, keys] = ["windows", "places", "waiters", "keys"].map((name) => prefix + name);
  return {
    open: `
      INSERT INTO ${windows} (id, seen) VALUES (:window, :time)
      ON CONFLICT (id) DO UPDATE SET seen = max(seen, :time)
      RETURNING seen AS now, blocked_until AS blockedUntil, spaced_until AS spacedUntil`,
    seen: `SELECT seen FROM ${windows} WHERE id = :window`,
    forget: `DELETE FROM ${places} WHERE window_id = :window AND frees_at <= :now`,
    block: `UPDATE ${windows} SET blocked_until = max(blocked_until, :at) WHERE id = :window`,
    space: `UPDATE ${windows} SET spaced_until = :until WHERE id = :window`,
    count: `
      SELECT count(*) AS used, coalesce(sum(batch), 0) AS batch, coalesce(sum(key = :key), 0) AS own
      FROM ${places} WHERE window_id = :window`,
    next: `
      SELECT frees_at AS at FROM ${places} WHERE window_id = :window AND batch >= :least AND answered = 1
      ORDER BY frees_at LIMIT 1 OFFSET :skip`,
    take: `
      INSERT INTO ${places} (window_id, key, batch, frees_at) VALUES (:window, :key, :batch, :at) RETURNING slot`,
    answer: `
      UPDATE ${places} SET answered = 1, frees_at = :at WHERE slot = :slot AND window_id = :window AND answered = 0`,
    remove: `DELETE FROM ${places} WHERE slot = :slot AND window_id = :window AND answered = 0`,
    usage: `
      SELECT count(*) AS used, min(CASE WHEN answered = 1 THEN frees_at END) AS next,
        (SELECT blocked_until FROM ${windows} WHERE id = :window) AS blocked
      FROM ${places} WHERE window_id = :window AND frees_at > :now`,
    // Who goes first: interactive before batch, then who has fewer places, then who waits longer.
    ahead: `
      SELECT count(*) AS ahead, coalesce(sum(batch), 0) AS batchAhead FROM (
        SELECT batch, since,
          (SELECT count(*) FROM ${places} AS place WHERE place.window_id = :window AND place.key = waiter.key) AS held,
          coalesce(
            (SELECT since FROM ${waiters} WHERE window_id = :window AND key = :key AND batch = :batch), :now
          ) AS mine
        FROM ${waiters} AS waiter
        WHERE window_id = :window AND ends_at > :now AND NOT (key = :key AND batch = :batch)
      )
      WHERE batch < :batch OR (batch = :batch AND (held < :own OR (held = :own AND since < mine)))`,
    wait: `
      INSERT INTO ${waiters} VALUES (:window, :key, :batch, :now, :ends)
      ON CONFLICT DO UPDATE SET since = CASE WHEN ends_at > :now THEN since ELSE :now END, ends_at = :ends`,
    stopWaiting: `DELETE FROM ${waiters} WHERE window_id = :window AND key = :key AND batch = :batch`,
    see: `
      INSERT INTO ${keys} VALUES (:window, :key, :now)
      ON CONFLICT DO UPDATE SET seen = :now WHERE seen < :now - :windowMs`,
    keys: `SELECT count(*) AS keys FROM ${keys} WHERE window_id = :window AND seen > :since`,
  };
}
