/** Opens connections and reads rows, for all code that uses a caller's SQLite. */

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

/**
 * Configures a connection for writing, with a write-ahead log so that readers do not have to wait.
 * @param busyMs how many milliseconds each statement waits for other processes; it blocks this process meanwhile.
 * @param synchronous what survives a power cut: with FULL everything, with NORMAL all but the last moments.
 */
export function openSqlite(
  connection: { exec(sql: string): unknown },
  busyMs: number,
  synchronous: "FULL" | "NORMAL",
): void {
  connection.exec(`PRAGMA busy_timeout = ${busyMs}`);
  for (let left = 100; ; left--) {
    try {
      connection.exec("PRAGMA journal_mode = WAL");
      break;
    } catch (error) {
      // SQLite does not wait for other processes here, but an empty write transaction does.
      if (left === 0 || !isBusy(error)) throw error;
      connection.exec("BEGIN IMMEDIATE; ROLLBACK");
    }
  }
  connection.exec(`PRAGMA synchronous = ${synchronous}`);
}

export function rollBack(connection: { exec(sql: string): unknown }): void {
  try {
    connection.exec("ROLLBACK");
  } catch {
    // Some errors have already rolled the transaction back.
  }
}
