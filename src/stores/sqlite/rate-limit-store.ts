import type { RateLimitStore } from "../../core/limits/rate-limit-store.js";
import type { SqliteSource } from "../../sql/sqlite.js";
import { rememberAtMost } from "../../webhooks/bounded-map.js";
import { type RateLimitStoreOptions, rateLimitSettings } from "../options.js";
import { SharedWindows } from "../shared-windows.js";
import { endOf, newWindow, type Ran, run, type Window } from "../turns.js";
import { SqliteDatabase } from "./connection.js";

const DAY_MS = 86_400_000;

const MAX_WINDOWS = 1_000;

/**
 * Shares a rate limit between the processes of one machine, in an SQLite file. Give it its own connection: it sets WAL
 * mode, waits at most 2 seconds for other processes (100 ms after such a wait has failed), and creates and migrates its
 * table on first use. Windows follow the machine's clock, but do not go back when it is set back. `client.rateLimit`
 * shows the state last read from the file.
 * @throws ConfigurationError if the connection lacks a method or an option is invalid.
 */
export function rateLimitStore(connection: SqliteSource, options: RateLimitStoreOptions = {}): RateLimitStore {
  const { prefix, ...settings } = rateLimitSettings(options);
  const windows = `${prefix}windows`;
  const create = `CREATE TABLE ${windows} (id TEXT PRIMARY KEY, version INTEGER NOT NULL, state TEXT NOT NULL, ends_at REAL NOT NULL) STRICT;`;
  // Drops the windows of version 1, whose columns may differ; windows last only minutes.
  const upgrades = [`DROP TABLE ${windows}; ${create}`];
  const tables = { part: "rate_limit", prefix, create, upgrades };
  const database = new SqliteDatabase("rateLimitStore", connection, tables, "NORMAL");
  const read = `SELECT state FROM ${windows} WHERE id = ?`;
  const write = `INSERT INTO ${windows} VALUES (?, 1, ?, ?)
    ON CONFLICT (id) DO UPDATE SET version = version + 1, state = excluded.state, ends_at = excluded.ends_at`;
  /**
   * Each window's time minus the machine's, whose clock may be set back. Not stored, because a process whose clock was
   * ahead would impose its difference on other processes.
   */
  const shifts = new Map<string, number>();
  return new SharedWindows((id, step) => {
    return database.briefTransaction((sqlite) => {
      const [row] = sqlite.all<{ state: string }>(read, [id]);
      const time = Date.now();
      // Removes unused windows, because every replaced token would otherwise leave a row behind.
      if (!row) sqlite.run(`DELETE FROM ${windows} WHERE ends_at < ?`, [time - DAY_MS]);
      const window = row ? (JSON.parse(row.state) as Window) : newWindow();
      const [ran] = run(window, [step], time + (shifts.get(id) ?? 0)) as [Ran];
      rememberAtMost(shifts, MAX_WINDOWS, id, ran.now - time);
      const endsAt = time + Math.max(1, Math.ceil(endOf(window) - ran.now));
      sqlite.run(write, [id, JSON.stringify(window), endsAt]);
      return ran;
    });
  }, settings);
}
