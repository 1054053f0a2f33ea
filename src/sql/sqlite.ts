/** Runs statements on a caller's SQLite connection, for all code that uses one. */

/**
 * A prepared statement of `node:sqlite` or better-sqlite3. The parameters are `unknown` because TypeScript before
 * version 6 otherwise refuses the types of better-sqlite3; the library passes strings, numbers and null.
 */
export interface SqliteStatement {
  run(...values: unknown[]): { readonly changes: number | bigint };
  all(...values: unknown[]): unknown[];
}

/**
 * A connection to an SQLite file: a `DatabaseSync` of `node:sqlite` or a `Database` of better-sqlite3. Use it for
 * nothing else: other statements could become part of a transaction of the library, or end it.
 */
export interface SqliteConnection {
  exec(sql: string): unknown;
  prepare(sql: string): SqliteStatement;
}

/** A connection, or a function that opens it when it is first used. */
export type SqliteSource<Connection extends SqliteConnection = SqliteConnection> = Connection | (() => Connection);

/** Converts BigInts to numbers, because some drivers can be set to return BigInts. */
export function plainRows<Row>(rows: readonly unknown[]): readonly Row[] {
  for (const row of rows as Record<string, unknown>[]) {
    for (const name in row) if (typeof row[name] === "bigint") row[name] = Number(row[name]);
  }
  return rows as readonly Row[];
}

/** True if the error means that another process has locked the file. */
export function isBusy(error: unknown): boolean {
  return /locked|busy/i.test(String(error));
}

const MOST_STATEMENTS = 500;

/** A connection whose statements are prepared once. All its methods are synchronous and block the process. */
export class Sqlite<Connection extends SqliteConnection = SqliteConnection> {
  readonly #source: SqliteSource<Connection>;
  #opened: Connection | null = null;
  readonly #synchronous: "FULL" | "NORMAL";
  readonly #statements = new Map<string, SqliteStatement>();
  #busyMs: number | null = null;
  #isOpen = false;

  /** @param synchronous with FULL, every commit survives a power cut; with NORMAL, all but the last ones. */
  constructor(source: SqliteSource<Connection>, synchronous: "FULL" | "NORMAL") {
    this.#source = source;
    this.#synchronous = synchronous;
  }

  get connection(): Connection {
    this.#opened ??= typeof this.#source === "function" ? this.#source() : this.#source;
    return this.#opened;
  }

  /** Sets how many milliseconds each statement waits for other processes. */
  waitAtMost(busyMs: number): void {
    if (this.#busyMs === busyMs) return;
    this.connection.exec(`PRAGMA busy_timeout = ${busyMs}`);
    this.#busyMs = busyMs;
  }

  /** Configures the connection for writing, with a write-ahead log so that readers do not have to wait. */
  open(): void {
    if (this.#isOpen) return;
    for (let left = 100; ; left--) {
      try {
        this.connection.exec("PRAGMA journal_mode = WAL");
        break;
      } catch (error) {
        // Setting WAL mode does not wait for other processes, but an empty write transaction does.
        if (left === 0 || !isBusy(error)) throw error;
        this.connection.exec("BEGIN IMMEDIATE; ROLLBACK");
      }
    }
    this.connection.exec(`PRAGMA synchronous = ${this.#synchronous}`);
    this.#isOpen = true;
  }

  /** Returns the rows of a statement. Some drivers refuse a statement that cannot return any. */
  all<Row>(sql: string, values: readonly unknown[] = []): readonly Row[] {
    return plainRows<Row>(this.prepare(sql).all(...values));
  }

  run(sql: string, values: readonly unknown[] = []): number {
    return Number(this.prepare(sql).run(...values).changes);
  }

  /** Runs statements that change tables, which makes some drivers invalidate prepared statements. */
  change(sql: string): void {
    this.#statements.clear();
    this.connection.exec(sql);
  }

  prepare(sql: string): SqliteStatement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.connection.prepare(sql);
      if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  begin(): void {
    this.connection.exec("BEGIN IMMEDIATE");
  }

  commit(): void {
    this.connection.exec("COMMIT");
  }

  rollBack(): void {
    this.#statements.clear();
    try {
      this.connection.exec("ROLLBACK");
    } catch {
      // Fails if an error has already rolled the transaction back.
    }
  }

  /** Runs work in a transaction during which no other process can write. */
  transaction<Value>(work: () => Value): Value {
    this.begin();
    try {
      const value = work();
      this.commit();
      return value;
    } catch (error) {
      this.rollBack();
      throw error;
    }
  }
}
