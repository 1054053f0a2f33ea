import { isBusy, Sqlite, type SqliteConnection } from "../../sql/sqlite.js";
import { checkConnection } from "../options.js";
import type { Query, Value } from "../sql-inbox.js";

/** The tables of one part of the library. */
export interface SqliteTables {
  readonly part: string;
  readonly prefix: string;
  readonly tables: string;
  /** Durability after a power cut: FULL keeps everything, NORMAL may lose the last moments. */
  readonly synchronous: "FULL" | "NORMAL";
}

// SQLite calls are synchronous, so waiting for a lock blocks the process.
const BUSY_TIMEOUT_MS = 2_000;

// Used after a failed wait, for callers with a fallback. Otherwise twenty calls would block for 40 seconds.
const SHORT_BUSY_TIMEOUT_MS = 100;

/** A connection that creates its tables before the first statement. */
export class SqliteDatabase {
  readonly #sqlite: Sqlite;
  readonly #tables: SqliteTables;
  #busyMs = BUSY_TIMEOUT_MS;
  #failure: { readonly error: unknown; readonly until: number } | null = null;
  #hasTables = false;

  /** @throws ConfigurationError if the connection lacks a method. */
  constructor(what: string, connection: SqliteConnection, tables: SqliteTables) {
    checkConnection(what, connection, ["exec", "prepare"]);
    this.#sqlite = new Sqlite(connection, tables.synchronous);
    this.#tables = tables;
  }

  /** Runs a statement and returns its rows. */
  query: Query = async <Row>(sql: string, values: readonly Value[]) => {
    const given = values.map((value) => (typeof value === "boolean" ? Number(value) : value));
    return this.#open().all<Row>(sql, given);
  };

  /** Runs work in a transaction that no other process can interleave. */
  transaction<Value>(work: (sqlite: Sqlite) => Value): Value {
    const sqlite = this.#open();
    return sqlite.transaction(() => work(sqlite));
  }

  /**
   * Runs work like `transaction`. After a failed wait for another process, calls fail immediately for 100 ms; then each
   * waits at most 100 ms, until one succeeds.
   */
  briefTransaction<Value>(work: (sqlite: Sqlite) => Value): Value {
    if (this.#failure && performance.now() < this.#failure.until) throw this.#failure.error;
    try {
      const value = this.transaction(work);
      this.#failure = null;
      this.#wait(BUSY_TIMEOUT_MS);
      return value;
    } catch (error) {
      if (isBusy(error)) {
        this.#failure = { error, until: performance.now() + SHORT_BUSY_TIMEOUT_MS };
        this.#wait(SHORT_BUSY_TIMEOUT_MS);
      }
      throw error;
    }
  }

  #wait(ms: number): void {
    this.#busyMs = ms;
    this.#sqlite.waitAtMost(ms);
  }

  #open(): Sqlite {
    const sqlite = this.#sqlite;
    if (this.#hasTables) return sqlite;
    const { part, prefix, tables } = this.#tables;
    sqlite.waitAtMost(this.#busyMs);
    sqlite.open();
    sqlite.transaction(() => {
      sqlite.change(
        `CREATE TABLE IF NOT EXISTS ${prefix}versions (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`,
      );
      const sql = `SELECT version FROM ${prefix}versions WHERE part = ?`;
      const version = sqlite.all<{ version: number }>(sql, [part])[0]?.version ?? 0;
      if (version > 1) throw new Error(`The tables ${prefix}… were created by a newer version of education-admin-sdk`);
      if (version === 1) return;
      sqlite.change(tables);
      sqlite.run(`INSERT INTO ${prefix}versions VALUES (?, 1)`, [part]);
    });
    this.#hasTables = true;
    return sqlite;
  }
}
