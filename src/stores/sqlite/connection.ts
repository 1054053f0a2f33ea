import { isBusy, Sqlite, type SqliteSource } from "../../sql/sqlite.js";
import { currentVersion, type PartTables, statementsFrom } from "../../sql/tables.js";
import type { Query, Value } from "../dialects.js";
import { checkConnection } from "../options.js";

// Short, because SQLite calls are synchronous: waiting for a lock blocks the process.
const BUSY_TIMEOUT_MS = 2_000;

// After a failed wait, `briefTransaction` waits only this long: twenty calls would otherwise block for 40 seconds.
const SHORT_BUSY_TIMEOUT_MS = 100;

/** A connection that creates its tables before the first statement. */
export class SqliteDatabase {
  readonly #sqlite: Sqlite;
  readonly #tables: PartTables;
  #busyMs = BUSY_TIMEOUT_MS;
  #failure: { readonly error: unknown; readonly until: number } | null = null;
  #hasTables = false;

  /** @throws ConfigurationError if the connection lacks a method. */
  constructor(what: string, connection: SqliteSource, tables: PartTables, synchronous: "FULL" | "NORMAL" = "FULL") {
    if (typeof connection !== "function") checkConnection(what, connection, "exec", "prepare");
    this.#sqlite = new Sqlite(connection, synchronous);
    this.#tables = tables;
  }

  query: Query = async <Row>(sql: string, values: readonly Value[]) => {
    const given = values.map((value) => (typeof value === "boolean" ? Number(value) : value));
    return this.#open().all<Row>(sql, given);
  };

  transaction<Value>(work: (sqlite: Sqlite) => Value): Value {
    const sqlite = this.#open();
    return sqlite.transaction(() => work(sqlite));
  }

  /**
   * Runs work in a transaction. After a failed wait for another process, calls fail immediately for 100 ms; then each
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
    const { part, prefix } = this.#tables;
    const versions = `${prefix}versions`;
    sqlite.waitAtMost(this.#busyMs);
    sqlite.open();
    sqlite.transaction(() => {
      sqlite.change(`CREATE TABLE IF NOT EXISTS ${versions} (part TEXT PRIMARY KEY, version INTEGER NOT NULL) STRICT`);
      const [known] = sqlite.all<{ version: number }>(`SELECT version FROM ${versions} WHERE part = ?`, [part]);
      const missing = statementsFrom(known?.version ?? 0, this.#tables);
      for (const sql of missing) sqlite.change(sql);
      if (missing.length === 0) return;
      sqlite.run(`INSERT OR REPLACE INTO ${versions} VALUES (?, ?)`, [part, currentVersion(this.#tables)]);
    });
    this.#hasTables = true;
    return sqlite;
  }
}
